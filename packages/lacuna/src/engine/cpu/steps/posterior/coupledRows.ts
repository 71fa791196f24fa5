/**
 * Rows coupled to those at given distances by a Gaussian Markov random field (docs/accuracy.md), with density ∝
 * exp(−½ Σ_p |a_p − base_p|² − ½ Σ_k w_k Σ_p |a_p − a_{p+l_k}|²), in the norm of Σ⁻¹; on a circle p + l_k counts
 * modulo the rows. Given its neighbours, a row is N((base + Σ w a_q)/t, Σ/t), t = 1 + Σ w. Σ and w are maximum
 * likelihood estimates given the posteriors of the rows.
 */

import type { SideInformation } from '../../../engine.ts'
import type { LearnedMeans, ModeRows } from './modeRows.ts'
import { invertUpper, traceOfProduct } from './symmetric.ts'

/** The initial w of a lag, which it keeps if no two rows with entries are that far apart. */
export const FIRST_LAG_WEIGHT = 0.5
/** Rounds in which w and Σ are updated in turn. */
const WEIGHT_ROUNDS = 10
/** Rounds in which rows without entries are updated from one another, if there are lags. */
const FILL_ROUNDS = 50
/** The largest w of a lag. */
const LARGEST_WEIGHT = 1e4
/** The least w of a lag. */
const LEAST_WEIGHT = 1e-6

/**
 * Learns the prior means of rows that are coupled to those at their lags, if any, from their current values;
 * and Σ and w if `spread` is given.
 * @param base (count × R), padded: the prior means without lags
 * @param weights w of each lag so far
 * @param spread the covariance of the rows around their base, on and above the diagonal
 */
export function coupleRows(
  rows: ModeRows,
  side: SideInformation,
  base: Float64Array,
  weights: Float32Array,
  spread: Float64Array | undefined,
): LearnedMeans {
  const { count, padded, lengths } = rows
  const { lags = [] } = side
  const learned = Float64Array.from(weights)
  const covariance = spread && lags.length > 0 ? learnLagWeights(rows, side, spread, learned) : spread
  const emptyRows: number[] = []
  for (let p = 0; p < count; p++) if (lengths[p] === 0) emptyRows.push(p)
  const current = Float64Array.from(rows.factor)
  const neighbours = neighbourVisitor(side, count)
  const expected = { base, current, neighbours, weights: learned }
  const row = new Float64Array(padded)
  const rounds = lags.length > 0 ? FILL_ROUNDS : 1
  for (let round = 0; round < rounds; round++)
    for (const p of emptyRows) {
      writePriorMean(rows, expected, p, row)
      for (let r = 0; r < padded; r++) current[p * padded + r] = Math.max(0, row[r])
    }
  const means = new Float64Array(count * padded)
  const couplingWeights = new Float64Array(count)
  for (let p = 0; p < count; p++) {
    couplingWeights[p] = writePriorMean(rows, expected, p, row)
    means.set(row, p * padded)
  }
  return { means, couplingWeights, weights: learned, covariance, emptyRows, rows: current }
}

/** Calls `visit` with each row q that is coupled to row p, and the number k of their lag. */
type Neighbours = (p: number, visit: (q: number, k: number) => void) => void

/** Returns the function that visits the rows at the lags of a mode, before and after a row in the order of the mode. */
function neighbourVisitor({ lags = [], isCyclic, order }: SideInformation, count: number): Neighbours {
  const positions = order && new Uint32Array(count)
  order?.forEach((p, position) => {
    positions![p] = position
  })
  return (p, visit) => {
    const at = positions ? positions[p] : p
    lags.forEach((lag, k) => {
      for (let q = at - lag; q <= at + lag; q += 2 * lag) {
        const isBeyond = q < 0 || q >= count
        if (isBeyond && !isCyclic) continue
        const there = isBeyond ? (q + count) % count : q
        visit(order ? order[there] : there, k)
      }
    })
  }
}

/**
 * Writes the prior mean of row p given its neighbours, (base + Σ w a_q) / t, to `row` (R, padded); returns
 * its coupling weight t.
 */
function writePriorMean(
  { padded }: ModeRows,
  {
    base,
    current,
    neighbours,
    weights,
  }: { base: Float64Array; current: Float64Array; neighbours: Neighbours; weights: Float64Array },
  p: number,
  row: Float64Array,
): number {
  row.set(base.subarray(p * padded, (p + 1) * padded))
  let couplingWeight = 1
  neighbours(p, (q, k) => {
    couplingWeight += weights[k]
    for (let r = 0; r < padded; r++) row[r] += weights[k] * current[q * padded + r]
  })
  for (let r = 0; r < padded; r++) row[r] /= couplingWeight
  return couplingWeight
}

/**
 * Learns w of each lag and Σ alternately, from the rows' distances to their base and to their neighbours.
 * Writes `weights` in place; returns Σ, on and above the diagonal.
 * @param spread the covariance of the rows around their base
 */
function learnLagWeights(
  rows: ModeRows,
  side: SideInformation,
  spread: Float64Array,
  weights: Float64Array,
): Float64Array {
  const { rank } = rows
  const { lags = [] } = side
  const differences = lags.map((lag) => covarianceOfDifferences(rows, side, lag))
  let covariance = spread
  for (let round = 0; round < WEIGHT_ROUNDS; round++) {
    covariance = spread.slice()
    differences.forEach((matrix, k) => {
      if (matrix) for (let at = 0; at < covariance.length; at++) covariance[at] += weights[k] * matrix[at]
    })
    if (round + 1 === WEIGHT_ROUNDS) break
    const expected = expectedDifferences(rows.count, lags, weights)
    const precision = invertUpper(covariance, rank)
    differences.forEach((matrix, k) => {
      if (!matrix) return
      const measured = traceOfProduct(precision, matrix, rank)
      if (measured > 0)
        weights[k] = Math.min(
          LARGEST_WEIGHT,
          Math.max(LEAST_WEIGHT, (weights[k] * rank * expected[k]) / measured),
        )
    })
  }
  return covariance
}

/**
 * The mean of (a_p − a_q)(a_p − a_q)ᵀ + V_p + V_q over the pairs of rows with entries at the distance `lag`
 * (R × R, on and above the diagonal); undefined if there is no such pair.
 */
function covarianceOfDifferences(
  { count, rank, padded, lengths, factor, moments, groups }: ModeRows,
  { isCyclic, order }: SideInformation,
  lag: number,
): Float64Array | undefined {
  const spread = new Float64Array(rank * rank)
  let pairs = 0
  const starts = isCyclic ? count : count - lag
  for (let at = 0; at < starts; at++) {
    const p = order ? order[at] : at
    const q = order ? order[(at + lag) % count] : (at + lag) % count
    if (lengths[p] === 0 || lengths[q] === 0) continue
    pairs++
    const [a, b] = [p * padded, q * padded]
    const [P, Q] = groups ? [groups[p] * padded, groups[q] * padded] : [a, b]
    for (let r = 0; r < rank; r++)
      for (let s = r; s < rank; s++) {
        let both = moments[(P + r) * padded + s] + moments[(Q + r) * padded + s]
        if (groups) both += factor[a + r] * factor[a + s] + factor[b + r] * factor[b + s]
        spread[r * rank + s] += both - factor[a + r] * factor[b + s] - factor[b + r] * factor[a + s]
      }
  }
  return pairs === 0 ? undefined : spread.map((sum) => sum / pairs)
}

/**
 * Per lag, the expected squared differences of neighbours per row and component under the field: tr(L_k (1 +
 * Σ w L)⁻¹) / rows, with L_k the Laplacian of the lag on a circle of rows.
 */
function expectedDifferences(count: number, lags: readonly number[], weights: Float64Array): Float64Array {
  const expected = new Float64Array(lags.length)
  const waves = new Float64Array(lags.length)
  for (let f = 0; f < count; f++) {
    let sum = 1
    lags.forEach((lag, k) => {
      waves[k] = 2 - 2 * cosineOfTurn(((f * lag) % count) / count)
      sum += weights[k] * waves[k]
    })
    for (let k = 0; k < lags.length; k++) expected[k] += waves[k] / sum / count
  }
  return expected
}

/** cos 2πt for 0 ≤ t < 1, by sums and products alone: Math.cos need not be the same on every machine. */
function cosineOfTurn(t: number): number {
  const half = t > 0.5 ? 1 - t : t
  if (half > 0.25) return -cosineOfTurn(0.5 - half)
  const x = (2 * Math.PI * half) ** 2
  let sum = 1
  for (let n = 20; n > 0; n -= 2) sum = 1 - (sum * x) / (n * (n - 1))
  return sum
}
