/**
 * Text from files as it may be shown on a terminal: without the characters that would move the cursor, change
 * colours or turn the direction of reading. They are written out, so that nothing is hidden.
 */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

const escaped = (character: string): string => {
  const code = character.charCodeAt(0)
  const short = { 9: '\\t', 10: '\\n', 13: '\\r' }[code]
  return (
    short ??
    (code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`)
  )
}

/** In one line. */
export const oneLine = (text: string): string => text.replace(CONTROLS, escaped)

/** Lines and tabs stay. */
export const printable = (text: string): string =>
  text.replace(CONTROLS, (found) => (found === '\n' || found === '\t' ? found : escaped(found)))
