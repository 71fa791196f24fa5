/** Quantiles of residuals, stored at equal steps. */

/** Most steps between the quantiles that are stored. */
const STEPS = 400

/**
 * Quantiles at equal steps, at most STEPS; sorts the numbers in place. A new number exceeds the k-th largest
 * of n with probability k/(n + 1), as conformal prediction has it.
 */
export function quantilesOf(numbers: Float64Array): number[] {
  const sorted = numbers.sort()
  const n = sorted.length
  const count = Math.min(STEPS, n + 1)
  return Array.from({ length: count + 1 }, (_, i) => {
    const rank = (i / count) * (n + 1) - 1
    return interpolate(sorted, Math.min(n - 1, Math.max(0, rank)))
  })
}

/** Interpolates a quantile. @param numbers quantiles at equal steps @param probability from 0 to 1 */
export const quantile = (numbers: readonly number[], probability: number): number =>
  interpolate(numbers, probability * (numbers.length - 1))

/**
 * The probability of the quantile, of many residuals, that a new residual is below with another probability, if only some of
 * the residuals are independent; negative where these are too few.
 * @param probability that a new residual is below, up to ½
 * @param independent number of independent residuals
 */
export const quantileOfIndependent = (probability: number, independent: number): number =>
  (probability * (independent + 1) - 0.5) / independent

/**
 * Interpolates linearly between sorted numbers.
 * @param position from 0 to the number of numbers − 1; may be fractional
 */
function interpolate(sorted: ArrayLike<number>, position: number): number {
  const below = Math.floor(position)
  const above = Math.min(sorted.length - 1, below + 1)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}
