/** The numbers of a chart as a table: for readers who cannot see it, and as a .csv file. */

/** The names of the columns, and the rows of numbers, labels and dates. */
export interface ChartTable {
  columns: readonly string[]
  rows: readonly (readonly Cell[])[]
}

/** A cell of a table; undefined where there is no value. */
export type Cell = string | number | Date | undefined

/** Returns a table as CSV: dates as ISO 8601, empty fields where there is no value. */
export function tableToCsv({ columns, rows }: ChartTable): string {
  return [columns, ...rows].map((row) => `${row.map((cell) => quoteField(cellText(cell))).join()}\n`).join('')
}

/** A cell as text: a whole day without its time; empty where there is no value or NaN. */
export function cellText(cell: Cell): string {
  if (cell === undefined || Number.isNaN(cell)) return ''
  return cell instanceof Date ? cell.toISOString().replace('T00:00:00.000Z', '') : String(cell)
}

/** Quotes a field of CSV if necessary. */
export const quoteField = (text: string): string =>
  /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** The name of a file for a title: lower case, words joined by hyphens. */
export const fileStem = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'chart'
