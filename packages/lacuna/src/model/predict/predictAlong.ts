/** What a member says along a mode, the others being fixed, or averaged by their entries. */

import { groupsOf, productOfGroups } from '../answer/groups.ts'
import type { Factored } from '../factored.ts'
import { meanRows } from '../foldIn/meanRows.ts'
import { dotRow, productOfRows, sumOf } from './products.ts'

export interface PredictionsAlong {
  /** The mean prediction of a row … */
  score(row: number): number
  /** … and the terms (R) that it is the sum of. */
  terms(row: number): Float64Array
}

/** `counts`: the entries of each mode's rows, if they are known. */
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

/** The product (R) of the rows that are fixed and, in the other modes but some, of their mean rows. */
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

/** Only the group that the mode belongs to has another row for each of its rows. */
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
