/**
 * How noise grows with the values: variance ∝ c₀ + c₁ y, y being what is predicted. Residuals were squared and added up in
 * bins of predictions; the most probable c ≥ 0, for normal residuals, by multiplicative updates. Gaussian noise has c₁ = 0,
 * counts have c₀ = 0. A square term fits readings with relative errors, and was dropped: its weights leave large values out.
 */
const UPDATES = 200

/** bins: counts, sums of predictions and of squared residuals, three numbers each. Returns c₀, c₁ and 0, such that the mean variance is 1. */
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
  // Nothing is without noise: a weight must be finite.
  return [c0 / total + 1e-9, c1 / total, 0]
}

/** As if so many more entries of a row were as noisy as all are. */
const PRIOR_ENTRIES = 5
/** Variances of their own must make what rows leave unexplained more probable by so much (its logarithm) for each row. */
const LEAST_GAIN = 1

/**
 * How noisy the rows of a mode are, in units of σ²: from the number of entries of each row, by weight, and its
 * Σ w E[(x − k·a)²], which was weighted by the variance so far. The mean over entries is 1.
 */
export function rowVariances(
  counts: Float64Array,
  sums: Float64Array,
  before: Float32Array,
  sigma2: number,
): Float64Array {
  const found = Float64Array.from(
    counts,
    (n, p) => (before[p] * sums[p] + PRIOR_ENTRIES * sigma2) / (n + PRIOR_ENTRIES),
  )
  let [sum, entries] = [0, 0]
  counts.forEach((n, p) => {
    sum += n * found[p]
    entries += n
  })
  return found.map((variance, p) => (counts[p] > 0 ? variance / (sum / entries) : 1))
}

/** The mode whose rows differ most in noise, by how much more probable that makes the residuals; −1: none does. */
export function chooseMode(
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
