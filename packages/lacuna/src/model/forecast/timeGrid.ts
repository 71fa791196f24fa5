/**
 * The labels of a mode of time as positions on a grid of equal steps, so that they can be continued after the last
 * one and gaps between them can be found. Steps are of time, of calendar months, or of numbers.
 */
import { InputError, option, sentence } from '../../base/inputError.ts'
import {
  type ColumnType,
  calendarOf,
  DAY,
  daysOf,
  hasZone,
  isNumeric,
  numberText,
  SECOND,
  timeOfText,
  typeOfTexts,
} from '../../labels/index.ts'
import type { Mode } from '../../tensor/index.ts'

/** Labels as positions on a grid of equal steps. */
export interface TimeGrid {
  /** The position of each label: microseconds, months, or the number that it is. */
  positions: readonly number[]
  /** The difference between successive positions. */
  step: number
  /** The label at a position. */
  labelAt(position: number): string
}

/** Units of a step: microseconds, or calendar months. */
const MICROSECONDS = {
  second: SECOND,
  minute: 60 * SECOND,
  hour: 3600 * SECOND,
  day: DAY,
  week: 7 * DAY,
} as const
const MONTHS = { month: 1, year: 12 } as const

/** A step as typed: a number of units of time, or a difference of numbers. */
interface TypedStep {
  unit: keyof typeof MICROSECONDS | keyof typeof MONTHS | 'number'
  count: number
}

/** Parses a step: `day`, `15 minutes`, `month`, or a number above 0. Throws for any other text. */
export function parseStep(text: string): TypedStep {
  const [, count, unit] = /^\s*(\d*\.?\d+)?\s*([a-z]+?)?s?\s*$/i.exec(text) ?? []
  const name = unit?.toLowerCase() ?? 'number'
  const isUnit = name in MICROSECONDS || name in MONTHS || (name === 'number' && count !== undefined)
  const number = Number(count ?? 1)
  if (!isUnit || !(number > 0) || (name in MONTHS && !Number.isInteger(number)))
    throw new InputError(
      'option',
      sentence`${option('step')} is ${text}; it must be minute, hour, day, week, month or year, a number of them as in 15 minutes, or a number.`,
    )
  return { unit: name as TypedStep['unit'], count: number }
}

/**
 * The grid of a mode's labels. Throws if they are neither times nor numbers in ascending order, or are positions
 * on a circle, as hours of the day are.
 * @param mode its name in messages, its type and its binning
 * @param typed the step, as `parseStep` reads it; by default that of the binning, or the most frequent one
 */
export function timeGrid(labels: readonly string[], mode: Mode, typed?: string): TimeGrid {
  const binning = mode.from?.binning
  if (binning === 'hour' || binning === 'weekday')
    throw new InputError(
      'option',
      `${mode.name} begins anew after its last row, so that no row follows it; forecast the day or week instead.`,
    )
  const step = typed === undefined ? undefined : parseStep(typed)
  const scale = scaleOf(labels, mode, step)
  const { positions } = scale
  const differences = positions.slice(1).map((position, row) => position - positions[row])
  if (typed !== undefined && differences.includes(0) && differences.every((difference) => difference >= 0))
    throw new InputError(
      'option',
      sentence`${option('step')} is ${typed}, but ${mode.name} has several rows in one; give a shorter one, or leave it out.`,
    )
  if (!differences.every((difference) => difference > 0))
    throw new InputError('option', `The rows of ${mode.name} are not in the order of time; sort them first.`)
  const found = step ? scale.stepOf(step) : (scale.step ?? mostFrequent(differences))
  if (found === undefined)
    throw new InputError(
      'option',
      sentence`${mode.name} has one row, which shows no step to the next one; give ${option('step', 'day')}.`,
    )
  return { positions, step: found, labelAt: scale.labelAt }
}

/** Labels as positions of a scale. */
interface Scale {
  positions: number[]
  labelAt: TimeGrid['labelAt']
  /** The step that the binning has, if any. */
  step?: number
  /** A typed step in positions; throws if the scale has no such steps. */
  stepOf(step: TypedStep): number
}

/** The scale of labels: months, times or numbers. Throws if they are none of these. */
function scaleOf(labels: readonly string[], mode: Mode, step: TypedStep | undefined): Scale {
  const type = columnTypeOf(labels, mode)
  const months = labels.map(monthOf)
  if (!months.some(Number.isNaN)) return monthScale(months, monthText, 0, mode)
  if (type === 'DATE' || type === 'TIMESTAMP' || type === 'TIMESTAMPTZ')
    return timeScale(labels, type, mode, step)
  if (!isNumeric(type))
    throw new InputError(
      'option',
      sentence`The labels of ${mode.name}, as ${labels[labels.length - 1]}, are neither times nor numbers, so that nothing is known to follow them; name a mode of time, or state the format of its times by ${option('dates')}.`,
    )
  const width = mode.from?.binning === 'bins' ? mode.from.argument : undefined
  return {
    positions: labels.map(Number),
    labelAt: (position) => numberText(Number(position.toPrecision(12)), type),
    step: mode.from?.binning === 'year' || mode.from?.binning === 'weeks' ? 1 : width,
    stepOf({ unit, count }) {
      if (unit !== 'number') throw wrongStep(mode, 'numbers; give a number')
      return count
    },
  }
}

/** The type of a mode's labels: that of its column, or the narrowest one if that is text or not known. */
const columnTypeOf = (labels: readonly string[], { type }: Mode): ColumnType =>
  type === undefined || type === 'VARCHAR' ? typeOfTexts(labels) : (type as ColumnType)

/** The scale of months. @param days what is added to months in messages @param least the months per step */
function monthScale(positions: number[], labelAt: Scale['labelAt'], least: number, mode: Mode): Scale {
  return {
    positions,
    labelAt,
    ...(least > 0 && { step: least }),
    stepOf({ unit, count }) {
      if (!(unit in MONTHS)) throw wrongStep(mode, 'months; give month or year')
      return count * MONTHS[unit as keyof typeof MONTHS]
    },
  }
}

/** The scale of dates and times: calendar months where each is the same day of a month or its end, else microseconds. */
function timeScale(
  labels: readonly string[],
  type: ColumnType,
  mode: Mode,
  step: TypedStep | undefined,
): Scale {
  const last = labels[labels.length - 1]
  const clocks = type === 'TIMESTAMPTZ' ? clocksOf(labels) : labels.map(timeOfText)
  const labelAt = (clock: number): string => clockText(clock, type, last)
  const calendar = clocks.map((clock) => calendarOf(Math.floor(clock / DAY)))
  const day = dayOfMonths(calendar)
  const ofDay = clocks[0] - DAY * Math.floor(clocks[0] / DAY)
  const isMonthly =
    labels.length > 1 &&
    mode.from?.binning === undefined &&
    calendar.every((date) => date[2] === lastUpTo(day, date)) &&
    clocks.every((clock) => clock - DAY * Math.floor(clock / DAY) === ofDay)
  if (step ? step.unit in MONTHS : isMonthly)
    return monthScale(
      calendar.map(([year, month]) => 12 * year + month - 1),
      (months) => labelAt(dayOfMonth(months, day) * DAY + ofDay),
      0,
      mode,
    )
  const binning = mode.from?.binning
  return {
    positions: clocks,
    labelAt,
    step: binning === 'day' ? DAY : binning === 'week' ? 7 * DAY : undefined,
    stepOf({ unit, count }) {
      if (!(unit in MICROSECONDS)) throw wrongStep(mode, 'times; give hour, day, week, month or year')
      return Math.round(count * MICROSECONDS[unit as keyof typeof MICROSECONDS])
    },
  }
}

/** The day of the month on which dates lie: the latest one, or 31 where each of several is the end of its month. */
function dayOfMonths(calendar: readonly ReturnType<typeof calendarOf>[]): number {
  const isEnd = calendar.length > 1 && calendar.every((date) => date[2] === lastUpTo(31, date))
  return isEnd ? 31 : Math.max(...calendar.map(([, , day]) => day))
}

/** A day of a date's month, or the last one of a shorter month. */
function lastUpTo(day: number, [year, month]: readonly number[]): number {
  for (let d = day; d > 28; d--) if (!Number.isNaN(daysOf(year, month, d))) return d
  return Math.min(day, 28)
}

/** Days since 1970 of a day of a month, or of the last one of a shorter month. @param months since the year 0 */
function dayOfMonth(months: number, day: number): number {
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1]
  return daysOf(year, month, lastUpTo(day, [year, month]))
}

/** Months since the year 0 of 2024-07; NaN for any other text. */
function monthOf(label: string): number {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(label) ?? []
  return year === undefined ? NaN : 12 * Number(year) + Number(month) - 1
}

/** A number of months since the year 0 as text: 2024-07. */
const monthText = (months: number): string =>
  `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`

/**
 * Times with zones in microseconds by the clock of the last one's offset; each by its own clock where only these
 * are equally far apart, as midnights are where clocks change.
 */
function clocksOf(labels: readonly string[]): number[] {
  const offset = offsetOf(labels[labels.length - 1])
  const instants = labels.map((label) => timeOfText(label) + offset)
  const own = labels.map((label) => timeOfText(label) + offsetOf(label))
  return !areEven(instants) && areEven(own) ? own : instants
}

/** Whether all differences of successive numbers are multiples of the most frequent one, which is above 0. */
function areEven(numbers: readonly number[]): boolean {
  const differences = numbers.slice(1).map((number, at) => number - numbers[at])
  const step = mostFrequent(differences) ?? 0
  return step > 0 && differences.every((difference) => difference > 0 && difference % step === 0)
}

/** The offset of a time with a zone in microseconds: its clock minus its instant. */
const offsetOf = (label: string): number =>
  timeOfText(label.replace(/(Z|[+-]\d{2}(:?\d{2})?)\s*$/, '')) - timeOfText(label)

/** The text of a time by the clock of its zone, in the form of another label: with its separator and zone. */
function clockText(clock: number, type: ColumnType, like: string): string {
  if (type === 'DATE') return numberText(Math.floor(clock / DAY), type)
  const text = numberText(clock, 'TIMESTAMP')
  if (type === 'TIMESTAMP' || !hasZone(like)) return text
  const [zone] = /(Z|[+-]\d{2}(:?\d{2})?)\s*$/.exec(like) ?? ['']
  const hasSeconds = /\d{2}:\d{2}:\d{2}/.test(like)
  const written = like[10] === 'T' ? text.replace(' ', 'T') : text
  return `${hasSeconds ? written : written.replace(/:00$/, '')}${zone}`
}

/** The error of a step that the labels cannot have. */
const wrongStep = (mode: Mode, what: string): InputError =>
  new InputError('option', sentence`${option('step')}: the labels of ${mode.name} are ${what}.`)

/** The number that occurs most often, the least of several; undefined if there is none. Decimals are not exact. */
function mostFrequent(numbers: readonly number[]): number | undefined {
  const counts = new Map<number, number>()
  for (const number of numbers) {
    const rounded = Number(number.toPrecision(9))
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1)
  }
  let best: number | undefined
  for (const [number, count] of counts)
    if (best === undefined || count > counts.get(best)! || (count === counts.get(best)! && number < best))
      best = number
  return best
}
