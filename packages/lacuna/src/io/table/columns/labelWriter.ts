/** Labels of modes as cells of the column that they are made of, for rows that a table lacks. */
import { type ColumnType, DAY, dateWriter, isNumeric, timeOfText } from '../../../labels/index.ts'
import { type Batch, cellText, type Table } from '../source/rows.ts'
import type { FoundMode } from './modes.ts'

/** The column that the labels of a mode are written to, and their texts. */
export interface LabelWriter {
  /** Position among the table's columns. */
  column: number
  /** The cell for a label. */
  write(label: string): string
}

/**
 * Returns the writer of a mode's labels: as they are where the mode is a column; days in the form of the table's
 * dates. Undefined for other binned and computed modes, whose cells are not known from a label.
 * @param type of the labels
 * @param sample the first rows of the table
 */
export function labelWriter(
  { binning, column, dates }: FoundMode,
  table: Table,
  type: ColumnType,
  sample: Batch,
): LabelWriter | undefined {
  if (table.columns[column].computed) return undefined
  const isComma = table.decimal === ',' && isNumeric(type)
  if (binning === undefined) return { column, write: (label) => (isComma ? label.replace('.', ',') : label) }
  const cells = sample.columns[column]
  if (binning !== 'day' || cells === undefined || cells instanceof Float64Array) return undefined
  const texts = Array.from({ length: sample.rowCount }, (_, row) => cellText(cells, row)).filter(
    (text) => text !== null && text.trim() !== '',
  )
  const write = dateWriter(dates, texts as string[])
  return write && { column, write: (label) => write(timeOfText(label) / DAY) }
}
