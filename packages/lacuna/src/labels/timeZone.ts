/** Time zones: the local time of an instant, as the clocks of a zone show it. */
import { InputError, option, sentence } from '../base/inputError.ts'
import { SECOND } from './time.ts'

/** Microseconds between two instants at which zones change their offset: a quarter of an hour. */
const QUARTER = 900 * SECOND

/** Returns the offset of a zone at an instant, both in microseconds; throws if there is no such zone. */
export type ZoneOffset = (time: number) => number

/** The offsets of the zones that were used, by name. */
const zones = new Map<string, ZoneOffset>()

/**
 * Returns the offset of a time zone from UTC, positive to the east.
 * @param name of the IANA data base, as in Europe/Berlin; throws for any other text
 */
export function zoneOffsetOf(name: string): ZoneOffset {
  const known = zones.get(name)
  if (known) return known
  const format = formatOf(name)
  const offsets = new Map<number, number>()
  const offsetOf = (time: number): number => {
    if (Number.isNaN(time)) return NaN
    const quarter = Math.floor(time / QUARTER)
    const found = offsets.get(quarter)
    if (found !== undefined) return found
    const milliseconds = (quarter * QUARTER) / 1000
    const part = Object.fromEntries(
      format.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]),
    )
    const local = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second)
    const offset = 1000 * (local - milliseconds)
    offsets.set(quarter, offset)
    return offset
  }
  zones.set(name, offsetOf)
  return offsetOf
}

/** A formatter of the parts of a local time; throws if there is no such zone. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    throw new InputError(
      'option',
      sentence`There is no time zone "${timeZone.slice(0, 40)}"; name one as in ${option('timezone', 'Europe/Berlin')}.`,
    )
  }
}

/** Whether a text in ISO 8601 has a zone after its time of day: Z, +02, +0200 or +02:00. */
export const hasZone = (text: string): boolean => /\d{2}:\d{2}.*(Z|[+-]\d{2}(:?\d{2})?)\s*$/.test(text)
