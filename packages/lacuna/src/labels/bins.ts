/**
 * Binnings: functions that map a column to a coarser mode, by parts of a time or bins of numbers. Each maps a
 * number (a time in microseconds, or any number) to the number of its bin: a day, an hour, a lower edge.
 */
import { InputError } from '../base/inputError.ts'
import { calendarOf, DAY, SECOND } from './time.ts'
import { type ColumnType, numberText } from './types.ts'

/** The names of binnings: the functions by which a mode may be made of a column. */
export const binningNames = [
  ...(['year', 'month', 'week', 'day', 'hour', 'weekday'] as const),
  ...(['bins', 'round', 'round_even', 'weeks'] as const),
] as const
/** The name of a binning. */
export type BinningName = (typeof binningNames)[number]

/** A function that maps the cells of a column to bins. */
export interface Binning {
  /** Whether the binning maps times, in microseconds since 1970, or numbers. */
  of: 'time' | 'number'
  /** Whether an argument must, may or must not follow the column. */
  argument: 'needed' | 'optional' | 'none'
  /** The type of the labels; whole numbers are BIGINT even if this is DOUBLE. */
  type: ColumnType
  /** The bin of a time or number. */
  bin(x: number, argument: number): number
  /** For times, the grid whose cells determine the bins. */
  grid?: Grid
  /** The label of a bin, where it is not the number as text of the type. */
  label?(bin: number): string
  /** The bin of a label: the inverse of `label`. */
  parse?(label: string): number
}

/** A grid of time: cells of equal length, each of which lies in one bin. */
export interface Grid {
  /** Microseconds per cell. */
  unit: number
  /** The time at which cell 0 begins, in microseconds since 1970. */
  origin(argument: number): number
  /** The bin of a cell. */
  binOf(cell: number): number
}

/** The number of the grid cell in which a time lies. All are in microseconds. */
export const gridCellOf = (time: number, origin: number, unit: number): number =>
  Math.floor((time - origin) / unit)

/** Microseconds per week and hour. */
const WEEK = 7 * DAY
const HOUR = 3600 * SECOND

/**
 * A binning of times by the cells of a grid.
 * @param binOf the bin of a grid cell
 * @param unit microseconds per cell; a day by default
 * @param origin the time at which cell 0 begins, for an argument; 1970 by default
 */
function timeBinning(
  type: ColumnType,
  binOf: Grid['binOf'],
  unit: number = DAY,
  origin: Grid['origin'] = () => 0,
): Binning {
  return {
    ...{ of: 'time', argument: 'none', type, grid: { unit, origin, binOf } },
    bin: (time, argument) => binOf(gridCellOf(time, origin(argument), unit)),
  }
}

/** The names of the binnings of times that take no argument. */
export const timeBins = ['year', 'month', 'week', 'day', 'hour', 'weekday'] as const

/** Every binning, by its name. */
export const binnings: Readonly<Record<BinningName, Binning>> = {
  year: timeBinning('BIGINT', (day) => calendarOf(day)[0]),
  month: {
    ...timeBinning('VARCHAR', (day) => {
      const [year, month] = calendarOf(day)
      return 12 * year + month - 1
    }),
    label: (bin) =>
      `${String(Math.floor(bin / 12)).padStart(4, '0')}-${String((bin % 12) + 1).padStart(2, '0')}`,
    parse(label) {
      const [, year, month] = /^(\d{4,})-(\d\d)$/.exec(label) ?? []
      return year === undefined ? NaN : 12 * Number(year) + Number(month) - 1
    },
  },
  week: timeBinning('DATE', (day) => day - weekdayOf(day) + 1),
  day: timeBinning('DATE', (day) => day),
  hour: timeBinning('BIGINT', (hour) => hour - 24 * Math.floor(hour / 24), HOUR),
  weekday: timeBinning('BIGINT', weekdayOf),
  bins: { of: 'number', argument: 'needed', type: 'DOUBLE', bin: lowerEdge },
  round: {
    of: 'number',
    argument: 'optional',
    type: 'DOUBLE',
    bin: (x, decimals) => roundTo(x, decimals, roundAway),
  },
  round_even: {
    of: 'number',
    argument: 'optional',
    type: 'DOUBLE',
    bin: (x, decimals) => roundTo(x, decimals, roundToEven),
  },
  /** Weeks since a time, given in seconds; the first is 1. */
  weeks: {
    ...timeBinning(
      'BIGINT',
      (week) => week + 1,
      WEEK,
      (start) => SECOND * start,
    ),
    argument: 'needed',
  },
}

/**
 * The weekday of a day since 1970, from 1 on Monday to 7 on Sunday. Day 0, 1 January 1970, was a Thursday.
 */
function weekdayOf(day: number): number {
  const sinceMonday = (day + 3) % 7
  return (sinceMonday < 0 ? sinceMonday + 7 : sinceMonday) + 1
}

/**
 * The lower edge of the bin, of width `width`, that holds x. In binary 0.3 % 0.1 is just below 0.1: an x that
 * close to the next edge lies in the next bin.
 */
function lowerEdge(x: number, width: number): number {
  const above = ((x % width) + width) % width
  const edge = width - above <= width * 1e-9 ? x - above + width : x - above
  return roundTo(edge, 9 - Math.floor(Math.log10(width)), roundAway)
}

/** Rounds x to a number of decimals, if negative to a power of ten. @param round rounds to a whole number */
function roundTo(x: number, decimals: number, round: (x: number) => number): number {
  const power = 10 ** Math.abs(decimals)
  return (decimals < 0 ? round(x / power) * power : round(x * power) / power) + 0
}

/** Rounds to a whole number, halves away from zero. */
const roundAway = (x: number): number => Math.sign(x) * Math.round(Math.abs(x))

/** Rounds to a whole number, halves to even, as NumPy does. */
function roundToEven(x: number): number {
  const below = Math.floor(x)
  const rest = x - below
  return rest === 0.5 ? below + (below % 2 === 0 ? 0 : 1) : Math.round(x)
}

/** Throws if a binning cannot have the argument, or lacks one. @param mode as the user typed it */
export function checkArgument(name: BinningName, argument: number | undefined, mode: string): void {
  const { argument: rule } = binnings[name]
  const wrong = (what: string) => new InputError('table', `The mode ${mode} ${what}.`)
  if (rule === 'none' && argument !== undefined)
    throw wrong(`has a number too many: ${name} takes a column alone`)
  if (rule === 'needed' && argument === undefined)
    throw wrong(`lacks a number, as in ${name}(${name === 'bins' ? 'x, 100' : 'x, 1396310400'})`)
  if (name === 'bins' && !(Number(argument) > 0)) throw wrong('needs a width above 0')
  if (
    /^round/.test(name) &&
    argument !== undefined &&
    !(Number.isInteger(argument) && Math.abs(argument) <= 15)
  )
    throw wrong('needs a whole number of decimals, at most 15')
}

/** The label of a bin. @param wholeNumbers whether the binned numbers and the bins are whole */
export function binText({ label, type }: Binning, bin: number, wholeNumbers: boolean): string {
  if (label) return label(bin)
  return numberText(bin, wholeNumbers && type === 'DOUBLE' ? 'BIGINT' : type)
}
