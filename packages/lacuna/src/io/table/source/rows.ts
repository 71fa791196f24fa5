/**
 * The interface between sources of rows (text, JSON, Parquet, DuckDB) and their readers (tensors, queries).
 * Rows come in batches, column by column; text comes as bytes of UTF-8, so that a repeated label costs no
 * string.
 */

import { InputError, type Sentence } from '../../../base/inputError.ts'
import type { ColumnType } from '../../../labels/index.ts'
import { textOfBytes } from '../../text/index.ts'
import type { NumberStyle } from './numberStyle.ts'
import type { TextForm } from './textForm.ts'

/** A column of a table. */
export interface TableColumn {
  /** Name of the column. */
  name: string
  /** The type, where the source knows it; that of text is found when all of it has been read. */
  type?: ColumnType
  /** Whether this column's text is in quotes and others' is not: numbers in quotes may be meant as text. */
  quoted?: boolean
  /** Whether the column is not the table's own, but computed by SQL that the user typed. */
  computed?: boolean
}

/**
 * The cells of a column as text: bytes [starts[row], ends[row]) for a row; empty if ends[row] < starts[row].
 */
export interface Texts {
  bytes: Uint8Array
  starts: Int32Array
  ends: Int32Array
  /** Operations of the kernel on the whole column, where its cells lie in the kernel's memory. */
  reader?: FieldReader
  /** The distinct texts and the code of each row, instead of bytes, if the column was asked for as coded. */
  dictionary?: { codes: Uint32Array; texts: readonly string[] }
}

/** Operations of the wasm kernel on the cells of a column, in the rows 0 … rowCount − 1 of a batch. */
export interface FieldReader {
  /** The number of empty cells. */
  empty(rowCount: number): number
  /**
   * Reads decimal numbers as float32 into `values`, without the blanks around them; NaN or infinite for all
   * other cells.
   * @returns the number of other cells
   */
  decimals(rowCount: number, values: Float64Array): number
  /**
   * Reads times into `cells` as cells of a grid (bins.ts); NaN for what is no time or not written plainly.
   * @param origin the time at which grid cell 0 begins, in microseconds since 1970
   * @param unit microseconds per grid cell
   * @returns the number of NaN, and the number of Unix times
   */
  gridTimes(
    rowCount: number,
    origin: number,
    unit: number,
    cells: Float64Array,
  ): { others: number; unixTimes: number }
  /**
   * The cache of the codes that `coder` has given, applied to the cells of this column. Made on first use;
   * undefined if all caches are taken.
   */
  cacheOf(coder: object): CodeCache | undefined
}

/** Whole numbers below this are small: their codes are looked up in an array, those of others by a hash. */
export const SMALL_LIMIT: number = 2 ** 22

/** The code of a label that the cache does not have. */
export const MISSING: number = 2 ** 32 - 1

/** The kernel's cache of the codes of a column's values, by which all valid rows are encoded at once. */
export interface CodeCache {
  /** The number of small whole numbers in the cache, which has room for all of them. */
  readonly numberCount: number
  /**
   * Encodes the valid rows into `codes`, MISSING for texts that are not in the cache. Before the first text
   * that is not in the cache, new small whole numbers get the codes from `next` on.
   * @returns the number of codes that are MISSING, and the new numbers in the order of their codes
   */
  lookUp(
    rowCount: number,
    valid: Uint8Array,
    codes: Uint32Array,
    next?: number,
  ): { missing: number; fresh: Uint32Array }
  /** Adds the text of a row and its code to the cache, if there is room for it. */
  remember(row: number, code: number): void
  /** Encodes the grid cells of valid rows into `codes`; returns the number of codes that are MISSING. */
  lookUpCells(rowCount: number, cells: Float64Array, valid: Uint8Array, codes: Uint32Array): number
  /** Adds the code of a grid cell to the cache, unless the cell is negative or beyond SMALL_LIMIT. */
  rememberCell(cell: number, code: number): void
}

/**
 * The cells of a column: text, or numbers, NaN where a cell is empty. A DATE is its days since 1970, a
 * TIMESTAMP its microseconds, a BOOLEAN 0 or 1.
 */
export type Cells = Texts | Float64Array

/** Rows of a table that are read together, column by column. */
export interface Batch {
  /** Rows in the batch. */
  rowCount: number
  /** One per wanted column. */
  columns: readonly Cells[]
  /** The file of these rows. */
  file: string
  /** Per row, the line of the file on which it begins, from 1; or its number, where a file has no lines. */
  lines: Uint32Array
  /** Each row as a JSON object, as it stands in the file; on request. */
  records?: readonly string[]
}

/** A column to read. */
export interface Wanted {
  /** Position among the table's columns. */
  column: number
  /** Whether the column is wanted as text even if it is known to be numbers. */
  asText?: boolean
  /** Whether text may come as a dictionary, because only distinct texts matter. */
  coded?: boolean
}

/** A source of rows. */
export interface Table extends NumberStyle {
  /** The name that messages use. */
  readonly name: string
  /** The columns, in order. */
  readonly columns: readonly TableColumn[]
  /** The unit of `lines` in messages. */
  readonly unit: 'line' | 'row'
  /** Sentences about guesses that change what the numbers of the table are. */
  readonly guesses?: readonly (string | Sentence)[]
  /** The form of a table as text, in which it is written back; undefined for other sources. */
  readonly form?: TextForm
  /** Reads all columns of the first rows, some thousands. */
  sample(): Promise<Batch>
  /**
   * The first time in a column, in microseconds since 1970; only where that is faster than reading all rows.
   */
  earliest?(column: number): Promise<number | undefined>
  /** Reads all rows in order. A batch is overwritten by the next one. */
  read(wanted: readonly Wanted[], options?: { records?: boolean }): AsyncIterable<Batch>
}

/** The columns of a table without those that SQL computes. */
export const ownColumns = ({ columns }: Table): TableColumn[] => columns.filter(({ computed }) => !computed)

/** The file and line of a row, as messages name it. */
export const locateRow = ({ file, lines }: Batch, row: number, unit: Table['unit']): string =>
  `${file}, ${unit} ${lines[row]}`

/** The most columns of a table as text or JSON: more are taken for a damaged file. */
export const MAX_COLUMNS = 65_536

/** Throws if a table has more than MAX_COLUMNS columns. @param name the file, as messages call it */
export function checkColumnCount(count: number, name: string): void {
  if (count > MAX_COLUMNS)
    throw new InputError(
      'table',
      `${name}: there are more than ${MAX_COLUMNS} columns; exchange rows and columns, or give a dense array as .npy.`,
    )
}

/** The names of columns, separated by commas, for messages: at most 50 of them. */
export const columnList = (columns: readonly { name: string }[]): string => {
  const names = columns.map(({ name }) => name)
  return names.length > 50
    ? `${names.slice(0, 50).join(', ')} and ${names.length - 50} more`
    : names.join(', ')
}

/** The text of a row's cell; null where it is empty. */
export function cellText(cells: Texts, row: number): string | null {
  const { bytes, starts, ends } = cells
  return ends[row] < starts[row] ? null : textOfBytes(bytes, starts[row], ends[row])
}

/** Texts as the cells of a column, null as empty ones. A byte 0 follows each, which ends a number. */
export function cellsOf(texts: readonly (string | null)[]): Texts {
  const encoder = new TextEncoder()
  const starts = new Int32Array(texts.length)
  const ends = new Int32Array(texts.length)
  let bytes = new Uint8Array(16 * texts.length + 64)
  let at = 0
  texts.forEach((text, row) => {
    starts[row] = at
    ends[row] = at - 1
    if (text === null) return
    if (at + 3 * text.length + 1 > bytes.length) {
      const larger = new Uint8Array(2 * (at + 3 * text.length + 1))
      larger.set(bytes.subarray(0, at))
      bytes = larger
    }
    at += encoder.encodeInto(text, bytes.subarray(at)).written
    ends[row] = at++
  })
  return { bytes, starts, ends }
}

/** Makes names distinct, regardless of case, as SQL requires: a repeated one gets _1, _2 … */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  const tried = new Map<string, number>() // so that a million columns of one name are not a million squared
  return names.map((name) => {
    const free = freeName(name, taken, tried)
    taken.add(free.toLowerCase())
    return free
  })
}

/**
 * Receives a line that is no row, and is left out: its number, the number of its fields (0 if a quoted field is
 * followed by other text), and its bytes.
 */
export type OnBadLine = (line: number, fields: number, bytes: Uint8Array) => void

/**
 * The first of name, name_1, name_2 … that is not taken.
 * @param taken names in lower case
 * @param tried per name, the number tried last; makes repeated calls fast
 */
export function freeName(
  name: string,
  taken: ReadonlySet<string>,
  tried = new Map<string, number>(),
): string {
  const lower = name.toLowerCase()
  if (!taken.has(lower)) return name
  let n = (tried.get(lower) ?? 0) + 1
  while (taken.has(`${lower}_${n}`)) n++
  tried.set(lower, n)
  return `${name}_${n}`
}
