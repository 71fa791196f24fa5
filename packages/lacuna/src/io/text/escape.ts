/** Texts inside other texts: quoted, escaped for patterns, shortened for messages. */

/** A text in double quotes, those within it doubled: a field of CSV, or a name in SQL. */
export const doubleQuote = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** A text as the source of a regular expression that matches it literally. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

/** A text for a message: at most `length` characters, the last of them … if it is cut. */
export const abbreviate = (text: string, length = 60): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

/**
 * Decodes bytes [from, to) as UTF-8; without a decoder if they are ASCII, which is faster if they are few.
 */
export function textOfBytes(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at++) {
    if (bytes[at] > 127) return new TextDecoder().decode(bytes.subarray(from, to))
    text += String.fromCharCode(bytes[at])
  }
  return text
}
