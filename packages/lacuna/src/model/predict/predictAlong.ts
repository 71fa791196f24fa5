/** Predictions of a member along a mode, with the other modes fixed or averaged. */

import { groupsOf, productOfGroups } from '../answer/groups.ts'
import type { Factored } from '../factored.ts'
import { meanRows } from '../foldIn/meanRows.ts'
import { dotRow, productOfRows, sumOf } from './products.ts'

/** Predictions for the rows of a mode. */
export interface PredictionsAlong {
  /** The mean prediction of a row. */
  score(row: number): number
  /** The terms (R) whose sum that is, one per component. */
  terms(row: number): Float64Array
}

/**
 * Predictions along a mode.
 * @param fixed per mode, the row that is fixed, or null for the mean over all rows
 * @param of the mode
 * @param counts per mode, the entries of each row, by which means are weighted; equal weights by default
 */
export function predictAlong(
  member: Factored,
  fixed: readonly (number | null)[],
  of: number,
  counts?: readonly ArrayLike<number>[],
): PredictionsAlong {
  if (member.reshapedModes) return predictAlongGroup(member, fixed, of, counts)
  const { rank, factors } = member
  const weights = productExcept(member, fixed, [of], counts)
  return {
    score: (row) => dotRow(weights, factors[of], row * rank),
    terms: (row) => weights.map((weight, r) => weight * factors[of][row * rank + r]),
  }
}

/** The product (R) of the fixed rows and of the mean rows of the other modes, without the modes `but`. */
export function productExcept(
  member: Factored,
  fixed: readonly (number | null)[],
  but: readonly number[],
  counts?: readonly ArrayLike<number>[],
): Float64Array {
  const means = meanRows(member, counts)
  for (const mode of but) means[mode].fill(1)
  return productOfRows(member, fixed, means)
}

/** Predictions along a mode of a member with merged or split modes. */
function predictAlongGroup(
  member: Factored,
  fixed: readonly (number | null)[],
  of: number,
  counts: readonly ArrayLike<number>[] | undefined,
): PredictionsAlong {
  const groups = groupsOf(member, counts)
  const others = groups.filter(({ modes }) => !modes.includes(of))
  const own = groups.find(({ modes }) => modes.includes(of))!
  const weights = productOfGroups(others, fixed, member.rank)
  const at = [...fixed]
  const terms = (row: number): Float64Array => {
    at[of] = row
    const values = own.rowAt(at)
    return weights.map((weight, r) => weight * values[r])
  }
  return { terms, score: (row) => sumOf(terms(row)) }
}
