/** Whether the labels of a mode are evenly spaced, and by how much. */
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

/**
 * Returns the milliseconds between successive labels: 0 if they ascend unevenly; undefined if they are not all
 * dates or times that ascend.
 */
export function timeStep(labels: readonly string[] | undefined): number | undefined {
  if (!labels || labels.length < 2 || !labels.every((label) => TIME.test(label))) return undefined
  const times = labels.map(numberOf)
  const steps = times.slice(1).map((time, row) => time - times[row])
  if (!steps.every((step) => step > 0)) return undefined
  return steps.every((step) => step === steps[0]) ? steps[0] : 0
}

/** A date, or a date and a time. */
const TIME = /^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/

/** Returns the number of a label, or the milliseconds of a date or time; NaN for any other text. */
function numberOf(label: string): number {
  if (TIME.test(label)) return Date.parse(`${label.replace(' ', 'T')}${label.length > 10 ? 'Z' : ''}`)
  return label.trim() === '' ? NaN : Number(label)
}
