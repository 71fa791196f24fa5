import type { SparseTensor } from '../../tensor/index.ts'

/**
 * How much faster than one thread the work could be at best if each mode's rows were dealt to the threads in equal runs,
 * as a parallel loop over rows does: the thread whose rows have the most entries is waited for, in every mode. It measures
 * how evenly the entries lie, without a clock. (Lacuna's own threads take tasks cut by entries: engine/cpu/tasks.ts.)
 */
export function rowBalance({ dims, indices }: SparseTensor, threads: number): number {
  const entries = indices[0].length
  let slowest = 0 // entries of the thread that is waited for, over all modes
  for (const [mode, rows] of dims.entries()) {
    const perThread = new Float64Array(threads)
    const column = indices[mode]
    for (let e = 0; e < entries; e++) perThread[Math.floor((column[e] * threads) / rows)]++
    slowest += perThread.reduce((most, share) => Math.max(most, share), 0)
  }
  return (dims.length * entries) / slowest
}
