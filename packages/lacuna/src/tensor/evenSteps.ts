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
 * dates or times that ascend. Times with offsets are even by their instants or, as midnights are where clocks
 * change, by their clocks.
 */
export function timeStep(labels: readonly string[] | undefined): number | undefined {
  if (!labels || labels.length < 2 || !labels.every((label) => TIME.test(label))) return undefined
  const steps = stepsOf(labels.map(numberOf))
  if (!steps.every((step) => step > 0)) return undefined
  const clocks = stepsOf(labels.map((label) => numberOf(label.replace(ZONE, '$1'))))
  return [steps, clocks].find((each) => each.every((step) => step === each[0]))?.[0] ?? 0
}

/** The differences of successive numbers. */
const stepsOf = (numbers: readonly number[]): number[] =>
  numbers.slice(1).map((number, at) => number - numbers[at])

/** A date, or a date and a time, which may have a zone: its parts. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/
/** The zone at the end of a time, and the clock before it. */
const ZONE = /(:\d\d(?:\.\d+)?)(?:Z|[+-]\d\d(?::?\d\d)?)$/

/** Returns the number of a label, or the milliseconds of a date or time; NaN for any other text. */
function numberOf(label: string): number {
  const [, date, clock, zone = 'Z'] = TIME.exec(label) ?? []
  if (date === undefined) return label.trim() === '' ? NaN : Number(label)
  if (clock === undefined) return Date.parse(date)
  const offset = zone.replace(
    /^([+-]\d\d):?(\d\d)?$/,
    (_, hours: string, minutes = '00') => `${hours}:${minutes}`,
  )
  return Date.parse(`${date}T${clock}${offset}`)
}
