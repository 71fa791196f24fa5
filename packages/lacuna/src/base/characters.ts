/** ASCII codes of the characters in numbers and in tables of numbers; texts escaped for patterns and terminals. */

export const TAB = 9
export const LF = 10
export const CR = 13
export const SPACE = 32
export const HASH = 35
export const PERCENT = 37
export const PLUS = 43
export const COMMA = 44
export const MINUS = 45
export const DOT = 46
export const ZERO = 48
export const NINE = 57
export const LOWER_E = 101
/** A letter's code with this bit set is its lower-case code. */
export const LOWER = 32

/** A text as the source of a regular expression that matches it literally. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

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
