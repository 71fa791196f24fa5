/**
 * Writes a table, long or wide, with its empty cells filled by predictions and a column `inferred` that marks
 * them.
 */
import { InputError } from '../../base/inputError.ts'
import {
  findColumn,
  freeName,
  type Labelled,
  meltTable,
  type OutputColumn,
  type OutputRow,
  openQueries,
  type QueryBatch,
  type Table,
  type Thousands,
  textOfCell,
} from '../table/index.ts'
import { numberAsText } from '../text/index.ts'
import type { Input } from './files/index.ts'
import { inferTypes, withTable } from './tables.ts'
import { type AnswerOutput, writeAnswers } from './writeAnswers.ts'

/** Which columns hold modes and values, and where the result goes. */
export interface FillTableOptions {
  /** The file or stream that receives the filled table. */
  output: AnswerOutput
  /** Per mode of the model, the column or binning that it is made of; by default found by the names. */
  modes?: readonly string[]
  /** The column of values; a wide table has none. */
  value?: string
  /** The mode whose labels are the names of a wide table's columns; undefined for a long table. */
  melt?: string
  /** The decimal separator of numbers in text; recognized by default. */
  decimal?: ',' | '.'
  /** The separator between thousands of numbers in text; none by default. */
  thousands?: Thousands
  /** SQL whose result is filled instead of the file, which is its table `data`. */
  query?: string
  /** The file, if it has been opened already; opened from the path by default. */
  input?: Input
}

/** Counts of a table that was filled. */
export interface FilledTable {
  rows: number
  /** The number of cells that were empty. */
  empty: number
  /** The number of empty cells that have a value now; the others have no prediction. */
  filled: number
}

/**
 * Writes a table with its empty cells filled, and counts them. Throws if the column of values is missing.
 * @param model its modes and labels say what the columns mean
 * @param predict the predictions for all rows of a batch; NaN where there is none
 */
export async function fillTable(
  path: string,
  model: Labelled,
  predict: (batch: QueryBatch) => Float64Array,
  options: FillTableOptions,
): Promise<FilledTable> {
  const { melt, modes, decimal, thousands, input, query, output } = options
  const counts: FilledTable = { rows: 0, empty: 0, filled: 0 }
  const opening = {
    typed: melt === undefined ? (modes ?? []) : [],
    verbatim: true,
    ...{ decimal, thousands, input, query, melt },
  }
  await withTable([path], opening, async (table) => {
    const types = 'session' in table ? table.columns.map(({ type }) => type) : await inferTypes(table)
    const copied = table.columns.map(({ name }, c): OutputColumn => ({ name, kind: 'text', type: types[c] }))
    const markName = freeName('inferred', new Set(copied.map(({ name }) => name.toLowerCase())))
    const rows = melt === undefined ? fillLongRows(table) : fillWideRows(table, melt)
    const mark: OutputColumn = {
      name: markName,
      kind: 'text',
      type: melt === undefined ? 'BOOLEAN' : undefined,
    }
    await writeAnswers(output, [...copied, mark], rows)
  })
  return counts

  /**
   * Returns the text of a prediction, with the table's decimal separator, and counts it in `counts.filled`.
   */
  function fillCell(y: number, table: Table): string {
    counts.filled++
    const text = numberAsText(y)
    return table.decimal === ',' ? text.replace('.', ',') : text
  }

  /** Yields batches of a long table's rows, filled, each with `true` or `false` in the column of marks. */
  async function* fillLongRows(table: Table): AsyncGenerator<OutputRow[]> {
    const column = options.value === undefined ? -1 : findColumn(table.columns, options.value)
    if (column < 0)
      throw new InputError(
        'table',
        `${table.name}: there is no column ${options.value === undefined ? 'of values' : `"${options.value}"`} to be filled; name it.`,
      )
    const value = table.columns[column].name
    for await (const batch of openQueries(table, model, { value, modes })) {
      const predictions = predict(batch)
      yield Array.from({ length: batch.rowCount }, (_, row): OutputRow => {
        const cells = batch.fields.map((cells) => textOfCell(cells, row))
        counts.rows++
        if (!Number.isNaN(batch.observed[row])) return [...cells, 'false']
        counts.empty++
        if (Number.isNaN(predictions[row])) return [...cells, 'false']
        cells[column] = fillCell(predictions[row], table)
        return [...cells, 'true']
      })
    }
  }

  /**
   * Yields batches of a wide table's rows, filled, each with the names of the columns that were filled,
   * joined by blanks, in the column of marks. Reads the table twice.
   */
  async function* fillWideRows(table: Table, mode: string): AsyncGenerator<OutputRow[]> {
    const melted = meltTable(table, mode, modes ?? [])
    const { wide } = melted
    const value = melted.columns[melted.columns.length - 1].name
    /** Per cell of the wide columns, row by row: the prediction, NaN where the cell is not empty. */
    const predicted: number[] = []
    for await (const batch of openQueries(melted, model, { value })) {
      const predictions = predict(batch)
      for (let row = 0; row < batch.rowCount; row++) {
        const isEmpty = Number.isNaN(batch.observed[row])
        if (isEmpty) counts.empty++
        predicted.push(isEmpty ? predictions[row] : NaN)
      }
    }
    const everyColumn = table.columns.map((_, column) => ({ column, asText: true }))
    let first = 0
    for await (const { rowCount, columns } of table.read(everyColumn)) {
      const start = first
      first += rowCount
      yield Array.from({ length: rowCount }, (_, row): OutputRow => {
        counts.rows++
        const cells = columns.map((cells) => textOfCell(cells, row))
        const names = wide.flatMap((column, w) => {
          const y = predicted[(start + row) * wide.length + w]
          if (Number.isNaN(y)) return []
          cells[column] = fillCell(y, table)
          return [table.columns[column].name]
        })
        return [...cells, names.join(' ')]
      })
    }
  }
}
