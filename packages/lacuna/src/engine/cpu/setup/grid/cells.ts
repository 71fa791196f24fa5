/**
 * Copies entries into the cells of the grid of stratified SGD (grid.ts), with all threads, and the entries of
 * all processes.
 */

import { purpose, stream } from '../../../../base/random.ts'
import { uint32Array } from '../../../../base/sharedArrays.ts'
import type { Communicator } from '../../../../comm/index.ts'
import * as at from '../../../../kernels/solve/layout.ts'
import type { PartitionMemory, ViewLayout } from '../../memory/layout.ts'
import type { CellInput } from '../../threads/messages.ts'
import type { ThreadProblem } from '../../threads/threadProblem.ts'
import type { ProblemWorkers } from '../../threads/workers.ts'
import { type Field, indexIn } from '../place/packing.ts'
import { divideIntoBlocks } from './grid.ts'

/**
 * Divides the rows of each mode into random blocks, writes the description of the grid to the first
 * partition, and fills its cells with the entries of all processes.
 * @param problem the number of the problem
 * @param lengths per mode, entries of each row
 */
export async function buildCells(
  { pool, members, communicator, group }: ProblemWorkers,
  problem: number,
  parts: readonly PartitionMemory[],
  lengths: readonly Uint32Array[],
  seed: number,
): Promise<void> {
  const { memory, layout } = parts[0]
  const strata = layout.strata!
  const words = new Uint32Array(memory.buffer)
  const fields: [number, number][] = [
    [at.STRATA_ORDER, lengths.length],
    [at.STRATA_BLOCKS, strata.blocks],
    [at.STRATA_SHIFT, Math.log2(strata.blocks)],
    [at.STRATA_CELLS, strata.cells],
    [at.STRATA_RECORDS, strata.records],
    [at.STRATA_TURNS, strata.turns],
    ...layout.modes.map(({ momentumFactor }, mode): [number, number] => [
      at.STRATA_FACTORS + 4 * mode,
      momentumFactor,
    ]),
  ]
  for (const [field, value] of fields) words[(strata.descriptor + field) / 4] = value
  const blocks = lengths.map((rowLengths, mode) =>
    divideIntoBlocks(
      rowLengths,
      strata.blocks,
      stream(seed, purpose.strata, mode),
      new Uint32Array(memory.buffer, strata.positions[mode], rowLengths.length),
    ),
  )
  const counters = await group.allocate(group.threads * strata.cellCount)
  const entries = group.size > 1 ? await gatherEntries(communicator, parts, lengths.length) : undefined
  const input: CellInput = { blocks, counters, entries }
  await group.barrier()
  await pool.ask(members, () => ({ type: 'fillCells', problem, threads: group.threads, input }))
}

/**
 * All-gathers the entries of all processes, in the order of the first mode's view: the indices and the bits
 * of the value of each (entries × (N + 1)).
 */
async function gatherEntries(
  communicator: Communicator,
  parts: readonly PartitionMemory[],
  order: number,
): Promise<Uint32Array> {
  const entries = parts.reduce((sum, { layout }) => sum + layout.views[0].entries, 0)
  const counts = (await communicator.allGatherNumbers(entries)).map(([count]) => (order + 1) * count)
  const starts = counts.map((_, k) => counts.slice(0, k).reduce((sum, count) => sum + count, 0))
  const words = uint32Array(starts[starts.length - 1] + counts[counts.length - 1])
  const { fields, stride, value } = viewFormat(parts)
  let to = starts[communicator.rank]
  for (const part of parts)
    forEachRun(part, 0, part.layout.views[0].chunkCount, (records, from, count, row) => {
      for (let e = 0; e < count; e++, from += stride) {
        words[to++] = row
        for (const field of fields) words[to++] = indexIn(records, from, field)
        words[to++] = records[from + value]
      }
    })
  await communicator.allGatherInto(words, starts, counts)
  return words
}

/**
 * The format of the records from which cells are filled: fields of the other indices, words per record, and
 * the word of the value.
 */
interface RecordFormat {
  fields: readonly Field[]
  stride: number
  value: number
}

/** The format of the records of the first mode's view. */
function viewFormat([{ layout }]: readonly PartitionMemory[]): RecordFormat {
  const [{ packing, words }] = layout.views
  return { fields: packing.fields, stride: words, value: packing.words }
}

/**
 * Calls `visit` for each run of consecutive records of one row in the chunks fromChunk … toChunk of a
 * partition's view of the first mode: a whole row, or a segment of a long one.
 * @param visit receives the words of the memory, the word at which the run begins, its number of records, and
 * the row
 */
function forEachRun(
  { memory, layout }: PartitionMemory,
  fromChunk: number,
  toChunk: number,
  visit: (records: Uint32Array, from: number, count: number, row: number) => void,
): void {
  const view: ViewLayout = layout.views[0]
  const words = new Uint32Array(memory.buffer)
  const starts = new Uint32Array(memory.buffer, view.recordStart, view.segments + 1)
  const chunks = new Uint32Array(memory.buffer, view.chunks, (at.CHUNK_BYTES / 4) * view.chunkCount)
  for (let chunk = fromChunk; chunk < toChunk; chunk++) {
    const word = (chunk * at.CHUNK_BYTES) / 4
    const row = chunks[word + at.CHUNK_ROW / 4]
    const segment = chunks[word + at.CHUNK_SEGMENT / 4]
    const rows = Math.max(1, chunks[word + at.CHUNK_END_ROW / 4] - row)
    for (let j = 0; j < rows; j++) {
      const begin = starts[segment + j]
      visit(words, view.records / 4 + view.words * begin, starts[segment + j + 1] - begin, row + j)
    }
  }
}

/**
 * Counts a thread's entries of each cell and copies them there; all threads call it together. The entries of
 * a thread follow those of the thread before it in each cell: so they keep their order.
 */
export function fillCells({ parts, thread, threads, barrier }: ThreadProblem, input: CellInput): void {
  const [{ memory, layout }] = parts
  const { blocks, cellCount, cells, records, positions: addresses } = layout.strata!
  const order = addresses.length
  const counters = input.counters.subarray(thread * cellCount, (thread + 1) * cellCount)
  const positions = addresses.map(
    (address, i) => new Uint32Array(memory.buffer, address, layout.modes[i].rows),
  )
  const words = new Uint32Array(memory.buffer)
  const { fields, stride, value } = input.entries ? gatheredFormat(order) : viewFormat(parts)
  const base = records / 4
  const mask = blocks - 1

  /**
   * The number of an entry's cell: the row is its first index, its record with the others begins at `from`.
   */
  const cellOf = (source: Uint32Array, from: number, row: number): number => {
    const first = input.blocks[0][row]
    let cell = first
    for (let mode = 1; mode < order; mode++)
      cell = cell * blocks + ((input.blocks[mode][indexIn(source, from, fields[mode - 1])] - first) & mask)
    return cell
  }
  /** Counts the entries of a run by cell. */
  const countRun = (source: Uint32Array, from: number, count: number, row: number): void => {
    for (let e = 0; e < count; e++) counters[cellOf(source, from + e * stride, row)]++
  }
  /** Copies the entries of a run to their cells, and advances the counters. */
  const copyRun = (source: Uint32Array, from: number, count: number, row: number): void => {
    for (let e = 0; e < count; e++) {
      const record = from + e * stride
      let to = base + counters[cellOf(source, record, row)]++ * (order + 1)
      words[to++] = positions[0][row]
      for (let mode = 1; mode < order; mode++)
        words[to++] = positions[mode][indexIn(source, record, fields[mode - 1])]
      words[to] = source[record + value]
    }
  }
  forEachRunOfThread(parts, thread, threads, input.entries, countRun)
  barrier()
  if (thread === 0)
    countsToStarts(input.counters, threads, new Uint32Array(memory.buffer, cells, cellCount + 1))
  barrier()
  forEachRunOfThread(parts, thread, threads, input.entries, copyRun)
}

/** The format of gathered entries: the row precedes the other indices. */
const gatheredFormat = (order: number): RecordFormat => ({
  fields: Array.from({ length: order - 1 }, (_, word) => ({ word, shift: 0, mask: 0xffffffff })),
  stride: order + 1,
  value: order - 1,
})

/**
 * Calls `visit` for each run of consecutive records of one row of the first mode, over this thread's part of
 * the gathered entries or, without them, of the chunks of this process.
 * @param entries the gathered entries of all processes
 * @param visit receives words, the word at which the run's first record begins, its number of records, and
 * the row
 */
function forEachRunOfThread(
  parts: readonly PartitionMemory[],
  thread: number,
  threads: number,
  entries: Uint32Array | undefined,
  visit: (source: Uint32Array, from: number, count: number, row: number) => void,
): void {
  /** This thread's range of `count` items. */
  const rangeOf = (count: number): [number, number] => [
    Math.floor((count * thread) / threads),
    Math.floor((count * (thread + 1)) / threads),
  ]
  if (entries) {
    const stride = parts[0].layout.modes.length + 1
    const [from, to] = rangeOf(entries.length / stride)
    for (let e = from; e < to; e++) visit(entries, e * stride + 1, 1, entries[e * stride])
    return
  }
  const [from, to] = rangeOf(parts.reduce((sum, { layout }) => sum + layout.views[0].chunkCount, 0))
  let before = 0
  for (const part of parts) {
    const { chunkCount } = part.layout.views[0]
    const begin = Math.max(0, from - before)
    const end = Math.min(chunkCount, to - before)
    forEachRun(part, begin, end, visit)
    before += chunkCount
  }
}

/**
 * Replaces in place the number of entries of each thread in each cell (threads × cells) by the number of the
 * thread's first record there, and writes that of each cell to `starts` (cells + 1): prefix sums.
 */
function countsToStarts(counters: Uint32Array, threads: number, starts: Uint32Array): void {
  const cellCount = starts.length - 1
  let before = 0
  for (let cell = 0; cell < cellCount; cell++) {
    starts[cell] = before
    for (let thread = 0; thread < threads; thread++) {
      const counter = thread * cellCount + cell
      const count = counters[counter]
      counters[counter] = before
      before += count
    }
  }
  starts[cellCount] = before
}
