/** Predictions of a member along a mode, with the other modes fixed or averaged. */

import { groupsOf, meanOfCells, productOfGroups } from '../answer/groups.ts'
import type { Factored } from '../factored.ts'
import { meanRows } from '../foldIn/meanRows.ts'
import { meanInDataUnits } from './link.ts'
import { dotRow, productOfRows, sumOf } from './products.ts'

/** Predictions for the rows of a mode. */
export interface PredictionsAlong {
  /** The prediction of a row in data units, averaged over the modes that are not fixed. */
  score(row: number): number
  /** The terms (R), one per component, whose sum is the score of a row; with a link, on its scale. */
  terms(row: number): Float64Array
}

/**
 * The predictions of one member for the rows of a mode, not clipped.
 * @param fixed per mode, the row that is fixed, or null for the mean over all rows; null in `mode`
 * @param counts per mode, the entries of each row, by which means are weighted; equal weights by default
 */
export function predictAlong(
  member: Factored,
  fixed: readonly (number | null)[],
  mode: number,
  counts?: readonly ArrayLike<number>[],
): PredictionsAlong {
  const { rank, factors, link } = member
  const isAveraged = fixed.some((row, m) => row === null && m !== mode)
  if (member.reshapedModes || (link && isAveraged)) return predictAlongGroup(member, fixed, mode, counts)
  const weights = productExcept(member, fixed, [mode], counts)
  const product = (row: number): number => dotRow(weights, factors[mode], row * rank)
  return {
    score: link ? (row) => meanInDataUnits(link, product(row)) : product,
    terms: (row) => weights.map((weight, r) => weight * factors[mode][row * rank + r]),
  }
}

/**
 * The elementwise product (R) of one row per mode: the fixed one, or the mean row where `fixed` is null.
 * @param exceptModes modes that are left out of the product; `fixed` must be null there
 * @param counts per mode, the entries of each row, by which means are weighted; equal weights by default
 */
export function productExcept(
  member: Factored,
  fixed: readonly (number | null)[],
  exceptModes: readonly number[],
  counts?: readonly ArrayLike<number>[],
): Float64Array {
  const isAveraged = fixed.some((row, mode) => row === null && !exceptModes.includes(mode))
  if (!isAveraged) return productOfRows(member, fixed)
  const means = meanRows(member, counts)
  for (const mode of exceptModes) means[mode].fill(1)
  return productOfRows(member, fixed, means)
}

/** The predictions of a member with merged or split modes, or a link, for the rows of a mode. */
function predictAlongGroup(
  member: Factored,
  fixed: readonly (number | null)[],
  mode: number,
  counts: readonly ArrayLike<number>[] | undefined,
): PredictionsAlong {
  const groups = groupsOf(member, counts)
  const others = groups.filter(({ modes }) => !modes.includes(mode))
  const ownGroup = groups.find(({ modes }) => modes.includes(mode))!
  const weights = productOfGroups(others, fixed, member.rank)
  const coordinate = [...fixed]
  const terms = (row: number): Float64Array => {
    coordinate[mode] = row
    const values = ownGroup.rowAt(coordinate)
    return weights.map((weight, r) => weight * values[r])
  }
  const score = (row: number): number => {
    coordinate[mode] = row
    return meanOfCells(member, groups, coordinate)
  }
  return { terms, score: member.link ? score : (row) => sumOf(terms(row)) }
}
