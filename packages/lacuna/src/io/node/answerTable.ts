/** Writes the rows of a table by path with one or more further columns of predictions. */
import {
  freeName,
  isJson,
  type Labelled,
  type OutputBatch,
  type OutputColumn,
  openQueries,
  ownColumns,
  type QueryBatch,
  type QueryOptions,
  type Table,
  type Thousands,
  textOfCell,
  writeRows,
} from '../table/index.ts'
import { type Input, replaceFiles } from './files/index.ts'
import { withTable } from './tables.ts'
import { type AnswerOutput, checkAnswerOutput, formatOf, formForOutput, writeText } from './writeAnswers.ts'

/** The columns of the queries, and the output of the answers. */
export interface AnswerTableOptions extends Omit<QueryOptions, 'records'> {
  /** SQL whose result is asked about instead of the file, which is its table `data`; none by default. */
  query?: string
  /**
   * A DuckDB or SQLite file or a postgres:// address; without a query, the path names one of its tables. None
   * by default.
   */
  database?: string
  /**
   * A file (.csv, .tsv, .json, .ndjson, each also .gz; .parquet), or a stream that takes text of a format.
   */
  output: AnswerOutput
  /** Decimal separator of numbers in text; guessed by default. */
  decimal?: ',' | '.'
  /** Separator between thousands of numbers in text; none by default. */
  thousands?: Thousands
  /** The file, if it has been opened already; by default it is opened by its path. */
  input?: Input
  /** Names of the columns of answers; `prediction` by default. One that the table has gets _1, _2 … */
  answers?: readonly string[]
  /** Called with the number of rows answered so far, after each batch; none by default. */
  onRows?(rows: number): void
}

/**
 * Writes the rows of a table, all their columns in the same order, with the answers to each in further
 * columns.
 * @param path the file; undefined if there is a query alone
 * @param model its modes and labels determine the meaning of the columns
 * @param answer the answers to the rows of a batch: one column or several, NaN where there is none
 */
export async function answerTable(
  path: string | undefined,
  model: Labelled,
  answer: (batch: QueryBatch) => Float64Array | readonly Float64Array[],
  options: AnswerTableOptions,
): Promise<void> {
  const { output, onRows, modes, value, decimal, thousands, input, query, database } = options
  if (typeof output === 'string') checkAnswerOutput(output, 'predictions for a table')
  const format = formatOf(output)
  const files = path === undefined ? [] : [path]
  const values = typeof value === 'string' ? [value] : []
  const opening = { typed: modes ?? [], values, verbatim: true, query, database, decimal, thousands, input }

  /**
   * Returns the batches of rows with their answers. Faults of the columns are thrown here, before any row.
   */
  const answerRows = (table: Table): AsyncGenerator<OutputBatch> => {
    const batches = openQueries(table, model, { ...options, records: isJson(format) })
    return (async function* () {
      let rows = 0
      for await (const batch of batches) {
        const { rowCount, fields, records } = batch
        const answered = answer(batch)
        const answers = answered instanceof Float64Array ? [answered] : answered
        const cell = (row: number, c: number): string | number | null =>
          c < fields.length ? textOfCell(fields[c], row) : answers[c - fields.length][row]
        yield { rowCount, cell, records }
        rows += rowCount
        onRows?.(rows)
      }
    })()
  }
  /** The columns of the output: the table's, without computed ones, then those of the answers. */
  const outputColumns = (table: Table): OutputColumn[] => {
    const copied = ownColumns(table)
    const taken = new Set(copied.map((column) => column.name.toLowerCase()))
    return [
      ...copied.map(
        ({ name, quoted }): OutputColumn => ({ name, kind: 'text', verbatim: quoted ? 'quoted' : 'plain' }),
      ),
      ...(options.answers ?? ['prediction']).map(
        (name): OutputColumn => ({ name: freeName(name, taken), kind: 'number' }),
      ),
    ]
  }

  if (format)
    return withTable(files, opening, (table) =>
      writeText(
        output,
        writeRows(
          ...([outputColumns(table), answerRows(table), format, ownColumns(table).length] as const),
          formForOutput(table.form, path, output),
        ),
      ),
    )
  await replaceFiles([
    {
      path: String(output),
      write: (_, temporary) =>
        withTable(files, { ...opening, output: temporary }, async (table) => {
          const { writeParquetRows } = await import('./duckdb/index.ts')
          await writeParquetRows(table.name, temporary, outputColumns(table), answerRows(table), table)
        }),
    },
  ])
}
