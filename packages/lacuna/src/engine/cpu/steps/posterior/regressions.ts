/**
 * Autoregression of rows in time, learned by the M-step of variational EM: x_t = Σ_k θ_k x_{t−l_k} + ε_t with ε
 * ~ N(0, Σ/s), x the rows' deviations from their base, and θ_k the same for all components (TRMF: Yu, Rao and
 * Dhillon 2016; BTMF: Chen and Sun 2022). The first rows have fewer lags before them. Rows with j lags before
 * them have θ of their own, by regression on these, and their own s, so that the first rows are not taken for
 * deviations; s = 1 where all lags are there.
 */

import { invertSymmetric } from '../../../../base/inverse.ts'
import type { ModeRows } from './modeRows.ts'
import { invertUpper, traceOfProduct } from './symmetric.ts'

/** The autoregression of rows with a number of lags before them. */
export interface Regression {
  /** θ of each of these lags. */
  theta: Float64Array
  /** s, the precision of the rows given those before them, in units of Σ⁻¹. */
  scale: number
}

/** The rows of a mode in the order of time. */
export interface TimeSeries {
  /** The rows, and what is known of them. */
  rows: ModeRows
  /** The lags, ascending. */
  lags: readonly number[]
  /** The row at a position in time. */
  rowAt(position: number): number
  /** (count × R), padded: deviations of the rows from their base, by position. */
  deviations: Float64Array
}

/** Rounds in which θ, and Σ with s, are updated in turn. */
const ROUNDS = 3
/** The ridge penalty of θ, in rows. */
const RIDGE = 1
/** Rows of s = 1 that are added to those from which s is learned. */
const PSEUDO_ROWS = 5

/** The number of lags that a position has before it. */
export function lagsBefore(lags: readonly number[], position: number): number {
  let j = 0
  while (j < lags.length && lags[j] <= position) j++
  return j
}

/**
 * Learns the regressions by number of lags before a row, up to the most that some row with entries has whose
 * earlier rows have entries, too; and Σ, on and above its diagonal. Only such rows are used.
 * @param spread the covariance of the rows around their base, on and above the diagonal
 */
export function learnRegressions(
  series: TimeSeries,
  spread: Float64Array,
): { regressions: Regression[]; covariance: Float64Array } {
  const { rank } = series.rows
  const complete = completePositions(series)
  const most = complete.findLastIndex((positions) => positions.length > 0)
  if (most < 0) return { regressions: [{ theta: new Float64Array(0), scale: 1 }], covariance: spread }
  let covariance = spread
  let regressions: Regression[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const thetas = regressRows(series, complete.slice(0, most + 1), invertUpper(covariance, rank))
    const sums = thetas.map((theta, j) => sumInnovations(series, complete[j], theta))
    const counts = thetas.map((_, j) => complete[j].length)
    const found = scaleInnovations(sums, counts, rank)
    covariance = found.covariance
    regressions = thetas.map((theta, j) => ({ theta, scale: found.scales[j] }))
  }
  return { regressions, covariance }
}

/**
 * Groups positions in time by j, the number of lags that reach back to a row; positions with an empty row,
 * itself or at one of those lags, are left out.
 */
function completePositions({ rows: { count, lengths }, lags, rowAt }: TimeSeries): number[][] {
  const complete: number[][] = Array.from({ length: lags.length + 1 }, () => [])
  const isObserved = (position: number): boolean => lengths[rowAt(position)] > 0
  for (let t = 0; t < count; t++) {
    const j = lagsBefore(lags, t)
    if (isObserved(t) && lags.slice(0, j).every((lag) => isObserved(t - lag))) complete[j].push(t)
  }
  return complete
}

/**
 * Returns θ for each number of lags, by ridge regression in the norm of Σ⁻¹ on all rows with at least as many;
 * the posterior covariances of the earlier rows are part of the normal equations.
 * @param complete positions to use, by the number of lags before them
 * @param precision Σ⁻¹ (R × R)
 */
function regressRows(
  series: TimeSeries,
  complete: readonly (readonly number[])[],
  precision: Float64Array,
): Float64Array[] {
  const { rows, lags, deviations } = series
  const { rank, padded } = rows
  const weighted = weightDeviations(series, precision)
  const product = (s: number, t: number): number => {
    let sum = 0
    for (let r = 0; r < rank; r++) sum += deviations[s * padded + r] * weighted.deviations[t * padded + r]
    return sum
  }
  const most = complete.length - 1
  const normal = new Float64Array(most * most)
  const right = new Float64Array(most)
  const thetas: Float64Array[] = []
  for (let j = most; j >= 0; j--) {
    for (const t of complete[j])
      for (let k = 0; k < j; k++) {
        right[k] += product(t, t - lags[k])
        normal[k * most + k] += weighted.variances[t - lags[k]]
        for (let m = 0; m <= k; m++) normal[k * most + m] += product(t - lags[k], t - lags[m])
      }
    thetas[j] = solveRidge(normal, right, most, j, RIDGE * rank)
  }
  return thetas
}

/** Solves the first j of n normal equations, given below and on the diagonal, with a ridge penalty. */
function solveRidge(
  normal: Float64Array,
  right: Float64Array,
  n: number,
  j: number,
  ridge: number,
): Float64Array {
  const matrix = new Float64Array(j * j)
  for (let k = 0; k < j; k++) for (let m = 0; m <= k; m++) matrix[k * j + m] = normal[k * n + m]
  const inverse = invertSymmetric(matrix, j, ridge)
  const solution = new Float64Array(j)
  for (let k = 0; k < j; k++) for (let m = 0; m < j; m++) solution[k] += inverse[k * j + m] * right[m]
  return solution
}

/** Σ⁻¹ x of each position with entries (count × R, padded), and tr(Σ⁻¹ V) of each. */
function weightDeviations(
  { rows, rowAt, deviations }: TimeSeries,
  precision: Float64Array,
): { deviations: Float64Array; variances: Float64Array } {
  const { count, rank, padded, lengths } = rows
  const weighted = new Float64Array(count * padded)
  const variances = new Float64Array(count)
  for (let t = 0; t < count; t++) {
    const p = rowAt(t)
    if (lengths[p] === 0) continue
    const at = t * padded
    for (let r = 0; r < rank; r++) {
      let sum = 0
      for (let s = 0; s < rank; s++) sum += precision[r * rank + s] * deviations[at + s]
      weighted[at + r] = sum
      for (let s = r; s < rank; s++)
        variances[t] += (r === s ? 1 : 2) * precision[r * rank + s] * covarianceOf(rows, p, r, s)
    }
  }
  return { deviations: weighted, variances }
}

/** Element (r, s), r ≤ s, of the posterior covariance V of row p. */
function covarianceOf(
  { padded, factor, moments, groups }: ModeRows,
  p: number,
  r: number,
  s: number,
): number {
  if (groups) return moments[(groups[p] * padded + r) * padded + s]
  return moments[(p * padded + r) * padded + s] - factor[p * padded + r] * factor[p * padded + s]
}

/** Σ E[ε εᵀ] over these positions, on and above the diagonal (R × R). */
function sumInnovations(
  { rows, lags, rowAt, deviations }: TimeSeries,
  positions: readonly number[],
  theta: Float64Array,
): Float64Array {
  const { rank, padded } = rows
  const sums = new Float64Array(rank * rank)
  const innovation = new Float64Array(rank)
  // How often, by weight, V of a position is part of the sum.
  const uses = new Map<number, number>()
  const use = (t: number, weight: number): void => void uses.set(t, (uses.get(t) ?? 0) + weight)
  for (const t of positions) {
    use(t, 1)
    for (let r = 0; r < rank; r++) innovation[r] = deviations[t * padded + r]
    theta.forEach((weight, k) => {
      const before = t - lags[k]
      use(before, weight ** 2)
      for (let r = 0; r < rank; r++) innovation[r] -= weight * deviations[before * padded + r]
    })
    for (let r = 0; r < rank; r++)
      for (let s = r; s < rank; s++) sums[r * rank + s] += innovation[r] * innovation[s]
  }
  for (const [t, weight] of uses) {
    const p = rowAt(t)
    for (let r = 0; r < rank; r++)
      for (let s = r; s < rank; s++) sums[r * rank + s] += weight * covarianceOf(rows, p, r, s)
  }
  return sums
}

/**
 * Σ, on and above its diagonal, and s for each number of lags: maximum likelihood estimates in turn, where s of
 * the most lags is 1.
 * @param sums Σ E[ε εᵀ] by number of lags
 * @param counts how many rows each of them is the sum over
 */
function scaleInnovations(
  sums: readonly Float64Array[],
  counts: readonly number[],
  rank: number,
): { covariance: Float64Array; scales: number[] } {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let scales = counts.map(() => 1)
  const covarianceNow = (): Float64Array =>
    sums[0].map((_, at) => sums.reduce((sum, own, j) => sum + scales[j] * own[at], 0) / total)
  for (let round = 0; round < ROUNDS; round++) {
    const precision = invertUpper(covarianceNow(), rank)
    const found = sums.map((own, j) => {
      const pseudo = PSEUDO_ROWS * rank
      return (counts[j] * rank + pseudo) / (traceOfProduct(precision, own, rank) + pseudo)
    })
    scales = found.map((scale) => scale / found[found.length - 1])
  }
  return { covariance: covarianceNow(), scales }
}
