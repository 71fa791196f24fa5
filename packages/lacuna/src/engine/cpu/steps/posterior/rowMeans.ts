/**
 * Prior means of rows with side information (docs/accuracy.md).
 * | Attributes: base = μ + B(x_p − x̄), B by ridge regression of the rows on their attributes. Lags: rows are
 * coupled to those at given distances by a Gaussian Markov random field with density ∝ exp(−½ Σ_p |a_p −
 * base_p|² − ½ Σ_k w_k Σ_p |a_p − a_{p+l_k}|²), in the norm of Σ⁻¹; on a circle p + l_k counts modulo the rows. Given its neighbours, a row is N((base
 * + Σ w a_q)/t, Σ/t), t = 1 + Σ w. Σ and w are maximum likelihood estimates given the posteriors of the rows.
 * | Runs on one thread, in float64.
 */

import { invertSymmetric } from '../../../../base/inverse.ts'
import type { SideInformation } from '../../../engine.ts'

/**
 * The rows of a mode: factor (count × R) and moments (count × R × R), padded; or V of groups of rows, and the
 * group of each row. Rows of length 0 have no entries.
 */
export interface ModeRows {
  /** Number of rows. */
  count: number
  /** Number of rows with entries. */
  observed: number
  rank: number
  padded: number
  /** Entries of each row. */
  lengths: Uint32Array
  factor: Float32Array
  moments: Float32Array
  groups?: Uint32Array
}

/** The prior means of a mode's rows, and what was learned with them. */
export interface LearnedMeans {
  /** (count × R), padded. */
  means: Float64Array
  /** (count) t = 1 + Σ w of each row. */
  couplingWeights: Float64Array
  /** w of each lag. */
  weights: Float64Array
  /** Σ (R × R), on and above the diagonal; if it was requested. */
  covariance?: Float64Array
  /** The numbers of the rows without entries. */
  emptyRows: number[]
  /** (count × R), padded: all rows, in which those without entries have their prior means, at least 0. */
  rows: Float64Array
}

/** The initial w of a lag, which it keeps if no two rows with entries are that far apart. */
export const FIRST_LAG_WEIGHT = 0.5
/** The ridge penalty, in rows per attribute. */
const RIDGE = 1
/** Rounds in which w and Σ are updated in turn. */
const WEIGHT_ROUNDS = 10
/** Rounds in which rows without entries are updated from one another, if there are lags. */
const FILL_ROUNDS = 50
/** The largest w of a lag. */
const LARGEST_WEIGHT = 1e4
/** The least w of a lag. */
const LEAST_WEIGHT = 1e-6

/**
 * Learns the prior means of the rows of a mode from their current values, and Σ and w given `products`.
 * Changes none of its arguments.
 * @param mean μ (R, padded)
 * @param weights w of each lag so far
 * @param products Σ M over the rows with entries, if Σ and w are to be learned
 */
export function learnRowMeans(
  rows: ModeRows,
  { features, ...order }: SideInformation,
  mean: Float64Array,
  weights: Float32Array,
  products: Float64Array | undefined,
): LearnedMeans {
  const { count, padded, lengths } = rows
  const { lags = [] } = order
  const base = new Float64Array(count * padded)
  for (let p = 0; p < count; p++) base.set(mean, p * padded)
  if (features) addAttributes(rows, features.columns, features.values, mean, base)
  const learned = Float64Array.from(weights)
  let covariance = products && covarianceAround(rows, base, products)
  if (covariance && lags.length > 0) covariance = learnLagWeights(rows, order, covariance, learned)
  const emptyRows: number[] = []
  for (let p = 0; p < count; p++) if (lengths[p] === 0) emptyRows.push(p)
  const current = Float64Array.from(rows.factor)
  const neighbours = neighboursOf(order, count)
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

/** Returns a visitor of the rows at the lags of a mode, before and after a row in the order of the mode. */
function neighboursOf({ lags = [], isCyclic, order }: SideInformation, count: number): Neighbours {
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
 * Adds B(x − x̄) to `base` in place, B by ridge regression of the rows with entries on their attributes.
 * @param x attributes (count × columns)
 * @param mean μ
 */
function addAttributes(
  { count, observed, rank, padded, lengths, factor }: ModeRows,
  columns: number,
  x: Float32Array,
  mean: Float64Array,
  base: Float64Array,
): void {
  const centre = new Float64Array(columns)
  for (let p = 0; p < count; p++)
    if (lengths[p] > 0) for (let f = 0; f < columns; f++) centre[f] += x[p * columns + f] / observed
  const XX = new Float64Array(columns * columns)
  const XA = new Float64Array(columns * rank)
  const centred = new Float64Array(columns)
  for (let p = 0; p < count; p++) {
    if (lengths[p] === 0) continue
    for (let f = 0; f < columns; f++) centred[f] = x[p * columns + f] - centre[f]
    for (let f = 0; f < columns; f++) {
      if (centred[f] === 0) continue
      for (let g = 0; g < columns; g++) XX[f * columns + g] += centred[f] * centred[g]
      for (let r = 0; r < rank; r++) XA[f * rank + r] += centred[f] * (factor[p * padded + r] - mean[r])
    }
  }
  const inverse = invertSymmetric(XX, columns, RIDGE)
  const B = new Float64Array(columns * rank)
  for (let f = 0; f < columns; f++)
    for (let g = 0; g < columns; g++)
      for (let r = 0; r < rank; r++) B[f * rank + r] += inverse[f * columns + g] * XA[g * rank + r]
  for (let p = 0; p < count; p++)
    for (let f = 0; f < columns; f++) {
      const by = x[p * columns + f] - centre[f]
      for (let r = 0; r < rank; r++) base[p * padded + r] += by * B[f * rank + r]
    }
}

/**
 * The mean of (a − base)(a − base)ᵀ + V over the rows with entries (R × R); on and above the diagonal.
 * @param products Σ M over the rows with entries (R × R, padded)
 */
function covarianceAround(
  { count, observed, rank, padded, lengths, factor }: ModeRows,
  base: Float64Array,
  products: Float64Array,
): Float64Array {
  const spread = new Float64Array(rank * rank)
  for (let p = 0; p < count; p++) {
    if (lengths[p] === 0) continue
    const at = p * padded
    for (let r = 0; r < rank; r++)
      for (let s = r; s < rank; s++)
        spread[r * rank + s] +=
          base[at + r] * base[at + s] - factor[at + r] * base[at + s] - base[at + r] * factor[at + s]
  }
  for (let r = 0; r < rank; r++)
    for (let s = r; s < rank; s++)
      spread[r * rank + s] = (spread[r * rank + s] + products[r * padded + s]) / observed
  return spread
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
    const precision = invertSymmetric(
      mirrorUpper(covariance, rank),
      rank,
      1e-6 * meanOfDiagonal(covariance, rank) + 1e-30,
    )
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

/** Returns the whole symmetric matrix (n × n) of one given on and above its diagonal. */
function mirrorUpper(upper: Float64Array, n: number): Float64Array {
  const matrix = upper.slice()
  for (let r = 0; r < n; r++) for (let s = 0; s < r; s++) matrix[r * n + s] = upper[s * n + r]
  return matrix
}

/** The mean of the diagonal of a matrix (n × n), at least 0. */
function meanOfDiagonal(matrix: Float64Array, n: number): number {
  let sum = 0
  for (let r = 0; r < n; r++) sum += matrix[r * n + r]
  return Math.max(0, sum) / n
}

/** tr(P S) of symmetric matrices, S given on and above its diagonal. */
function traceOfProduct(P: Float64Array, S: Float64Array, n: number): number {
  let sum = 0
  for (let r = 0; r < n; r++)
    for (let s = r; s < n; s++) sum += (r === s ? 1 : 2) * P[r * n + s] * S[r * n + s]
  return sum
}
