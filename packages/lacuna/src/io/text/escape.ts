/** Texts inside other texts: quoted, escaped for patterns or terminals, shortened for messages. */

/** A text in double quotes, those within it doubled: a field of CSV, or a name in SQL. */
export const doubleQuote = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** A text for a message: at most `length` characters, the last of them … if it is cut. */
export const abbreviate = (text: string, length = 60): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
/** Texts of at most this many bytes are decoded faster without the decoder, if they are ASCII. */
const SHORT = 64

/** Decodes bytes [from, to) as UTF-8. */
export function textOfBytes(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > SHORT) return decoder.decode(bytes.subarray(from, to))
  let text = ''
  for (let at = from; at < to; at++) {
    if (bytes[at] > 127) return decoder.decode(bytes.subarray(from, to))
    text += String.fromCharCode(bytes[at])
  }
  return text
}

/** Characters that would move a terminal's cursor, change its colours or reverse the direction of reading. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** A control character as a visible escape: \\n, \\x1b or \\u202e. */
const escapeCharacter = (character: string): string => {
  const code = character.charCodeAt(0)
  const name = { 9: '\\t', 10: '\\n', 13: '\\r' }[code]
  return (
    name ??
    (code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`)
  )
}

/** Text made safe for one line of a terminal: line breaks and tabs are escaped, too. */
export const oneLine = (text: string): string => text.replace(CONTROLS, escapeCharacter)

/** Text made safe for several lines of a terminal: line breaks and tabs stay. */
export const printable = (text: string): string =>
  text.replace(CONTROLS, (found) => (found === '\n' || found === '\t' ? found : escapeCharacter(found)))
