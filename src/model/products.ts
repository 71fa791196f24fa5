/** Σ_r Π_j a_jr: everything that a model says is made here. */
import type { Answerer, Factored } from './factored.ts'

/** The elementwise product (R) of the rows at the given indices; at null, of the rows given instead, or of none. */
export function productOfRows(
  { rank, factors }: Factored,
  indices: readonly (number | null)[],
  instead?: readonly Float64Array[],
): Float64Array {
  const product = new Float64Array(rank).fill(1)
  indices.forEach((index, mode) => {
    if (index === null && !instead) return
    const from = index === null ? instead![mode] : factors[mode]
    const start = (index ?? 0) * rank
    for (let r = 0; r < rank; r++) product[r] *= from[start + r]
  })
  return product
}

/** Σ_r weights_r a_r over the row that begins there. */
export function dotRow(weights: Float64Array, factor: Float32Array, start: number): number {
  let sum = 0
  for (let r = 0; r < weights.length; r++) sum += weights[r] * factor[start + r]
  return sum
}

/** What the members say of a cell, on average. Where indices are null, rows given instead take part, for each member. */
export function predictCell(
  { members }: Pick<Answerer, 'members'>,
  indices: readonly (number | null)[],
  instead?: readonly (readonly Float64Array[])[],
): number {
  let total = 0
  members.forEach((member, k) => {
    const { rank, factors } = member
    const last = factors.length - 1
    const index = indices[last]
    if (index === null) {
      total += productOfRows(member, indices, instead?.[k]).reduce((sum, term) => sum + term, 0)
      return
    }
    const product = productOfRows(member, indices.slice(0, last), instead?.[k])
    total += dotRow(product, factors[last], index * rank)
  })
  return total / members.length
}

/** Visits many cells, given as one column of indices per mode. */
export function forEachPrediction(
  { members }: Pick<Answerer, 'members'>,
  indices: readonly Uint32Array[],
  visit: (entry: number, y: number) => void,
): void {
  const last = indices.length - 1
  const products = members.map(({ rank }) => new Float64Array(rank)) // of the rows of all modes but the last
  for (let e = 0; e < indices[0].length; e++) {
    let total = 0
    for (let k = 0; k < members.length; k++) {
      const { rank, factors } = members[k]
      const product = products[k].fill(1)
      for (let mode = 0; mode < last; mode++) {
        const start = indices[mode][e] * rank
        const factor = factors[mode]
        for (let r = 0; r < rank; r++) product[r] *= factor[start + r]
      }
      total += dotRow(product, factors[last], indices[last][e] * rank)
    }
    visit(e, total / members.length)
  }
}

/** What is said of every row of a mode, the others weighted (R, for each member). */
export function scoreRows(
  { members, dims }: Pick<Answerer, 'members' | 'dims'>,
  mode: number,
  weights: readonly Float64Array[],
): Float64Array {
  const scores = new Float64Array(dims[mode])
  members.forEach(({ rank, factors }, k) => {
    for (let row = 0; row < scores.length; row++)
      scores[row] += dotRow(weights[k], factors[mode], row * rank) / members.length
  })
  return scores
}
