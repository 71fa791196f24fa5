/**
 * A table whose unreadable cells are empty, so that their rows are left out, and counted: values and weights that
 * are no numbers, times of no known format. Units of values are removed on request.
 */
import {
  type Batch,
  type Cells,
  cellText,
  isMissingMark,
  plainNumber,
  type Texts,
  TimeColumn,
} from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import type { BadRow } from '../../understanding/index.ts'
import { parseMeasure, type UnitStyle } from './measures.ts'

/** The most bad rows that are listed. */
const MOST_LISTED = 100
/** The most characters of a bad cell that are shown. */
const MOST_TEXT = 80

/** The count and the first of the rows that cannot be read. */
export interface BadRows {
  rows: number
  examples: BadRow[]
}

/** How the columns that must be readable are read. */
export interface CellRules {
  /** Positions of columns that are numbers: value, weight, and modes that are rounded. */
  numbers: readonly number[]
  /** Positions of columns that are times, which are binned. */
  times: readonly number[]
  /** Formats of the times. */
  dates?: readonly string[]
  /** The position of the column whose unit is removed, and how its numbers are written. */
  unit?: { column: number; style: UnitStyle }
}

/** Makes unreadable cells empty. @param found receives the rows that have some, when they are read */
export function cleanTable(table: Table, rules: CellRules, found: BadRows): Table {
  const timeReaders = new Map(
    rules.times.map((c) => [c, new TimeColumn(table.columns[c].name, table.columns[c].type, rules.dates)]),
  )
  return {
    ...table,
    async *read(wanted, options) {
      found.rows = 0
      found.examples = []
      for await (const batch of table.read(wanted, options)) {
        const isBad = new Uint8Array(batch.rowCount)
        const columns = wanted.map(({ column }, w) => {
          const cells = batch.columns[w]
          const note = (row: number): void => noteBadRow(found, isBad, batch, row, cells, table, column)
          if (rules.numbers.includes(column))
            return readNumberCells(
              cells,
              batch.rowCount,
              rules.unit?.column === column ? rules.unit.style : table,
              note,
            )
          const reader = timeReaders.get(column)
          return reader ? clearOtherThanTimes(cells, batch.rowCount, reader, note) : cells
        })
        yield { ...batch, columns }
      }
    },
  }
}

/** Adds a row that cannot be read to those found, unless another column of it was bad already. */
function noteBadRow(
  found: BadRows,
  isBad: Uint8Array,
  batch: Batch,
  row: number,
  cells: Cells,
  table: Table,
  column: number,
): void {
  if (isBad[row] === 1) return
  isBad[row] = 1
  found.rows++
  if (found.examples.length === MOST_LISTED) return
  const text = cells instanceof Float64Array ? String(cells[row]) : (cellText(cells, row) ?? '')
  found.examples.push({
    line: batch.lines[row],
    column: table.columns[column].name,
    text: text.slice(0, MOST_TEXT),
  })
}

/** The cells of a column as numbers: NaN where they are empty, marks of missing values, or bad. */
function readNumberCells(
  cells: Cells,
  rowCount: number,
  style: UnitStyle | Table,
  note: (row: number) => void,
): Float64Array {
  const numbers = new Float64Array(rowCount)
  const isText = !(cells instanceof Float64Array)
  const canUseReader = isText && !('signs' in style) && style.decimal !== ','
  const others = canUseReader ? cells.reader?.decimals(rowCount, numbers) : undefined
  if (others === 0) return numbers
  for (let row = 0; row < rowCount; row++) {
    if (others !== undefined && Number.isFinite(numbers[row])) continue
    numbers[row] = Number.NaN
    if (!isText) {
      if (Number.isFinite(Math.fround(cells[row]))) numbers[row] = cells[row]
      else if (!Number.isNaN(cells[row])) note(row)
      continue
    }
    const text = cellText(cells, row)?.trim() ?? ''
    if (text === '' || isMissingMark(text)) continue
    const x = 'signs' in style ? parseMeasure(text, style) : Number(plainNumber(text, style))
    if (Number.isFinite(Math.fround(x))) numbers[row] = x
    else note(row)
  }
  return numbers
}

/** The cells of a column without those that are no times. */
function clearOtherThanTimes(
  cells: Cells,
  rowCount: number,
  reader: TimeColumn,
  note: (row: number) => void,
): Cells {
  if (cells instanceof Float64Array) return cells
  const times = reader.times(cells, rowCount)
  let cleared: Texts | undefined
  for (let row = 0; row < rowCount; row++) {
    if (!Number.isNaN(times[row]) || cells.ends[row] <= cells.starts[row]) continue
    cleared ??= {
      bytes: cells.bytes,
      starts: cells.starts.slice(0, rowCount),
      ends: cells.ends.slice(0, rowCount),
    }
    cleared.ends[row] = cleared.starts[row] - 1
    if (!isMissingMark(cellText(cells, row) ?? '')) note(row)
  }
  return cleared ?? cells
}
