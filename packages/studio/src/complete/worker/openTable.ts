/**
 * Opens a file as a table of the library, whatever its format. The table that was opened last stays open, with
 * its rows in memory, so that another choice of its columns does not read the file again.
 */
import { InputError } from 'lacuna'
import { cellText, kindByName, unpackedEnding } from 'lacuna/internal'
import { jsonTable, type Table, textTable } from 'lacuna/tables'
import { arrowTable } from './arrow.ts'
import { parquetTable } from './parquet.ts'
import { readBytes } from './readBytes.ts'
import { decodeForeignText, findForeignText } from './textEncoding.ts'
import { type BadRows, isWideHeader, type KeptTable, keepTable, type LastRead } from './understand/index.ts'
import { openWorkbook } from './xlsx.ts'

/** An open table. */
export interface OpenTable {
  table: KeptTable
  /** The lines that are no rows, once the table has been read. */
  badLines: BadRows
  /** Counts that were found while the table was read, by choice (readTable.ts). */
  counts: Map<string, number>
  /** The last read of the table (readTable.ts). */
  last: { read?: LastRead }
  /** Called with the bytes of the file that have been read; throws if the call was cancelled. */
  onRead(bytes: number): void
  /** The sheets of a workbook, and the one that is the table. */
  sheets?: { all: string[]; sheet: string }
  /** A word of a text that is not UTF-8, as it is read. */
  foreignText?: string
}

/** The most bad lines that are listed. */
const MOST_LISTED = 100
/** The most characters of a bad line that are shown. */
const MOST_TEXT = 80
/** The most bytes that the columns of an Arrow file may unpack to. */
const MOST_UNPACKED = 2 ** 31

/** Whether a file is a workbook, by its name. */
export const isWorkbook = (name: string): boolean => /\.(xlsx|xlsm)$/i.test(name)

/** The table that was opened last. Module state, since files come to the worker as new objects in every call. */
let last: { key: string; opened: OpenTable } | undefined

/** Opens the table of a file that was just chosen; it stays open until another one is. */
export async function openNewTable(file: File): Promise<OpenTable> {
  // A read of the table before may go on: it ends with the next bytes.
  if (last) last.opened.onRead = refuseBytes
  last = { key: keyOf(file), opened: await openTableAside(file) }
  return last.opened
}

/**
 * Returns the open table of a file, or opens it.
 * @param onRead called with the bytes read so far, if the file is read
 */
export async function openTable(file: File, onRead: (bytes: number) => void): Promise<OpenTable> {
  const opened = last?.key === keyOf(file) ? last.opened : await openNewTable(file)
  opened.onRead = onRead
  return opened
}

/**
 * Opens a table beside the open one, which stays: a test file may have its name, size and time, as files of two folders
 * can, and other content.
 * @param onRead called with the bytes read so far
 */
export async function openTableAside(
  file: File,
  onRead: (bytes: number) => void = () => {},
): Promise<OpenTable> {
  const opened = isWorkbook(file.name) ? await openSheet(file) : await openRows(file)
  opened.onRead = onRead
  return opened
}

/** What tells files apart that are read again: every call brings a new object. */
const keyOf = ({ name, size, lastModified }: File): string => JSON.stringify([name, size, lastModified])

/** Ends the read of a table that is no longer open. */
function refuseBytes(): void {
  throw new DOMException('Another file was opened.', 'AbortError')
}

/**
 * Opens a sheet of a workbook: the one whose name stands in brackets in the name of the file (nameSheet), else the
 * one with the most cells.
 */
async function openSheet(file: File): Promise<OpenTable> {
  const { sheets, open } = await openWorkbook(file)
  const [, named] = /\[([^[\]]*)\]\.\w+$/.exec(file.name) ?? []
  const largest = sheets.reduce((most, one) => (one.cells > most.cells ? one : most))
  const { name } = sheets.find((one) => one.name === named) ?? largest
  return {
    table: keepTable(await open(name)),
    badLines: { rows: 0, examples: [] },
    counts: new Map(),
    last: {},
    onRead() {},
    sheets: { all: sheets.map((one) => one.name), sheet: name },
  }
}

/** Opens a file of rows. */
async function openRows(file: File): Promise<OpenTable> {
  const badLines: BadRows = { rows: 0, examples: [] }
  let opened: OpenTable | undefined
  const foreignText = isText(file) ? await findForeignText(readBytes(file, () => {})) : undefined
  const read = (): AsyncGenerator<Uint8Array> => readBytes(file, (bytes) => opened?.onRead(bytes))
  const open = foreignText === undefined ? read : () => decodeForeignText(read())
  const table = await openSource(file, { name: file.name, open }, badLines)
  opened = { table: keepTable(table), badLines, counts: new Map(), last: {}, onRead() {}, foreignText }
  return opened
}

/** Whether a file of rows is text. */
function isText({ name }: File): boolean {
  const kind = kindByName(name)
  return kind !== 'parquet' && kind !== 'arrow'
}

/** Opens the table in a file, by its format. @param badLines receives the lines that are no rows, when they are read */
async function openSource(file: File, source: TextSource, badLines: BadRows): Promise<Table> {
  const { name } = file
  const kind = kindByName(name)
  if (kind === 'parquet') return parquetTable(file)
  if (kind === 'arrow') return arrowTable(file, MOST_UNPACKED)
  if (kind === 'json') return jsonTable([source])
  const decoder = new TextDecoder()
  const table = await openText(source, {
    ...(unpackedEnding(name) === 'tsv' && { delimiter: '\t' }),
    onBadLine(line: number, fields: number, bytes: Uint8Array): void {
      badLines.rows++
      if (badLines.examples.length < MOST_LISTED)
        badLines.examples.push({ line, fields, text: decoder.decode(bytes.slice(0, MOST_TEXT)).trim() })
    },
  })
  return {
    ...table,
    async *read(wanted, how) {
      badLines.rows = 0
      badLines.examples = []
      yield* table.read(wanted, how)
    },
  }
}

/** A file of text, as the library opens it. */
type TextSource = Parameters<typeof textTable>[0][number]

/**
 * Opens a table as text. Where it is not clear what a comma in numbers means, a point is taken as the decimal
 * sign, and the question is asked (understandTable.ts). Numbers in the first line are names of columns if they
 * are the labels of a wide table.
 */
async function openText(
  source: TextSource,
  options: NonNullable<Parameters<typeof textTable>[1]>,
): Promise<Table> {
  const open = async (more: typeof options): ReturnType<typeof textTable> => {
    try {
      return await textTable([source], { ...options, ...more })
    } catch (error) {
      if (!(error instanceof InputError) || error.code !== 'table' || more.decimal) throw error
      return textTable([source], { ...options, ...more, decimal: '.' })
    }
  }
  const table = await open({})
  if (table.dialect.header) return table
  const { columns, rowCount } = await table.sample()
  const first = columns.map((cells) => (cells instanceof Float64Array ? null : cellText(cells, 0)))
  return rowCount > 1 && isWideHeader(first) ? open({ header: true }) : table
}
