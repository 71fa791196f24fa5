/**
 * Prior means of rows with side information (docs/accuracy.md).
 * | Attributes: base = μ + B(x_p − x̄), B by ridge regression of the rows on their attributes. Lags: rows are
 * coupled to those at given distances (coupledRows.ts), or regressed on those before them
 * (autoregressiveRows.ts).
 * | Runs on one thread, in float64.
 */

import { invertSymmetric } from '../../../../base/inverse.ts'
import type { SideInformation } from '../../../engine.ts'
import { regressRows } from './autoregressiveRows.ts'
import { coupleRows } from './coupledRows.ts'
import type { LearnedMeans, ModeRows } from './modeRows.ts'

/** The ridge penalty, in rows per attribute. */
const RIDGE = 1

/**
 * Learns the prior means of the rows of a mode from their current values, and Σ and the weights of lags given
 * `products`. Changes none of its arguments.
 * @param mean μ (R, padded)
 * @param weights w or θ of each lag so far
 * @param previous (count × R), padded: the prior means so far
 * @param products Σ M over the rows with entries, if Σ and the weights are to be learned
 */
export function learnRowMeans(
  rows: ModeRows,
  side: SideInformation,
  mean: Float64Array,
  weights: Float32Array,
  previous: Float32Array,
  products: Float64Array | undefined,
): LearnedMeans {
  const { count, padded } = rows
  const { features, isAutoregressive } = side
  const base = new Float64Array(count * padded)
  for (let p = 0; p < count; p++) base.set(mean, p * padded)
  if (features) addAttributes(rows, features.columns, features.values, mean, base)
  const spread = products && covarianceAround(rows, base, products)
  return isAutoregressive
    ? regressRows(rows, side, base, weights, previous, spread)
    : coupleRows(rows, side, base, weights, spread)
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
