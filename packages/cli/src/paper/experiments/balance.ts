/** Balance of the entries over the rows of a tensor. */
import type { SparseTensor } from 'lacuna'

/**
 * Computes the largest possible speed-up if every row were one task, taken by the next free thread, as in a
 * parallel loop over rows: total work divided by the makespan. The work of a row is its number of entries,
 * and all threads wait for each other after every mode. It measures how evenly the entries are spread,
 * without a clock. (Lacuna's own threads take tasks that are cut by entries.)
 */
export function rowBalance({ dims, indices }: SparseTensor, threads: number): number {
  const entries = indices[0].length
  let makespan = 0 // time until the last thread is done, summed over all modes
  for (const [mode, rows] of dims.entries()) {
    const lengths = new Uint32Array(rows)
    for (const p of indices[mode]) lengths[p]++
    const busyUntil = new Float64Array(threads)
    for (const length of lengths) {
      let next = 0
      for (let t = 1; t < threads; t++) if (busyUntil[t] < busyUntil[next]) next = t
      busyUntil[next] += length
    }
    makespan += busyUntil.reduce((latest, time) => Math.max(latest, time), 0)
  }
  return (dims.length * entries) / makespan
}
