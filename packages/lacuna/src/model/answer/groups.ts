/** Groups of modes whose factors belong together: merged modes, or the factors of a split mode. */
import { digitTerm, modesAsLearned } from '../../tensor/index.ts'
import type { Factored } from '../factored.ts'
import { meanInDataUnits } from '../predict/link.ts'

/** Modes that share factors. */
export interface Group {
  /** The tensor's modes. */
  modes: readonly number[]
  /**
   * The elementwise product (R) of the group's factor rows at a coordinate, averaged over the group's modes
   * whose index is null. Averages are cached: do not modify the result.
   */
  rowAt(coordinate: readonly (number | null)[]): Float64Array
  /** The average of the outer products (R × R) of these rows with themselves; do not modify the result. */
  momentAt(coordinate: readonly (number | null)[]): Float64Array
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
    const row = new Float64Array(rank)
    /**
     * Adds to `sums` the weighted rows (R), or their outer products (R × R), of all cells that agree with a
     * coordinate where it is not null; returns the sum of their weights. The coordinate is modified and
     * restored.
     */
    const addRows = (sums: Float64Array, coordinate: (number | null)[], weight: number): number => {
      const open = group.modes.find((mode) => coordinate[mode] === null)
      if (open === undefined) {
        const starts = group.factors.map((k) =>
          digits[k].reduce((start, digit) => start + rank * digitTerm(digit, coordinate[digit.mode]!), 0),
        )
        /** The product of the group's factors in component r, times a number. */
        const product = (r: number, by: number): number =>
          group.factors.reduce((value, k, i) => value * factors[k][starts[i] + r], by)
        if (sums.length === rank) for (let r = 0; r < rank; r++) sums[r] += product(r, weight)
        else {
          for (let r = 0; r < rank; r++) row[r] = product(r, 1)
          for (let at = 0; at < sums.length; at++)
            sums[at] += weight * row[Math.floor(at / rank)] * row[at % rank]
        }
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
    /** Makes a function that averages rows (size R) or their outer products (size R²) at a coordinate. */
    const averages = (size: number): Group['rowAt'] => {
      // Cache of averages, by the indices that are not null: each takes a pass over the rows.
      const cache = new Map<string, Float64Array>()
      return (coordinate) => {
        const key = group.modes.map((mode) => coordinate[mode]).join()
        const cached = cache.get(key)
        if (cached) return cached
        const sums = new Float64Array(size)
        const total = addRows(sums, [...coordinate], 1)
        const mean = total > 0 ? sums.map((sum) => sum / total) : sums
        if (group.modes.some((mode) => coordinate[mode] === null)) cache.set(key, mean)
        return mean
      }
    }
    return { modes: group.modes, rowAt: averages(rank), momentAt: averages(rank * rank) }
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

/**
 * The mean prediction of a member with a link, in data units, over the cells that agree with a coordinate
 * where it is not null. The variance of z between these cells is E[z²] − E[z]², with E[z²] the sum of the
 * elementwise product of all groups' moments.
 * @param groups of the member
 */
export function meanOfCells(
  { rank, link }: Factored,
  groups: readonly Group[],
  coordinate: readonly (number | null)[],
): number {
  const z = productOfGroups(groups, coordinate, rank).reduce((sum, term) => sum + term, 0)
  if (!link) return z
  if (!coordinate.includes(null)) return meanInDataUnits(link, z)
  const moment = new Float64Array(rank * rank).fill(1)
  for (const { momentAt } of groups) {
    const own = momentAt(coordinate)
    for (let at = 0; at < moment.length; at++) moment[at] *= own[at]
  }
  const square = moment.reduce((sum, term) => sum + term, 0)
  return meanInDataUnits(link, z, Math.max(0, square - z * z))
}
