import type { SparseTensor } from 'lacuna'

/**
 * How much faster than one thread the work could be at best if every row were one piece of work, taken in
 * turn by the next thread that is free, as in a parallel loop over rows; a row's work is its entries, and all
 * threads wait for each other after every mode. It tells how evenly the entries lie, without a clock.
 * (Lacuna's own threads take tasks that are cut by entries: engine/cpu/tasks.ts.)
 */
export function rowBalance({ dims, indices }: SparseTensor, threads: number): number {
  const entries = indices[0].length
  let waiting = 0 // until the last thread is done, over all modes
  for (const [mode, rows] of dims.entries()) {
    const lengths = new Uint32Array(rows)
    for (const p of indices[mode]) lengths[p]++
    const busyUntil = new Float64Array(threads)
    for (const length of lengths) {
      let next = 0
      for (let t = 1; t < threads; t++) if (busyUntil[t] < busyUntil[next]) next = t
      busyUntil[next] += length
    }
    waiting += busyUntil.reduce((latest, time) => Math.max(latest, time), 0)
  }
  return (dims.length * entries) / waiting
}
