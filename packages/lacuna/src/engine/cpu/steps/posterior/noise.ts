/**
 * The noise model: variance ∝ c₀ + c₁ y at the prediction y. Squared residuals are summed in bins of
 * predictions; c ≥ 0 is the maximum likelihood estimate for normal residuals, by multiplicative updates.
 * Gaussian noise has c₁ = 0, counts have c₀ = 0. A quadratic term fits relative errors; it was dropped, since
 * its weights ignore large values.
 */

/** The number of multiplicative updates of a fit. */
const UPDATES = 200

/**
 * Fits the growth of the noise with the prediction by maximum likelihood.
 * @param bins per bin the count, the sum of predictions and the sum of squared residuals
 * @param mean the mean prediction
 * @returns c₀, c₁ and 0, normalized to a mean variance of 1
 */
export function fitNoise(bins: Float64Array, mean: number): [number, number, number] {
  let [count, squares] = [0, 0]
  for (let at = 0; at < bins.length; at += 3) {
    count += bins[at]
    squares += bins[at + 2]
  }
  const total = squares / count
  if (!(total > 0 && total < Infinity && mean > 0)) return [1, 0, 0]
  let c0 = total / 2
  let c1 = total / mean / 2
  for (let update = 0; update < UPDATES; update++) {
    let [up0, up1, down0, down1] = [0, 0, 0, 0]
    for (let at = 0; at < bins.length; at += 3) {
      const n = bins[at]
      if (n === 0) continue
      const y = bins[at + 1] / n
      const v = c0 + c1 * y + 1e-12 * total
      up0 += bins[at + 2] / (v * v)
      up1 += (bins[at + 2] * y) / (v * v)
      down0 += n / v
      down1 += (n * y) / v
    }
    c0 *= Math.sqrt(up0 / down0)
    if (down1 > 0) c1 *= Math.sqrt(up1 / down1)
  }
  // No entry is without noise: weights must be finite.
  return [c0 / total + 1e-9, c1 / total, 0]
}

/** The strength of the prior on a row's variance: pseudo-entries of average noise per row. */
const PRIOR_ENTRIES = 5
/** The least gain in log-likelihood per row that makes variances of rows worthwhile. */
const LEAST_GAIN = 1

/**
 * The noise variances of the rows of a mode, in units of σ², shrunk towards 1; their mean over entries is 1.
 * Rows without entries have 1.
 * @param counts entries of each row, by weight
 * @param sums Σ w E[(x − k·a)²] of each row, with the previous variances in w
 * @param previous the previous variances
 */
export function rowVariances(
  counts: Float64Array,
  sums: Float64Array,
  previous: Float32Array,
  sigma2: number,
): Float64Array {
  const found = Float64Array.from(
    counts,
    (n, p) => (previous[p] * sums[p] + PRIOR_ENTRIES * sigma2) / (n + PRIOR_ENTRIES),
  )
  let [sum, entries] = [0, 0]
  counts.forEach((n, p) => {
    sum += n * found[p]
    entries += n
  })
  return found.map((variance, p) => (counts[p] > 0 ? variance / (sum / entries) : 1))
}

/**
 * The mode whose rows differ most in noise, by the gain in log-likelihood less LEAST_GAIN per row; −1 if no
 * mode gains.
 * @param variances per mode, the noise variances of its rows
 * @param countsOf entries of each row of a mode, by weight
 */
export function chooseNoisyMode(
  variances: readonly Float64Array[],
  countsOf: (mode: number) => Float64Array,
): number {
  const gains = variances.map((found, i) => {
    let [gain, rows] = [0, 0]
    countsOf(i).forEach((n, p) => {
      if (n === 0) return
      gain -= (n / 2) * Math.log(found[p])
      rows++
    })
    return gain - LEAST_GAIN * rows
  })
  const best = gains.indexOf(Math.max(...gains))
  return gains[best] > 0 ? best : -1
}
