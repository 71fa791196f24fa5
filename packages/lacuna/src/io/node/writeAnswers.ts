/** Writes tables of answers by path: as text, packed if the name ends in .gz, or as Parquet. */
import { InputError } from '../../base/inputError.ts'
import { batchOfRows, type OutputColumn, type OutputRow, type TextForm, writeRows } from '../table/index.ts'
import { hasEnding, type TableText, tableTextByName } from '../text/index.ts'
import { replaceFiles, writeFileWhole } from './files/index.ts'

/** A file (.csv, .tsv, .json, .ndjson, each also .gz; .parquet), or a stream that takes text of a format. */
export type AnswerOutput = string | { format: TableText; write(text: string): Promise<void> }

/**
 * Throws if the ending of a file is not that of a table that can be written.
 * @param what the rows, as the message names them
 */
export function checkAnswerOutput(output: string, what = 'answers'): void {
  if (tableTextByName(output) || hasEnding(output, ['.parquet'])) return
  const csv = output.replace(/\.xlsx?$/i, '.csv')
  throw new InputError(
    'table',
    csv === output
      ? `${output}: ${what} are a table; use .csv, .tsv, .json, .ndjson or .parquet.`
      : `${output}: spreadsheets are read but not written; use ${csv}, which they open.`,
  )
}

/** Returns the text format of an output, by its ending if it is a file; undefined for Parquet. */
export const formatOf = (output: AnswerOutput): TableText | undefined =>
  typeof output === 'string' ? tableTextByName(output) : output.format

/**
 * Returns the form in which a table is written back as text: its own, unless the output's name asks for tabs, or the
 * table is .tsv and the output .csv.
 * @param path of the table
 */
export function formForOutput(
  form: TextForm | undefined,
  path: string | undefined,
  output: AnswerOutput,
): TextForm | undefined {
  const format = formatOf(output)
  if (!form || (format !== 'csv' && format !== 'tsv')) return undefined
  if (format === 'tsv') return { ...form, delimiter: '\t' }
  const isRenamed = typeof output === 'string' && path !== undefined && tableTextByName(path) === 'tsv'
  return isRenamed ? { ...form, delimiter: ',' } : form
}

/** Writes the text of a table to a stream, or to a file that appears whole or not at all. */
export async function writeText(output: AnswerOutput, texts: AsyncIterable<string>): Promise<void> {
  if (typeof output === 'string') return writeFileWhole(output, encodeTexts(texts))
  for await (const text of texts) await output.write(text)
}

/** Encodes texts as UTF-8, one chunk for each. */
async function* encodeTexts(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield new TextEncoder().encode(text)
}

/**
 * Writes rows as a table. A file appears whole or not at all; throws if its ending is not that of a table.
 * @param rows batches of rows, each with one cell per column
 * @param form of text; that of the format by default
 */
export async function writeAnswers(
  output: AnswerOutput,
  columns: readonly OutputColumn[],
  rows: AsyncIterable<readonly OutputRow[]> | Iterable<readonly OutputRow[]>,
  form?: TextForm,
): Promise<void> {
  const batches = (async function* () {
    for await (const batch of rows) yield batchOfRows(batch)
  })()
  if (typeof output === 'string') checkAnswerOutput(output)
  const format = formatOf(output)
  if (format) return writeText(output, writeRows(columns, batches, format, 0, form))
  const path = String(output)
  await replaceFiles([
    {
      path,
      write: async (_, temporary) => {
        const { writeParquetRows } = await import('./duckdb/index.ts')
        await writeParquetRows(path, temporary, columns, batches)
      },
    },
  ])
}
