/** A check that the labels of a mode are evenly spaced. */
import { InputError, type OptionMention, sentence } from '../base/inputError.ts'

/** The relative difference up to which two steps count as equal: decimals are not exact. */
const SLACK = 1e-6

/**
 * Throws if the labels are numbers or times that do not increase by a constant step; accepts other texts, and
 * fewer than three labels. Labels are the values that occur: where an hour has no entry its label is missing,
 * 24 rows are no day, and positions within blocks would shift.
 * @param mode the name of the mode in messages
 * @param by the option in messages
 */
export function checkEvenSteps(labels: readonly string[] | undefined, mode: string, by: OptionMention): void {
  const values = labels?.map(numberOf)
  if (!labels || !values || values.length < 3 || values.some(Number.isNaN)) return
  const step = values[1] - values[0]
  const at = values.findIndex(
    (value, row) => row > 0 && Math.abs(value - values[row - 1] - step) > SLACK * step,
  )
  if (at < 0) return
  throw new InputError(
    'option',
    sentence`${by}: the rows of mode ${mode} are not evenly spaced, as "${labels[at]}" comes after "${labels[at - 1]}", so that blocks of them would not be alike; give the parts of a time as modes of their own, as in day(x) and hour(x), or number the rows yourself.`,
  )
}

/** Returns the number of a label, or the milliseconds of a date or time; NaN for any other text. */
function numberOf(label: string): number {
  if (/^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(label))
    return Date.parse(`${label.replace(' ', 'T')}${label.length > 10 ? 'Z' : ''}`)
  return label.trim() === '' ? NaN : Number(label)
}
