/** Answers by path, and the names that rows are called by in another table. */
import { InputError } from '../../base/inputError.ts'
import { type AnswerColumn, type AnswerRow, writeAnswerRows } from '../table/index.ts'
import { hasEnding, type TableText, tableText } from '../text/index.ts'
import { readBeside } from './besideRows.ts'
import { replaceFiles, writeFileWhole } from './files/writeFileWhole.ts'

/** A file (.csv, .tsv, .json, .ndjson, each also .gz; .parquet), or what takes the text and its format. */
export type AnswerOutput = string | { format: TableText; write(text: string): Promise<void> }

/** Refuses the name of a file that no table can be written to, before there is anything to write. */
export function checkAnswerOutput(output: string): void {
  if (!tableText(output) && !hasEnding(output, ['.parquet']))
    throw new InputError(
      'table',
      `${output}: answers are a table; use .csv, .tsv, .json, .ndjson or .parquet.`,
    )
}

export async function writeAnswers(
  output: AnswerOutput,
  columns: readonly AnswerColumn[],
  batches: AsyncIterable<readonly AnswerRow[]> | Iterable<readonly AnswerRow[]>,
): Promise<void> {
  if (typeof output !== 'string') {
    for await (const text of writeAnswerRows(columns, batches, output.format)) await output.write(text)
    return
  }
  checkAnswerOutput(output)
  const format = tableText(output)
  if (format) return writeFileWhole(output, encoded(writeAnswerRows(columns, batches, format)))
  await replaceFiles([
    {
      path: output,
      write: async (_, temporary) => {
        const { writeAnswerParquet } = await import('./duckdb/writeParquet.ts')
        await writeAnswerParquet(output, temporary, columns, batches)
      },
    },
  ])
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield new TextEncoder().encode(text)
}

/** By each key, the name beside it. */
export async function readNames(
  path: string,
  keys: readonly string[],
  name: string,
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const [key, [text]] of await readBeside(path, keys, [name])) if (text !== null) names.set(key, text)
  return names
}
