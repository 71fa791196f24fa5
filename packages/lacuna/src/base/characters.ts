/** ASCII codes of the characters in numbers and in tables of numbers, and characters in patterns. */

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
