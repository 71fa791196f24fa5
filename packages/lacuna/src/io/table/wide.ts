/** Advice for wide tables, whose columns are the labels of a mode: a column per day, month or shop. */
import { InputError, option, type Sentence, sentence, setting } from '../../base/inputError.ts'
import { type ColumnType, isFraction, isNumeric, likelyFormats, typeOfTexts } from '../../labels/index.ts'

/** The parts of a column's summary that are needed here. */
interface WideColumn {
  name: string
  type: ColumnType
  examples: readonly string[]
}

/** Names of columns that are dates, months, quarters, weeks or numbers, and what a mode of them is called. */
const LABELS: readonly (readonly [mode: string, pattern: RegExp])[] = [
  ['year', /^(19|20)\d\d$/],
  ['month', /^(19|20)\d\d[-/. ](0?[1-9]|1[0-2])$|^(0?[1-9]|1[0-2])[-/. ](19|20)\d\d$/],
  ['month', new RegExp(`^(${monthNames()})[-/. ]?('?\\d\\d|(19|20)\\d\\d)?$`, 'i')],
  ['month', new RegExp(`^(19|20)\\d\\d[-/. ](${monthNames()})$`, 'i')],
  ['quarter', /^(q[1-4][-/. ]?((19|20)\d\d)?|(19|20)\d\d[-/. ]?q[1-4])$/i],
  ['week', /^((19|20)\d\d[-/. ]?)?(w|kw|cw|week)[-/. ]?\d\d?$/i],
  ['day', /^((19|20)\d\d[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](19|20)?\d\d)$/],
  ['hour', /^\d\d?:\d\d$/],
  ['column', /^\d+$/],
]

/** English names of months, long and short, as alternatives of a pattern. */
function monthNames(): string {
  return 'jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?'
}

/** Fewest columns that make a table a wide one. */
const WIDE_COLUMNS = 3

/** A wide table: the columns that are rows of one mode, and its name. */
interface Wide {
  /** The columns that are labels of one mode. */
  labels: readonly WideColumn[]
  /** A name for that mode. */
  mode: string
}

/**
 * The columns of numbers that are named like labels of one kind, and what a mode of them is called; undefined if
 * they are fewer than three.
 */
function findWide(columns: readonly WideColumn[]): Wide | undefined {
  const numbered = findNumbered(columns)
  for (const mode of new Set(LABELS.map(([name]) => name))) {
    const patterns = LABELS.flatMap(([name, pattern]) => (name === mode ? [pattern] : []))
    const labels = columns.filter(
      ({ name, type }) => isNumeric(type) && patterns.some((pattern) => pattern.test(name.trim())),
    )
    // The days of a month are numbered, too; of Q1 to Q9, only four could be quarters.
    if (labels.length >= (numbered?.length ?? WIDE_COLUMNS)) return { labels, mode }
  }
  return numbered && { labels: numbered, mode: 'column' }
}

/** Fewest columns that are numbered: four may be quarters. */
const NUMBERED_COLUMNS = 5

/**
 * The columns of numbers, if there are several and all are called alike but for a number that counts up: Q1, Q2, Q3 …;
 * else undefined.
 */
function findNumbered(columns: readonly WideColumn[]): WideColumn[] | undefined {
  const numbers = columns.filter(({ type }) => isNumeric(type))
  const parts = numbers.map(({ name }) => /^(.*[^\d])(\d+)$/.exec(name.trim()))
  const isNext = (at: number): boolean =>
    parts[at]?.[1] === parts[0]?.[1] && Number(parts[at]?.[2]) === Number(parts[0]?.[2]) + at
  const areNumbered =
    numbers.length >= NUMBERED_COLUMNS && parts.every((part, at) => part !== null && isNext(at))
  return areNumbered && numbers.length < columns.length ? numbers : undefined
}

/**
 * Throws for a wide table, such as one with a column per day, whose columns would be guessed as modes and
 * value: three or more columns of numbers are named like labels.
 */
export function refuseWide(columns: readonly WideColumn[], where: string): void {
  const wide = findWide(columns)
  if (!wide) return
  const { labels, mode } = wide
  const others = columns.filter((column) => !labels.includes(column))
  const modes = modesAmong(others)
  // Without patterns all columns but the modes become rows.
  const isWhole = modes.length === others.length
  const names = modes.map((column) => column.name)
  const formats = foreignFormats(labels)
  const isFree = (wanted: string): boolean => !columns.some(({ name }) => name.toLowerCase() === wanted)
  // Dates that are not written as ISO writes them are times only if they are binned.
  const isBinned = formats.length > 0 && isFree('day')
  const name = (isBinned ? ['date', 'column'] : [mode, 'column']).find(isFree) ?? 'melted'
  if (isBinned) names.push(`day(${name}) AS day`)
  const melt = isWhole ? name : `${name}=${patternsOf(labels, others)}`
  const dates: Sentence = !isBinned
    ? []
    : [' ', formats.length === 1 ? setting('dates', formats[0]) : option('dates', ...formats.slice(0, 3))]
  throw new InputError(
    'table',
    sentence`${where}: the columns ${labels[0].name}, ${labels[1].name} … look like labels of one mode; make rows of them with ${setting('modes', ...names)} ${setting('melt', melt)}${dates}, or say with ${option('modes')} and ${option('value')} what is meant.`,
  )
}

/** Formats of dates in the names of columns, the likeliest first; none if they are no dates, or as ISO writes them. */
const foreignFormats = (labels: readonly WideColumn[]): string[] => {
  const names = labels.map(({ name }) => name.trim())
  return typeOfTexts(names) === 'VARCHAR' ? likelyFormats(names) : []
}

/** Whole numbers from here on are amounts rather than labels, where there are columns of text. */
const LARGE = 1000

/** The columns that may be modes beside melted ones: text, and small whole numbers; all if none is. */
function modesAmong(others: readonly WideColumn[]): WideColumn[] {
  const isSmall = ({ examples }: WideColumn): boolean =>
    examples.every((text) => Math.abs(Number(text)) < LARGE)
  const hasText = others.some(({ type }) => !isNumeric(type))
  const named = others.filter(
    (column) => !isNumeric(column.type) || (!isFraction(column.type) && (!hasText || isSmall(column))),
  )
  return named.length > 0 ? named : [...others]
}

/** Patterns that match labels and no other column, as --melt takes them: 2024-*, or the first characters of several. */
function patternsOf(labels: readonly WideColumn[], others: readonly WideColumn[]): string {
  for (let length = longestPrefix(labels); length > 0; length--) {
    const prefix = labels[0].name.slice(0, length)
    if (!others.some(({ name }) => name.startsWith(prefix))) return `${prefix}*`
  }
  const years = [...new Set(labels.map(({ name }) => name.slice(0, 4)))]
  const areYears = years.every((year) => /^(19|20)\d\d$/.test(year))
  const isFree = years.every((year) => !others.some(({ name }) => name.startsWith(year)))
  return areYears && isFree ? years.map((year) => `${year}*`).join() : labels.map(({ name }) => name).join()
}

/** The number of characters with which all names begin; fewer where these would end within a number. */
function longestPrefix(columns: readonly WideColumn[]): number {
  const [{ name: first }, ...others] = columns
  let length = 0
  while (length < first.length && others.every(({ name }) => name[length] === first[length])) length++
  const isCut = (at: number): boolean => /\d/.test(first[at - 1] ?? '') && /\d/.test(first[at] ?? '')
  while (length > 0 && isCut(length)) length--
  return length
}

/** The advice to make rows of the columns, where a table may be wide; empty where it is not. */
export function meltAdvice<C extends WideColumn>(
  columns: readonly C[],
  isTime: (column: C) => boolean,
): Sentence {
  const numbers = columns.filter((column) => isNumeric(column.type) && !isTime(column))
  const others = columns.filter((column) => !numbers.includes(column)).map(({ name }) => name)
  if (numbers.length < WIDE_COLUMNS || others.length === 0) return []
  return sentence`; if ${numbers[0].name}, ${numbers[1].name} … are the labels of one mode, make rows of them with ${setting('modes', ...others)} ${option('melt')} and a name for it`
}
