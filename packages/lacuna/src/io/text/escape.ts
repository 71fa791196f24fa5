/** Texts inside other texts: quoted, shortened for messages, decoded. */

/** A text in double quotes, those within it doubled: a field of CSV, or a name in SQL. */
export const doubleQuote = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** A text for a message: at most `length` characters, the last of them … if it is cut. */
export const abbreviate = (text: string, length = 60): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

/**
 * The sentence that refuses a text that is not UTF-8, with a command that converts it.
 * @param file its path
 * @param where the file, or a line of it
 * @param encoding what the text seems to be: Windows' form of Latin-1, which has the sign of the euro, by default
 */
export function notUtf8(file: string, where: string = file, encoding = 'windows-1252'): string {
  const quoted = (path: string): string =>
    /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
  const name = encoding === 'utf-16' ? 'UTF-16' : 'not UTF-8'
  const guess =
    encoding === 'utf-16' ? 'convert' : 'if it is Latin-1, as spreadsheets often write it, convert'
  return `${where}: this is ${name} text; ${guess} it with iconv -f ${encoding} -t utf-8 ${quoted(file)} > ${quoted(file.replace(/(\.[a-z]+)?$/i, '.utf8$1'))}.`
}

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
