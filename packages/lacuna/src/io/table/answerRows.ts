/** Answers as a table: rows of labels and numbers, whatever was asked. */
import { type ColumnType, isNumeric, numberAsText, type TableText } from '../text/index.ts'
import { field, isJson } from './writeRows.ts'

export interface AnswerColumn {
  name: string
  /** number, whole (a count), or text: labels, of which `type` says what they are the text of. */
  kind: 'number' | 'whole' | 'text'
  type?: string
}

export type AnswerRow = readonly (string | number | null)[]

export async function* writeAnswerRows(
  columns: readonly AnswerColumn[],
  batches: AsyncIterable<readonly AnswerRow[]> | Iterable<readonly AnswerRow[]>,
  format: TableText,
): AsyncGenerator<string> {
  const delimiter = format === 'tsv' ? '\t' : ','
  const line = (texts: readonly (string | null)[]): string =>
    `${texts.map((text) => field(text, delimiter)).join(delimiter)}\n`
  const keys = columns.map(({ name }) => JSON.stringify(name))
  let rows = 0
  if (!isJson(format)) yield line(columns.map(({ name }) => name))
  for await (const batch of batches) {
    let text = ''
    for (const row of batch) {
      if (!isJson(format)) text += line(row.map(asText))
      else {
        const object = `{${row.map((cell, c) => `${keys[c]}:${jsonOf(cell, columns[c])}`).join()}}`
        text += format === 'ndjson' ? `${object}\n` : `${rows++ === 0 ? '[' : ','}\n${object}`
      }
    }
    if (text !== '') yield text
  }
  if (format === 'json') yield rows === 0 ? '[]\n' : '\n]\n'
}

const asText = (cell: string | number | null): string | null =>
  typeof cell === 'number' ? (Number.isNaN(cell) ? null : numberAsText(cell)) : cell

/** Labels that are numbers by their type are numbers; beyond what a double holds they stay text. */
function jsonOf(cell: string | number | null, { type }: AnswerColumn): string {
  if (cell === null || (typeof cell === 'number' && Number.isNaN(cell))) return 'null'
  if (typeof cell === 'number') return numberAsText(cell)
  if (type === 'BOOLEAN' && (cell === 'true' || cell === 'false')) return cell
  const isNumber =
    type !== undefined && isNumeric(type as ColumnType) && /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(cell)
  return isNumber ? cell : JSON.stringify(cell)
}
