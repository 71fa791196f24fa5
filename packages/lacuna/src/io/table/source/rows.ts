/**
 * The border between those who deliver the rows of a table (text, JSON, Parquet, DuckDB) and those who decide
 * what the rows mean. Rows come in batches, column by column; text comes as the bytes of UTF-8, so that a
 * label which was seen before costs no string.
 */
import type { ColumnType } from '../../text/index.ts'

/** A column of a table. */
export interface TableColumn {
  /** Name of the column. */
  name: string
  /** Where whoever delivers the rows knows it; the type of text shows when all of it has been seen. */
  type?: ColumnType
  /** The text stands in quotes where others do not: what looks like a number may be meant as text. */
  quoted?: boolean
  /** It is none of the table's own, but was computed by SQL that the user typed. */
  computed?: boolean
}

/**
 * The cells of a column as text: that of a row is bytes [starts[row], ends[row]); where that is backwards,
 * there is none.
 */
export interface Texts {
  bytes: Uint8Array
  starts: Int32Array
  ends: Int32Array
  /** Where the numbers among them can be read all at once, and what was seen before looked up. */
  numbers?: CellNumbers
  /**
   * The texts, where they were asked for by number: that of each row among the distinct ones. There are no
   * bytes then.
   */
  dictionary?: { codes: Uint32Array; texts: readonly string[] }
}

/** What is found out of all cells of a column at once. */
export interface CellNumbers {
  /** How many cells there are none of. */
  empty(rowCount: number): number
  /**
   * Decimal numbers as float32, blanks around them left out; NaN or infinite for whatever else, and how many
   * of these there are.
   */
  decimals(rowCount: number, values: Float64Array): number
  /**
   * Times, as cells of a grid (bins.ts), NaN for whatever is no time or not written plainly; how many of
   * these there are, and how many Unix times.
   */
  gridTimes(
    rowCount: number,
    origin: number,
    unit: number,
    cells: Float64Array,
  ): { others: number; numbers: number }
  /**
   * Where it can be remembered which numbers `coder` gives to values; it may be that there is no room for
   * another one.
   */
  codesOf(coder: object): KnownCodes | undefined
}

/** In place of a code: it is not known. */
export const MISSING: number = 2 ** 32 - 1

/** The numbers that were given to values of a column, by which rows that are valid are coded all at once. */
export interface KnownCodes {
  /** How many small whole numbers are known, all of which can be. */
  readonly numbers: number
  /**
   * How many are MISSING. Before the first of these, small whole numbers that are not known get codes from
   * `next` on, if that is said, and are `fresh`.
   */
  lookUp(
    rowCount: number,
    valid: Uint8Array,
    codes: Uint32Array,
    next?: number,
  ): { missing: number; fresh: Uint32Array }
  /** From now on the text of that row is known, if there is room for it. */
  remember(row: number, code: number): void
  /** The same for cells of a grid. */
  lookUpCells(rowCount: number, cells: Float64Array, valid: Uint8Array, codes: Uint32Array): number
  rememberCell(cell: number, code: number): void
}

/**
 * Numbers, NaN where there is none: days since 1970 of a DATE, microseconds of a TIMESTAMP, 0 or 1 of a
 * BOOLEAN.
 */
export type Cells = Texts | Float64Array

/** Rows of a table that are read together, column by column. */
export interface Batch {
  /** Rows in the batch. */
  rowCount: number
  /** One for each column asked for. */
  columns: readonly Cells[]
  /** The file that these rows stand in. */
  file: string
  /**
   * For each row, the line of the file on which it begins, from 1; or its number, where there are no lines.
   */
  lines: Uint32Array
  /** If they were asked for: each row as a JSON object, as it stood. */
  records?: readonly string[]
}

/** A column to read. */
export interface Wanted {
  /** By its place among the table's columns. */
  column: number
  /** As text, even if it is known to be a number. */
  asText?: boolean
  /** If it is text, its distinct texts are all that matters: they may come as a dictionary. */
  coded?: boolean
}

/** Who delivers the rows of a table. */
export interface Table {
  /** As messages name it. */
  readonly name: string
  /** The columns, in order. */
  readonly columns: readonly TableColumn[]
  /** What `lines` counts. */
  readonly unit: 'line' | 'row'
  /** What stands before the fraction of a number; a point, if it is not said. */
  readonly decimal?: ',' | '.'
  /** Something about the table was guessed that changes what its numbers are. */
  readonly guesses?: readonly string[]
  /** All columns of the first rows, some thousands. */
  sample(): Promise<Batch>
  /** The first time in a column, in microseconds, where there is a faster way than to read all rows. */
  earliest?(column: number): Promise<number | undefined>
  /** All rows, in their order. A batch is good until the next one is asked for. */
  read(wanted: readonly Wanted[], options?: { records?: boolean }): AsyncIterable<Batch>
}

/** The columns that the table has by itself. */
export const ownColumns = ({ columns }: Table): TableColumn[] => columns.filter(({ computed }) => !computed)

export const placeOf = ({ file, lines }: Batch, row: number, unit: Table['unit']): string =>
  `${file}, ${unit} ${lines[row]}`

export const columnList = (columns: readonly { name: string }[]): string => {
  const names = columns.map(({ name }) => name)
  return names.length > 50
    ? `${names.slice(0, 50).join(', ')} and ${names.length - 50} more`
    : names.join(', ')
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The text of a cell, or null where there is none. */
export function cellText(cells: Texts, row: number): string | null {
  const { bytes, starts, ends } = cells
  return ends[row] < starts[row] ? null : decoder.decode(bytes.subarray(starts[row], ends[row]))
}

/** Texts as cells, with a byte 0 behind each: a number is known to end where no digit follows. */
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

/** Names that differ, whatever their case, as SQL wants them: a repeated one gets _1, _2 … */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  const tried = new Map<string, number>() // so that a million columns of one name are not a million squared
  return names.map((name) => {
    const free = freeName(name, taken, tried)
    taken.add(free.toLowerCase())
    return free
  })
}

/** The name, or name_1, name_2 …: the first that is not taken. The taken ones are in lower case. */
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
