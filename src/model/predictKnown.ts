import { partOf, rowAt } from '../tensor/arrangement.ts'
import type { CpModel } from './cpModel.ts'

/**
 * What the model says where some indices are not known: the mean of its predictions over all rows of their modes, in which
 * the mean row of a factor stands for an unknown one. Unknown indices are null.
 */
export function predictKnown(model: CpModel): (coordinate: readonly (number | null)[]) => number {
  const { rank, factors } = model
  const { digits } = model.arrangedModes
  const groups = groupsOf(model)
  const product = new Float64Array(rank)
  return (coordinate) => {
    product.fill(1)
    if (isKnown(coordinate))
      digits.forEach((parts, k) => {
        const start = rank * rowAt(parts, coordinate)
        for (let r = 0; r < rank; r++) product[r] *= factors[k][start + r]
      })
    else
      for (const rowOf of groups) {
        const row = rowOf(coordinate)
        for (let r = 0; r < rank; r++) product[r] *= row[r]
      }
    let sum = 0
    for (let r = 0; r < rank; r++) sum += product[r]
    return sum
  }
}

const isKnown = (coordinate: readonly (number | null)[]): coordinate is readonly number[] =>
  !coordinate.includes(null)

type RowOf = (coordinate: readonly (number | null)[]) => Float64Array

/**
 * Modes that are merged share a factor, one that is split has several: of such a group, the product of its factors' rows,
 * averaged over what is not known of it.
 */
function groupsOf(model: CpModel): RowOf[] {
  const { dims, factors, rank } = model
  const { digits } = model.arrangedModes
  const groups: { modes: number[]; factors: number[] }[] = []
  digits.forEach((parts, k) => {
    const modes = parts.map(({ mode }) => mode)
    const same = groups.find((group) => group.modes.includes(modes[0]))
    if (same) same.factors.push(k)
    else groups.push({ modes, factors: [k] })
  })
  return groups.map((group) => {
    // By what is known of it. Averaging takes a pass over the rows that come into question, once.
    const means = new Map<string, Float64Array>()
    const add = (to: Float64Array, coordinate: (number | null)[]): number => {
      const open = group.modes.find((mode) => coordinate[mode] === null)
      if (open === undefined) {
        const starts = group.factors.map((k) =>
          digits[k].reduce((start, digit) => start + rank * partOf(digit, coordinate[digit.mode]!), 0),
        )
        for (let r = 0; r < rank; r++)
          to[r] += group.factors.reduce((value, k, i) => value * factors[k][starts[i] + r], 1)
        return 1
      }
      let count = 0
      for (let index = 0; index < dims[open]; index++)
        count += add(
          to,
          coordinate.map((given, mode) => (mode === open ? index : given)),
        )
      return count
    }
    return (coordinate) => {
      const key = group.modes.map((mode) => coordinate[mode]).join()
      const found = means.get(key)
      if (found) return found
      const sums = new Float64Array(rank)
      const count = add(sums, [...coordinate])
      const mean = sums.map((sum) => sum / count)
      if (group.modes.some((mode) => coordinate[mode] === null)) means.set(key, mean)
      return mean
    }
  })
}
