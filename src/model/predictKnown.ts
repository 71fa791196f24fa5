import type { Answerer } from './factored.ts'
import { meanRows } from './meanRows.ts'
import { predictCell } from './products.ts'

/**
 * What the model says where some indices are not known: in their modes it takes the mean row of the factor, which
 * gives the mean of its predictions over all rows of these modes. Unknown indices are null.
 */
export function predictKnown(
  model: Pick<Answerer, 'members'>,
): (coordinate: readonly (number | null)[]) => number {
  const means = model.members.map((member) => meanRows(member))
  return (coordinate) => predictCell(model, coordinate, means)
}
