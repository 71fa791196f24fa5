/** Predictions where some indices are unknown. */
import { groupsOf, meanOfCells } from '../answer/groups.ts'
import type { Factored, Predictor } from '../factored.ts'
import { meanRows } from '../foldIn/meanRows.ts'
import { predictCell, productOfRows, sumOf } from './products.ts'

/**
 * Makes a function that predicts a cell some of whose indices may be unknown (null): the mean over all rows
 * of these modes, equally weighted. If all are known, the prediction is corrected by `refine`. Not clipped.
 */
export function partialPredictor(
  model: Pick<Predictor, 'members' | 'weights' | 'refine'>,
): (coordinate: readonly (number | null)[]) => number {
  const { members, weights } = model
  const memberPredictors = members.map(averagingPredictor)
  return (coordinate) => {
    if (isComplete(coordinate)) return predictCell(model, coordinate)
    let total = 0
    memberPredictors.forEach((predict, k) => {
      total += weights ? weights[k] * predict(coordinate) : predict(coordinate)
    })
    return weights ? total : total / members.length
  }
}

const isComplete = (coordinate: readonly (number | null)[]): coordinate is readonly number[] =>
  !coordinate.includes(null)

/**
 * Makes a function that predicts a coordinate by one member, as the mean over the modes whose index is null.
 */
function averagingPredictor(member: Factored): (coordinate: readonly (number | null)[]) => number {
  if (member.reshapedModes || member.link) {
    const groups = groupsOf(member)
    return (coordinate) => meanOfCells(member, groups, coordinate)
  }
  const means = meanRows(member)
  return (coordinate) => sumOf(productOfRows(member, coordinate, means))
}
