/** Groups of modes whose factors belong together: merged modes, or the factors of a split mode. */
import { digitTerm, modesAsLearned } from '../../tensor/index.ts'
import type { Factored } from '../factored.ts'

/** Modes that share factors. */
export interface Group {
  /** The tensor's modes. */
  modes: readonly number[]
  /** The product (R) of the group's rows at a coordinate; averaged over modes whose index is null. */
  rowAt(coordinate: readonly (number | null)[]): Float64Array
}

/**
 * The groups of a member's modes: merged modes share a factor, a split mode has several.
 * @param weights per mode, the weight of each row in averages; 1 by default
 */
export function groupsOf(member: Factored, weights?: readonly ArrayLike<number>[]): Group[] {
  const { dims, factors, rank } = member
  const { digits } = modesAsLearned(member)
  const groups: { modes: number[]; factors: number[] }[] = []
  digits.forEach((parts, k) => {
    const modes = parts.map(({ mode }) => mode)
    const same = groups.find((group) => group.modes.includes(modes[0]))
    if (same) same.factors.push(k)
    else groups.push({ modes, factors: [k] })
  })
  return groups.map((group) => {
    // Averages by the indices that are known: each takes a pass over the rows, once.
    const means = new Map<string, Float64Array>()
    /**
     * Adds the rows of all completions of a coordinate, weighted; returns the sum of the weights. `at` is
     * restored in the end.
     */
    const add = (to: Float64Array, at: (number | null)[], weight: number): number => {
      const open = group.modes.find((mode) => at[mode] === null)
      if (open === undefined) {
        const starts = group.factors.map((k) =>
          digits[k].reduce((start, digit) => start + rank * digitTerm(digit, at[digit.mode]!), 0),
        )
        for (let r = 0; r < rank; r++)
          to[r] += group.factors.reduce((value, k, i) => value * factors[k][starts[i] + r], weight)
        return weight
      }
      let total = 0
      for (let index = 0; index < dims[open]; index++) {
        const own = weights ? weight * weights[open][index] : weight
        if (own === 0) continue
        at[open] = index
        total += add(to, at, own)
      }
      at[open] = null
      return total
    }
    return {
      modes: group.modes,
      rowAt: (coordinate) => {
        const key = group.modes.map((mode) => coordinate[mode]).join()
        const found = means.get(key)
        if (found) return found
        const sums = new Float64Array(rank)
        const total = add(sums, [...coordinate], 1)
        const mean = total > 0 ? sums.map((sum) => sum / total) : sums
        if (group.modes.some((mode) => coordinate[mode] === null)) means.set(key, mean)
        return mean
      },
    }
  })
}

/** The product (R) of the groups' rows at a coordinate. */
export function productOfGroups(
  groups: readonly Group[],
  coordinate: readonly (number | null)[],
  rank: number,
): Float64Array {
  const product = new Float64Array(rank).fill(1)
  for (const { rowAt } of groups) {
    const row = rowAt(coordinate)
    for (let r = 0; r < rank; r++) product[r] *= row[r]
  }
  return product
}
