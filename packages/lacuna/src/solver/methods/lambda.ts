/** The automatic λ of the fast method. */
import type { Statistics } from '../../engine/engine.ts'

/**
 * Upper limit of λ relative to the evidence of a row's entries, Σ k_r², while entries are sampled or a prior
 * will be learned: components have not converged, and a larger λ would prune them.
 */
const MOST_OF_EVIDENCE = 0.1
/**
 * Upper limit of λ relative to the evidence with all entries: unexplained residuals raise λ, and a larger λ
 * explains less, so that λ would run away.
 */
const MOST_AT_LAST = 2
/** Assumed ratio of the mean square of a factor's rows to their variance around the mean row. */
const SPREAD = 6

/**
 * Makes the rule by which λ follows from the error. If the entries had noise of variance σ² around the model,
 * and the rows of a factor were drawn around their mean with variance τ²/SPREAD, the most probable factors
 * would minimise the cost with λ = SPREAD · σ²/τ². (Elements uniform between 0 and a bound have SPREAD = 4;
 * real rows are more alike.) σ² is estimated by the error itself, as it falls: without noise λ goes to zero
 * with it, in noise it stays where it is needed.
 *
 * τ² is the mean square of random factors of the data's size (initial.ts), seen after balancing, which makes
 * Σ‖U⁽ⁱ⁾‖² N times the geometric instead of the arithmetic mean of the row counts; rows without entries do
 * not count. Fixed, not estimated: an estimate that shrinks with the spread of the factors would raise λ and
 * shrink it further.
 */
export function lambdaRule({ dims, emptyRows, sets, valueScale }: Statistics, rank: number): LambdaRule {
  const N = dims.length
  const rows = dims.map((dim, mode) => dim - emptyRows[mode].length)
  const allRows = rows.reduce((sum, count) => sum + count, 0)
  const cells = rows.reduce((product, count) => product * count, 1)
  const { entries, squares, absolutes } = sets.train
  const mean = absolutes / entries / valueScale
  const variance = Math.max(0, squares / entries / valueScale ** 2 - mean * mean)
  // Degrees of freedom: fitting p parameters absorbs the noise of about p entries; at least half of the
  // entries are left.
  const free = entries - Math.min(allRows * rank, entries / 2)
  const sigma2Of = (rmse: number): number => Math.min(variance, (rmse * rmse * entries) / free)
  if (mean === 0) return { mean, variance, sigma2: sigma2Of, choose: () => 0 }
  const tau2 = (4 / 3) * (mean / rank) ** (2 / N)
  const geometric = cells ** (1 / N)
  // Evidence of the entries of a row of the longest mode about a component, Σ k_r², for factors of that size.
  const evidence = (entries * tau2 ** (N - 1) * geometric ** (N - 1)) / cells
  const choose = (rmse: number, isCapped: boolean): number => {
    const wanted = (SPREAD * (sigma2Of(rmse) / tau2) * allRows) / (N * geometric)
    return Math.min(wanted, (isCapped ? MOST_OF_EVIDENCE : MOST_AT_LAST) * evidence)
  }
  return { mean, variance, sigma2: sigma2Of, choose }
}

/** How λ follows from the error of a run. */
export interface LambdaRule {
  /** Mean of the absolute training values, in data units. */
  mean: number
  /** Variance of the training values, in data units squared. */
  variance: number
  /** Estimate of the noise's variance from the RMSE, at most that of the values; in data units squared. */
  sigma2(rmse: number): number
  /**
   * λ from the RMSE in data units, at most a multiple of the evidence of a row's entries: 0.1 if isCapped,
   * else 2.
   */
  choose(rmse: number, isCapped: boolean): number
}
