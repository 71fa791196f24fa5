/**
 * Recognizes how the text of a table is written by its first lines: the delimiter, whether there is a header,
 * which columns are quoted, and the decimal separator.
 */

import { InputError, option, sentence } from '../../../base/inputError.ts'
import { isTemporal, typeOfTexts } from '../../../labels/index.ts'
import { isMissingMark } from './cells.ts'
import type { Thousands } from './numberStyle.ts'
import { checkColumnCount, MAX_COLUMNS, uniqueNames } from './rows.ts'

/** How the text of a table is written. */
export interface Dialect {
  /** The text between two fields. */
  delimiter: string
  /** The first line holds the names of the columns. */
  header: boolean
  /** Names of the columns. */
  names: readonly string[]
  /** Per column, whether its fields are in quotes; empty unless some columns are and some are not. */
  quoted: readonly boolean[]
  /** Whether "" is an empty text, not a missing cell: where some fields are in quotes and some are not. */
  keepsEmpty: boolean
  /** The decimal separator. */
  decimal: ',' | '.'
  /** The separator between groups of three digits, if it was given. */
  thousands?: Thousands
}

/** A dialect that was recognized by the beginning of a text. */
export interface SniffedDialect extends Dialect {
  /** Per column, whether its fields are in quotes, as far as that text shows it. */
  quotes: readonly QuoteUse[]
  /** Whether there is a header, and all names in it are in quotes. */
  quotesNames: boolean
  /** Whether that text has fields in quotes, and fields that are filled and not in quotes. */
  has: { quoted: boolean; plain: boolean }
}

/** Properties of a dialect that are given and not recognized. */
export interface DialectOptions {
  /** The text between two fields; recognized by default. */
  delimiter?: string
  /** Whether the first line holds the names of the columns; recognized by default. */
  header?: boolean
  /** The decimal separator; recognized by default. */
  decimal?: ',' | '.'
  /** The separator between groups of three digits; none by default. */
  thousands?: Thousands
}

/** Delimiters that are recognized; of those that fit alike, the first is taken; if none fits, the last. */
const DELIMITERS = ['::', '\t', ';', '|', ','] as const
/** The most rows by which a dialect is recognized. */
const COMPARED_LINES = 100

/**
 * Recognizes the dialect of a text by its beginning. Throws if it is not clear whether commas are decimal, or
 * if there are more than MAX_COLUMNS columns.
 * @param name the file, as messages call it
 * @param given properties of the dialect that are not to be recognized
 */
export function sniffDialect(start: string, name: string, given: DialectOptions = {}): SniffedDialect {
  const { delimiter, rows } =
    given.delimiter === undefined
      ? likeliestDelimiter(start)
      : { delimiter: given.delimiter, rows: firstRows(start, given.delimiter, COMPARED_LINES) }
  const [first, second] = rows
  checkColumnCount(first.length, name)
  refusePreamble(start, rows, name)
  const header = given.header ?? isHeader(first, second)
  const body = header ? rows.slice(1) : rows
  const quotes = first.map((_, column) => quotesOf(body.flatMap((row) => row[column] ?? [])))
  const fields = body.flat()
  const has = { quoted: fields.some(({ quoted }) => quoted), plain: fields.some(isPlain) }
  return {
    delimiter,
    header,
    names: headerNames(first, header),
    quotesNames: header && first.every(({ quoted }) => quoted),
    quotes,
    has,
    quoted: quotedColumns(quotes),
    keepsEmpty: has.quoted && has.plain,
    decimal: given.decimal ?? decimalBeside(given.thousands) ?? sniffDecimal(body, delimiter, name),
    ...(given.thousands !== undefined && { thousands: given.thousands }),
  }
}

/** Rows below the first one in which the names of the columns are looked for. */
const PREAMBLE_ROWS = 10

/**
 * Throws if there are lines above the names of the columns, as spreadsheets write them: Excel's line sep=;, or a
 * title, which is alone in its row.
 */
function refusePreamble(start: string, rows: readonly Field[][], name: string): void {
  const [separator] = /^\ufeff?sep=./i.exec(start) ?? []
  if (separator !== undefined)
    throw new InputError(
      'table',
      `${name}: the first line, ${separator.trim()}, is for Excel and no part of the table; delete it.`,
    )
  const filled = (row: readonly Field[]): number => row.filter(({ text }) => text.trim() !== '').length
  const [first, ...others] = rows
  if (first.length < 3 || filled(first) > 1) return
  const isName = ({ text }: Field): boolean => text.trim() !== '' && Number.isNaN(Number(text))
  const names = others.slice(0, PREAMBLE_ROWS).find((row) => row.length === first.length && row.every(isName))
  if (names)
    throw new InputError(
      'table',
      `${name}: the first line has one field of ${first.length}, and the names of the columns seem to be ${names.map(({ text }) => text.trim()).join(', ')}, below it; delete the lines above these.`,
    )
}

/** The decimal separator that a thousands separator leaves; undefined if both are possible. */
const decimalBeside = (thousands: Thousands | undefined): ',' | '.' | undefined =>
  thousands === ',' ? '.' : thousands === '.' ? ',' : undefined

/** Whether the fields of a column are in quotes; undefined where all are empty or marks of missing values. */
type QuoteUse = boolean | undefined

/** Whether the fields are in quotes: false as soon as one that is neither empty nor a mark is not. */
function quotesOf(fields: readonly Field[]): QuoteUse {
  if (fields.some(isPlain)) return false
  return fields.some(({ quoted }) => quoted) ? true : undefined
}

/** Whether a field is not in quotes, and neither empty nor a mark of a missing value. */
const isPlain = ({ text, quoted }: Field): boolean => !quoted && text.trim() !== '' && !isMissingMark(text)

/** Per column, whether its fields are in quotes; empty unless some columns are and some are not. */
const quotedColumns = (quotes: readonly QuoteUse[]): boolean[] =>
  quotes.includes(true) && quotes.includes(false) ? quotes.map((use) => use === true) : []

/** The dialect of several files with the same columns: one is quoted if it is in each file that shows it. */
export function combineDialects(first: SniffedDialect, other: SniffedDialect): SniffedDialect {
  const quotes = first.quotes.map((use, column) => {
    const uses = [use, other.quotes[column]]
    return uses.includes(false) ? false : uses.includes(true) ? true : undefined
  })
  const has = {
    quoted: first.has.quoted || other.has.quoted,
    plain: first.has.plain || other.has.plain,
  }
  return { ...first, quotes, has, quoted: quotedColumns(quotes), keepsEmpty: has.quoted && has.plain }
}

/** A field of a row, without the quotes around it. */
interface Field {
  text: string
  quoted: boolean
}

/**
 * The delimiter that splits all of the first lines into the same number of fields, two or more; else the one
 * that splits the first line into most; and the lines, split by it.
 */
function likeliestDelimiter(start: string): { delimiter: string; rows: Field[][] } {
  const cuts = DELIMITERS.map((delimiter) => ({
    delimiter,
    rows: firstRows(start, delimiter, COMPARED_LINES),
  }))
  const even = cuts.find(({ rows: [first, ...others] }) => {
    return first.length > 1 && others.every(({ length }) => length === first.length)
  })
  if (even) return even
  const most = Math.max(...cuts.map(({ rows }) => rows[0].length))
  return most > 1 ? cuts.find(({ rows }) => rows[0].length === most)! : cuts.at(-1)!
}

/**
 * Splits at most `limit` whole, not blank rows into fields; quotes may hold delimiters and newlines. Of a row
 * of more than MAX_COLUMNS fields, the rest is skipped.
 */
function firstRows(text: string, delimiter: string, limit: number): Field[][] {
  const rows: Field[][] = []
  let at = 0
  let lineEnd = -1
  while (at < text.length && rows.length < limit) {
    const row: Field[] = []
    for (;;) {
      const quoted = text[at] === '"' ? /"((?:[^"]|"")*)"/y : undefined
      if (quoted) quoted.lastIndex = at
      const found = quoted?.exec(text) ?? undefined
      const start = at
      if (found) at += found[0].length
      // Looked for once in a line, which may have very many fields.
      if (lineEnd < at) lineEnd = endOfLine(text, at)
      if (!found) {
        const end = text.indexOf(delimiter, at)
        at = end < 0 || end > lineEnd ? lineEnd : end
      }
      row.push({ text: found ? found[1].replaceAll('""', '"') : text.slice(start, at), quoted: !!found })
      if (!text.startsWith(delimiter, at) || row.length > MAX_COLUMNS) break
      at += delimiter.length
    }
    // Text behind a closing quote is skipped here; the parser reports it as an error.
    at = Math.max(at, lineEnd)
    const cut = at >= text.length && rows.length > 0
    while (text[at] === '\n' || text[at] === '\r') at++
    const blank = row.length === 1 && row[0].text.trim() === '' && !row[0].quoted
    if (!blank && !cut) rows.push(row)
  }
  return rows
}

/** The position at which the line of a position ends, before its LF or CR LF. */
function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  if (newline < 0) return text.length
  return newline > at && text[newline - 1] === '\r' ? newline - 1 : newline
}

/**
 * Whether the first row is a header: not if it has a number, or a date with a date below it. Years or other numbers
 * that count up are the names of a wide table's columns.
 */
function isHeader(first: readonly Field[], second: readonly Field[] | undefined): boolean {
  if (countsUp(first) && second && !countsUp(second)) return true
  return first.every(({ text }, column) => {
    if (/^[+-]?\d+,\d+$/.test(text.trim())) return false
    if (text.trim() !== '' && Number.isFinite(Number(text))) return false
    const types = [text, second?.[column]?.text ?? ''].map((cell) => typeOfTexts([cell]))
    return !(types[0] === types[1] && isTemporal(types[0]))
  })
}

/** Whether a row is text and then three or more whole numbers, each one more than the last: country, 1999, 2000, 2001. */
function countsUp(row: readonly Field[]): boolean {
  const isNumber = ({ text }: Field): boolean => /^\s*\d+\s*$/.test(text)
  const start = row.findIndex(isNumber)
  const numbers = row.slice(Math.max(0, start))
  return (
    start > 0 &&
    numbers.length >= 3 &&
    numbers.every(
      (field, at) => isNumber(field) && (at === 0 || Number(field.text) === Number(numbers[at - 1].text) + 1),
    )
  )
}

/** The names of the columns by the first row; those without one are column0, column1 … as in DuckDB. */
function headerNames(first: readonly Field[], header: boolean): string[] {
  const digits = String(first.length - 1).length
  return uniqueNames(
    first.map(
      ({ text }, column) => (header && text.trim()) || `column${String(column).padStart(digits, '0')}`,
    ),
  )
}

/**
 * The decimal separator: a comma if it is not the delimiter and there are numbers with commas, but none with
 * points. Throws if there are both, or all could be grouped thousands (1,234).
 */
function sniffDecimal(body: readonly Field[][], delimiter: string, name: string): ',' | '.' {
  if (delimiter === ',') return '.'
  const cells = body.flatMap((row) => row.filter(({ quoted }) => !quoted).map(({ text }) => text.trim()))
  const commas = cells.filter((text) => /^[+-]?\d+,\d+$/.test(text))
  if (commas.length === 0) return '.'
  const points = cells.find((text) => /^[+-]?\d+\.\d+$/.test(text))
  const grouped = commas.every((text) => /^[+-]?[1-9]\d{0,2},\d{3}$/.test(text))
  if (points !== undefined || grouped)
    throw new InputError(
      'table',
      sentence`${name}: numbers are written as ${commas[0]}${points === undefined ? '' : ` and as ${points}`}, so that it is not clear what the comma means; say ${option('decimal', ',')} if it stands before fractions, ${option('thousands', ',')} if between thousands.`,
    )
  return ','
}
