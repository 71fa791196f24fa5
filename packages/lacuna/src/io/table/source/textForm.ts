/** How the text of a table is written beside its cells, so that a table can be written back in the same form. */
import { byteOrderMarkLength } from '../../text/index.ts'

/** The form of a table as text: what stands between and around its fields. */
export interface TextForm {
  /** The character between two fields: a comma, a semicolon, a tab or a bar. */
  delimiter: string
  /** The decimal separator of its numbers. */
  decimal: ',' | '.'
  /** The line ending. */
  lineEnd: '\n' | '\r\n'
  /** Whether a byte order mark stands before the first line, as Excel writes and needs it. */
  hasMark: boolean
  /** Whether the names of the columns are all in quotes. */
  quotesNames: boolean
  /** Per column, whether its fields are in quotes; columns behind the last one are, if all of these are. */
  quoted: readonly boolean[]
}

/** The parts of a recognized dialect that are needed here. */
interface RecognizedForm {
  delimiter: string
  decimal: ',' | '.'
  /** Whether the names of the columns are all in quotes. */
  quotesNames: boolean
  /** Per column, whether its fields are in quotes; undefined where all are empty. */
  quotes: readonly (boolean | undefined)[]
}

/**
 * The form of a text; undefined if its delimiter is not one character, as :: in old MovieLens files, which spreadsheets
 * do not read.
 * @param head the first bytes of the file
 * @param start the same, decoded
 */
export function textFormOf(head: Uint8Array, start: string, dialect: RecognizedForm): TextForm | undefined {
  if (dialect.delimiter.length > 1) return undefined
  const lineEnd = start.indexOf('\n')
  return {
    delimiter: dialect.delimiter,
    decimal: dialect.decimal,
    lineEnd: start[lineEnd - 1] === '\r' ? '\r\n' : '\n',
    hasMark: byteOrderMarkLength(head) > 0,
    quotesNames: dialect.quotesNames,
    quoted: dialect.quotes.map((use) => use === true),
  }
}
