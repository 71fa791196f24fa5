/**
 * Tables as JSON: an array of objects, or objects one after the other, on lines of their own or not. Objects
 * are found by their braces and parsed one at a time, so that a file may be larger than a string can be.
 */
import { InputError } from '../../../base/inputError.ts'
import { MAX_JSON_DEPTH } from '../../../base/jsonShape.ts'
import { byteOrderMarkLength, notUtf8 } from '../../text/index.ts'
import { readHead, type TextFile } from './csv.ts'
import { type Batch, cellsOf, checkColumnCount, type Table, type TableColumn, type Wanted } from './rows.ts'

/** Bytes of the head, whose rows give the columns. */
const SAMPLE_BYTES = 2 ** 20
/** The most cells of the sample, empty ones included, unless its first row has more. */
const SAMPLE_CELLS = 2 ** 20
/** The most bytes of an object: without a limit, a brace that is never closed would hold the whole file. */
const LONGEST_ROW = 2 ** 26
/** The most rows of a batch. */
const BATCH_ROWS = 2 ** 13
const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, LF] = [34, 92, 123, 125, 91, 93, 44, 10]

/** A JSON object. */
type Row = Record<string, unknown>

/**
 * Opens files of JSON objects as one table. Its columns are the properties in the first file's first 1 MiB.
 * Throws if there are none.
 */
export async function jsonTable(files: readonly TextFile[], options: { name?: string } = {}): Promise<Table> {
  const [first] = files
  const head = await readHead(first, SAMPLE_BYTES)
  if (head.length === 0) throw new InputError('empty', `${first.name}: the file is empty.`)
  const isWhole = head.length < SAMPLE_BYTES
  const columns = new Map<string, TableColumn>()
  const parser = new JsonParser(first.name)
  const rows = parser.push(head)
  if (isWhole) parser.finish()
  for (const { row } of rows)
    for (const name of Object.keys(row)) if (!columns.has(name)) columns.set(name, { name })
  const list = [...columns.values()]
  if (rows.length === 0 && !isWhole)
    throw new InputError(
      'table',
      `${first.name}: there is no whole object in the first ${SAMPLE_BYTES} bytes; split the objects, or mend the file.`,
    )
  checkColumnCount(list.length, first.name)
  if (list.length === 0)
    throw new InputError(
      'table',
      `${first.name}: there are no rows; give an array of objects, or an object on each line.`,
    )
  const all = list.map((_, column) => ({ column }))
  // If every object has names of its own, the cells of the whole sample would be too many.
  const sampleRows = rows.slice(0, Math.max(1, Math.floor(SAMPLE_CELLS / list.length)))
  const sample = batchOf(sampleRows, first.name, list, all, false)

  /** Yields the rows of one file in batches. */
  async function* readFile(
    { name, open }: TextFile,
    wanted: readonly Wanted[],
    records: boolean,
  ): AsyncGenerator<Batch> {
    const parser = new JsonParser(name)
    for await (const piece of open()) {
      const rows = parser.push(piece)
      for (let at = 0; at < rows.length; at += BATCH_ROWS)
        yield batchOf(rows.slice(at, at + BATCH_ROWS), name, list, wanted, records)
    }
    parser.finish()
  }

  return {
    name: options.name ?? (files.length > 1 ? `${first.name} and ${files.length - 1} more` : first.name),
    unit: 'line',
    columns: list,
    sample: async () => sample,
    async *read(wanted, { records = false } = {}) {
      for (const file of files) yield* readFile(file, wanted, records)
    },
  }
}

/** An object of a file, parsed. */
interface ParsedRow {
  row: Row
  /** The line on which the object begins, from 1. */
  line: number
  /** The object as it stands in the file. */
  text: string
}

/**
 * Objects as a batch of the wanted columns. A column becomes `quoted` with its first string, wherever that is:
 * which row or file comes first does not matter.
 * @param records whether the batch also has the objects' texts
 */
function batchOf(
  rows: readonly ParsedRow[],
  file: string,
  columns: readonly TableColumn[],
  wanted: readonly Wanted[],
  records: boolean,
): Batch {
  return {
    rowCount: rows.length,
    columns: wanted.map(({ column }) => {
      const { name } = columns[column]
      const values = rows.map(({ row }) => (Object.hasOwn(row, name) ? row[name] : null))
      if (values.some((value) => typeof value === 'string' && !isLongNumber(value)))
        columns[column].quoted = true
      return cellsOf(values.map(textOfProperty))
    }),
    file,
    lines: Uint32Array.from(rows, ({ line }) => line),
    records: records ? rows.map(({ text }) => text) : undefined,
  }
}

/** A property as the text of a cell: strings as they are, all else as JSON; null where there is none. */
function textOfProperty(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return isLongNumber(value) ? value.slice(1) : value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Matches strings and numbers of a JSON text, each as a whole. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
/**
 * Matches a whole number that a double may not hold. Such a number becomes a string that begins with NUL,
 * which no text of a table does.
 */
const LONG_NUMBER = /^-?\d{16,}$/
/** Whether a string of a parsed object stands for a long whole number: it begins with NUL. */
const isLongNumber = (text: string): boolean => text.charCodeAt(0) === 0
/** Replaces whole numbers of 16 or more digits in a JSON text by strings that begin with NUL. */
const withLongNumbers = (text: string): string =>
  /\d{16}/.test(text)
    ? text.replace(STRING_OR_NUMBER, (found) => (LONG_NUMBER.test(found) ? `"\\u0000${found}"` : found))
    : text

/** Parses the objects in bytes that come in pieces; the unfinished last object waits for the next piece. */
class JsonParser {
  readonly #name: string
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #rest = new Uint8Array(0)
  #line = 1
  #started = false
  /** The state of the array around the objects. */
  #list: 'none' | 'open' | 'closed' = 'none'
  /** The token that must come next in the array. */
  #expects: 'object' | 'comma' = 'object'

  constructor(name: string) {
    this.#name = name
  }

  /** Parses a piece; returns the objects that are whole. */
  push(piece: Uint8Array): ParsedRow[] {
    const bytes = new Uint8Array(this.#rest.length + piece.length)
    bytes.set(this.#rest)
    bytes.set(piece, this.#rest.length)
    const rows: ParsedRow[] = []
    let at = 0
    if (!this.#started) {
      if (bytes[0] === 0xef && bytes.length < 3) {
        this.#rest = bytes
        return rows
      }
      this.#started = true
      at = byteOrderMarkLength(bytes)
    }
    while (at < bytes.length) {
      const c = bytes[at]
      if (c === OPEN && this.#expects === 'object' && this.#list !== 'closed') {
        const end = objectEnd(bytes, at)
        if (end === TOO_DEEP) throw this.#fault(`an object has more than ${MAX_JSON_DEPTH} levels`)
        if (end < 0) break
        rows.push(this.#parse(bytes, at, end))
        at = end
        if (this.#list === 'open') this.#expects = 'comma'
        continue
      }
      if (c === LF) this.#line++
      else if (c === OPEN_LIST && this.#list === 'none' && rows.length === 0) this.#list = 'open'
      else if (c === COMMA && this.#expects === 'comma') this.#expects = 'object'
      else if (c === CLOSE_LIST && this.#list === 'open') {
        this.#list = 'closed'
        this.#expects = 'object'
      } else if (c > 32)
        throw this.#fault(`there is ${describeByte(bytes, at)} where an object should begin or the file end`)
      at++
    }
    this.#rest = bytes.slice(at)
    if (this.#rest.length > LONGEST_ROW) throw this.#fault('an object has no end')
    return rows
  }

  /** Throws if the text ends within an object or array. */
  finish(): void {
    if (this.#rest.length > 0) throw this.#fault('it ends within an object')
    if (this.#list === 'open') throw this.#fault('it ends within an array')
  }

  /** Parses the object in bytes [start, end), and counts its lines. */
  #parse(bytes: Uint8Array, start: number, end: number): ParsedRow {
    const line = this.#line
    try {
      const text = this.#decoder.decode(bytes.subarray(start, end))
      const row: Row = JSON.parse(withLongNumbers(text))
      for (let at = start; at < end; at++) if (bytes[at] === LF) this.#line++
      return { row, line, text }
    } catch (error) {
      if (error instanceof TypeError)
        throw new InputError('format', notUtf8(this.#name, `${this.#name}, line ${line}`))
      throw this.#fault(error instanceof Error ? error.message : String(error))
    }
  }

  /** An error with the file and line. @param fault its first line, at most 200 characters, is shown */
  #fault(fault: string): InputError {
    const plain = fault.split('\n')[0].slice(0, 200)
    return new InputError(
      'format',
      `${this.#name}, line ${this.#line}: the JSON is not well-formed (${plain}); mend the file.`,
    )
  }
}

/** The result in place of a position if an object is nested deeper than MAX_JSON_DEPTH. */
const TOO_DEEP = -2

/**
 * The position behind the brace that closes the one at `start`; -1 if the object is not complete, or TOO_DEEP.
 */
function objectEnd(bytes: Uint8Array, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const c = bytes[at]
    if (c === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
    } else if (c === OPEN || c === OPEN_LIST) {
      if (++depth > MAX_JSON_DEPTH) return TOO_DEEP
    } else if (c === CLOSE || c === CLOSE_LIST) {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return -1
}

/** The byte at a position, for messages: as a character if it is a visible one of ASCII. */
const describeByte = (bytes: Uint8Array, at: number): string =>
  bytes[at] > 32 && bytes[at] < 127 ? `"${String.fromCharCode(bytes[at])}"` : `the byte ${bytes[at]}`
