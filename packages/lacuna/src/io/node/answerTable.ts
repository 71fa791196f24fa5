/** The rows of a table by path, and what is answered to each, as a table. */
import { InputError } from '../../base/inputError.ts'
import {
  freeName,
  isJson,
  type Labelled,
  openQueries,
  ownColumns,
  type PredictedRows,
  type QueryBatch,
  type QueryOptions,
  type Table,
  writeRows,
} from '../table/index.ts'
import { hasEnding, type TableText, tableText } from '../text/index.ts'
import type { Input } from './files/input.ts'
import { replaceFiles, writeFileWhole } from './files/writeFileWhole.ts'
import { withTable } from './tables.ts'

/** What of the table is asked, and where the answer goes. */
export interface AnswerTableOptions extends Omit<QueryOptions, 'records'> {
  /** SQL whose result is asked about instead of the file, which is its table `data`. */
  query?: string
  /** A DuckDB or SQLite file or a postgres:// address; without a query, the path names one of its tables. */
  database?: string
  /** A file (.csv, .tsv, .json, .ndjson, each also .gz; .parquet), or what takes the text and its format. */
  output: string | { format: TableText; write(text: string): Promise<void> }
  decimal?: ',' | '.'
  /** The file, if it has been opened already. */
  input?: Input
  /** What the columns of the answers are called; prediction by default. */
  answers?: readonly string[]
  /** Told how many rows are done. */
  onRows?(rows: number): void
}

/**
 * Writes the rows of a table, all their columns in the same order, and what is answered to each, in one column or several.
 * `model` says what the columns mean.
 */
export async function answerTable(
  path: string | undefined,
  model: Labelled,
  answer: (batch: QueryBatch) => Float64Array | readonly Float64Array[],
  options: AnswerTableOptions,
): Promise<void> {
  const { output, onRows } = options
  const format = typeof output === 'string' ? tableText(output) : output.format
  if (typeof output === 'string' && !format && !hasEnding(output, ['.parquet']))
    throw new InputError(
      'table',
      `${output}: predictions for a table are a table; use .csv, .tsv, .json, .ndjson or .parquet.`,
    )
  const { modes, value, decimal, input, query, database } = options
  const files = path === undefined ? [] : [path]
  const opening = {
    typed: modes ?? [],
    verbatim: true,
    ...(query !== undefined && { query }),
    ...(database !== undefined && { database }),
    ...(typeof value === 'string' && { values: [value] }),
    ...(decimal && { decimal }),
    ...(input && { input }),
  }

  // What is wrong with the table shows here, before anything is written.
  const answered = (table: Table): AsyncGenerator<PredictedRows> => {
    const batches = openQueries(table, model, { ...options, records: isJson(format) })
    return (async function* () {
      let rows = 0
      for await (const batch of batches) {
        const answers = answer(batch)
        yield { ...batch, answers: answers instanceof Float64Array ? [answers] : answers }
        rows += batch.rowCount
        onRows?.(rows)
      }
    })()
  }
  const namesIn = (table: Table): string[] => {
    const taken = new Set(ownColumns(table).map((column) => column.name.toLowerCase()))
    return (options.answers ?? ['prediction']).map((name) => freeName(name, taken))
  }

  if (format && typeof output !== 'string')
    return withTable(files, opening, async (table) => {
      for await (const text of writeRows(answered(table), ownColumns(table), namesIn(table), format))
        await output.write(text)
    })
  if (format)
    return withTable(files, opening, (table) =>
      writeFileWhole(
        String(output),
        encoded(writeRows(answered(table), ownColumns(table), namesIn(table), format)),
      ),
    )
  await replaceFiles([
    {
      path: String(output),
      write: (_, temporary) =>
        withTable(files, { ...opening, output: temporary }, async (table) => {
          const { writePredictedParquet } = await import('./duckdb/writeParquet.ts')
          await writePredictedParquet(temporary, answered(table), table, namesIn(table))
        }),
    },
  ])
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield new TextEncoder().encode(text)
}
