/**
 * How the text of a table is written, by its first lines: what separates the fields, whether the first line
 * names them, what quotes say, and what stands before the fraction of a number.
 */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { typeOfTexts } from '../../text/index.ts'
import { uniqueNames } from './rows.ts'

export interface Dialect {
  delimiter: string
  /** The first line holds the names of the columns. */
  header: boolean
  names: readonly string[]
  /** Which columns stand in quotes, if some do and some do not; else none. */
  quoted: readonly boolean[]
  decimal: ',' | '.'
}

export interface DialectOptions {
  delimiter?: string
  header?: boolean
  decimal?: ',' | '.'
}

const DELIMITERS = ['::', '\t', ';', '|', ','] as const
/** Lines that decide what the delimiter is. */
const COMPARED_LINES = 100

export function sniffDialect(start: string, name: string, given: DialectOptions = {}): Dialect {
  const delimiter = given.delimiter ?? likeliestDelimiter(start)
  const rows = firstRows(start, delimiter, COMPARED_LINES)
  const [first, second] = rows
  const header = given.header ?? isHeader(first, second)
  const body = header ? rows.slice(1) : rows
  const quoted = body[0]?.map((field) => field.quoted) ?? []
  return {
    delimiter,
    header,
    names: columnNames(first, header),
    quoted: quoted.includes(true) && quoted.includes(false) ? quoted : [],
    decimal: given.decimal ?? sniffDecimal(body, delimiter, name),
  }
}

interface Field {
  text: string
  quoted: boolean
}

/**
 * That which cuts all the first lines alike, into two fields or more; else that which cuts the first line
 * most.
 */
function likeliestDelimiter(start: string): string {
  const cuts = DELIMITERS.map((delimiter) =>
    firstRows(start, delimiter, COMPARED_LINES).map((row) => row.length),
  )
  const even = cuts.findIndex((counts) => counts[0] > 1 && counts.every((count) => count === counts[0]))
  const most = Math.max(...cuts.map(([count]) => count))
  if (even >= 0) return DELIMITERS[even]
  return most > 1 ? DELIMITERS[cuts.findIndex(([count]) => count === most)] : ','
}

/** The fields of the first lines, as far as they are whole; quotes may hold delimiters and newlines. */
function firstRows(text: string, delimiter: string, most: number): Field[][] {
  const rows: Field[][] = []
  let at = 0
  let lineEnd = -1
  while (at < text.length && rows.length < most) {
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
      if (!text.startsWith(delimiter, at)) break
      at += delimiter.length
    }
    // What is left of a line behind a quote that is none is passed over here; whoever reads it all will
    // complain.
    at = Math.max(at, lineEnd)
    const cut = at >= text.length && rows.length > 0
    while (text[at] === '\n' || text[at] === '\r') at++
    const blank = row.length === 1 && row[0].text.trim() === '' && !row[0].quoted
    if (!blank && !cut) rows.push(row)
  }
  return rows
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  if (newline < 0) return text.length
  return newline > at && text[newline - 1] === '\r' ? newline - 1 : newline
}

/** A number in the first line makes it one of data; so does a date with a date below it. */
function isHeader(first: readonly Field[], second: readonly Field[] | undefined): boolean {
  return first.every(({ text }, column) => {
    if (/^[+-]?\d+,\d+$/.test(text.trim())) return false
    if (text.trim() !== '' && Number.isFinite(Number(text))) return false
    const types = [text, second?.[column]?.text ?? ''].map((cell) => typeOfTexts([cell]))
    return !(types[0] === types[1] && (types[0] === 'DATE' || types[0] === 'TIMESTAMP'))
  })
}

/** As DuckDB calls columns that have no name: column0, column1 … */
function columnNames(first: readonly Field[], header: boolean): string[] {
  const digits = String(first.length - 1).length
  return uniqueNames(
    first.map(
      ({ text }, column) => (header && text.trim()) || `column${String(column).padStart(digits, '0')}`,
    ),
  )
}

/** A comma, if it is not the delimiter and numbers with commas are seen, but none with points. */
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
      sentence`${name}: numbers are written as ${commas[0]}${points === undefined ? '' : ` and as ${points}`}, so that it is not clear what the comma means; say what stands before the fraction with ${option('decimal', ',', '.')}.`,
    )
  return ','
}
