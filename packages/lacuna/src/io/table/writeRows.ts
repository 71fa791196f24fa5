/** The rows of a table as they stood, with more columns: what a model says of each. */
import { numberAsText, type TableText } from '../text/index.ts'
import { type Cells, cellText, type TableColumn } from './source/rows.ts'

export interface PredictedRows {
  rowCount: number
  /** As text, a list per column. */
  fields: readonly Cells[]
  /** The rows as JSON objects, where they were such. */
  records?: readonly string[]
  /** A list per column that is new; NaN where there is no answer. */
  answers: readonly Float64Array[]
}

export const isJson = (format: TableText | undefined): boolean => format === 'json' || format === 'ndjson'

/** `names` are those of the answers. */
export async function* writeRows(
  batches: AsyncIterable<PredictedRows>,
  columns: readonly TableColumn[],
  names: readonly string[],
  format: TableText,
): AsyncGenerator<string> {
  const delimiter = format === 'tsv' ? '\t' : ','
  const line = (fields: readonly (string | null)[]) =>
    `${fields.map((text) => field(text, delimiter)).join(delimiter)}\n`
  const keys = columns.map((column) => JSON.stringify(column.name))
  const answerKeys = names.map((name) => JSON.stringify(name))
  let rows = 0
  if (!isJson(format)) yield line([...columns.map((column) => column.name), ...names])
  for await (const { rowCount, fields, records, answers } of batches) {
    let text = ''
    for (let row = 0; row < rowCount; row++) {
      const said = answers.map((column) => (Number.isNaN(column[row]) ? null : numberAsText(column[row])))
      const cells = (c: number): string | null => textOf(fields[c], row)
      if (!isJson(format)) {
        text += line([...columns.map((_, c) => cells(c)), ...said])
        continue
      }
      const object =
        records?.[row] ?? `{${columns.map((column, c) => `${keys[c]}:${jsonOf(cells(c), column)}`).join()}}`
      const inside = object.trim().slice(1, -1).trimEnd()
      const added = said.map((text, c) => `${answerKeys[c]}:${text}`).join()
      const whole = `{${inside}${inside.trim() === '' ? '' : ','}${added}}`
      text +=
        format === 'ndjson' ? `${whole.replaceAll('\n', ' ')}\n` : `${rows++ === 0 ? '[' : ','}\n${whole}`
    }
    yield text
  }
  if (format === 'json') yield rows === 0 ? '[]\n' : '\n]\n'
}

const textOf = (cells: Cells, row: number): string | null =>
  cells instanceof Float64Array ? String(cells[row]) : cellText(cells, row)

/** A number or truth value as it is, anything else as text. */
function jsonOf(text: string | null, { quoted }: TableColumn): string {
  if (text === null) return 'null'
  const plain = /^(-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?|true|false)$/i.test(text) && text === text.toLowerCase()
  return plain && !quoted ? text : JSON.stringify(text)
}

/** In quotes where it must be; no text at all is an empty field, an empty text a pair of quotes. */
export function field(text: string | null, delimiter: string): string {
  if (text === null) return ''
  const plain = text !== '' && !/["\r\n]/.test(text) && !text.includes(delimiter) && text === text.trim()
  return plain ? text : `"${text.replaceAll('"', '""')}"`
}
