/** Times put into bins, named as the command line names them: week(timestamp), hour(date) … */
import { InputError } from '../../inputError.ts'

export const timeBins = ['year', 'month', 'week', 'day', 'hour', 'weekday'] as const
export type TimeBin = (typeof timeBins)[number]

/** A column of the table and what becomes of its texts. */
export interface CsvMode {
  column: number
  bin(text: string): string
}

/** A mode given as a column's name or as a bin of one. */
export function binned(mode: string, names: readonly string[], file: string): CsvMode {
  const whole = names.indexOf(mode)
  if (whole >= 0) return { column: whole, bin: (text) => text }
  const [, bin, name] = /^(\w+)\((.*)\)$/.exec(mode) ?? []
  const column = names.indexOf(unquoted(name ?? ''))
  if (column < 0 || !isTimeBin(bin))
    throw new InputError(
      'format',
      `${file}: there is no column ${mode}; the columns are ${names.join(', ')}.`,
    )
  const known = new Map<string, string>()
  return {
    column,
    bin(text) {
      if (text === '') return ''
      let place = known.get(text)
      if (place === undefined) {
        const time = timeOf(text)
        if (time === undefined)
          throw new InputError(
            'format',
            `${file}: ${name} has the value "${text}", which is no time; take the column as it is, or write times as 2014-04-01 12:00:00 or in Unix seconds.`,
          )
        place = binOf(time, bin)
        if (known.size < 1e6) known.set(text, place)
      }
      return place
    },
  }
}

const isTimeBin = (text: string): text is TimeBin => (timeBins as readonly string[]).includes(text)
const unquoted = (name: string): string =>
  /^".*"$/.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name

/** Unix times from here on are milliseconds: in seconds they would lie in the year 5138. */
const MILLISECONDS_FROM = 1e11

/** All times are taken as they are written, without time zones. */
function timeOf(text: string): Date | undefined {
  const number = Number(text)
  const iso = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?Z?$/.exec(text.trim())
  const time = Number.isFinite(number)
    ? new Date(Math.abs(number) > MILLISECONDS_FROM ? number : 1000 * number)
    : iso
      ? new Date(`${iso[1]}T${iso[2] ?? '00:00'}Z`)
      : undefined
  return time && Number.isFinite(time.getTime()) ? time : undefined
}

function binOf(time: Date, bin: TimeBin): string {
  const weekday = (time.getUTCDay() + 6) % 7 // from Monday
  switch (bin) {
    case 'year':
      return String(time.getUTCFullYear())
    case 'month':
      return time.toISOString().slice(0, 7)
    case 'week':
      return new Date(time.getTime() - 86_400_000 * weekday).toISOString().slice(0, 10)
    case 'day':
      return time.toISOString().slice(0, 10)
    case 'hour':
      return String(time.getUTCHours())
    case 'weekday':
      return String(weekday + 1)
  }
}
