/** Predictions of cells: products of factors Σ_r Π_j a_jr, in data units if the model has a link. */
import { reshapeColumns, rowAt } from '../../tensor/index.ts'
import type { Factored, Predictor } from '../factored.ts'
import { meanInDataUnits } from './link.ts'

/**
 * The elementwise product (R) of the factors' rows at the given indices.
 * @param fallbackRows per mode, the row (R) for an index that is null; by default such a mode is skipped
 */
export function productOfRows(
  { rank, factors }: Factored,
  indices: readonly (number | null)[],
  fallbackRows?: readonly Float64Array[],
): Float64Array {
  const product = new Float64Array(rank).fill(1)
  indices.forEach((index, mode) => {
    if (index === null && !fallbackRows) return
    const rows = index === null ? fallbackRows![mode] : factors[mode]
    const start = (index ?? 0) * rank
    for (let r = 0; r < rank; r++) product[r] *= rows[start + r]
  })
  return product
}

/** The dot product of weights and a factor's row. @param start position of the row in the factor */
export function dotRow(weights: Float64Array, factor: Float32Array, start: number): number {
  let sum = 0
  for (let r = 0; r < weights.length; r++) sum += weights[r] * factor[start + r]
  return sum
}

/** The sum of the terms of a prediction, one per component. */
export const sumOf = (terms: Float64Array): number => terms.reduce((sum, term) => sum + term, 0)

/** The prediction of a cell, not clipped: the members' combined, corrected by `refine`. */
export function predictCell(
  model: Pick<Predictor, 'members' | 'weights' | 'refine'>,
  indices: readonly number[],
): number {
  const { members, weights } = model
  let total = 0
  for (const [k, member] of members.entries()) {
    const { rank, factors, reshapedModes, link } = member
    const rows = reshapedModes ? reshapedModes.digits.map((digits) => rowAt(digits, indices)) : indices
    const last = factors.length - 1
    const z = dotRow(productOfRows(member, rows.slice(0, last)), factors[last], rows[last] * rank)
    const y = link ? meanInDataUnits(link, z) : z
    total += weights ? weights[k] * y : y
  }
  const y = weights ? total : total / members.length
  return model.refine ? model.refine(indices, y) : y
}

/**
 * Predicts many cells, given as one column of indices per mode, and calls `visit` with the number of each and
 * its prediction, not clipped.
 */
export function forEachPrediction(
  model: Pick<Predictor, 'members' | 'weights' | 'refine'>,
  indices: readonly Uint32Array[],
  visit: (entry: number, y: number) => void,
): void {
  const { members, weights } = model
  const cell = new Uint32Array(indices.length)
  const valuesOf = members.map((member) => {
    const { reshapedModes, link } = member
    const products = memberProducts(member, reshapedModes ? reshapeColumns(reshapedModes, indices) : indices)
    return link ? (cell: number) => meanInDataUnits(link, products(cell)) : products
  })
  for (let e = 0; e < indices[0].length; e++) {
    let total = 0
    if (weights) for (let k = 0; k < valuesOf.length; k++) total += weights[k] * valuesOf[k](e)
    else for (let k = 0; k < valuesOf.length; k++) total += valuesOf[k](e)
    const y = weights ? total : total / members.length
    if (model.refine) for (let mode = 0; mode < cell.length; mode++) cell[mode] = indices[mode][e]
    visit(e, model.refine ? model.refine(cell, y) : y)
  }
}

/**
 * Makes a function that returns the product of factors Σ_r Π_j a_jr at a cell, by the number of the cell.
 * @param columns the rows of the cells, one column per mode of the factors
 */
function memberProducts(
  { rank, factors }: Factored,
  columns: readonly Uint32Array[],
): (cell: number) => number {
  const [first, ...others] = factors
  const last = others.pop()
  // Tensors of order 2 and 3, the most frequent, need no arrays for the other rows.
  if (last && others.length <= 1) {
    const [middle] = others
    const [rows, middleRows, lastRows] = [columns[0], columns[1], columns[factors.length - 1]]
    return (cell) => {
      const [a, b, c] = [rows[cell] * rank, middleRows[cell] * rank, lastRows[cell] * rank]
      let sum = 0
      if (middle) for (let r = 0; r < rank; r++) sum += first[a + r] * middle[b + r] * last[c + r]
      else for (let r = 0; r < rank; r++) sum += first[a + r] * last[c + r]
      return sum
    }
  }
  const product = new Float64Array(rank)
  return (cell) => {
    const start = columns[0][cell] * rank
    for (let r = 0; r < rank; r++) product[r] = first[start + r]
    for (let mode = 1; mode < factors.length - 1; mode++) {
      const [factor, row] = [factors[mode], columns[mode][cell] * rank]
      for (let r = 0; r < rank; r++) product[r] *= factor[row + r]
    }
    return last ? dotRow(product, last, columns[factors.length - 1][cell] * rank) : sumOf(product)
  }
}
