/**
 * Attributes of rows as numbers. A column of numbers becomes one attribute with mean 0 and deviation 1. In
 * any other column a cell has one word, or several separated by |; each word of several rows becomes an
 * attribute, 1 in rows that have it, else 0.
 */

/** The attributes of the rows of a mode. */
export interface Attributes {
  /** The name of each attribute: a column, or a column and a word. */
  names: string[]
  /** The number of attributes. */
  columns: number
  /** (rows × columns), row-major. */
  values: Float32Array
  /** The number of rows without any attribute. */
  unknown: number
}

/** The fewest rows that a word must occur in to become an attribute. */
const LEAST_ROWS = 2
/** The most words of a column that become attributes, the most frequent first. */
const MOST_WORDS = 100

/**
 * Converts columns of texts to attributes: a column of numbers to one standardized attribute, any other
 * column to one attribute per frequent word.
 * @param names the names of the columns
 * @param cells for each row, the text of each column; null or undefined if unknown
 */
export function attributesOf(
  names: readonly string[],
  cells: readonly (readonly (string | null)[] | undefined)[],
): Attributes {
  const found = names.flatMap((name, column) => {
    const texts = cells.map((row) => row?.[column]?.trim() || null)
    return standardizeColumn(name, texts) ?? encodeWords(name, texts)
  })
  const values = new Float32Array(cells.length * found.length)
  found.forEach(({ numbers }, f) => {
    numbers.forEach((x, row) => {
      values[row * found.length + f] = x
    })
  })
  const unknown = cells.filter((row) => !row?.some((text) => text?.trim())).length
  return { names: found.map(({ name }) => name), columns: found.length, values, unknown }
}

/** An attribute: its name and its value in every row. */
interface Column {
  name: string
  numbers: number[]
}

/**
 * Converts a column of numbers to one attribute of mean 0 and deviation 1; unknown cells get the mean.
 * @returns the attribute, none if all numbers are equal, or undefined if some cell is no number
 */
function standardizeColumn(name: string, texts: readonly (string | null)[]): Column[] | undefined {
  const numbers = texts.map((text) => (text === null ? Number.NaN : Number(text)))
  if (texts.some((text, row) => text !== null && !Number.isFinite(numbers[row]))) return undefined
  const known = numbers.filter(Number.isFinite)
  const mean = known.reduce((sum, x) => sum + x, 0) / known.length
  const deviation = Math.sqrt(known.reduce((sum, x) => sum + (x - mean) ** 2, 0) / known.length)
  if (!(deviation > 0)) return []
  return [{ name, numbers: numbers.map((x) => (Number.isFinite(x) ? (x - mean) / deviation : 0)) }]
}

/**
 * Returns one attribute per frequent word of a column (see LEAST_ROWS and MOST_WORDS): 1 in rows whose cell
 * has the word, else 0.
 */
function encodeWords(name: string, texts: readonly (string | null)[]): Column[] {
  const rowsOf = new Map<string, number[]>()
  texts.forEach((text, row) => {
    for (const word of new Set(text?.split('|').map((part) => part.trim()) ?? [])) {
      if (word === '') continue
      const rows = rowsOf.get(word)
      if (rows) rows.push(row)
      else rowsOf.set(word, [row])
    }
  })
  return [...rowsOf]
    .filter(([, rows]) => rows.length >= LEAST_ROWS)
    .sort(([a, p], [b, q]) => q.length - p.length || (a < b ? -1 : 1))
    .slice(0, MOST_WORDS)
    .map(([word, rows]) => {
      const numbers = new Array<number>(texts.length).fill(0)
      for (const row of rows) numbers[row] = 1
      return { name: `${name}: ${word}`, numbers }
    })
}
