/** A table in its own shape, long or wide, with its empty cells filled, and a column that says which these are. */
import { InputError } from '../../base/inputError.ts'
import {
  type AnswerColumn,
  type AnswerRow,
  type Cells,
  cellText,
  findColumn,
  freeName,
  type Labelled,
  meltTable,
  openQueries,
  type QueryBatch,
  type Table,
} from '../table/index.ts'
import { numberAsText } from '../text/index.ts'
import { type AnswerOutput, writeAnswers } from './answers.ts'
import type { Input } from './files/input.ts'
import { typesOf, withTable } from './tables.ts'

export interface FillTableOptions {
  output: AnswerOutput
  /** How each of the model's modes is made of the table, where the columns do not say so by themselves. */
  modes?: readonly string[]
  /** The column of values; of a wide table there is none. */
  value?: string
  /** Of a wide table, the mode that its columns are. */
  melt?: string
  decimal?: ',' | '.'
  /** SQL whose result is filled instead of the file, which is its table `data`. */
  query?: string
  input?: Input
}

export interface FilledTable {
  rows: number
  /** Cells that were empty, and how many of them have a value now. */
  empty: number
  filled: number
}

/** `predict` is asked for all rows of a batch; NaN where it cannot say. */
export async function fillTable(
  path: string,
  model: Labelled,
  predict: (batch: QueryBatch) => Float64Array,
  options: FillTableOptions,
): Promise<FilledTable> {
  const { melt, modes, decimal, input, query, output } = options
  const told: FilledTable = { rows: 0, empty: 0, filled: 0 }
  const opening = {
    typed: melt === undefined ? (modes ?? []) : [],
    verbatim: true,
    ...(decimal && { decimal }),
    ...(input && { input }),
    ...(query !== undefined && { query }),
    ...(melt !== undefined && { melt }),
  }
  await withTable([path], opening, async (table) => {
    const types = 'session' in table ? table.columns.map(({ type }) => type) : await typesOf(table)
    const own = table.columns.map(
      ({ name }, c): AnswerColumn => ({ name, kind: 'text', ...(types[c] && { type: types[c] }) }),
    )
    const mark = freeName('inferred', new Set(own.map(({ name }) => name.toLowerCase())))
    const rows = melt === undefined ? longRows(table) : wideRows(table, melt)
    await writeAnswers(
      output,
      [...own, { name: mark, kind: 'text', ...(melt === undefined && { type: 'BOOLEAN' }) }],
      rows,
    )
  })
  return told

  function written(y: number, table: Table): string {
    told.filled++
    const text = numberAsText(y)
    return table.decimal === ',' ? text.replace('.', ',') : text
  }

  async function* longRows(table: Table): AsyncGenerator<AnswerRow[]> {
    const column = options.value === undefined ? -1 : findColumn(table.columns, options.value)
    if (column < 0)
      throw new InputError(
        'table',
        `${table.name}: there is no column ${options.value === undefined ? 'of values' : `"${options.value}"`} to be filled; name it.`,
      )
    const value = table.columns[column].name
    for await (const batch of openQueries(table, model, { value, ...(modes && { modes }) })) {
      const predictions = predict(batch)
      yield Array.from({ length: batch.rowCount }, (_, row): AnswerRow => {
        const cells = batch.fields.map((cells) => textOf(cells, row))
        told.rows++
        if (!Number.isNaN(batch.observed[row])) return [...cells, 'false']
        told.empty++
        if (Number.isNaN(predictions[row])) return [...cells, 'false']
        cells[column] = written(predictions[row], table)
        return [...cells, 'true']
      })
    }
  }

  /** Marked by the names of the columns that were filled. */
  async function* wideRows(table: Table, mode: string): AsyncGenerator<AnswerRow[]> {
    const melted = meltTable(table, mode, modes ?? [])
    const { wide } = melted
    const value = melted.columns[melted.columns.length - 1].name
    // By cell, in their order: a number where one is to be written.
    const found: number[] = []
    for await (const batch of openQueries(melted, model, { value })) {
      const predictions = predict(batch)
      for (let row = 0; row < batch.rowCount; row++) {
        const isEmpty = Number.isNaN(batch.observed[row])
        if (isEmpty) told.empty++
        found.push(isEmpty ? predictions[row] : NaN)
      }
    }
    const all = table.columns.map((_, column) => ({ column, asText: true }))
    let first = 0
    for await (const { rowCount, columns } of table.read(all)) {
      const start = first
      first += rowCount
      yield Array.from({ length: rowCount }, (_, row): AnswerRow => {
        told.rows++
        const cells = columns.map((cells) => textOf(cells, row))
        const names = wide.flatMap((column, w) => {
          const y = found[(start + row) * wide.length + w]
          if (Number.isNaN(y)) return []
          cells[column] = written(y, table)
          return [table.columns[column].name]
        })
        return [...cells, names.join(' ')]
      })
    }
  }
}

const textOf = (cells: Cells, row: number): string | null =>
  cells instanceof Float64Array
    ? Number.isNaN(cells[row])
      ? null
      : String(cells[row])
    : cellText(cells, row)
