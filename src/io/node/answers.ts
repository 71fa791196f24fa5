/** Answers by path, and the names that rows are called by in another table. */
import { InputError } from '../../inputError.ts'
import {
  type AnswerColumn,
  type AnswerRow,
  cellText,
  columnList,
  findColumn,
  type TableText,
  tableText,
  writeAnswerRows,
} from '../table/index.ts'
import { hasEnding } from './files/kind.ts'
import { replaceFiles, writeFileWhole } from './files/writeFileWhole.ts'
import { withTable } from './tables.ts'

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

/**
 * Two columns of a table: by each key, the name beside it. The key is the first of these columns that the table has, or else
 * its first one.
 */
export async function readNames(
  path: string,
  keys: readonly string[],
  name: string,
): Promise<Map<string, string>> {
  return withTable([path], { typed: [], verbatim: true }, async (table) => {
    const { columns } = table
    const nameColumn = findColumn(columns, name)
    if (nameColumn < 0)
      throw new InputError(
        'table',
        `${table.name}: there is no column "${name}"; the columns are ${columnList(columns)}.`,
      )
    const found = keys.map((key) => findColumn(columns, key)).find((column) => column >= 0)
    const keyColumn = found ?? (nameColumn === 0 ? 1 : 0)
    if (keyColumn >= columns.length)
      throw new InputError('table', `${table.name}: there is no column of what "${name}" is the name of.`)
    const names = new Map<string, string>()
    const wanted = [keyColumn, nameColumn].map((column) => ({ column, asText: true }))
    for await (const { rowCount, columns: cells } of table.read(wanted)) {
      const [key, text] = cells.map(
        (column) =>
          (row: number): string | null =>
            column instanceof Float64Array ? String(column[row]) : cellText(column, row),
      )
      for (let row = 0; row < rowCount; row++) {
        const [k, t] = [key(row), text(row)]
        if (k !== null && t !== null) names.set(k, t)
      }
    }
    return names
  })
}
