/** The byte order mark of UTF-8 (EF BB BF), which some programs write at the beginning of a text file. */

/**
 * The number of bytes of the byte order mark at a position: 3, or 0 where there is none.
 * @param bytes the text; a mark that is cut off by its end is not recognized
 * @param at where the file begins in `bytes`
 */
export const byteOrderMarkLength = (bytes: Uint8Array, at = 0): 0 | 3 =>
  bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 3 : 0
