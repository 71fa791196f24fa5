/**
 * Reads workbooks (.xlsx) in the page. read-excel-file is loaded when the first one is opened; a sheet becomes
 * a table of texts, dates as ISO 8601.
 */
import { InputError } from 'lacuna'
import { type Table, textTable } from 'lacuna/tables'

/** A workbook: its sheets, and the tables that they are. */
export interface Workbook {
  /** The names of the sheets, and the number of their filled cells. */
  sheets: { name: string; cells: number }[]
  /** Opens a sheet; throws if it is empty. */
  open(sheet: string): Promise<Table>
}

/** Opens a workbook; throws if the file is none. */
export async function openWorkbook(file: File): Promise<Workbook> {
  const { default: readSheets } = await import('read-excel-file/universal')
  const sheets = await readSheets(await file.arrayBuffer()).catch((error: unknown) => {
    const fault = error instanceof Error ? error.message.split('\n')[0].replace(/\.$/, '') : String(error)
    throw new InputError(
      'format',
      `${file.name}: this is not a whole .xlsx workbook (${fault}); save it again.`,
    )
  })
  return {
    sheets: sheets.map(({ sheet, data }) => ({
      name: sheet,
      cells: data.reduce((sum, row) => sum + row.filter((cell) => textOfCell(cell) !== null).length, 0),
    })),
    open(sheet) {
      const { data } = sheets.find((one) => one.sheet === sheet) ?? sheets[0]
      return openSheet(`${file.name}, ${sheet}`, data)
    },
  }
}

/** The rows of a sheet as a table; empty rows and columns around it are left out. */
async function openSheet(name: string, data: readonly (readonly unknown[])[]): Promise<Table> {
  const rows = data.map((row) => row.map(textOfCell))
  const filled = rows.filter((row) => row.some((text) => text !== null))
  if (filled.length === 0) throw new InputError('empty', `${name}: the sheet is empty.`)
  const width = Math.max(...filled.map((row) => row.length))
  const used = Array.from({ length: width }, (_, c) => c).filter((c) =>
    filled.some((row) => (row[c] ?? null) !== null),
  )
  // The library recognizes the header as in a file of text.
  const csv = filled.map((row) => used.map((c) => quoteField(row[c] ?? null)).join(',')).join('\n')
  const bytes = new TextEncoder().encode(`${csv}\n`)
  const table = await textTable(
    [
      {
        name,
        async *open() {
          yield bytes
        },
      },
    ],
    { delimiter: ',', decimal: '.' },
  )
  return { ...table, unit: 'row' }
}

/** A field of a table as text, in quotes where it must be. */
const quoteField = (text: string | null): string =>
  text === null ? '' : /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

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
