/**
 * Copies entries into the cells of the grid of stratified SGD (grid.ts), with all threads, and the entries of
 * all processes.
 */

import { purpose, stream } from '../../../../base/random.ts'
import { uint32Array } from '../../../../base/sharedArrays.ts'
import type { Communicator } from '../../../../comm/index.ts'
import * as at from '../../../../kernels/solve/layout.ts'
import type { PartitionMemory, ViewLayout } from '../../memory/layout.ts'
import type { ThreadPartition, ThreadProblem } from '../../threads/threadProblem.ts'
import type { ProblemWorkers } from '../../threads/workers.ts'
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
  if (group.isLeader) writeGrid(parts[0], lengths, seed)
  const gathered = group.size > 1 ? await gatherEntries(communicator, parts) : undefined
  await group.barrier()
  const { threads } = group
  await pool.ask(members, () => ({ type: 'fillCells', problem, threads, gathered }))
}

/** Divides the rows of each mode into random blocks, and writes the description of the grid. */
function writeGrid({ memory, layout }: PartitionMemory, lengths: readonly Uint32Array[], seed: number): void {
  const strata = layout.strata!
  const words = new Uint32Array(memory.buffer)
  const tables = [layout.modes.map(({ momentumFactor }) => momentumFactor), strata.blockOf, strata.positions]
  const fields: [number, number][] = [
    [at.STRATA_ORDER, lengths.length],
    [at.STRATA_BLOCKS, strata.blocks],
    [at.STRATA_SHIFT, Math.log2(strata.blocks)],
    [at.STRATA_CELLS, strata.cells],
    [at.STRATA_RECORDS, strata.records],
    [at.STRATA_TURNS, strata.turns],
    ...tables.flat().map((address, i): [number, number] => [at.STRATA_FACTORS + 4 * i, address]),
  ]
  for (const [field, value] of fields) words[(strata.descriptor + field) / 4] = value
  lengths.forEach((rowLengths, mode) => {
    const rows = rowLengths.length
    const positions = new Uint32Array(memory.buffer, strata.positions[mode], rows)
    const key = stream(seed, purpose.strata, mode)
    const blockOf = divideIntoBlocks(rowLengths, strata.blocks, key, positions)
    new Uint32Array(memory.buffer, strata.blockOf[mode], rows).set(blockOf)
  })
}

/**
 * All-gathers the entries of all thread groups, in the order of the first mode's view: the row and the record
 * of each.
 */
async function gatherEntries(
  communicator: Communicator,
  parts: readonly PartitionMemory[],
): Promise<Uint32Array> {
  const entries = parts.reduce((sum, { layout }) => sum + layout.views[0].entries, 0)
  const { words: stride } = parts[0].layout.views[0]
  const counts = (await communicator.allGatherNumbers(entries)).map(([count]) => (stride + 1) * count)
  const starts = counts.map((_, k) => counts.slice(0, k).reduce((sum, count) => sum + count, 0))
  const gathered = uint32Array(starts[starts.length - 1] + counts[counts.length - 1])
  let to = starts[communicator.rank]
  for (const part of parts) {
    const words = new Uint32Array(part.memory.buffer)
    forEachRun(part, 0, part.layout.views[0].chunkCount, (begin, count, row) => {
      for (let e = 0, from = begin / 4; e < count; e++) {
        gathered[to++] = row
        for (let word = 0; word < stride; word++) gathered[to++] = words[from++]
      }
    })
  }
  await communicator.allGatherInto(gathered, starts, counts)
  return gathered
}

/** Receives the address of the first record of a run, its number of records, and their row of the first mode. */
type VisitRun = (begin: number, count: number, row: number) => void

/**
 * Calls `visit` for each run of consecutive records of one row in the chunks fromChunk … toChunk of a
 * partition's view of the first mode: a whole row, or a segment of a long one.
 */
function forEachRun(
  { memory, layout }: PartitionMemory,
  fromChunk: number,
  toChunk: number,
  visit: VisitRun,
): void {
  const view: ViewLayout = layout.views[0]
  const starts = new Uint32Array(memory.buffer, view.recordStart, view.segments + 1)
  const chunks = new Uint32Array(memory.buffer, view.chunks, (at.CHUNK_BYTES / 4) * view.chunkCount)
  for (let chunk = fromChunk; chunk < toChunk; chunk++) {
    const word = (chunk * at.CHUNK_BYTES) / 4
    const row = chunks[word + at.CHUNK_ROW / 4]
    const segment = chunks[word + at.CHUNK_SEGMENT / 4]
    const rows = Math.max(1, chunks[word + at.CHUNK_END_ROW / 4] - row)
    for (let j = 0; j < rows; j++) {
      const begin = starts[segment + j]
      visit(view.records + 4 * view.words * begin, starts[segment + j + 1] - begin, row + j)
    }
  }
}

/**
 * Counts a thread's entries of each cell and copies them there; all threads call it together. The entries of
 * a thread follow those of the thread before it in each cell: so they keep their order.
 * @param gathered the row and the record of the entries of all thread groups, if there are several
 */
export function fillCells(problem: ThreadProblem, gathered: Uint32Array | undefined): void {
  const { parts, thread, threads, barrier } = problem
  const [{ kernel, memory, layout }] = parts
  const { descriptor, cellCount, cells, counters } = layout.strata!
  const view = layout.views[0].descriptor
  /** Counts or copies the entries of the thread's runs. */
  const visitRuns = (visit: 'countRun' | 'copyRun'): void => {
    const visitRun: VisitRun = (begin, count, row) =>
      kernel[visit](descriptor, view, begin, count, row, counters[thread])
    if (gathered) forEachGatheredEntry(problem, gathered, visitRun)
    else forEachRunOfThread(problem, visitRun)
  }
  visitRuns('countRun')
  barrier()
  if (thread === 0)
    countsToStarts(
      counters.slice(0, threads).map((address) => new Uint32Array(memory.buffer, address, cellCount)),
      new Uint32Array(memory.buffer, cells, cellCount + 1),
    )
  barrier()
  visitRuns('copyRun')
}

/** A thread's range of `count` items. */
const rangeOf = ({ thread, threads }: ThreadProblem, count: number): [number, number] => [
  Math.floor((count * thread) / threads),
  Math.floor((count * (thread + 1)) / threads),
]

/**
 * Calls `visit` for each run of this thread's range of the chunks. Runs of other partitions are copied to the
 * thread's scratch in the first one, whose kernel fills the cells.
 */
function forEachRunOfThread(problem: ThreadProblem, visit: VisitRun): void {
  const { parts, thread } = problem
  const [first] = parts
  const [from, to] = rangeOf(
    problem,
    parts.reduce((sum, { layout }) => sum + layout.views[0].chunkCount, 0),
  )
  const { words } = first.layout.views[0]
  const scratch = scratchOf(first, thread)
  let before = 0
  for (const part of parts) {
    const { chunkCount } = part.layout.views[0]
    const records = new Uint32Array(part.memory.buffer)
    const visitCopy: VisitRun = (begin, count, row) => {
      for (let done = 0; done < count; done += at.LOADED_AT_A_TIME) {
        const block = Math.min(at.LOADED_AT_A_TIME, count - done)
        const start = begin / 4 + words * done
        scratch.set(records.subarray(start, start + words * block))
        visit(scratch.byteOffset, block, row)
      }
    }
    const end = Math.min(chunkCount, to - before)
    forEachRun(part, Math.max(0, from - before), end, part === first ? visit : visitCopy)
    before += chunkCount
  }
}

/** Calls `visit` for each entry of this thread's range of gathered entries, in the thread's scratch. */
function forEachGatheredEntry(problem: ThreadProblem, gathered: Uint32Array, visit: VisitRun): void {
  const [first] = problem.parts
  const stride = first.layout.views[0].words + 1
  const scratch = scratchOf(first, problem.thread)
  const [from, to] = rangeOf(problem, gathered.length / stride)
  for (let start = from; start < to; start += at.LOADED_AT_A_TIME) {
    const end = Math.min(to, start + at.LOADED_AT_A_TIME)
    scratch.set(gathered.subarray(stride * start, stride * end))
    for (let word = 0; word < stride * (end - start); word += stride)
      visit(scratch.byteOffset + 4 * (word + 1), 1, scratch[word])
  }
}

/** The scratch of a thread in a partition: room for LOADED_AT_A_TIME records and their rows. */
function scratchOf({ memory, layout }: ThreadPartition, thread: number): Uint32Array {
  return new Uint32Array(
    memory.buffer,
    layout.scratch[thread],
    at.LOADED_AT_A_TIME * (layout.views[0].words + 1),
  )
}

/**
 * Replaces in place the number of entries of each thread in each cell by the number of the thread's first
 * record there, and writes that of each cell to `starts` (cells + 1): prefix sums.
 * @param counters per thread, one number for each cell
 */
function countsToStarts(counters: readonly Uint32Array[], starts: Uint32Array): void {
  const cellCount = starts.length - 1
  let before = 0
  for (let cell = 0; cell < cellCount; cell++) {
    starts[cell] = before
    for (const own of counters) {
      const count = own[cell]
      own[cell] = before
      before += count
    }
  }
  starts[cellCount] = before
}
