/**
 * Reads workbooks (.xlsx) in the page. read-excel-file is loaded when the first one is opened; a sheet becomes
 * a table of texts, dates as ISO 8601.
 */
import { InputError } from 'lacuna'
import { isFilledRow, reasonOf, type SheetRow, sheetText } from 'lacuna/internal'
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
  const found = await readSheets(await file.arrayBuffer()).catch((error: unknown) => {
    throw new InputError(
      'format',
      `${file.name}: this is not a whole .xlsx workbook${reasonOf(error)}; save it again.`,
    )
  })
  // Damaged workbooks have sheets without rows, and rows without cells.
  const sheets = found.map(({ sheet, data }) => ({ sheet, data: Array.from(data ?? [], (row) => row ?? []) }))
  return {
    sheets: sheets.map(({ sheet, data }) => ({
      name: sheet,
      cells: data.reduce((sum, row) => sum + row.filter((cell) => isFilledRow([cell])).length, 0),
    })),
    open(sheet) {
      const { data } = sheets.find((one) => one.sheet === sheet) ?? sheets[0]
      return openSheet(`${file.name}, ${sheet}`, data)
    },
  }
}

/** The rows of a sheet as a table; empty columns are left out. */
async function openSheet(name: string, data: readonly SheetRow[]): Promise<Table> {
  if (!data.some(isFilledRow)) throw new InputError('empty', `${name}: the sheet is empty.`)
  // The library recognizes the header as in a file of text.
  const bytes = new TextEncoder().encode(sheetText(data))
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
