/**
 * Which lines of a .tns text are entries. A line that is blank, or whose first byte after blanks is # or %,
 * is not: such lines are comments. All readers decide by these functions; kernels/text/entryLines.ts mirrors
 * them in AssemblyScript.
 */
import { CR, HASH, LF, PERCENT, SPACE, TAB } from '../../base/characters.ts'

/**
 * Whether a line is an entry, neither blank nor a comment, by its first byte.
 * @param first the first byte of the line that is neither a space nor a tab; undefined
 * at the end of the text
 */
export const startsEntry = (first: number | undefined): boolean =>
  first !== LF && first !== CR && first !== HASH && first !== PERCENT && first !== undefined

/** Whether the line that begins at a position is an entry: neither blank nor a comment. */
export function isEntryLine(bytes: Uint8Array, lineStart: number): boolean {
  let at = lineStart
  while (bytes[at] === SPACE || bytes[at] === TAB) at++
  return startsEntry(bytes[at])
}

/**
 * The end of a line, behind its line feed, which must be there; undefined if the line holds a carriage return
 * that does not end it, as in a file with the line ends of an old Macintosh.
 * @param at a position in the line
 */
export function endOfPlainLine(bytes: Uint8Array, at: number): number | undefined {
  for (; bytes[at] !== LF; at++) if (bytes[at] === CR && bytes[at + 1] !== LF) return undefined
  return at + 1
}
