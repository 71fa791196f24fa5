/**
 * Workbooks (.xlsx) by read-excel-file. A sheet becomes CSV text, so that it is read like any other table: a row of
 * the sheet is a line of the text, dates are ISO 8601.
 */
import { unzipSync } from 'fflate'
import { InputError, option, type Sentence, sentence } from '../../base/inputError.ts'
import { formatBytes } from '../../base/memory.ts'
import { explainMissingPackage } from '../../base/missingPackage.ts'
import { isFilledRow, sheetText } from '../table/index.ts'
import { abbreviate, oneLine } from '../text/index.ts'
import { reasonOf } from './reason.ts'

/** The most cells of the rectangle that a sheet's cells lie in, empty ones included. */
const MAX_CELLS = 2 ** 26

/** A sheet as text. */
export interface SheetText {
  /** The CSV text. */
  bytes: Uint8Array
  /** A sentence about the choice of the sheet, if there are several with cells; to go after the file's name. */
  guess?: Sentence
}

/**
 * Reads a sheet of a workbook as CSV text. Throws if the workbook is damaged, unpacks to more than `maxBytes`, or
 * has no such sheet.
 * @param wanted the name of the sheet, or its number from 1; by default the first one that is not empty
 */
export async function sheetAsText(
  bytes: Uint8Array,
  name: string,
  maxBytes: number,
  wanted?: string,
): Promise<SheetText> {
  const { default: readSheets } = await import('read-excel-file/universal').catch(
    explainMissingPackage('read-excel-file', 'Reading .xlsx'),
  )
  checkWorkbook(bytes, name, maxBytes)
  const found = await readSheets(bytes.slice().buffer).catch((error: unknown) => {
    throw damagedWorkbook(name, error)
  })
  // Damaged workbooks have sheets without rows, and rows without cells.
  const sheets = found.map(({ sheet, data }) => ({ sheet, data: Array.from(data ?? [], (row) => row ?? []) }))
  const filled = sheets.filter(({ data }) => data.some(isFilledRow))
  const named = wanted === undefined ? undefined : sheets.find(({ sheet }) => sheet === wanted)
  const numbered = wanted !== undefined && /^\d+$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined
  const chosen = wanted === undefined ? filled[0] : (named ?? numbered)
  const names = sheets.map(({ sheet }) => abbreviate(oneLine(sheet))).join(', ')
  if (!chosen && wanted !== undefined)
    throw new InputError(
      'option',
      `${name}: there is no sheet ${abbreviate(oneLine(wanted))}; there are ${names}.`,
    )
  if (!chosen || !filled.includes(chosen)) throw new InputError('empty', `${name}: the sheet is empty.`)
  return {
    bytes: new TextEncoder().encode(sheetText(chosen.data)),
    guess:
      wanted === undefined && filled.length > 1
        ? sentence`takes the sheet ${abbreviate(oneLine(chosen.sheet))} of ${names}; say ${option('sheet')} for another.`
        : undefined,
  }
}

/** The error for a workbook that cannot be read. */
function damagedWorkbook(name: string, error: unknown): InputError {
  return new InputError(
    'format',
    `${name}: this is not a whole .xlsx workbook${reasonOf(error)}; save it again.`,
    {
      cause: error,
    },
  )
}

/**
 * Throws if a workbook declares more bytes than the limit, or if the cells of a sheet span a rectangle of more than
 * MAX_CELLS: the reader makes an array of all of it.
 */
function checkWorkbook(bytes: Uint8Array, name: string, maxBytes: number): void {
  let unpacked = 0
  let sheets: Record<string, Uint8Array>
  try {
    unzipSync(bytes, {
      filter({ originalSize }) {
        unpacked += originalSize
        return false
      },
    })
    if (unpacked > maxBytes)
      throw new InputError(
        'memory',
        `${name}: the workbook unpacks to ${formatBytes(unpacked)}, more than the ${formatBytes(maxBytes)} that fit in memory here; save the sheet as CSV.`,
      )
    sheets = unzipSync(bytes, { filter: (member) => /^xl\/worksheets\/[^/]*\.xml$/.test(member.name) })
  } catch (error) {
    if (error instanceof InputError) throw error
    throw damagedWorkbook(name, error)
  }
  for (const sheet of Object.values(sheets)) {
    const { rows, columns } = extentOf(sheet)
    if (rows * columns > MAX_CELLS)
      throw new InputError(
        'memory',
        `${name}: the cells of a sheet span ${rows} rows and ${columns} columns, too many to read; delete those that are far away, or save the sheet as CSV.`,
      )
  }
}

/** The rows and columns that the cells of a sheet span, by their references such as AB12, wherever they stand. */
function extentOf(sheet: Uint8Array): { rows: number; columns: number } {
  const decoder = new TextDecoder('latin1')
  let [rows, columns] = [0, 0]
  const STEP = 2 ** 20
  const OVERLAP = 64 // a reference may lie across a border
  for (let at = 0; at < sheet.length; at += STEP) {
    const text = decoder.decode(sheet.subarray(at, at + STEP + OVERLAP))
    for (const [, letters, digits] of text.matchAll(/["':]\$?([A-Za-z]{1,3})\$?(\d{1,10})["':]/g)) {
      let column = 0
      for (const letter of letters.toUpperCase()) column = 26 * column + letter.charCodeAt(0) - 64
      columns = Math.max(columns, column)
      rows = Math.max(rows, Number(digits))
    }
    for (const [, digits] of text.matchAll(/<row[^>]*\br=["'](\d{1,10})["']/g))
      rows = Math.max(rows, Number(digits))
  }
  return { rows, columns }
}
