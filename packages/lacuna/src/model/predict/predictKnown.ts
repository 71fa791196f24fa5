/** Predictions where some indices are unknown. */
import { groupsOf, productOfGroups } from '../answer/groups.ts'
import type { Factored, Predictor } from '../factored.ts'
import { meanRows } from '../foldIn/meanRows.ts'
import { predictCell, productOfRows, sumOf } from './products.ts'

/**
 * Makes a function that predicts a coordinate in which unknown indices are null: the mean over all rows of
 * these modes.
 */
export function predictKnown(
  model: Pick<Predictor, 'members' | 'refine'>,
): (coordinate: readonly (number | null)[]) => number {
  const { members } = model
  const partly = members.map(averagingPredictor)
  return (coordinate) => {
    if (isKnown(coordinate)) return predictCell(model, coordinate)
    let total = 0
    for (const predict of partly) total += predict(coordinate)
    return total / members.length
  }
}

const isKnown = (coordinate: readonly (number | null)[]): coordinate is readonly number[] =>
  !coordinate.includes(null)

function averagingPredictor(member: Factored): (coordinate: readonly (number | null)[]) => number {
  if (member.reshapedModes) {
    const groups = groupsOf(member)
    return (coordinate) => sumOf(productOfGroups(groups, coordinate, member.rank))
  }
  const means = meanRows(member)
  return (coordinate) => sumOf(productOfRows(member, coordinate, means))
}
