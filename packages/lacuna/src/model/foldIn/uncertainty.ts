/**
 * Posterior covariances V of rows, by their number of entries n. The solver has V of every row
 * (docs/accuracy.md), R² numbers each, which a model does not store; but rows with equally many entries have
 * similar ones: V(n) = σ² (n H̄ + σ²Σ⁻¹)⁻¹, with H̄ = w̄ ⊙_j S_j and S_j the mean of a aᵀ + V over the rows
 * of mode j, weighted by entries. S depends on V and V on S: a few rounds of fixed-point iteration suffice.
 */
import type { Factored, Prior } from '../factored.ts'
import { invertSymmetric } from './solveRow.ts'

/** Rounds of the fixed-point iteration. */
const ROUNDS = 4

/** Uncertainty of a mode's rows; matrices are (R × R), row-major. */
export interface Uncertainty {
  /** H̄, the mean information of an entry, times σ². */
  perEntry: Float64Array
  /** σ²Σ⁻¹, the information of the prior, times σ². */
  prior: Float64Array
  /** V of a row with this many entries; zeros without a learned prior. */
  covariance(entries: number): Float64Array
}

/**
 * The uncertainty of the rows of each mode, by fixed-point iteration.
 * @param counts per mode, the entries of each row
 * @param mean of the training values, on the scale of the link, at which entries are weighted
 */
export function uncertaintyOf(
  { rank, factors }: Factored,
  prior: Prior,
  counts: readonly ArrayLike<number>[],
  mean: number,
): Uncertainty[] {
  const size = rank * rank
  const zeros = new Float64Array(size)
  const priors = prior.precisions.map((precision) => Float64Array.from(precision, (x) => x * prior.sigma2))
  const weight = weightAt(prior, mean)
  const meanSquares = factors.map((factor, mode) => momentOf(factor, rank, counts[mode]))
  const histograms = counts.map(histogramOf)
  let uncertainty: Uncertainty[] = factors.map((_, mode) => ({
    perEntry: zeros,
    prior: priors[mode],
    covariance: () => zeros,
  }))
  for (let round = 0; round < ROUNDS; round++) {
    const moments = meanSquares.map((moment, mode) =>
      prior.kind === 'learned' ? addCovariances(moment, histograms[mode], uncertainty[mode]) : moment,
    )
    uncertainty = factors.map((_, mode) => {
      const perEntry = moments.reduce(
        (product, moment, j) => (j === mode ? product : product.map((x, at) => x * moment[at])),
        new Float64Array(size).fill(weight),
      )
      return {
        perEntry,
        prior: priors[mode],
        covariance:
          prior.kind === 'learned'
            ? covarianceFunction(perEntry, priors[mode], prior.sigma2, rank)
            : () => zeros,
      }
    })
  }
  return uncertainty
}

/**
 * IRLS weight of an entry: σ² divided by the noise's variance at prediction y; 1 where that variance is 0.
 */
export function weightAt({ noise: [c0, c1, c2], least }: Prior, y: number): number {
  const at = Math.max(y, least)
  const variance = c0 + c1 * at + c2 * at * at
  return variance > 0 ? 1 / variance : 1
}

/**
 * The mean of a aᵀ (R × R) over the rows of a factor, weighted by entries: Σ n a aᵀ / Σ n; zeros without
 * entries.
 */
function momentOf(factor: Float32Array, rank: number, counts: ArrayLike<number>): Float64Array {
  const moment = new Float64Array(rank * rank)
  let total = 0
  for (let p = 0; p < counts.length; p++) {
    if (counts[p] === 0) continue
    total += counts[p]
    for (let r = 0; r < rank; r++) {
      const x = counts[p] * factor[p * rank + r]
      if (x !== 0) for (let s = 0; s < rank; s++) moment[r * rank + s] += x * factor[p * rank + s]
    }
  }
  return total > 0 ? moment.map((x) => x / total) : moment
}

/** Maps n, a rounded number of entries, to the total number of entries in rows that have about n. */
function histogramOf(counts: ArrayLike<number>): Map<number, number> {
  const entries = new Map<number, number>()
  for (let p = 0; p < counts.length; p++)
    if (counts[p] > 0)
      entries.set(roundCount(counts[p]), (entries.get(roundCount(counts[p])) ?? 0) + counts[p])
  return entries
}

/**
 * Rounds a number of entries above 12 to one of eight values per octave, so that few covariances are
 * computed.
 */
const roundCount = (entries: number): number =>
  entries <= 12 ? entries : Math.round(2 ** (Math.round(8 * Math.log2(entries)) / 8))

/**
 * S, the mean of a aᵀ + V over the rows of a mode, weighted by entries.
 * @param moment the mean of a aᵀ
 * @param histogram the number of entries in rows with about n entries, by n
 */
function addCovariances(
  moment: Float64Array,
  histogram: ReadonlyMap<number, number>,
  uncertainty: Uncertainty,
): Float64Array {
  const sum = moment.slice()
  let total = 0
  for (const entries of histogram.values()) total += entries
  for (const [count, entries] of histogram) {
    const V = uncertainty.covariance(count)
    for (let at = 0; at < sum.length; at++) sum[at] += (entries / total) * V[at]
  }
  return sum
}

/**
 * Makes a function that returns V = σ² (n H̄ + σ²Σ⁻¹)⁻¹ of a row with n entries, rounded, and caches it.
 * @param perEntry H̄
 * @param prior σ²Σ⁻¹
 */
function covarianceFunction(
  perEntry: Float64Array,
  prior: Float64Array,
  sigma2: number,
  rank: number,
): (entries: number) => Float64Array {
  const cache = new Map<number, Float64Array>()
  return (entries) => {
    const n = roundCount(entries)
    const cached = cache.get(n)
    if (cached) return cached
    const V = invertSymmetric(
      prior.map((x, at) => x + n * perEntry[at]),
      rank,
    ).map((x) => x * sigma2)
    cache.set(n, V)
    return V
  }
}
