/**
 * The types of texts in a column, by SQL's names, and the order of such texts. The list is closed: a type
 * that a file names is looked up in it, and never becomes part of any SQL.
 */
import { DAY, dateText, isoTime, timestampText } from './time.ts'
import { hasZone } from './timeZone.ts'

/** The type of a column, as SQL calls it; TIMESTAMPTZ has times with zones, as text as they were written. */
export type ColumnType =
  | 'BIGINT'
  | 'HUGEINT'
  | 'DOUBLE'
  | `DECIMAL(${number},${number})`
  | 'BOOLEAN'
  | 'DATE'
  | 'TIMESTAMP'
  | 'TIMESTAMPTZ'
  | 'VARCHAR'

/** Column types by DuckDB's names of types; the width of numbers does not matter, since labels are texts. */
const SYNONYMS: Record<string, ColumnType> = {
  ...Object.fromEntries(
    ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER'].map((name) => [
      name,
      'BIGINT',
    ]),
  ),
  ...Object.fromEntries(['UBIGINT', 'HUGEINT', 'UHUGEINT'].map((name) => [name, 'HUGEINT'])),
  FLOAT: 'DOUBLE',
  DOUBLE: 'DOUBLE',
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
  TIMESTAMP: 'TIMESTAMP',
  TIMESTAMP_S: 'TIMESTAMP',
  TIMESTAMP_MS: 'TIMESTAMP',
  TIMESTAMP_NS: 'TIMESTAMP',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMPTZ',
  TIMESTAMPTZ: 'TIMESTAMPTZ',
  TIME: 'VARCHAR',
  UUID: 'VARCHAR',
  VARCHAR: 'VARCHAR',
}

/** The column type for SQL's name of a type, as DuckDB writes it; undefined for any other text. */
export function columnType(name: string): ColumnType | undefined {
  if (Object.hasOwn(SYNONYMS, name)) return SYNONYMS[name]
  const [, width, scale] = /^DECIMAL\((\d{1,2}),(\d{1,2})\)$/.exec(name) ?? []
  return width === undefined ? undefined : `DECIMAL(${Number(width)},${Number(scale)})`
}

/** Whether a type is one of whole numbers. */
export const isWhole = (type: ColumnType): boolean => type === 'BIGINT' || type === 'HUGEINT'
/** Whether a type is one of numbers with fractions. */
export const isFraction = (type: ColumnType): boolean => type === 'DOUBLE' || type.startsWith('DECIMAL')
/** Whether a type is one of numbers. */
export const isNumeric = (type: ColumnType): boolean => isWhole(type) || isFraction(type)
/** Whether a type is one of dates or times. */
export const isTemporal = (type: ColumnType): boolean =>
  type === 'DATE' || type === 'TIMESTAMP' || type === 'TIMESTAMPTZ'

/** A date of ISO 8601 without a time of day. */
const DATE = /^\d{4}-\d\d-\d\d$/
/** Column types, the narrowest first, each with a test whether a text is a value of it. */
const typeTests: readonly [ColumnType, (text: string) => boolean][] = [
  ['BIGINT', (text) => /^\s*[-+]?\d{1,18}\s*$/.test(text)],
  ['HUGEINT', (text) => /^\s*[-+]?\d{1,38}\s*$/.test(text)],
  // A longer whole number would not survive as a double.
  [
    'DOUBLE',
    (text) =>
      /^\s*[-+]?(\d{1,15}|\d+\.\d*|\.\d+|[\d.]+e[-+]?\d+)\s*$/i.test(text) && !Number.isNaN(Number(text)),
  ],
  ['BOOLEAN', (text) => /^(true|false)$/i.test(text)],
  ['DATE', (text) => DATE.test(text) && !Number.isNaN(timeOfText(text))],
  ['TIMESTAMPTZ', (text) => hasZone(text) && !Number.isNaN(timeOfText(text))],
  ['TIMESTAMP', (text) => !Number.isNaN(timeOfText(text))],
]

/**
 * The narrowest type of which all texts are; VARCHAR if there are none. A number with leading zeros is text,
 * for it would lose them.
 * @param quoted whether the texts were in quotes: then any number that is not in canonical form is text
 */
export function typeOfTexts(texts: Iterable<string>, quoted = false): ColumnType {
  let possible = typeTests
  for (const text of texts) {
    possible = possible.filter(
      ([type, isOfType]) => isOfType(text) && !(isNumeric(type) && losesText(text, type, quoted)),
    )
    if (possible.length === 0) return 'VARCHAR'
  }
  return possible === typeTests ? 'VARCHAR' : possible[0][0]
}

/** Whether reading a text as a number loses characters: leading zeros or, if it was in quotes, any. */
function losesText(text: string, type: ColumnType, quoted: boolean): boolean {
  return quoted ? canonicalText(text, type) !== text : /^\s*[-+]?0\d/.test(text)
}

/** The microseconds since 1970 of a text in ISO 8601; NaN if it is none. */
export function timeOfText(text: string): number {
  if (text.length < 10) return NaN // a date has ten characters
  const bytes = new TextEncoder().encode(text)
  return isoTime(bytes, 0, bytes.length)
}

/**
 * The canonical text of a value of a type, so that 1.0 and 1 are the same label; undefined if it is no
 * such value. Times with a zone stay as they are written.
 */
export function canonicalText(text: string, type: ColumnType): string | undefined {
  switch (type) {
    case 'VARCHAR':
      return text
    case 'BOOLEAN':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() : undefined
    case 'TIMESTAMPTZ':
      return hasZone(text) && !Number.isNaN(timeOfText(text)) ? text : undefined
    case 'DATE':
    case 'TIMESTAMP': {
      const time = timeOfText(text)
      return Number.isNaN(time)
        ? undefined
        : numberText(type === 'DATE' ? Math.floor(time / DAY) : time, type)
    }
    case 'BIGINT':
    case 'HUGEINT':
      if (/^\s*[-+]?\d+\s*$/.test(text)) return String(BigInt(text.trim().replace(/^\+/, '')))
      break
  }
  const number = text.trim() === '' ? NaN : Number(text)
  if (!Number.isFinite(number) || (isWhole(type) && !Number.isSafeInteger(number))) return undefined
  return numberText(number, type)
}

/**
 * The text of a number by its type: a DATE from days, a TIMESTAMP from microseconds since 1970, a BOOLEAN
 * from 0 or 1. A DOUBLE always has a point or an exponent, as in 1.0.
 */
export function numberText(x: number, type: ColumnType): string {
  if (type === 'DATE') return dateText(x)
  if (type === 'TIMESTAMP') return timestampText(x)
  if (type === 'TIMESTAMPTZ') return `${timestampText(x)}+00:00`
  if (type === 'BOOLEAN') return x === 0 ? 'false' : 'true'
  const [, scale] = /^DECIMAL\(\d+,(\d+)\)$/.exec(type) ?? []
  if (scale !== undefined) return (x + 0).toFixed(Number(scale))
  const text = String(x + 0) // -0 is 0
  return type === 'DOUBLE' && /^-?\d+$/.test(text) ? `${text}.0` : text
}

/**
 * Returns a comparison function for texts of a type: numbers by their size, times with zones by the instant,
 * all else by code points, which orders other times, too.
 */
export function compareTexts(type: ColumnType): (a: string, b: string) => number {
  if (isWhole(type))
    return (a, b) => Number(a) - Number(b) || (BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0)
  if (type === 'TIMESTAMPTZ') return (a, b) => timeOfText(a) - timeOfText(b) || compareCodePoints(a, b)
  return isFraction(type) ? (a, b) => Number(a) - Number(b) || compareCodePoints(a, b) : compareCodePoints
}

/** Compares texts by code points, as UTF-8 and DuckDB do; UTF-16 sorts those beyond U+FFFF before U+E000. */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    const surrogates = [x, y].map((unit) => unit >= 0xd800 && unit < 0xe000)
    return surrogates[0] === surrogates[1] ? x - y : surrogates[0] ? 1 : -1
  }
  return a.length - b.length
}
