/** Dates as a table writes them: by a format of strftime, in the way of its own cells. */
import { calendarOf, compileTimeFormat, DAY, isoTime } from './time.ts'
import { numberText } from './types.ts'

/** Names of months in English. */
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** Writes days since 1970 as a date. */
export type DateWriter = (days: number) => string

/**
 * Returns a writer of dates in the form of some texts: of ISO 8601, or of one of the formats, with or without leading
 * zeros. Undefined if it would not write every one of the texts as it stands, as where they have times of day.
 * @param formats as %d.%m.%Y; undefined for ISO 8601
 */
export function dateWriter(
  formats: readonly string[] | undefined,
  texts: readonly string[],
): DateWriter | undefined {
  for (const format of formats ?? ['iso']) {
    const read = format === 'iso' ? timeOfIso : compileTimeFormat(format)
    for (const isPadded of [true, false]) {
      const write = format === 'iso' ? isoDate : (days: number) => writeByFormat(format, days, isPadded)
      if (texts.length > 0 && texts.every((text) => write(read(text) / DAY) === text.trim())) return write
    }
  }
}

/** The time of a text as ISO 8601 writes it; NaN for any other text. */
function timeOfIso(text: string): number {
  const bytes = new TextEncoder().encode(text)
  return isoTime(bytes, 0, bytes.length)
}

/** A date as ISO 8601 writes it; undefined for a time of day. */
const isoDate = (days: number): string => (Number.isInteger(days) ? numberText(days, 'DATE') : '')

/** A date by a format; directives that are no parts of a date stay as they are. */
function writeByFormat(format: string, days: number, isPadded: boolean): string {
  if (!Number.isInteger(days)) return ''
  const [year, month, day] = calendarOf(days)
  const two = (n: number): string => (isPadded ? String(n).padStart(2, '0') : String(n))
  const parts: Record<string, string> = {
    Y: String(year).padStart(4, '0'),
    y: String(year % 100).padStart(2, '0'),
    m: two(month),
    d: two(day),
    b: MONTHS[month - 1].slice(0, 3),
    B: MONTHS[month - 1],
  }
  return format
    .replaceAll('%F', '%Y-%m-%d')
    .replaceAll('%D', '%m/%d/%y')
    .replace(/%-?([a-zA-Z])/g, (all, letter: string) => parts[letter] ?? all)
}
