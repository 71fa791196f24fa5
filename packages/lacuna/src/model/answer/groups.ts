/** Groups of modes whose factors belong together: merged modes, or the factors of a split mode. */
import { digitTerm, modesAsLearned } from '../../tensor/index.ts'
import type { Factored } from '../factored.ts'

/** Modes that share factors. */
export interface Group {
  /** The tensor's modes. */
  modes: readonly number[]
  /**
   * The elementwise product (R) of the group's factor rows at a coordinate, averaged over the group's modes
   * whose index is null. Averages are cached: do not modify the result.
   */
  rowAt(coordinate: readonly (number | null)[]): Float64Array
}

/**
 * The groups of a member's modes: merged modes share a factor, a split mode has several, any other mode is a
 * group by itself.
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
    // Cache of averages, by the indices that are not null: each takes a pass over the rows.
    const means = new Map<string, Float64Array>()
    /**
     * Adds to `sums` the weighted rows of all cells that agree with a coordinate where it is not null; returns
     * the sum of their weights. The coordinate is modified and restored.
     */
    const addRows = (sums: Float64Array, coordinate: (number | null)[], weight: number): number => {
      const open = group.modes.find((mode) => coordinate[mode] === null)
      if (open === undefined) {
        const starts = group.factors.map((k) =>
          digits[k].reduce((start, digit) => start + rank * digitTerm(digit, coordinate[digit.mode]!), 0),
        )
        for (let r = 0; r < rank; r++)
          sums[r] += group.factors.reduce((value, k, i) => value * factors[k][starts[i] + r], weight)
        return weight
      }
      let total = 0
      for (let index = 0; index < dims[open]; index++) {
        const ownWeight = weights ? weight * weights[open][index] : weight
        if (ownWeight === 0) continue
        coordinate[open] = index
        total += addRows(sums, coordinate, ownWeight)
      }
      coordinate[open] = null
      return total
    }
    return {
      modes: group.modes,
      rowAt: (coordinate) => {
        const key = group.modes.map((mode) => coordinate[mode]).join()
        const cached = means.get(key)
        if (cached) return cached
        const sums = new Float64Array(rank)
        const total = addRows(sums, [...coordinate], 1)
        const mean = total > 0 ? sums.map((sum) => sum / total) : sums
        if (group.modes.some((mode) => coordinate[mode] === null)) means.set(key, mean)
        return mean
      },
    }
  })
}

/**
 * The elementwise product (R) of all groups' rows at a coordinate. A mode whose index is null is averaged
 * over.
 */
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
