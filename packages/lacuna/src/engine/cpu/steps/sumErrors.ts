/**
 * Sums over the entries of a view, chunk by chunk. Every process gets the sums of all chunks and adds them in
 * order.
 */
import type { Timed } from '../../engine.ts'
import { sumAllCells } from '../setup/grid/allCells.ts'
import { barrier, type ThreadPartition, type ThreadProblem, timeSince } from '../threads/threadProblem.ts'

/**
 * Computes the error sums of each chunk of these views, and all-gathers them into the problem's `errorSums`;
 * all threads call it together. Returns the duration.
 */
export function sumErrors(problem: ThreadProblem, views: readonly number[]): Timed {
  const { parts } = problem
  const start = performance.now()
  for (const v of views) {
    const zeros = problem.zeros && v === 0
    if (zeros) sumAllCells(problem)
    for (const { kernel, layout } of parts)
      kernel.errorSums(layout.control, layout.views[v].descriptor, layout.views[v].errorSums, zeros ? 1 : 0)
    gatherSums(problem, v)
  }
  return timeSince(problem, start)
}

/** Computes sums of values or of weights per chunk, in the memory of the error sums, and all-gathers them. */
export function sumValuesOrWeights(
  problem: ThreadProblem,
  views: readonly number[],
  quantity: 'values' | 'weights',
): void {
  for (const v of views) {
    for (const { kernel, layout } of problem.parts) {
      const { descriptor, errorSums } = layout.views[v]
      if (quantity === 'values') kernel.valueSums(layout.control, descriptor, errorSums)
      else kernel.weightSums(layout.control, descriptor, errorSums)
    }
    gatherSums(problem, v)
  }
}

/** All-gathers the two sums per chunk of view v, after a barrier; on the first thread of a process. */
function gatherSums(problem: ThreadProblem, v: number): void {
  const { parts, thread, inProcess, errorSums } = problem
  barrier(parts, thread)
  if (inProcess.thread !== 0) return
  const { sums, firstChunks } = errorSums[v]
  gatherChunks(problem, sums, firstChunks, 2, ({ memory, layout }) => {
    const { errorSums: own, chunkCount } = layout.views[v]
    return new Float64Array(memory.buffer, own, 2 * chunkCount)
  })
}

/**
 * All-gathers float64 numbers per chunk, in the order of the chunks; on the first thread of a process.
 * @param sums receives the numbers of all chunks
 * @param firstChunks the first chunk of each partition
 * @param perChunk numbers per chunk
 * @param numbersIn returns the numbers of one of this process's partitions
 */
export function gatherChunks(
  { parts, firstPart, exchange }: ThreadProblem,
  sums: Float64Array,
  firstChunks: readonly number[],
  perChunk: number,
  numbersIn: (part: ThreadPartition) => Float64Array,
): void {
  parts.forEach((part, k) => {
    sums.set(numbersIn(part), perChunk * firstChunks[firstPart + k])
  })
  const words = 2 * perChunk
  const starts = Array.from({ length: exchange.size }, (_, p) => words * firstChunks[p * parts.length])
  const ends = [...starts.slice(1), 2 * sums.length]
  exchange.allGather(
    new Uint32Array(sums.buffer),
    starts,
    ends.map((end, p) => end - starts[p]),
  )
}
