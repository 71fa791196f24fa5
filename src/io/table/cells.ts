/** What single cells say: numbers and times, and why one is neither. */
import { InputError, option, type Sentence, sentence } from '../../inputError.ts'
import { COMMA, DOT, MINUS, NINE, PLUS, SPACE, ZERO } from '../text/bytes.ts'
import { parseDecimal } from '../text/decimal.ts'
import { DAY, isoTime, likelyFormats, type TimeReader, timeFormat, unixTime } from '../text/time.ts'
import { type ColumnType, numberText } from '../text/types.ts'
import { cellOf } from './bins.ts'
import { type Batch, type Cells, cellText, placeOf, type Table, type Texts } from './rows.ts'

/**
 * What people write for a value that is missing. NaN is not among them: it is refused as a number that is
 * none.
 */
const MARK = /^(n\.?\/?a\.?|#n\/a|null|none|nil|missing|unknown|\?+|-+|\.+)$/i
export const isMissingMark = (text: string): boolean => MARK.test(text.trim())

/** Cells that hold a mark instead of what was asked for: they count as empty, and it is said. */
export interface Marks {
  count: number
  /** Where the first one stands, and what it is. */
  first?: string
  /** The file that it stands in. */
  firstFile?: string
}

export function noteMark(marks: Marks, batch: Batch, row: number, unit: Table['unit'], text: string): void {
  marks.firstFile ??= batch.file
  marks.first ??= `"${text}" in ${placeOf(batch, row, unit)}`
  marks.count++
}

/** How the cells of a table are to be read. */
export interface Reading {
  unit: Table['unit']
  decimal?: ',' | '.'
  /** Cells that were marked as missing. */
  marks: Marks
}

/** Bytes [from, to) less the blanks around them. */
function trimmed(bytes: Uint8Array, from: number, to: number): [from: number, to: number] {
  while (from < to && bytes[from] === SPACE) from++
  while (to > from && bytes[to - 1] === SPACE) to--
  return [from, to]
}

const scratch = new Uint8Array(64)

/** Copies a number into `scratch` with a point for its comma; its length, or -1 if it has a point already. */
function withPoint(bytes: Uint8Array, from: number, to: number): number {
  const length = Math.min(to - from, scratch.length - 1)
  for (let at = 0; at < length; at++) {
    const c = bytes[from + at]
    if (c === DOT) return -1
    scratch[at] = c === COMMA ? DOT : c
  }
  scratch[length] = 0
  return length
}

/** The float32 values of a column; NaN where there is none. Written to `values`, unless the cells are values already. */
export function readValues(
  cells: Cells,
  batch: Batch,
  name: string,
  reading: Reading,
  values: Float64Array,
): Float64Array {
  const { rowCount } = batch
  if (cells instanceof Float64Array) {
    for (let row = 0; row < rowCount; row++)
      if (Math.abs(cells[row]) < Infinity && !(Math.abs(Math.fround(cells[row])) < Infinity))
        throw tooLarge(placeOf(batch, row, reading.unit), cells[row])
    return cells
  }
  const others = reading.decimal === ',' ? undefined : cells.numbers?.decimals(rowCount, values)
  for (let row = 0; row < rowCount && others !== 0; row++) {
    if (others !== undefined && values[row] - values[row] === 0) continue // it is finite
    const [from, to] = trimmed(cells.bytes, cells.starts[row], cells.ends[row])
    if (to <= from) {
      values[row] = NaN
      continue
    }
    const length = reading.decimal === ',' ? withPoint(cells.bytes, from, to) : -1
    const x = reading.decimal === ',' ? parseDecimal(scratch, 0, length) : parseDecimal(cells.bytes, from, to)
    values[row] = Number.isFinite(x) ? x : explainValue(cells, batch, row, name, reading)
  }
  return values
}

/** A cell that is no number a float32 can hold: NaN if it is marked as missing, else an error. */
function explainValue(cells: Texts, batch: Batch, row: number, name: string, reading: Reading): number {
  const text = cellText(cells, row)?.trim() ?? ''
  if (isMissingMark(text)) {
    noteMark(reading.marks, batch, row, reading.unit, text)
    return NaN
  }
  const place = placeOf(batch, row, reading.unit)
  if (/^[-+]?(nan|inf(inity)?)$/i.test(text))
    throw new InputError(
      'value',
      `${place}: the value ${name} is ${text}; observed values must be finite. Leave unobserved entries out.`,
    )
  if (reading.decimal === ',' && /^[-+]?\d+\.\d*$/.test(text))
    throw new InputError(
      'value',
      sentence`${place}: the value ${name} is "${text}", but a comma stands before fractions in this table; mend it, or say ${option('decimal', '.')}.`,
    )
  if (!Number.isNaN(Number(reading.decimal === ',' ? text.replace(',', '.') : text)))
    throw tooLarge(place, text)
  throw new InputError(
    'value',
    `${place}: the value ${name} is "${shortened(text)}", which is no number; mend it or leave it empty.`,
  )
}

const tooLarge = (place: string, value: string | number): InputError =>
  new InputError('value', `${place}: the value ${value} is too large for a float32; scale the values down.`)

export const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

/** The numbers of a column, in double precision; NaN where there is none. */
export function readNumbers(cells: Cells, batch: Batch, mode: string, reading: Reading): Float64Array {
  if (cells instanceof Float64Array) return cells
  const numbers = new Float64Array(batch.rowCount)
  for (let row = 0; row < batch.rowCount; row++) {
    const [from, to] = trimmed(cells.bytes, cells.starts[row], cells.ends[row])
    numbers[row] = NaN
    if (to <= from) continue
    const text = asciiText(cells.bytes, from, to)
    const x = Number(reading.decimal === ',' ? text.replace(',', '.') : text)
    if (Number.isFinite(x)) numbers[row] = x
    else if (isMissingMark(text)) noteMark(reading.marks, batch, row, reading.unit, text)
    else
      throw new InputError(
        'table',
        `${placeOf(batch, row, reading.unit)}: "${shortened(text)}" is no number, as ${mode} needs; mend it or leave it empty.`,
      )
  }
  return numbers
}

function asciiText(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at++) {
    if (bytes[at] > 127) return new TextDecoder().decode(bytes.subarray(from, to))
    text += String.fromCharCode(bytes[at])
  }
  return text
}

/** What the numbers of a column of times look like. */
export interface TimeCounts {
  /** That may be 20140401, or years, and all. */
  compact: number
  years: number
  numbers: number
  /** The first of them. */
  example: string
}

/** Times as they are, as a grid. */
const MICROSECONDS = { origin: 0, unit: 1 }

/** Reads the times of one column, and watches that numbers are not dates in disguise. */
export class TimeColumn {
  readonly #name: string
  readonly #type: ColumnType | undefined
  readonly #formats: readonly TimeReader[] | undefined
  #room = new Float64Array(0)
  #compact = 0
  #years = 0
  #numbers = 0
  #example = ''

  /** `dates`: formats, or 'iso' for what is read without any. */
  constructor(name: string, type: ColumnType | undefined, dates: readonly string[] | undefined) {
    this.#name = name
    this.#type = type
    this.#formats = dates?.map((format) =>
      format === 'iso' ? (text) => this.#plain(text) : timeFormat(format),
    )
  }

  /** Microseconds since 1970, NaN where there is none or what is there is no time. */
  times(cells: Cells, rowCount: number): Float64Array {
    const times = new Float64Array(rowCount)
    this.gridCells(cells, rowCount, MICROSECONDS, times)
    return times
  }

  /** The first of them; Infinity if there is none. */
  earliest(cells: Cells, rowCount: number): number {
    if (this.#room.length < rowCount) this.#room = new Float64Array(rowCount)
    const times = this.#room
    this.gridCells(cells, rowCount, MICROSECONDS, times)
    let first = Infinity
    for (let row = 0; row < rowCount; row++) if (times[row] < first) first = times[row]
    return first
  }

  /** The same as cells of a grid of that unit; how many are NaN. */
  gridCells(
    cells: Cells,
    rowCount: number,
    { origin, unit }: { origin: number; unit: number },
    into: Float64Array,
  ): number {
    let missing = 0
    const place = (row: number, time: number): void => {
      into[row] = cellOf(time, origin, unit)
      if (Number.isNaN(time)) missing++
    }
    if (cells instanceof Float64Array) {
      for (let row = 0; row < rowCount; row++) place(row, this.#ofNumber(cells[row]))
      return missing
    }
    if (this.#formats || !cells.numbers) {
      for (let row = 0; row < rowCount; row++) place(row, this.#ofCell(cells, row))
      return missing
    }
    const { others, numbers } = cells.numbers.gridTimes(rowCount, origin, unit, into)
    this.#numbers += numbers // none of which looks like a date
    for (let row = 0, left = others; left > 0; row++)
      if (Number.isNaN(into[row])) {
        place(row, this.#ofCell(cells, row))
        left--
      }
    return missing
  }

  #ofCell(cells: Texts, row: number): number {
    const { bytes, starts, ends } = cells
    const [from, to] = [starts[row], ends[row]]
    if (to <= from) return NaN
    if (this.#formats) return this.#byFormat(cellText(cells, row) ?? '')
    const x = wholeNumber(bytes, from, to)
    return Number.isNaN(x) ? this.#ofText(bytes, from, to) : this.#ofUnix(x, to - from)
  }

  #ofNumber(x: number): number {
    if (this.#type === 'DATE') return x * DAY
    if (this.#type === 'TIMESTAMP' || Number.isNaN(x)) return x
    // What looks like a date has eight digits; to write all numbers out takes long.
    return this.#formats
      ? this.#byFormat(String(x))
      : this.#ofUnix(x, Number.isInteger(x) && isCompactDate(x) ? 8 : 0)
  }

  #ofUnix(x: number, length: number): number {
    this.#numbers++
    if (x >= 1500 && x < 2500) this.#years++
    if (length === 8 && isCompactDate(x)) this.#compact++
    if (this.#numbers === 1) this.#example = numberText(x, 'BIGINT')
    return unixTime(x)
  }

  #ofText(bytes: Uint8Array, from: number, to: number): number {
    const time = isoTime(bytes, from, to)
    if (!Number.isNaN(time)) return time
    const text = asciiText(bytes, from, to).trim()
    return text !== '' && Number.isFinite(Number(text)) ? this.#ofUnix(Number(text), 0) : NaN
  }

  #plain(text: string): number {
    const bytes = new TextEncoder().encode(text)
    return this.#ofText(bytes, 0, bytes.length)
  }

  #byFormat(text: string): number {
    for (const read of this.#formats ?? []) {
      const time = read(text)
      if (!Number.isNaN(time)) return time
    }
    return NaN
  }

  get counts(): TimeCounts {
    const [compact, years, numbers, example] = [this.#compact, this.#years, this.#numbers, this.#example]
    return { compact, years, numbers, example }
  }

  /** At the end: 20140401 is no Unix time if all the column looks like it, nor is 2014. */
  check(where: string, { compact, years, numbers, example }: TimeCounts): void {
    if (numbers === 0 || (compact < numbers && years < numbers)) return
    const [what, format] = compact === numbers ? ['dates', '%Y%m%d'] : ['years', '%Y']
    throw new InputError(
      'table',
      sentence`${where}: the numbers in ${this.#name} look like ${what} (${example}), but would be read as Unix seconds, in 1970; say so with ${option('dates', format)}.`,
    )
  }

  /** Why a text is no time, and what to do. `others` stand in the same column. */
  explain(text: string, place: string, others: readonly string[]): InputError {
    const formats = this.#formats ? [] : likelyFormats([text, ...others])
    const one = formats.length > 0 || this.#formats ? formats : likelyFormats([text])
    return new InputError(
      'table',
      sentence`${place}: ${noTime(text, this.#name, one, this.#formats !== undefined)}`,
    )
  }
}

function noTime(text: string, column: string, formats: readonly string[], given: boolean): Sentence {
  const what = `"${shortened(text)}" in ${column} is no time`
  if (given) return sentence`${what} of the form that ${option('dates')} says; mend it, or add its form.`
  if (formats.length === 0)
    return sentence`${what}; times are Unix seconds or text like 2014-04-01 12:30:00, and other forms need ${option('dates')}.`
  const several = formats.length > 1 ? ', and may be read in more than one way' : ''
  return sentence`${what} as ISO writes it (2014-04-01)${several}; say how to read it with ${option('dates', ...formats.slice(0, 3))}.`
}

const isCompactDate = (x: number): boolean =>
  x >= 1500_01_01 &&
  x < 2500_01_01 &&
  x % 100 >= 1 &&
  x % 100 <= 31 &&
  Math.floor(x / 100) % 100 <= 12 &&
  Math.floor(x / 100) % 100 >= 1

/** The digits in bytes [from, to) as a number, NaN if there is anything else or too many of them. */
function wholeNumber(bytes: Uint8Array, from: number, to: number): number {
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
