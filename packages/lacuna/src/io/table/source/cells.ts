/** Cells as numbers, and the errors for cells that are none. */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { abbreviate, COMMA, DOT, parseDecimal, SPACE, textOfBytes } from '../../text/index.ts'
import { adviseNumber, isMeasure, type NumberStyle, plainNumber } from './numberStyle.ts'
import { type Batch, type Cells, cellText, locateRow, type Table, type Texts } from './rows.ts'

/**
 * Matches a mark for a missing value. NaN is none: it is refused as a value that is not finite.
 */
const MISSING_MARK = /^(n\.?\/?a\.?|#n\/a|null|none|nil|missing|unknown|\?+|-+|\.+)$/i
/** Whether a cell holds a mark for a missing value: N/A, null, -, ? and the like. */
export const isMissingMark = (text: string): boolean => MISSING_MARK.test(text.trim())

/** The count of cells that hold a mark for a missing value: they are read as empty, which is reported. */
export interface Marks {
  count: number
  /** The text of the first one, with its file and line, as messages name it. */
  first?: string
  /** The file of the first one. */
  firstFile?: string
  /** The line or row of the first one in its file. */
  firstLine?: number
}

/**
 * Adds a cell that holds a mark to `marks`. The columns of a batch are read one after the other: the first
 * mark is that of the smallest line.
 * @param unit of the batch's `lines`, for messages
 */
export function noteMark(marks: Marks, batch: Batch, row: number, unit: Table['unit'], text: string): void {
  marks.count++
  const line = batch.lines[row]
  if (marks.first !== undefined && !(marks.firstFile === batch.file && line < marks.firstLine!)) return
  marks.firstFile = batch.file
  marks.firstLine = line
  marks.first = `"${text}" in ${locateRow(batch, row, unit)}`
}

/** How the cells of a table are read; shared by all columns. */
export interface CellContext extends NumberStyle {
  /** The unit of a batch's `lines` in messages. */
  unit: Table['unit']
  /** Counts the cells that hold marks. */
  marks: Marks
}

/** Shortens the range of bytes [from, to) by the spaces at both ends. */
function trimRange(bytes: Uint8Array, from: number, to: number): [from: number, to: number] {
  while (from < to && bytes[from] === SPACE) from++
  while (to > from && bytes[to - 1] === SPACE) to--
  return [from, to]
}

/** Receives one number and a byte 0 behind it. */
const scratch = new Uint8Array(64)

/**
 * Copies a number into `scratch`, at most 63 bytes of it, its comma replaced by a point; returns its length,
 * or -1 if it has a point already.
 */
function copyWithPoint(bytes: Uint8Array, from: number, to: number): number {
  const length = Math.min(to - from, scratch.length - 1)
  for (let at = 0; at < length; at++) {
    const c = bytes[from + at]
    if (c === DOT) return -1
    scratch[at] = c === COMMA ? DOT : c
  }
  scratch[length] = 0
  return length
}

/**
 * Reads the values of a column, which must fit in a float32; NaN where a cell is empty or holds a mark for a
 * missing value. Throws for any other cell that is no such number.
 * @param name the column, as messages call it
 * @param values receives the values, unless the cells are numbers already
 * @returns `values`, or the cells if they are numbers already
 */
export function readValues(
  cells: Cells,
  batch: Batch,
  name: string,
  context: CellContext,
  values: Float64Array,
): Float64Array {
  const { rowCount } = batch
  if (cells instanceof Float64Array) {
    for (let row = 0; row < rowCount; row++)
      if (Math.abs(cells[row]) < Infinity && !(Math.abs(Math.fround(cells[row])) < Infinity))
        throw tooLarge(locateRow(batch, row, context.unit), cells[row])
    return cells
  }
  const others = context.decimal === ',' ? undefined : cells.reader?.decimals(rowCount, values)
  for (let row = 0; row < rowCount && others !== 0; row++) {
    if (others !== undefined && values[row] - values[row] === 0) continue // it is finite
    const [from, to] = trimRange(cells.bytes, cells.starts[row], cells.ends[row])
    if (to <= from) {
      values[row] = NaN
      continue
    }
    const length = context.decimal === ',' ? copyWithPoint(cells.bytes, from, to) : -1
    const x = context.decimal === ',' ? parseDecimal(scratch, 0, length) : parseDecimal(cells.bytes, from, to)
    values[row] = Number.isFinite(x)
      ? x
      : (groupedValue(cells, row, context) ?? explainValue(cells, batch, row, name, context))
  }
  return values
}

/** The float32 of a cell with thousands separators; undefined if it has none, or is no number. */
function groupedValue(cells: Texts, row: number, context: CellContext): number | undefined {
  if (context.thousands === undefined) return undefined
  const text = plainNumber(cellText(cells, row) ?? '', context)
  const x = text.trim() === '' ? NaN : Math.fround(Number(text))
  return Number.isFinite(x) ? x : undefined
}

/**
 * Counts a mark for a missing value and returns NaN; throws the error for any other cell that is no float32.
 */
function explainValue(cells: Texts, batch: Batch, row: number, name: string, context: CellContext): number {
  const text = cellText(cells, row)?.trim() ?? ''
  if (isMissingMark(text)) {
    noteMark(context.marks, batch, row, context.unit, text)
    return NaN
  }
  const where = locateRow(batch, row, context.unit)
  if (/^[-+]?(nan|inf(inity)?)$/i.test(text))
    throw new InputError(
      'value',
      `${where}: the value ${name} is ${text}; observed values must be finite. Leave unobserved entries out.`,
    )
  if (context.decimal === ',' && context.thousands === undefined && /^[-+]?\d+\.\d*$/.test(text))
    throw new InputError(
      'value',
      sentence`${where}: the value ${name} is "${text}", but a comma stands before fractions in this table; mend it, say ${option('decimal', '.')}, or ${option('thousands', '.')} if it stands between thousands.`,
    )
  const advice = adviseNumber([text], name, context)
  // The thousands separator may be known already, but not how a unit is removed.
  if (advice && (context.thousands === undefined || isMeasure(text)))
    throw new InputError(
      'value',
      sentence`${where}: the value ${name} is "${abbreviate(text)}", which is no number; ${advice}.`,
    )
  if (!Number.isNaN(Number(plainNumber(text, context)))) throw tooLarge(where, text)
  throw new InputError(
    'value',
    `${where}: the value ${name} is "${abbreviate(text)}", which is no number; mend it or leave it empty.`,
  )
}

/** The error for a value beyond float32. */
const tooLarge = (where: string, value: string | number): InputError =>
  new InputError('value', `${where}: the value ${value} is too large for a float32; scale the values down.`)

/**
 * Reads the numbers of a column in double precision; NaN where a cell is empty or holds a mark for a missing
 * value. Throws for any other cell that is no number.
 * @param mode the mode that needs numbers, as messages call it
 */
export function readNumbers(cells: Cells, batch: Batch, mode: string, context: CellContext): Float64Array {
  if (cells instanceof Float64Array) return cells
  const numbers = new Float64Array(batch.rowCount)
  for (let row = 0; row < batch.rowCount; row++) {
    const [from, to] = trimRange(cells.bytes, cells.starts[row], cells.ends[row])
    numbers[row] = NaN
    if (to <= from) continue
    const text = textOfBytes(cells.bytes, from, to)
    const x = Number(plainNumber(text, context))
    if (Number.isFinite(x)) numbers[row] = x
    else if (isMissingMark(text)) noteMark(context.marks, batch, row, context.unit, text)
    else
      throw new InputError(
        'table',
        `${locateRow(batch, row, context.unit)}: "${abbreviate(text)}" is no number, as ${mode} needs; mend it or leave it empty.`,
      )
  }
  return numbers
}
