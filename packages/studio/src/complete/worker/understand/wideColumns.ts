/** Recognizes wide tables: columns of numbers that are labels of one mode, such as a column per day. */
import { type ColumnSummary, isNumeric, isTime } from 'lacuna/internal'

/** The columns of a wide table, and the mode that they are. */
export interface WideColumns {
  names: string[]
  /** The kind of the names: day, month, year …; 'column' if not known. */
  mode: string
  /** Whether the names alone show it; else there are merely many columns of numbers. */
  isCertain: boolean
}

/** Kinds of column names, with the pattern of each. */
const KINDS: readonly [mode: string, pattern: RegExp][] = [
  ['day', /^(19|20)\d\d[-/.]\d\d?[-/.]\d\d?$|^\d\d?[-/.]\d\d?[-/.]((19|20)?\d\d)$|^(19|20)\d{6}$/],
  [
    'month',
    /^(19|20)\d\d[-/.]\d\d?$|^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*([-\s/.]*(19|20)?\d\d)?$/i,
  ],
  ['quarter', /^((19|20)\d\d[-\s]?)?q[1-4]([-\s]?(19|20)\d\d)?$/i],
  ['week', /^((19|20)\d\d[-\s]?)?(w|wk|week)[-_\s]?\d\d?$/i],
  ['year', /^(19|20)\d\d$/],
  ['weekday', /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*$/i],
  ['hour', /^\d\d?:\d\d(:\d\d)?$|^(h|hour)[-_\s]?\d\d?$/i],
  ['time', /^(19|20)\d\d[-/.]\d\d?[-/.]\d\d?[T\s]\d\d?:\d\d.*$/],
  ['number', /^\d+(\.\d+)?$/],
]
/** A name that ends in a number: x1, x2 … */
const NUMBERED = /^(.*\D)(\d+)$/s
/** Fewest columns whose names are labels of one mode. */
const FEWEST_LABELS = 3
/** Number of columns of numbers from which a table may be wide, whatever their names are. */
const MANY_NUMBERS = 12

/** The columns of numbers that are labels of one mode; undefined if the table is not wide. */
export function findWideColumns(columns: readonly ColumnSummary[]): WideColumns | undefined {
  const numbers = columns.filter(
    (column) =>
      (isNumeric(column.type) || column.examples.length === 0) && !column.numbersRows && !isTime(column),
  )
  if (numbers.length < FEWEST_LABELS) return undefined
  const names = numbers.map(({ name }) => name)
  for (const [mode, pattern] of KINDS) {
    const own = names.filter((name) => pattern.test(name.trim()))
    if (own.length >= FEWEST_LABELS && own.length >= names.length / 2)
      return { names: own, mode: mode === 'number' ? 'column' : mode, isCertain: true }
  }
  const numbered = longestSeries(names)
  if (numbered.names.length >= 2 * FEWEST_LABELS && numbered.names.length >= names.length / 2)
    return { ...numbered, isCertain: true }
  const others = columns.length - numbers.length
  if (names.length >= MANY_NUMBERS && others >= 1 && others <= 3)
    return { names, mode: 'column', isCertain: false }
  return undefined
}

/** The most names of the same beginning and different numbers, and a name for their mode. */
function longestSeries(names: readonly string[]): { names: string[]; mode: string } {
  const series = new Map<string, string[]>()
  for (const name of names) {
    const [, stem] = NUMBERED.exec(name) ?? []
    if (stem !== undefined) series.set(stem, [...(series.get(stem) ?? []), name])
  }
  const [stem, own] = [...series].reduce<[string, string[]]>(
    (most, one) => (one[1].length > most[1].length ? one : most),
    ['', []],
  )
  const word = stem.replace(/[^\p{L}]+$/u, '')
  return { names: own, mode: word.length > 1 ? word : 'column' }
}

/**
 * Whether the first row of a table without a header is one after all: a text, then at least three different
 * numbers that increase, as in country, 2000, 2001, 2002.
 */
export function isWideHeader(first: readonly (string | null)[]): boolean {
  const numbers = first.flatMap((text) =>
    text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? [Number(text)] : [],
  )
  const texts = first.length - numbers.length
  return (
    texts >= 1 &&
    numbers.length >= FEWEST_LABELS &&
    numbers.length > texts &&
    numbers.every((x, i) => i === 0 || x > numbers[i - 1])
  )
}
