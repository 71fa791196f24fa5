/** What the texts of a column are, named as DuckDB names it, and their order. */
export type ColumnType = 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP' | 'VARCHAR'

const patterns: readonly [ColumnType, RegExp][] = [
  ['BIGINT', /^\s*[-+]?\d{1,18}\s*$/],
  ['DOUBLE', /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i],
  ['BOOLEAN', /^(true|false)$/i],
  ['DATE', /^\d{4}-\d\d-\d\d$/],
  ['TIMESTAMP', /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?Z?$/],
]

/** The narrowest type that all the texts are of; empty ones say nothing. */
export function typeOfTexts(texts: Iterable<string>): ColumnType {
  let possible = patterns
  for (const text of texts) {
    if (text === '') continue
    // A whole number is a number with a fraction, too, and a date a time.
    possible = possible.filter(
      ([type, pattern]) => pattern.test(text) || (type === 'TIMESTAMP' && isDate(text)),
    )
    if (possible.length === 0) return 'VARCHAR'
  }
  return possible === patterns ? 'VARCHAR' : possible[0][0]
}

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

/** The one way to write a value, so that 1.0 and 1 of a column of fractions are the same label. */
export function canonical(text: string, type: ColumnType): string {
  switch (type) {
    case 'BIGINT':
      return String(BigInt(text.trim().replace(/^\+/, '')))
    case 'DOUBLE': {
      const number = String(Number(text) + 0) // -0 is 0
      return /^-?\d+$/.test(number) ? `${number}.0` : number
    }
    case 'BOOLEAN':
      return text.toLowerCase()
    case 'TIMESTAMP': {
      const plain = text.replace('T', ' ').replace('Z', '')
      return plain.length === 10 ? `${plain} 00:00:00` : plain.length === 16 ? `${plain}:00` : plain
    }
    default:
      return text
  }
}

/** Numbers by their size, everything else by the code points of its text. */
export function compareValues(type: ColumnType): (a: string, b: string) => number {
  if (type === 'DOUBLE') return (a, b) => Number(a) - Number(b)
  if (type === 'BIGINT')
    return (a, b) => Number(a) - Number(b) || (BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0)
  return compareCodePoints
}

/** UTF-16 puts what lies beyond U+FFFF before U+E000; UTF-8 and DuckDB do not. */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    const surrogates = [x, y].map((unit) => unit >= 0xd800 && unit < 0xe000)
    return surrogates[0] === surrogates[1] ? x - y : surrogates[0] ? 1 : -1
  }
  return a.length - b.length
}
