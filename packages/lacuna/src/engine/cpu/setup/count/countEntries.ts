/**
 * The first two passes over the entries: threads count the entries of every row, and of every segment of long
 * rows, each in its range of the entries. The first pass also checks the entries.
 */
import type { SparseTensor } from '../../../../tensor/index.ts'
import type { Kernel } from '../../threads/kernel.ts'
import type { CountInput, CountResult, ThreadPosition } from '../../threads/messages.ts'
import { anyWeighted, Block, forEachBlock, groupByTensor, NO_LIMIT } from '../blocks.ts'

/**
 * Counts a thread's range of the entries of its process by row in every view, and checks them; then adds its
 * range of the threads' own counters. The result is that of the thread's range.
 * @param thread the number of the thread in its thread group
 */
export function countEntries(
  kernel: Kernel,
  memory: WebAssembly.Memory,
  input: CountInput,
  thread: number,
  inProcess: ThreadPosition,
): CountResult {
  const { views, layout } = input
  const counted = countRows(kernel, memory, input, thread, inProcess)
  kernel.barrier(layout.control)
  views.forEach((_, v) => {
    const { ownRows, lengths, rows } = layout.views[v]
    addOwnCounters(memory, ownRows, lengths, rows, thread)
  })
  return counted
}

/**
 * Counts a thread's range of the entries by row, in its own counters or the common ones; also computes Σ x²
 * and the digests. Ends at the first invalid entry.
 */
function countRows(
  kernel: Kernel,
  memory: WebAssembly.Memory,
  { views, keys, layout }: CountInput,
  thread: number,
  inProcess: ThreadPosition,
): CountResult {
  const threads = layout.blocks.length
  const order = views[0].tensor.dims.length
  const block = new Block(memory.buffer, layout.blocks[thread], order, anyWeighted(views))
  const digest = new Int32Array(memory.buffer, block.digest, 2)
  const counted: CountResult = { squares: 0, digest: [] }
  for (const { tensor, views: group } of groupByTensor(views)) {
    new Uint32Array(memory.buffer, block.sizes, order).set(tensor.dims)
    digest.fill(0)
    let squares = 0
    forEachBlock(tensor, inProcess, (from, to) => {
      const count = to - from
      block.fill(tensor, from, to)
      if (kernel.hasFault(block.columns, order, block.sizes, block.values, count)) {
        counted.fault = { view: group[0].number, ...findFault(tensor, from, to) }
        return false
      }
      kernel.hashBlock(block.columns, order, count, keys.hash, block.hashes)
      kernel.addToDigest(block.hashes, block.values, tensor.weights ? block.weights : 0, count, block.digest)
      squares += kernel.sumOfSquares(block.values, count)
      for (const { source, number } of group) {
        const { ownRows, lengths } = layout.views[number]
        const counters = ownRows[thread] ?? lengths
        const shared = counters === lengths && threads > 1 ? 1 : 0
        const column = block.column(source.mode)
        if (source.below === undefined) kernel.countRows(column, count, counters, shared)
        else kernel.countProbeRows(column, block.hashes, count, keys.probe, source.below, counters, shared)
      }
      return true
    })
    if (counted.fault) return counted
    counted.digest.push(...digest)
    if (group[0].number === 0) counted.squares = squares
  }
  return counted
}

/** The first entry of from … to with an index beyond its mode's size, or a value that is not finite. */
function findFault(
  { dims, indices, values }: SparseTensor,
  from: number,
  to: number,
): { entry: number; mode?: number } {
  for (let entry = from; entry < to; entry++) {
    const mode = indices.findIndex((column, i) => column[entry] >= dims[i])
    if (mode >= 0) return { entry, mode }
    if (!Number.isFinite(values[entry])) return { entry }
  }
  throw new Error('The kernel sees a fault where there is none.')
}

/**
 * Counts a thread's range of the entries of its process by segment, then adds its range of the threads' own counters.
 * @param long the numbers of the views in which some row has several segments
 */
export function countSegments(
  kernel: Kernel,
  memory: WebAssembly.Memory,
  { views, keys, layout }: CountInput,
  long: readonly number[],
  thread: number,
  inProcess: ThreadPosition,
): void {
  const threads = layout.blocks.length
  const order = views[0].tensor.dims.length
  const block = new Block(memory.buffer, layout.blocks[thread], order, anyWeighted(views))
  for (const { tensor, views: group } of groupByTensor(views)) {
    const wanted = group.filter(({ number }) => long.includes(number))
    if (wanted.length === 0) continue
    forEachBlock(tensor, inProcess, (from, to) => {
      block.fill(tensor, from, to)
      kernel.hashBlock(block.columns, order, to - from, keys.hash, block.hashes)
      for (const { source, number } of wanted) {
        const { ownSegments, segmentLengths, first } = layout.views[number]
        const counters = ownSegments[thread] ?? segmentLengths
        kernel.countSegments(
          block.column(source.mode),
          block.hashes,
          to - from,
          first,
          keys.modes[source.mode],
          keys.probe,
          source.below ?? NO_LIMIT,
          counters,
          counters === segmentLengths && threads > 1 ? 1 : 0,
        )
      }
      return true
    })
  }
  kernel.barrier(layout.control)
  for (const v of long) {
    const { ownSegments, segmentLengths, first, rows } = layout.views[v]
    const [segments] = new Uint32Array(memory.buffer, first + 4 * rows, 1)
    addOwnCounters(memory, ownSegments, segmentLengths, segments, thread)
  }
}

/**
 * Adds the counters of all threads into the common ones, in this thread's range of them. Does nothing if
 * threads have none of their own.
 * @param own per thread, the address of its counters
 * @param total the address of the common counters
 * @param count the number of counters
 */
function addOwnCounters(
  { buffer }: WebAssembly.Memory,
  own: readonly number[],
  total: number,
  count: number,
  thread: number,
): void {
  if (own.length === 0) return
  const from = Math.floor((count * thread) / own.length)
  const length = Math.floor((count * (thread + 1)) / own.length) - from
  const sums = new Uint32Array(buffer, total + 4 * from, length)
  for (const address of own) {
    const counts = new Uint32Array(buffer, address + 4 * from, length)
    for (let i = 0; i < length; i++) sums[i] += counts[i]
  }
}
