/**
 * Times by the CF conventions of NetCDF: numbers with units such as "hours since 1900-01-01 00:00:0.0", in a
 * calendar. Those of the Gregorian calendar become labels of type DATE or TIMESTAMP.
 */
import { DAY, numberText, SECOND, timeOfText } from '../../labels/index.ts'
import type { AttributeValue } from './arrayFile.ts'

/** Microseconds per unit of time, by the names that CF permits. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(microseconds?|microsecs?)$/, SECOND / 1e6],
  [/^(milliseconds?|millisecs?|msecs?|ms)$/, SECOND / 1e3],
  [/^(seconds?|secs?|s)$/, SECOND],
  [/^(minutes?|mins?)$/, 60 * SECOND],
  [/^(hours?|hrs?|h)$/, 3600 * SECOND],
  [/^(days?|d)$/, DAY],
]

/** Calendars that are Gregorian from 1582 on. */
const GREGORIAN = ['standard', 'gregorian', 'proleptic_gregorian']
/** 15 October 1582, the first day of the Gregorian calendar: `standard` times before it are Julian. */
const FIRST_GREGORIAN = timeOfText('1582-10-15')

/** Labels of times, and their type. */
export interface TimeLabels {
  type: 'DATE' | 'TIMESTAMP'
  labels: string[]
}

/**
 * The labels of times; undefined if the units are none of time, or the calendar is not Gregorian, or a time lies
 * outside of the years 1 … 9999.
 */
export function cfTimes(
  numbers: ArrayLike<number | bigint>,
  attributes: Readonly<Record<string, AttributeValue>>,
): TimeLabels | undefined {
  const { units, calendar = 'standard' } = attributes
  if (typeof units !== 'string' || typeof calendar !== 'string') return undefined
  const [, word, since] = /^\s*(\w+)\s+since\s+(.+?)\s*$/i.exec(units) ?? []
  const unit = UNITS.find(([names]) => word !== undefined && names.test(word.toLowerCase()))?.[1]
  if (unit === undefined || !GREGORIAN.includes(calendar.toLowerCase())) return undefined
  const origin = originOf(since)
  if (Number.isNaN(origin)) return undefined
  // Rounded to milliseconds: a number of hours or days as a double is no exact number of microseconds.
  const times = Array.from(numbers, (n) => Math.round((origin + Number(n) * unit) / 1000) * 1000)
  const least = calendar.toLowerCase() === 'proleptic_gregorian' ? timeOfText('0001-01-01') : FIRST_GREGORIAN
  if (times.some((time) => !(time >= least && time < timeOfText('9999-12-31')))) return undefined
  const type = times.every((time) => time % DAY === 0) ? 'DATE' : 'TIMESTAMP'
  return { type, labels: times.map((time) => numberText(type === 'DATE' ? time / DAY : time, type)) }
}

/** The time that units count from, in microseconds since 1970; NaN if it is none. A zone other than UTC is applied. */
function originOf(text: string): number {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = ''] =
    /^(\d{1,4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(\.\d*)?)?)?)?\s*(Z|UTC|GMT|[-+]\d{1,2}(?::?\d{2})?)?$/i.exec(
      text,
    ) ?? []
  if (year === undefined) return NaN
  const pad = (digits: string, length = 2): string => digits.padStart(length, '0')
  const iso = `${pad(year, 4)}-${pad(month)}-${pad(day)} ${pad(hour)}:${pad(minute)}:${pad(second)}`
  const [, sign, hours, minutes = '0'] = /^([-+])(\d{1,2}):?(\d{2})?$/.exec(zone) ?? []
  const offset =
    sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes)) * 60
  return timeOfText(iso) + Number(`0${fraction}`) * SECOND - offset * SECOND
}
