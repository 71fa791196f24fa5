/**
 * Text from files made safe for a terminal: characters that would move the cursor, change colours or reverse
 * the direction of reading are replaced by visible escapes.
 */
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
