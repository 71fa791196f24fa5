/** Advice for tables of events at places, such as pickups: times, coordinates, and nothing that was measured. */
import { type Sentence, sentence, setting } from '../../base/inputError.ts'

/** Names of coordinates of a place: numbers with fractions, but no measurements. */
const PLACE = /^(lat|lon|lng|long|latitude|longitude)$/i

/** Whether a name is that of a coordinate of a place. */
export const isPlace = (name: string): boolean => PLACE.test(name)

/** Names of the columns of FiveThirtyEight's Uber pickups, in lower case. */
const UBER = ['date/time', 'lat', 'lon', 'base']

/** The modes by which events at places are counted: coordinates in cells of about a kilometre. */
const placeModes = (names: readonly string[], times: readonly string[]): string[] => [
  ...times.map((time) => `day(${time})`),
  ...names.filter(isPlace).map((name) => `bins(${name}, 0.01)`),
]

/**
 * Advice on counting events at places, to follow a semicolon; empty for other tables.
 * @param names of all columns
 * @param times those of the columns that are times
 */
export function placeAdvice(names: readonly string[], times: readonly string[]): Sentence {
  const lower = new Set(names.map((name) => name.toLowerCase()))
  if (UBER.every((name) => lower.has(name)))
    return sentence`; these are the columns of FiveThirtyEight's Uber pickups, which ${setting('recipe', 'uber')} reads`
  if (names.filter(isPlace).length < 2) return []
  return sentence`; ${setting('modes', ...placeModes(names, times))} without a value counts the rows by place`
}
