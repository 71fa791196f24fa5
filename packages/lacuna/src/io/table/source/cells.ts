/** What single cells say: numbers, and why one is none. */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { COMMA, DOT, parseDecimal, SPACE } from '../../text/index.ts'
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

export function asciiText(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at++) {
    if (bytes[at] > 127) return new TextDecoder().decode(bytes.subarray(from, to))
    text += String.fromCharCode(bytes[at])
  }
  return text
}
