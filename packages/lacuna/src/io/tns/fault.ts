/** Errors of .tns lines: why a line is not an entry. */
import { InputError } from '../../base/inputError.ts'
import { MAX_INDEX } from '../../tensor/index.ts'
import { abbreviate, CR, LF, SPACE, TAB } from '../text/index.ts'

/** The layout of a file's lines, which its first entry determines: N indices, then a value or none. */
export interface Layout {
  /** The number of indices, N. */
  order: number
  hasValues: boolean
}

/**
 * Returns the error that explains why a line is not an entry. The parser's loop accepts good lines only and
 * calls this for any other.
 * @param where file and line
 * @param dims the sizes that indices must not exceed
 */
export function explainLine(
  line: Uint8Array,
  where: string,
  { order, hasValues }: Layout,
  dims?: readonly number[],
): InputError {
  const foreign = explainForeignByte(line)
  if (foreign) return new InputError('format', `${where}: ${foreign}`)
  const words = splitWords(line)
  const columns = order + (hasValues ? 1 : 0)
  if (words.length !== columns) {
    const expected = `${order} indices${hasValues ? ' and a value' : ''}`
    return new InputError(
      'format',
      `${where}: ${columnCountText(words.length)} where the first entry has ${columns}; give ${expected} on every line.`,
    )
  }
  for (let mode = 0; mode < order; mode++) {
    const fault = indexFault(words[mode], mode, dims?.[mode])
    if (fault) return new InputError('format', `${where}: ${fault}`)
  }
  return new InputError('format', `${where}: ${valueFault(words[columns - 1])}`)
}

/**
 * A sentence about the first byte of a line that does not belong in text; undefined if there is none. The
 * line may end in CR LF, LF or neither.
 */
export function explainForeignByte(line: Uint8Array): string | undefined {
  let end = line.length
  if (line[end - 1] === LF) end--
  if (line[end - 1] === CR) end--
  for (let at = 0; at < end; at++) {
    const c = line[at]
    if (c === CR)
      return "a carriage return ends a line without a line feed, as on old Macintoshes; convert the file with tr '\\r' '\\n'."
    if (c < SPACE && c !== TAB)
      return `the byte ${c} does not belong in a text file; give .tns text (or .tns.gz), not a binary or UTF-16 file.`
  }
}

/** The words of a line, which spaces and tabs separate. */
export function splitWords(line: Uint8Array): string[] {
  return new TextDecoder()
    .decode(line)
    .split(/[ \t\r\n]+/)
    .filter((word) => word !== '')
}

/** A number of columns, for messages: '1 column', '3 columns'. */
export function columnCountText(columns: number): string {
  return columns === 1 ? '1 column' : `${columns} columns`
}

/** A sentence about why a word is no index, from 1 to `dim`, of a mode, from 0; undefined if it is one. */
function indexFault(word: string, mode: number, dim?: number): string | undefined {
  const index = Number(word)
  const which = `the index ${quote(word)} of mode ${mode + 1}`
  if (/^\d+$/.test(word)) {
    if (index === 0) return `${which} is zero; indices count from 1.`
    if (dim !== undefined && index > dim) return `${which} is beyond its size ${dim} (counting from 1).`
    if (index > MAX_INDEX) return `${which} is too large; indices go up to ${MAX_INDEX}.`
    return undefined
  }
  if (/^-\d+$/.test(word)) return `${which} is negative; indices count from 1.`
  if (Number.isFinite(index)) return `${which} is not written as a whole number; write digits only.`
  return `${which} is not a number; write a whole number from 1.`
}

/** A sentence about why a word that the parser has rejected is no value: a finite float32. */
function valueFault(word: string): string {
  if (/^[+-]?(nan|inf|infinity)$/i.test(word))
    return `the value is ${quote(word)}, but observed values must be finite; leave unobserved entries out.`
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word))
    return `the value ${quote(word)} is too large for a float32; scale the values below 3.4e38.`
  return `the value ${quote(word)} is not a number; write it like 2, 0.25 or 1e-3.`
}

/** A word in quotes for messages, at most 40 characters of it. */
const quote = (word: string): string => `"${abbreviate(word, 40)}"`
