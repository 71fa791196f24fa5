/**
 * A driver that reads a table as text, of one file or several, by threads. Each encodes the rows of a range
 * of bytes by its own dictionaries; these are merged here, in the order in which one thread would have met
 * the values. Where the threads cannot read the table, one thread reads it from the beginning and explains
 * what is wrong.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import {
  composeCodes,
  type Dialect,
  type EncodedEntries,
  type EncodedRows,
  type FinishedEntries,
  type LineRun,
  lineOfEntry,
  mergeDictionaries,
  modeReader,
  type ReadPlan,
  type RowsDriver,
  type Table,
} from '../../table/index.ts'
import { compileTextKernel } from '../../text/index.ts'
import { areDistinct } from './distinct.ts'
import {
  type Covered,
  type DropUnknownAnswer,
  type EarliestAnswer,
  type EncodeAnswer,
  NEXT,
  type TextFile,
  type TextFiles,
} from './messages.ts'
import { PROGRESS_MS, type ReadingPool } from './pool.ts'

/**
 * Most distinct values of a mode for reading by threads. One thread reads a table with more, and throws if they
 * are too many.
 */
const MAX_VALUES = 2 ** 24 - 1

/** A driver of threads, and the table that it reads. */
export interface TextThreads extends RowsDriver {
  /** The table to plan with: a plan for another table, such as a melted one, is not read by threads. */
  table: Table
  /** Closes the files and the pool, if they have been opened. */
  close(): Promise<void>
}

/**
 * Makes a driver that reads a table as text by threads.
 * @param inputs the files, in order, which are not packed; no two have the same name
 * @param given the table that one thread would read from them
 * @param startPool starts the threads, when the first pass begins
 */
export function textThreads(
  inputs: readonly { path: string; name: string }[],
  given: Table,
  dialect: Dialect,
  startPool: () => ReadingPool,
): TextThreads {
  let started: { pool: ReadingPool; handles: readonly FileHandle[]; text: TextFiles } | undefined
  /**
   * Starts the threads and opens the files, once; undefined if that fails, and one thread reads the table and
   * explains why.
   */
  async function start(): Promise<typeof started> {
    if (started) return started
    const handles: FileHandle[] = []
    let pool: ReadingPool | undefined
    try {
      pool = startPool()
      const files: TextFile[] = []
      for (const { path, name } of inputs) {
        const handle = await open(path)
        handles.push(handle)
        files.push({ fd: handle.fd, byteLength: (await handle.stat()).size, name })
      }
      const state = new Int32Array(new SharedArrayBuffer(8))
      const module = await compileTextKernel()
      started = { pool, handles, text: { files, dialect, columns: [...given.columns], module, state } }
    } catch {
      await pool?.close()
      await closeAll(handles)
    }
    return started
  }
  const table: Table = {
    ...given,
    async earliest(column) {
      const running = await start()
      if (!running) return undefined
      const { pool, text } = running
      const answers = await pool.ask<EarliestAnswer>({ ask: 'earliest', text, column }).catch(() => undefined)
      if (!answers || !countLinesBefore(answers, text)) return undefined
      return answers.reduce((least, { first }) => Math.min(least, first), Infinity)
    },
  }
  return {
    table,
    async encodeRows(plan) {
      if (plan.table !== table) return undefined
      const running = await start()
      return running && encodeByThreads(running.pool, running.text, plan)
    },
    areDistinct: async (indices) => started && areDistinct(started.pool, indices).catch(() => undefined),
    async close() {
      await started?.pool.close()
      await closeAll(started?.handles ?? [])
      started = undefined
    },
  }
}

/** Closes files. */
const closeAll = (handles: readonly FileHandle[]): Promise<unknown> =>
  Promise.all(handles.map((handle) => handle.close()))

/**
 * Encodes all rows by the threads and merges their dictionaries; undefined if they cannot, and one thread
 * must. The entries stay on the threads.
 */
async function encodeByThreads(
  pool: ReadingPool,
  text: TextFiles,
  plan: ReadPlan,
): Promise<EncodedRows | undefined> {
  const { modes, value, weight, merge, table, onRows } = plan
  Atomics.store(text.state, NEXT, 0)
  const progressTimer = setInterval(() => onRows?.(Atomics.load(text.state, NEXT)), PROGRESS_MS)
  const answers = await pool
    .ask<EncodeAnswer>({ ask: 'encode', text, modes, merge, value, weight })
    .catch(() => undefined)
    .finally(() => clearInterval(progressTimer))
  const lines = answers && countLinesBefore(answers, text)
  if (!lines) return undefined
  const merged = modes.map((_, m) => mergeDictionaries(answers.map(({ dictionaries }) => dictionaries[m])))
  const sizes = merged.map(({ dictionary: { integers, values } }) => (integers ?? values).length)
  if (sizes.some((size) => size > MAX_VALUES)) return undefined
  const sum = (countOf: (answer: EncodeAnswer) => number): number =>
    answers.reduce((total, answer) => total + countOf(answer), 0)
  const rows = sum((answer) => answer.rows)
  onRows?.(rows)
  const marked = answers.findIndex(({ marks }) => marks.count > 0)
  const example = answers[marked]?.marks
  const first = example?.first?.replace(/\d+$/, (line) =>
    String(Number(line) + lines[marked](example.firstFile)),
  )
  const marks = { count: sum((answer) => answer.marks.count), first }
  const { unit, decimal, thousands } = table
  const readers = modes.map((mode, m) => {
    const reader = modeReader(mode, table, { unit, decimal, thousands, marks })
    return { ...reader, dictionary: () => merged[m].dictionary }
  })
  const codes = answers.map((_, thread) => merged.map((mode) => mode.codes[thread]))
  const weightless = sum((answer) => answer.weightless)
  return { readers, rows, marks, weightless, entries: entriesOnThreads(pool, answers, lines, codes) }
}

/** Returns the number of lines of a file, given by its name, that come before the range of a thread. */
type LinesBefore = (file: string | undefined) => number

/**
 * Returns, per thread, the function that gives the lines before its range; undefined if the ranges that the
 * threads have read do not follow each other and cover all files.
 */
function countLinesBefore(
  answers: readonly { covered: Covered }[],
  { files }: TextFiles,
): LinesBefore[] | undefined {
  const done = files.map(() => ({ end: 0, lines: 0 }))
  const before: LinesBefore[] = []
  for (const { covered } of answers) {
    if ('failed' in covered) return undefined
    // A thread reads all files but its first one from their beginning.
    const [first] = covered
    const lines = first ? done[first.file].lines : 0
    before.push((file) => (first && files[first.file].name === file ? lines : 0))
    for (const { file, start, end, lines } of covered) {
      if (start !== done[file].end) return undefined
      done[file] = { end, lines: done[file].lines + lines }
    }
  }
  return files.every(({ byteLength }, file) => done[file].end === byteLength) ? before : undefined
}

/**
 * Returns the entries that are stored on the threads, in the order of threads; `finish` collects them.
 * @param lines per thread, the lines before its range
 * @param codes per thread and mode, the code in the merged dictionary for each of the thread's codes
 */
function entriesOnThreads(
  pool: ReadingPool,
  answers: readonly EncodeAnswer[],
  lines: readonly LinesBefore[],
  codes: readonly (readonly Uint32Array[])[],
): EncodedEntries {
  const before = runningSums(answers.map(({ count }) => count))
  const count = before[answers.length]
  const runs = answers.flatMap((answer, thread) =>
    answer.runs.map(({ entry, line, file }): LineRun => {
      return { entry: before[thread] + entry, line: lines[thread](file) + line, file }
    }),
  )
  let known: DropUnknownAnswer[] = []
  let starts = before // per thread, how many of the entries with known labels come before its own
  /**
   * Converts the number of an entry among those with known labels to its number among all encoded entries.
   */
  const encodedNumber = (entry: number): number => {
    const thread = starts.findLastIndex((start, t) => t < answers.length && start <= entry)
    const { remaining } = known[thread] ?? {}
    return before[thread] + (remaining ? remaining[entry - starts[thread]] : entry - starts[thread])
  }
  return {
    count,
    locate(entry) {
      const { file, line } = lineOfEntry(runs, encodedNumber(entry))
      return `${file}, line ${line}`
    },
    async finish(indexOfCode): Promise<FinishedEntries> {
      const composed = codes.map((threadCodes) =>
        threadCodes.map((modeCodes, m) => composeCodes(modeCodes, indexOfCode[m])),
      )
      known = await pool.ask<DropUnknownAnswer>({ ask: 'dropUnknown', indexOfCode: composed })
      starts = runningSums(known.map((answer) => answer.count))
      const total = starts[answers.length]
      const isWeighted = answers.some((answer) => answer.isWeighted)
      const columns = {
        indices: indexOfCode.map(() => uint32Array(total)),
        values: float32Array(total),
        ...(isWeighted && { weights: float32Array(total) }),
      }
      await pool.ask({ ask: 'write', starts, ...columns })
      return { ...columns, unknown: count - total }
    },
  }
}

/** Returns the running sums of counts, from 0 to the total: one number more than there are counts. */
function runningSums(counts: readonly number[]): number[] {
  const starts = [0]
  for (const count of counts) starts.push(starts[starts.length - 1] + count)
  return starts
}
