/**
 * Predicts rows from their attributes: μ + B(x − x̄), B by ridge regression of the rows on their attributes.
 */
import { invertSymmetric } from '../../../base/inverse.ts'

/** Numeric attributes of the rows of a mode. */
export interface Attributes {
  /** Mode of the tensor, from 0. */
  mode: number
  /** Number of attributes. */
  columns: number
  /** (I × columns), row-major. */
  values: Float32Array
}

/** The ridge penalty, in rows per attribute; as in the engine. */
const RIDGE = 1

/**
 * Makes a function that returns what the attributes of a row predict (R), from the rows that are known.
 * @param mean μ (R), the mean of the known rows
 * @param isKnown per row, 1 if the regression is fitted to it
 */
export function attributeMeans(
  factor: Float32Array,
  mean: Float64Array,
  isKnown: Uint8Array,
  { columns, values }: Attributes,
): (q: number) => Float64Array {
  const rank = mean.length
  const centre = new Float64Array(columns)
  let known = 0
  for (let q = 0; q < isKnown.length; q++) {
    if (!isKnown[q]) continue
    known++
    for (let f = 0; f < columns; f++) centre[f] += values[q * columns + f]
  }
  for (let f = 0; f < columns; f++) centre[f] /= Math.max(1, known)
  const XX = new Float64Array(columns * columns)
  const XA = new Float64Array(columns * rank)
  const centred = new Float64Array(columns)
  for (let q = 0; q < isKnown.length; q++) {
    if (!isKnown[q]) continue
    for (let f = 0; f < columns; f++) centred[f] = values[q * columns + f] - centre[f]
    for (let f = 0; f < columns; f++) {
      for (let g = 0; g < columns; g++) XX[f * columns + g] += centred[f] * centred[g]
      for (let r = 0; r < rank; r++) XA[f * rank + r] += centred[f] * (factor[q * rank + r] - mean[r])
    }
  }
  const inverse = invertSymmetric(XX, columns, RIDGE)
  const B = new Float64Array(columns * rank)
  for (let f = 0; f < columns; f++)
    for (let g = 0; g < columns; g++)
      for (let r = 0; r < rank; r++) B[f * rank + r] += inverse[f * columns + g] * XA[g * rank + r]
  const rows = new Float64Array(isKnown.length * rank)
  for (let q = 0; q < isKnown.length; q++) {
    rows.set(mean, q * rank)
    for (let f = 0; f < columns; f++) {
      const by = values[q * columns + f] - centre[f]
      for (let r = 0; r < rank; r++) rows[q * rank + r] += by * B[f * rank + r]
    }
  }
  return (q) => rows.subarray(q * rank, (q + 1) * rank)
}
