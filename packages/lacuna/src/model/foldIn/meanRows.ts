/** Mean rows of factors. */
import type { Factored } from '../factored.ts'

/**
 * Per mode, the weighted mean row (R) of the factor; zeros if all weights are 0.
 * @param weights per mode, the weight of each row; 1 by default
 */
export function meanRows(
  { rank, factors }: Factored,
  weights?: readonly (ArrayLike<number> | undefined)[],
): Float64Array[] {
  return factors.map((factor, mode) => {
    const mean = new Float64Array(rank)
    let total = 0
    for (let row = 0; row * rank < factor.length; row++) {
      const weight = weights?.[mode]?.[row] ?? 1
      if (weight === 0) continue
      total += weight
      for (let r = 0; r < rank; r++) mean[r] += weight * factor[row * rank + r]
    }
    return total > 0 ? mean.map((sum) => sum / total) : mean
  })
}
