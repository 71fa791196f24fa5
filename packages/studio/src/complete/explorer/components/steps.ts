/** The steps that draw a profile: one per row, with the row in its middle. */
import type { ProfilePoint } from '../../answers.ts'

/** A corner of the steps: to the right of it the profile has its values. */
export type StepCorner = Pick<ProfilePoint, 'row' | 'value' | 'usual'>

/**
 * Returns the corners of a profile's steps. The last step is closed by a corner of its own: without it, the last row
 * would have no width.
 * @param size number of rows of the mode
 */
export function stepsOf(profile: readonly ProfilePoint[], size: number): StepCorner[] {
  const corners = profile.map(({ row, value, usual }) => ({ row: row - 0.5, value, usual }))
  const last = corners.at(-1)
  return last ? [...corners, { ...last, row: size - 0.5 }] : []
}
