/**
 * The one writer of rows as text: CSV, TSV, JSON or an object per line, from cells that are texts, numbers or
 * empty.
 */
import { type ColumnType, isNumeric } from '../../labels/index.ts'
import { doubleQuote, numberAsText, type TableText } from '../text/index.ts'
import { type Cells, cellText } from './source/rows.ts'
import type { TextForm } from './source/textForm.ts'

/** A column that is written. */
export interface OutputColumn {
  name: string
  /** The kind of the cells: numbers, whole numbers (counts from 0 to 2³² − 1), or texts. */
  kind: 'number' | 'whole' | 'text'
  /** The type that texts are written for: labels of a mode of numbers are numbers in JSON and Parquet. */
  type?: string
  /**
   * For texts that are copied from another table: whether they were in quotes there. Plain ones that are
   * numbers or truth values are such in JSON.
   */
  verbatim?: 'quoted' | 'plain'
}

/** A row of cells, one per column; null and NaN are empty. */
export type OutputRow = readonly (string | number | null)[]

/** Rows that are written at a time. */
export interface OutputBatch {
  rowCount: number
  /** The cell of a row and column; null and NaN are empty. */
  cell(row: number, column: number): string | number | null
  /** The rows as JSON objects; in JSON each takes the place of the first `recordColumns` columns. */
  records?: readonly string[]
}

/** Makes a batch of rows that are lists of cells. */
export const batchOfRows = (rows: readonly OutputRow[]): OutputBatch => ({
  rowCount: rows.length,
  cell: (row, column) => rows[row][column],
})

/** Whether a format is JSON. */
export const isJson = (format: TableText | undefined): boolean => format === 'json' || format === 'ndjson'

/**
 * Yields rows as text, a chunk per batch, with what comes before and behind them in the format.
 * @param recordColumns the number of leading columns that a batch's records stand for
 * @param form what stands between and around the fields of text; that of the format by default
 */
export async function* writeRows(
  columns: readonly OutputColumn[],
  batches: AsyncIterable<OutputBatch> | Iterable<OutputBatch>,
  format: TableText,
  recordColumns = 0,
  form?: TextForm,
): AsyncGenerator<string> {
  const { delimiter, decimal, lineEnd, hasMark, quotesNames, quoted } = form ?? plainForm(format)
  const areAllQuoted = quoted.length > 0 && quoted.every((is) => is)
  const inQuotes = columns.map((_, c) => quoted[c] ?? areAllQuoted)
  const line = (texts: readonly (string | null)[], isQuoted: (c: number) => boolean): string =>
    `${texts.map((text, c) => csvField(text, delimiter, isQuoted(c))).join(delimiter)}${lineEnd}`
  const keys = columns.map(({ name }) => JSON.stringify(name))
  let rows = 0
  if (!isJson(format))
    yield (hasMark ? '\ufeff' : '') +
      line(
        columns.map(({ name }) => name),
        () => quotesNames,
      )
  for await (const { rowCount, cell, records } of batches) {
    let text = ''
    const member = (row: number, c: number): string => `${keys[c]}:${jsonValue(cell(row, c), columns[c])}`
    for (let row = 0; row < rowCount; row++) {
      if (!isJson(format)) {
        text += line(
          columns.map((_, c) => outputText(cell(row, c), decimal)),
          (c) => inQuotes[c],
        )
        continue
      }
      const record = records?.[row].trim().slice(1, -1).trimEnd() ?? ''
      const members = columns.flatMap((_, c) => (records && c < recordColumns ? [] : [member(row, c)])).join()
      const object = `{${record}${record.trim() === '' ? '' : ','}${members}}`
      text +=
        format === 'ndjson' ? `${object.replaceAll('\n', ' ')}\n` : `${rows++ === 0 ? '[' : ','}\n${object}`
    }
    if (text !== '') yield text
  }
  if (format === 'json') yield rows === 0 ? '[]\n' : '\n]\n'
}

/** The form of CSV or TSV where no table gives one. */
const plainForm = (format: TableText): TextForm => ({
  delimiter: format === 'tsv' ? '\t' : ',',
  decimal: '.',
  lineEnd: '\n',
  hasMark: false,
  quotesNames: false,
  quoted: [],
})

/** A cell as text, for CSV; null where it is empty. */
function outputText(cell: string | number | null, decimal: ',' | '.'): string | null {
  if (typeof cell !== 'number') return cell
  return Number.isNaN(cell) ? null : numberAsText(cell).replace('.', decimal)
}

/** A cell as JSON, null where it is empty. Labels of a numeric type are numbers if a double holds them. */
function jsonValue(cell: string | number | null, { type, verbatim }: OutputColumn): string {
  if (cell === null || (typeof cell === 'number' && Number.isNaN(cell))) return 'null'
  if (typeof cell === 'number') return numberAsText(cell)
  const isPlain = verbatim ? verbatim === 'plain' && isJsonValue(cell) : isTypedValue(type, cell)
  return isPlain ? cell : JSON.stringify(cell)
}

/** Whether a text is a number or truth value as JSON writes it. */
const isJsonValue = (text: string): boolean =>
  /^(-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?|true|false)$/i.test(text) && text === text.toLowerCase()

/** Whether a text is a truth value or, by its type, a number that a double holds. */
function isTypedValue(type: string | undefined, text: string): boolean {
  if (type === 'BOOLEAN') return text === 'true' || text === 'false'
  return type !== undefined && isNumeric(type as ColumnType) && /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text)
}

/**
 * A text as a field of CSV, in quotes where needed or wanted. Null is an empty field, an empty text a pair of quotes.
 */
function csvField(text: string | null, delimiter: string, isQuoted: boolean): string {
  if (text === null) return ''
  const plain =
    !isQuoted && text !== '' && !/["\r\n]/.test(text) && !text.includes(delimiter) && text === text.trim()
  return plain ? text : doubleQuote(text)
}

/** The text of a row's cell in a column that was read, numbers included; null where it is empty. */
export const textOfCell = (cells: Cells, row: number): string | null => {
  if (!(cells instanceof Float64Array)) return cellText(cells, row)
  return Number.isNaN(cells[row]) ? null : String(cells[row])
}
