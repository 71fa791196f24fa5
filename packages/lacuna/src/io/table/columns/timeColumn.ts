/** The cells of a column as times, and the errors for cells that are none. */

import { InputError, option, type Sentence, sentence } from '../../../base/inputError.ts'
import {
  type ColumnType,
  compileTimeFormat,
  DAY,
  gridCellOf,
  hasZone,
  isoTime,
  likelyFormats,
  numberText,
  type TimeReader,
  unixTime,
  type ZoneOffset,
  zoneOffsetOf,
} from '../../../labels/index.ts'
import { abbreviate, MINUS, NINE, PLUS, textOfBytes, ZERO } from '../../text/index.ts'
import { type Cells, cellText, type Texts } from '../source/rows.ts'

/** Counts of the numbers in a column of times; some may be dates written as numbers. */
export interface TimeCounts {
  /** Numbers that look like a date, such as 20140401. */
  compact: number
  /** Numbers that look like a year. */
  years: number
  /** All numbers. */
  numbers: number
  /** The first number, as text. */
  example: string
}

/** The grid of single microseconds. */
const MICROSECONDS = { origin: 0, unit: 1 }

/** Reads the times of one column, and counts numbers that look like dates. */
export class TimeColumn {
  readonly #name: string
  readonly #type: ColumnType | undefined
  readonly #formats: readonly TimeReader[] | undefined
  /** The offset of the time zone by whose clocks times are read; undefined for UTC. */
  readonly #offsetOf: ZoneOffset | undefined
  /** Per format, whether it is one of instants, which have a zone; undefined if it depends on the text. */
  readonly #instants: readonly (boolean | undefined)[]
  #buffer = new Float64Array(0)
  #compact = 0
  #years = 0
  #numbers = 0
  #example = ''

  /**
   * @param type of the column, if its cells are numbers
   * @param dates formats as of strftime, or 'iso' for Unix times and ISO 8601; these alone by default
   * @param timezone by whose clocks instants are read; times without a zone are those clocks' own
   */
  constructor(
    name: string,
    type: ColumnType | undefined,
    dates: readonly string[] | undefined,
    timezone?: string,
  ) {
    this.#name = name
    this.#type = type
    this.#offsetOf = timezone === undefined ? undefined : zoneOffsetOf(timezone)
    this.#instants = (dates ?? []).map((format) => (format === 'iso' ? undefined : format.includes('%z')))
    this.#formats = dates?.map((format) =>
      format === 'iso' ? (text) => this.#timeWithoutFormat(text) : compileTimeFormat(format),
    )
  }

  /** The times of cells in microseconds since 1970; NaN for cells that are empty or no time. */
  times(cells: Cells, rowCount: number): Float64Array {
    const times = new Float64Array(rowCount)
    this.gridCells(cells, rowCount, MICROSECONDS, times)
    return times
  }

  /** The earliest time of cells, in microseconds since 1970; Infinity if there is none. */
  earliest(cells: Cells, rowCount: number): number {
    if (this.#buffer.length < rowCount) this.#buffer = new Float64Array(rowCount)
    const times = this.#buffer
    this.gridCells(cells, rowCount, MICROSECONDS, times)
    let first = Infinity
    for (let row = 0; row < rowCount; row++) if (times[row] < first) first = times[row]
    return first
  }

  /**
   * Reads times as cells of a grid of `unit` microseconds from `origin` on; returns the number of NaN.
   * @param into receives the grid cell of each row; NaN for cells that are empty or no time
   */
  gridCells(
    cells: Cells,
    rowCount: number,
    { origin, unit }: { origin: number; unit: number },
    into: Float64Array,
  ): number {
    let missing = 0
    const store = (row: number, time: number): void => {
      into[row] = gridCellOf(time, origin, unit)
      if (Number.isNaN(time)) missing++
    }
    if (cells instanceof Float64Array) {
      for (let row = 0; row < rowCount; row++) store(row, this.#timeOfNumber(cells[row]))
      return missing
    }
    if (this.#formats || this.#offsetOf || !cells.reader) {
      for (let row = 0; row < rowCount; row++) store(row, this.#timeOfCell(cells, row))
      return missing
    }
    const { others, unixTimes } = cells.reader.gridTimes(rowCount, origin, unit, into)
    this.#numbers += unixTimes // none of which looks like a date
    for (let row = 0, left = others; left > 0; row++)
      if (Number.isNaN(into[row])) {
        store(row, this.#timeOfCell(cells, row))
        left--
      }
    return missing
  }

  /** The time of a row's cell of text; NaN if it is empty or no time. */
  #timeOfCell(cells: Texts, row: number): number {
    const { bytes, starts, ends } = cells
    const [from, to] = [starts[row], ends[row]]
    if (to <= from) return NaN
    if (this.#formats) return this.#timeByFormat(cellText(cells, row) ?? '')
    const x = parseWholeNumber(bytes, from, to)
    if (!Number.isNaN(x)) return this.#timeOfUnix(x, to - from)
    const time = this.#timeOfBytes(bytes, from, to)
    return this.#offsetOf && hasZone(textOfBytes(bytes, from, to)) ? time + this.#offsetOf(time) : time
  }

  /** The time of a cell that is a number: days, microseconds or a Unix time, by the type of the column. */
  #timeOfNumber(x: number): number {
    if (this.#type === 'DATE') return x * DAY
    if (this.#type === 'TIMESTAMP' || Number.isNaN(x)) return x
    if (this.#type === 'TIMESTAMPTZ') return this.#byClocks(x)
    // Compact dates have eight digits. The test is arithmetic, since to convert every number to text takes
    // long.
    return this.#formats
      ? this.#timeByFormat(String(x))
      : this.#timeOfUnix(x, Number.isInteger(x) && isCompactDate(x) ? 8 : 0)
  }

  /** The time of a Unix time, which is counted. @param length the number of its characters; 0 if not known */
  #timeOfUnix(x: number, length: number): number {
    this.#numbers++
    if (x >= 1500 && x < 2500) this.#years++
    if (length === 8 && isCompactDate(x)) this.#compact++
    if (this.#numbers === 1) this.#example = numberText(x, 'BIGINT')
    return this.#byClocks(unixTime(x))
  }

  /** An instant by the clocks of the time zone. */
  #byClocks(time: number): number {
    return this.#offsetOf ? time + this.#offsetOf(time) : time
  }

  /** The time of bytes [from, to), by ISO 8601 or as a Unix time; NaN if they are no time. */
  #timeOfBytes(bytes: Uint8Array, from: number, to: number): number {
    const time = isoTime(bytes, from, to)
    if (!Number.isNaN(time)) return time
    const text = textOfBytes(bytes, from, to).trim()
    return text !== '' && Number.isFinite(Number(text)) ? this.#timeOfUnix(Number(text), 0) : NaN
  }

  /** The time of a text, by ISO 8601 or as a Unix time; NaN if it is no time. */
  #timeWithoutFormat(text: string): number {
    const bytes = new TextEncoder().encode(text)
    return this.#timeOfBytes(bytes, 0, bytes.length)
  }

  /** The time of a text by the first format that fits; NaN if none does. */
  #timeByFormat(text: string): number {
    for (const [f, read] of (this.#formats ?? []).entries()) {
      const time = read(text)
      if (Number.isNaN(time)) continue
      // A number that 'iso' reads is by the clocks already.
      return (this.#instants[f] ?? hasZone(text)) ? this.#byClocks(time) : time
    }
    return NaN
  }

  /** The counts of numbers so far. */
  get counts(): TimeCounts {
    const [compact, years, numbers, example] = [this.#compact, this.#years, this.#numbers, this.#example]
    return { compact, years, numbers, example }
  }

  /**
   * Throws if all numbers of a column look like dates (20140401) or years (2014), hence are hardly Unix
   * times.
   * @param where the table, as messages call it
   * @param counts of this reader, or the sums of several readers of the same column
   */
  check(where: string, counts: TimeCounts): void {
    const { compact, years, numbers, example } = counts
    if (numbers === 0 || (compact < numbers && years < numbers)) return
    const [what, format] = compact === numbers ? ['dates', '%Y%m%d'] : ['years', '%Y']
    throw new InputError(
      'table',
      sentence`${where}: the numbers in ${this.#name} look like ${what} (${example}), but would be read as Unix seconds, in 1970; say so with ${option('dates', format)}.`,
    )
  }

  /**
   * The error for a text that is no time, with the formats that would fit.
   * @param where file and line
   * @param others texts of the same column, from which formats are guessed
   */
  explain(text: string, where: string, others: readonly string[]): InputError {
    const formats = this.#formats ? [] : likelyFormats([text, ...others])
    const one = formats.length > 0 || this.#formats ? formats : likelyFormats([text])
    return new InputError(
      'table',
      sentence`${where}: ${explainNoTime(text, this.#name, one, this.#formats !== undefined)}`,
    )
  }
}

/**
 * The sentence for a text that is no time.
 * @param formats those that fit the text
 * @param given whether the user gave formats
 */
function explainNoTime(text: string, column: string, formats: readonly string[], given: boolean): Sentence {
  const what = `"${abbreviate(text)}" in ${column} is no time`
  if (given) return sentence`${what} of the form that ${option('dates')} says; mend it, or add its form.`
  if (formats.length === 0)
    return sentence`${what}; times are Unix seconds or text like 2014-04-01 12:30:00, and other forms need ${option('dates')}.`
  const several = formats.length > 1 ? ', and may be read in more than one way' : ''
  return sentence`${what} as ISO writes it (2014-04-01)${several}; say how to read it with ${option('dates', ...formats.slice(0, 3))}, after iso if other rows are as ISO writes them.`
}

/** Whether a number looks like a date from the years 1500 to 2499: 20140401. */
const isCompactDate = (x: number): boolean =>
  x >= 1500_01_01 &&
  x < 2500_01_01 &&
  x % 100 >= 1 &&
  x % 100 <= 31 &&
  Math.floor(x / 100) % 100 <= 12 &&
  Math.floor(x / 100) % 100 >= 1

/**
 * The whole number in bytes [from, to), which may have a sign; NaN for any other text and above 15 digits.
 */
function parseWholeNumber(bytes: Uint8Array, from: number, to: number): number {
  const sign = bytes[from] === MINUS ? -1 : 1
  let at = bytes[from] === MINUS || bytes[from] === PLUS ? from + 1 : from
  if (at === to || to - at > 15) return NaN
  let n = 0
  for (; at < to; at++) {
    const c = bytes[at]
    if (c < ZERO || c > NINE) return NaN
    n = n * 10 + (c - ZERO)
  }
  return sign * n
}
