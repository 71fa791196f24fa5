/** Errors of many entries, summed exactly by the kernel of cross-fitting. */
import { shardsOf, useKernel } from '../foldKernel.ts'
import type { ErrorTally } from './errorTally.ts'

/** Bytes of the counters of an exact sum. */
const COUNTER_BYTES = 8 * 4096

/**
 * Adds many entries to a tally, as `add` does one by one.
 * @param x their values
 * @param y their predictions
 */
export function tallyMany(tally: ErrorTally, x: Float32Array, y: Float32Array | Float64Array): void {
  for (const { from, to } of shardsOf(x.length))
    useKernel((kernel) => {
      const counters = kernel.allocate(3 * COUNTER_BYTES)
      const values = kernel.put(x.subarray(from, to))
      kernel.run.addExact(values, kernel.put(new Float64Array(y.subarray(from, to))), to - from, counters)
      const sums = [0, 1, 2].map((at) => kernel.doubles(counters + at * COUNTER_BYTES, COUNTER_BYTES / 8))
      tally.addCounters(sums, to - from)
    })
}
