import { InputError, type OptionMention, sentence } from '../base/inputError.ts'

/** Steps that differ by less than this share of themselves are the same: decimals are not exact. */
const SLACK = 1e-6

/**
 * Labels are the values that occur, in their order. Where an hour has no entry its label is missing, and a block of 24 rows is
 * no day: numbers and times must go up by the same step, or else places in a block would shift.
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

/** Of a number, or of a date or time; NaN of any other text. */
function numberOf(label: string): number {
  if (/^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(label))
    return Date.parse(`${label.replace(' ', 'T')}${label.length > 10 ? 'Z' : ''}`)
  return label.trim() === '' ? NaN : Number(label)
}
