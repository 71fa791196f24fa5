/** Sheets of workbooks as CSV text. */
import { doubleQuote } from '../../text/index.ts'

/** A row of a sheet: texts, numbers, truth values, dates; null where a cell is empty. */
export type SheetRow = readonly unknown[]

/** Whether a row of a sheet has a cell that is not empty. */
export const isFilledRow = (row: SheetRow): boolean => row.some((cell) => textOfCell(cell) !== null)

/** The cells of a sheet as CSV; empty columns are left out, empty rows are empty lines. */
export function sheetText(data: readonly SheetRow[]): string {
  const rows = data.map((row) => row.map(textOfCell))
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const used = Array.from({ length: width }, (_, c) => c).filter((c) =>
    rows.some((row) => (row[c] ?? null) !== null),
  )
  const lines = rows.map((row) =>
    row.every((text) => text === null) ? '' : used.map((c) => fieldOf(row[c] ?? null)).join(','),
  )
  return `${lines.join('\n')}\n`
}

/** A field of a table as text, in quotes where it must be. */
const fieldOf = (text: string | null): string =>
  text === null ? '' : /[",\r\n]/.test(text) ? doubleQuote(text) : text

/** The text of a cell; null if it is empty. Dates without a time of day are days. */
function textOfCell(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  if (value instanceof Date)
    return value
      .toISOString()
      .replace(/T00:00:00\.000Z$/, '')
      .replace('T', ' ')
      .replace(/(\.000)?Z$/, '')
  return String(value)
}
