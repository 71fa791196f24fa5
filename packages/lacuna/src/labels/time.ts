/**
 * Times as text and as numbers: microseconds since 1970 in UTC, which doubles hold exactly for some 285 years
 * either way. NaN stands for no time. Text is read by ISO 8601, and by other formats only where they are
 * given.
 */

import { DOT, escapeRegExp, MINUS, NINE, PLUS, SPACE, ZERO } from '../base/characters.ts'
import { InputError, option, sentence } from '../base/inputError.ts'

/** Microseconds per second. */
export const SECOND = 1e6
/** Microseconds per day. */
export const DAY = 86_400 * SECOND
/** Unix times from here on are milliseconds: in seconds they would lie in the year 5138. */
const MILLISECONDS_FROM = 1e11
const COLON = 58
const UPPER_T = 84
const UPPER_Z = 90

/**
 * The microseconds since 1970 of a Unix time, given in seconds or, if it is larger than 1e11, milliseconds;
 * NaN if a double does not hold them exactly.
 */
export function unixTime(x: number): number {
  const time = Math.round(x * (Math.abs(x) > MILLISECONDS_FROM ? 1e3 : 1e6))
  return Math.abs(time) <= Number.MAX_SAFE_INTEGER ? time : NaN
}

/**
 * Days since 1970 of a date in the Gregorian calendar, months and days from 1; NaN if there is no such date.
 */
export function daysOf(year: number, month: number, day: number): number {
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return NaN
  // Years are counted from March, so that the leap day is a year's last: 153 days are five months.
  const y = month > 2 ? year : year - 1
  const era = Math.floor(y / 400)
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const yearOfEra = y - 400 * era
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return 146_097 * era + 365 * yearOfEra + leapDays + dayOfYear - 719_468
}

/** The number of days of a month, which counts from 1. */
function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Year, month and day, both from 1, of a number of days since 1970: the inverse of daysOf. */
export function calendarOf(days: number): [year: number, month: number, day: number] {
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - 146_097 * era
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const m = Math.floor((5 * dayOfYear + 2) / 153)
  const month = m < 10 ? m + 3 : m - 9
  return [yearOfEra + 400 * era + (month <= 2 ? 1 : 0), month, dayOfYear - Math.floor((153 * m + 2) / 5) + 1]
}

/** A number of days since 1970 as a date: 2014-04-01. */
export function dateText(days: number): string {
  const [year, month, day] = calendarOf(days)
  return `${String(year).padStart(4, '0')}-${padToTwo(month)}-${padToTwo(day)}`
}

/** Microseconds since 1970 as text: 2014-04-01 12:30:00, with a fraction of a second where there is one. */
export function timestampText(time: number): string {
  const days = Math.floor(time / DAY)
  const micros = time - DAY * days
  const seconds = Math.floor(micros / SECOND)
  const fraction = String(micros - SECOND * seconds)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map(padToTwo)
    .join(':')
  return `${dateText(days)} ${clock}${fraction && `.${fraction}`}`
}

/** A number with a leading zero if it has one digit. */
const padToTwo = (n: number): string => String(n).padStart(2, '0')

/**
 * The time in bytes [from, to) as ISO 8601 writes it: 2014-04-01, with 12:30, 12:30:05 or 12:30:05.25 after a
 * blank or T, and Z, +02, +0200 or +02:00 after that. Without a zone it is UTC. In microseconds since 1970;
 * NaN for any other text. Blanks around it are ignored.
 */
export function isoTime(bytes: Uint8Array, from: number, to: number): number {
  while (from < to && bytes[from] === SPACE) from++
  while (to > from && bytes[to - 1] === SPACE) to--
  if (to - from < 10 || bytes[from + 4] !== MINUS || bytes[from + 7] !== MINUS) return NaN
  const year = 100 * parsePair(bytes, from) + parsePair(bytes, from + 2)
  const day = daysOf(year, parsePair(bytes, from + 5), parsePair(bytes, from + 8)) * DAY
  if (to - from === 10) return day
  let at = from + 16
  if (at > to || !(bytes[from + 10] === SPACE || bytes[from + 10] === UPPER_T)) return NaN
  if (bytes[from + 13] !== COLON) return NaN
  let [hour, minute, second, fraction] = [parsePair(bytes, from + 11), parsePair(bytes, from + 14), 0, 0]
  if (at + 3 <= to && bytes[at] === COLON) {
    second = parsePair(bytes, at + 1)
    at += 3
    if (at < to && bytes[at] === DOT) {
      const digits = ++at
      for (let unit = SECOND / 10; at < to && isDigit(bytes[at]); at++, unit /= 10)
        if (unit >= 1) fraction += unit * (bytes[at] - ZERO)
      if (at === digits) return NaN
    }
  }
  const offset = zoneOffset(bytes, at, to)
  return hour < 24 && minute < 60 && second < 60
    ? day + SECOND * (3600 * hour + 60 * minute + second) + fraction - offset
    : NaN
}

/**
 * The offset of the time zone in bytes [at, to), in microseconds to the east of Greenwich: 0 if they are
 * empty or Z, NaN if they are no zone.
 */
function zoneOffset(bytes: Uint8Array, at: number, to: number): number {
  if (at === to || (bytes[at] === UPPER_Z && at + 1 === to)) return 0
  const sign = bytes[at] === PLUS ? 1 : bytes[at] === MINUS ? -1 : NaN
  const hours = parsePair(bytes, at + 1)
  const minutes = to === at + 3 ? 0 : parsePair(bytes, bytes[at + 3] === COLON ? at + 4 : at + 3)
  const whole = to === at + 3 || to === at + 5 || (to === at + 6 && bytes[at + 3] === COLON)
  return whole && hours < 24 && minutes < 60 ? sign * 60 * SECOND * (60 * hours + minutes) : NaN
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE

/** The number that the two digits at a position write; NaN if they are no digits. */
function parsePair(bytes: Uint8Array, at: number): number {
  return isDigit(bytes[at]) && isDigit(bytes[at + 1]) ? 10 * (bytes[at] - ZERO) + bytes[at + 1] - ZERO : NaN
}

/** The names of months and days are read in English, in any case. */
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const LONG_MONTHS =
  'january|february|march|april|may|june|july|august|september|october|november|december'.split('|')
/** Directives that stand for several others. */
const SHORTHANDS: Record<string, string> = { T: '%H:%M:%S', R: '%H:%M', D: '%m/%d/%y', F: '%Y-%m-%d' }

/**
 * The pattern of the text that each directive of a format matches. Numbers may lack their leading zero, as in
 * Python's strptime.
 */
const DIRECTIVES: Record<string, string> = {
  Y: String.raw`\d{4}`,
  y: String.raw`\d{2}`,
  m: String.raw`\d{1,2}`,
  d: String.raw`\d{1,2}`,
  H: String.raw`\d{1,2}`,
  I: String.raw`\d{1,2}`,
  M: String.raw`\d{1,2}`,
  S: String.raw`\d{1,2}`,
  f: String.raw`\d{1,9}`,
  j: String.raw`\d{1,3}`,
  p: '[AaPp][Mm]',
  b: MONTHS.join('|'),
  B: LONG_MONTHS.join('|'),
  a: 'mon|tue|wed|thu|fri|sat|sun',
  A: 'monday|tuesday|wednesday|thursday|friday|saturday|sunday',
  z: String.raw`Z|[+-]\d{2}(?::?\d{2})?`,
}

/** The most characters of a format; files, which are not trusted, may name one. */
const LONGEST_FORMAT = 100

/** Reads a text as a time in microseconds since 1970; NaN if it is none. */
export type TimeReader = (text: string) => number

/**
 * Returns a reader of times in a format of strftime, as in %m/%d/%Y %H:%M:%S. Parts that the format lacks are
 * those of 1970-01-01 00:00:00 UTC. Throws if a directive is unknown or repeated, or there is none.
 */
export function compileTimeFormat(format: string): TimeReader {
  if (format.length > LONGEST_FORMAT) throw badFormat(`${format.slice(0, 40)}…`)
  const plain = format.replace(/%-?([TRDF])/g, (_, letter: string) => SHORTHANDS[letter])
  const letters: string[] = []
  const parts = plain.match(/%-?[\s\S]|\s+|[\s\S]/g) ?? []
  const pattern = parts.map((part, at) => {
    if (/^\s/.test(part)) return String.raw`\s+`
    if (part === '%%' || part[0] !== '%') return escapeRegExp(part.slice(-1))
    const letter = part.slice(-1)
    const found = DIRECTIVES[letter]
    if (found === undefined || letters.includes(letter)) throw badFormat(format, part)
    letters.push(letter)
    // A number beside another, as in %Y%m%d, has a fixed count of digits.
    const beside = [parts[at - 1], parts[at + 1]].some((other) => other?.startsWith('%') && other !== '%%')
    return `(${beside ? found.replace('{1,2}', '{2}').replace('{1,3}', '{3}') : found})`
  })
  if (letters.length === 0) throw badFormat(format)
  const whole = new RegExp(String.raw`^\s*${pattern.join('')}\s*$`, 'i')
  return (text) => {
    const found = whole.exec(text)
    return found ? timeOfParts(new Map(letters.map((letter, i) => [letter, found[i + 1]]))) : NaN
  }
}

/**
 * The error for a format of times.
 * @param part the directive that is unknown or repeated; else there is none
 */
function badFormat(format: string, part?: string): InputError {
  const fault = part === undefined ? 'has no parts of a time' : `has ${part}, which is unknown or repeated`
  return new InputError(
    'option',
    sentence`${option('dates')}: the format "${format}" ${fault}; write it as in %m/%d/%Y %H:%M:%S.`,
  )
}

/** The microseconds since 1970 of the texts that a format's directives matched, by letter; NaN if invalid. */
function timeOfParts(parts: ReadonlyMap<string, string>): number {
  const number = (letter: string, otherwise: number): number =>
    parts.has(letter) ? Number(parts.get(letter)) : otherwise
  const short = number('y', 70) // 69 to 99 are of the 20th century, as POSIX has it
  const year = number('Y', short < 69 ? 2000 + short : 1900 + short)
  const name = (parts.get('b') ?? parts.get('B'))?.slice(0, 3).toLowerCase()
  const month = name === undefined ? number('m', 1) : MONTHS.indexOf(name) + 1
  const days = parts.has('j') ? dayOfYear(year, number('j', 1)) : daysOf(year, month, number('d', 1))
  let hour = number('H', 0)
  if (parts.has('I')) {
    hour = number('I', 0)
    if (hour < 1 || hour > 12) return NaN
    hour = (hour % 12) + (parts.get('p')?.toLowerCase() === 'pm' ? 12 : 0)
  }
  const [minute, second] = [number('M', 0), number('S', 0)]
  if (!(hour < 24 && minute < 60 && second < 60)) return NaN
  const fraction = Math.floor(Number(`0.${parts.get('f') ?? 0}`) * SECOND + 1e-6)
  const zone = new TextEncoder().encode(parts.get('z') ?? '')
  const offset = zoneOffset(zone, 0, zone.length)
  return days * DAY + SECOND * (3600 * hour + 60 * minute + second) + fraction - offset
}

/** Days since 1970 of the day of a year with a number from 1 (%j); NaN if there is no such day. */
function dayOfYear(year: number, day: number): number {
  const first = daysOf(year, 1, 1)
  return day >= 1 && day <= daysOf(year + 1, 1, 1) - first ? first + day - 1 : NaN
}

/** Common formats of dates that are not ISO 8601; the first two are ambiguous. */
const FOREIGN_DATES = [
  '%m/%d/%Y',
  '%d/%m/%Y',
  '%d.%m.%Y',
  '%m-%d-%Y',
  '%d-%m-%Y',
  '%Y/%m/%d',
  '%Y%m%d',
].concat(['%m/%d/%y', '%d/%m/%y', '%d.%m.%y', '%d %b %Y', '%b %d, %Y', '%d-%b-%Y', '%d-%b-%y'])
/** Formats of the times of day that may follow dates that are not ISO 8601. */
const FOREIGN_CLOCKS = ['', ' %H:%M', ' %H:%M:%S', ' %I:%M %p', ' %I:%M:%S %p', 'T%H:%M:%S']

/** The readers of all common formats that are not ISO 8601; compiled on first use. */
let foreignReaders: { format: string; read: TimeReader }[] | undefined

/** The common formats other than ISO 8601 by which every text is a time; none if there are no texts. */
export function likelyFormats(texts: readonly string[]): string[] {
  if (texts.length === 0 || !texts.every((text) => /\d/.test(text) && text.length < 40)) return []
  foreignReaders ??= FOREIGN_DATES.flatMap((date) => FOREIGN_CLOCKS.map((clock) => date + clock)).map(
    (format) => ({
      format,
      read: compileTimeFormat(format),
    }),
  )
  return foreignReaders.flatMap(({ format, read }) =>
    texts.every((text) => !Number.isNaN(read(text))) ? [format] : [],
  )
}
