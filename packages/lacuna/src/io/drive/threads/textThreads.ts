/**
 * A table as text, of one file or several, read by threads, each a range of its bytes. They number the values of the modes for themselves; here the numbers
 * become one, in the order in which one thread would have met the values. Whatever is out of the ordinary is left to one thread.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import { type FinishedEntries, type LineRun, lineIn } from '../../table/columns/entries.ts'
import { modeReader } from '../../table/columns/modeReader.ts'
import type { Pass, PassByThreads, PassedEntries, Plan } from '../../table/readRows.ts'
import type { Dialect } from '../../table/source/dialect.ts'
import type { Table } from '../../table/source/rows.ts'
import { compileTextKernel } from '../../text/index.ts'
import { areDistinct } from './distinct.ts'
import { mergeSeen } from './mergeDictionaries.ts'
import {
  type Covered,
  type EarliestAnswer,
  NEXT,
  type PassAnswer,
  type SettleAnswer,
  type TextFile,
  type TextFiles,
} from './messages.ts'
import type { ReadingPool } from './pool.ts'

/** More distinct values than this are left to who says when there are too many. */
const MOST_VALUES = 2 ** 24 - 1
const PROGRESS_MS = 100

export interface TextThreads extends PassByThreads {
  /** As it is to be read: by this very object a pass is known to be over all of its rows as they are. */
  table: Table
  close(): Promise<void>
}

export function textThreads(
  inputs: readonly { path: string; name: string }[],
  given: Table,
  dialect: Dialect,
  startPool: () => ReadingPool,
): TextThreads {
  let started: { pool: ReadingPool; handles: readonly FileHandle[]; text: TextFiles } | undefined
  /** Nothing where threads cannot be had: one does it, and says what is wrong with the files. */
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
      const begun = await start()
      if (!begun) return undefined
      const { pool, text } = begun
      const answers = await pool.ask<EarliestAnswer>({ ask: 'earliest', text, column }).catch(() => undefined)
      if (!answers) return undefined
      return (
        linesBefore(answers, text) && answers.reduce((least, { first }) => Math.min(least, first), Infinity)
      )
    },
  }
  return {
    table,
    async pass(plan) {
      if (plan.table !== table) return undefined // it was made a long one, say
      const begun = await start()
      return begun && passWith(begun.pool, begun.text, plan)
    },
    areDistinct: async (indices) => started && areDistinct(started.pool, indices).catch(() => undefined),
    async close() {
      await started?.pool.close()
      await closeAll(started?.handles ?? [])
      started = undefined
    },
  }
}

const closeAll = (handles: readonly FileHandle[]): Promise<unknown> =>
  Promise.all(handles.map((handle) => handle.close()))

async function passWith(pool: ReadingPool, text: TextFiles, plan: Plan): Promise<Pass | undefined> {
  const { modes, value, weight, merge, table, onRows } = plan
  Atomics.store(text.state, NEXT, 0)
  const watching = setInterval(() => onRows?.(Atomics.load(text.state, NEXT)), PROGRESS_MS)
  const answers = await pool
    .ask<PassAnswer>({ ask: 'pass', text, modes, merge, ...(value && { value }), ...(weight && { weight }) })
    .catch(() => undefined) // where threads cannot be had, one does it
    .finally(() => clearInterval(watching))
  if (!answers) return undefined
  const lines = linesBefore(answers, text)
  if (!lines) return undefined
  const merged = modes.map((_, m) => mergeSeen(answers.map(({ seen }) => seen[m])))
  if (merged.some(({ seen }) => (seen.wholes ?? seen.values).length > MOST_VALUES)) return undefined
  const sum = (of: (answer: PassAnswer) => number): number =>
    answers.reduce((total, answer) => total + of(answer), 0)
  const rows = sum((answer) => answer.rows)
  onRows?.(rows)
  const marked = answers.findIndex(({ marks }) => marks.count > 0)
  const shown = answers[marked]?.marks
  const first = shown?.first?.replace(/\d+$/, (line) => String(Number(line) + lines[marked](shown.firstFile)))
  const marks = { count: sum((answer) => answer.marks.count), ...(first !== undefined && { first }) }
  const { unit, decimal } = table
  const readers = modes.map((mode, m) => {
    const reader = modeReader(mode, table, { unit, marks, ...(decimal && { decimal }) })
    return { ...reader, seen: () => merged[m].seen }
  })
  const codes = answers.map((_, thread) => merged.map((mode) => mode.codes[thread]))
  return {
    ...{ readers, rows, marks, weightless: sum((answer) => answer.weightless) },
    entries: entriesOf(pool, answers, lines, codes),
  }
}

/** How many lines of a file come before those of a thread. */
type LinesBefore = (file: string | undefined) => number

/** The same for each thread; nothing if the threads have not read all rows. */
function linesBefore(
  answers: readonly { covered: Covered }[],
  { files }: TextFiles,
): LinesBefore[] | undefined {
  const done = files.map(() => ({ end: 0, lines: 0 }))
  const before: LinesBefore[] = []
  for (const { covered } of answers) {
    if ('failed' in covered) return undefined
    // All files but its first one a thread reads from the beginning.
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

/** The entries that the threads keep. */
function entriesOf(
  pool: ReadingPool,
  answers: readonly PassAnswer[],
  lines: readonly LinesBefore[],
  codes: readonly (readonly Uint32Array[])[],
): PassedEntries {
  const before = startsOf(answers.map(({ count }) => count))
  const count = before[answers.length]
  const runs = answers.flatMap((answer, thread) =>
    answer.runs.map(({ entry, line, file }): LineRun => {
      return { entry: before[thread] + entry, line: lines[thread](file) + line, file }
    }),
  )
  let settled: SettleAnswer[] = []
  let left = before // how many of the entries that are left come before those of each thread
  /** The number, among all that were passed, of an entry that is left. */
  const original = (entry: number): number => {
    const thread = left.findLastIndex((start, place) => place < answers.length && start <= entry)
    const { kept } = settled[thread] ?? {}
    return before[thread] + (kept ? kept[entry - left[thread]] : entry - left[thread])
  }
  return {
    count,
    place(entry) {
      const { file, line } = lineIn(runs, original(entry))
      return `${file}, line ${line}`
    },
    async finish(places): Promise<FinishedEntries> {
      const composed = codes.map((own) => own.map((modeCodes, m) => compose(places[m], modeCodes)))
      settled = await pool.ask<SettleAnswer>({ ask: 'settle', places: composed })
      left = startsOf(settled.map((answer) => answer.count))
      const all = left[answers.length]
      const isWeighted = answers.some((answer) => answer.isWeighted)
      const found = {
        indices: places.map(() => uint32Array(all)),
        values: float32Array(all),
        ...(isWeighted && { weights: float32Array(all) }),
      }
      await pool.ask({ ask: 'write', before: left, ...found })
      return { ...found, unknown: count - all }
    },
  }
}

/** Where each begins, and the last ends. */
function startsOf(counts: readonly number[]): number[] {
  const starts = [0]
  for (const count of counts) starts.push(starts[starts.length - 1] + count)
  return starts
}

function compose(places: Uint32Array, codes: Uint32Array): Uint32Array {
  const composed = uint32Array(codes.length)
  for (let code = 0; code < codes.length; code++) composed[code] = places[codes[code]]
  return composed
}
