import { InputError } from '../../../inputError.ts'
import type { CpModel } from '../../../model/cpModel.ts'
import { type ErrorSummary, summarizeError } from '../../../model/errorSummary.ts'
import { predictKnown } from '../../../model/predictKnown.ts'
import { freeName } from '../../table/columns.ts'
import { type TableText, tableText } from '../../table/rowStyle.ts'
import { hasEnding } from '../files/endings.ts'
import { replaceFile, writeFileWhole } from '../files/writeFileWhole.ts'
import { resolve } from './modes.ts'
import { type PredictedBatch, predictionText, rowColumns } from './predictionText.ts'
import { indexOf, openQueries, type Queries } from './queries.ts'
import { identifier, literal, openSession, type TableSession } from './session.ts'

export interface PredictTableOptions {
  /** A file (.csv, .tsv, .json, .ndjson, each also .gz; .parquet), or what takes the text and its format. */
  output: string | { format: TableText; write(text: string): Promise<void> }
  /** For labels that the model does not know: nothing (default), a number, or its mean over the modes not known. */
  fallback?: number | 'mean'
  /** The column or SQL expression of observed values, to compare the predictions with; or one that may be missing. */
  value?: string | { ifPresent: string }
  /** Told how many rows are done. */
  onRows?(rows: number): void
}

export interface TablePredictions {
  rows: number
  /** Rows with a label that the model does not know. */
  unknown: number
  /** Over the rows with a value and a prediction, if there are any. */
  error?: ErrorSummary
}

/** Writes the rows of a table, all their columns in the same order, and what the model predicts for each. */
export async function predictTable(
  model: CpModel,
  path: string,
  options: PredictTableOptions,
): Promise<TablePredictions> {
  const { output } = options
  const format = typeof output === 'string' ? tableText(output) : output.format
  if (typeof output === 'string' && !format && !hasEnding(output, ['.parquet']))
    throw new InputError(
      'table',
      `${output}: predictions for a table are a table; use .csv, .tsv, .json, .ndjson or .parquet.`,
    )
  const session = await openSession(path)
  try {
    const queries = await openQueries(session, path, model)
    const value = await findValue(session, queries, options.value)
    const taken = new Set(queries.columns.map(({ name }) => name.toLowerCase()))
    const name = freeName('prediction', taken)
    const tally: Tally = { rows: 0, unknown: 0, squares: 0, absolutes: 0, norm2: 0, entries: 0 }
    const batches = predictRows(
      session,
      queries,
      model,
      { ...options, value },
      tally,
      rowColumns(queries, format),
    )
    if (format) {
      const text = predictionText(batches, [...queries.columns.map((column) => column.name), name], format)
      if (typeof output === 'string') await writeFileWhole(output, encoded(text))
      else for await (const piece of text) await output.write(piece)
    } else await writeParquet(session, output as string, batches, name)
    const { rows, unknown } = tally
    return { rows, unknown, ...(tally.entries > 0 && { error: summarizeError(tally) }) }
  } finally {
    session.close()
  }
}

/** SQL for the observed values, or NULL where the table has none. */
async function findValue(
  session: TableSession,
  { columns }: Queries,
  value: PredictTableOptions['value'],
): Promise<string> {
  const text = typeof value === 'object' ? value.ifPresent : value
  if (text === undefined) return 'NULL'
  try {
    return `TRY_CAST(${(await resolve(session, text, columns)).expression} AS DOUBLE)`
  } catch (error) {
    if (typeof value === 'object') return 'NULL'
    throw error
  }
}

/** Counts, and the sums of errors. */
interface Tally {
  rows: number
  unknown: number
  squares: number
  absolutes: number
  norm2: number
  entries: number
}

async function* predictRows(
  session: TableSession,
  { modes, table }: Queries,
  model: CpModel,
  { value, fallback, onRows }: Omit<PredictTableOptions, 'value'> & { value: string },
  tally: Tally,
  wanted: readonly string[],
): AsyncGenerator<PredictedBatch> {
  const order = modes.length
  const places = modes.map((_, mode) => indexOf(model, mode))
  const partly = predictKnown(model)
  const query = [...modes, value, ...wanted].join(', ')
  for await (const chunk of session.stream(`SELECT ${query} FROM ${table}`)) {
    const fields = chunk.getColumns()
    const predictions = new Float32Array(chunk.rowCount)
    for (let row = 0; row < predictions.length; row++) {
      const coordinate = places.map((place, mode) => place(fields[mode][row]))
      const known = !coordinate.includes(null)
      if (!known) tally.unknown++
      const y = known || fallback === 'mean' ? partly(coordinate) : (fallback ?? NaN)
      predictions[row] = y
      const x = fields[order][row]
      if (typeof x !== 'number' || !Number.isFinite(x) || Number.isNaN(y)) continue
      tally.squares += (x - y) ** 2
      tally.absolutes += Math.abs(x - y)
      tally.norm2 += x * x
      tally.entries++
    }
    tally.rows += predictions.length
    onRows?.(tally.rows)
    yield { predictions, fields: fields.slice(order + 1, order + 1 + wanted.length) }
  }
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield new TextEncoder().encode(text)
}

async function writeParquet(
  session: TableSession,
  path: string,
  batches: AsyncIterable<PredictedBatch>,
  name: string,
): Promise<void> {
  const columns: (number | null)[][][] = []
  for await (const { predictions } of batches)
    columns.push([Array.from(predictions, (y) => (Number.isNaN(y) ? null : y))])
  await session.fill('predictions', [{ name, type: 'FLOAT' }], columns)
  const query = `SELECT queries.*, predictions.${identifier(name)} FROM queries POSITIONAL JOIN predictions`
  await replaceFile(path, (_, temporary) =>
    session.run(`COPY (${query}) TO ${literal(temporary)} (FORMAT parquet)`),
  )
}
