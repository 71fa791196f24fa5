/** Numbers with units, as in 483,57 € or 1.07 °C: their unit, their signs, and their value. */
import { isMeasure, plainNumber, type Thousands } from 'lacuna/internal'

/** How the numbers of a column with units are written. */
export interface UnitStyle {
  /** The unit or sign of money. */
  unit: string
  /** The decimal sign and what stands between thousands. */
  signs: { decimal: ',' | '.'; thousands?: Thousands }
}

/** A blank between thousands. */
const BLANK_IN_NUMBER = /(?<=\d)[ \u00a0\u202f](?=\d{3})/g

/** A number and the texts around it. */
interface Parts {
  before: string
  digits: string
  after: string
}

/** Splits a number with a unit; undefined if there is no number. */
function splitMeasure(text: string): Parts | undefined {
  const found = /^([^\d+-]*?)\s*([-+]?[\d][\d.,'’ \u00a0\u202f]*\d|[-+]?\d)\s*([^\d]*)$/.exec(text.trim())
  return found ? { before: found[1].trim(), digits: found[2], after: found[3].trim() } : undefined
}

/**
 * The unit and the signs by which all texts are numbers with the same unit; undefined if they are not, or have no
 * unit. At most one in ten may have another unit or none.
 */
export function findUnitStyle(texts: readonly string[]): UnitStyle | undefined {
  const counts = new Map<string, string[]>()
  for (const text of texts) {
    const parts = isMeasure(text.replace(BLANK_IN_NUMBER, '')) ? splitMeasure(text) : undefined
    const unit = parts && parts.before + parts.after
    if (parts && unit) counts.set(unit, [...(counts.get(unit) ?? []), parts.digits])
  }
  const [unit, digits] = [...counts].reduce<[string, string[]]>(
    (most, one) => (one[1].length > most[1].length ? one : most),
    ['', []],
  )
  if (unit === '' || unit.length > 12 || digits.length < 2 || digits.length < 0.9 * texts.length)
    return undefined
  return { unit, signs: findSigns(digits) }
}

/** The decimal sign and thousands separator of numbers: of a comma and a point, the last is the decimal sign. */
function findSigns(digits: readonly string[]): UnitStyle['signs'] {
  const both = digits.find((text) => text.includes(',') && text.includes('.'))
  if (both)
    return both.lastIndexOf(',') > both.lastIndexOf('.')
      ? { decimal: ',', thousands: '.' }
      : { decimal: '.', thousands: ',' }
  const thousands = digits.some((text) => /\d[ \u00a0\u202f]\d{3}/.test(text)) ? ' ' : undefined
  const commas = digits.filter((text) => text.includes(','))
  const isGrouped = commas.length > 0 && commas.every((text) => /^[-+]?\d{1,3}(,\d{3})+$/.test(text))
  if (isGrouped) return { decimal: '.', thousands: ',' }
  return { decimal: commas.length > 0 ? ',' : '.', thousands }
}

/** The number in a text with the unit of a style, or with none; NaN for any other text. */
export function parseMeasure(text: string, { unit, signs }: UnitStyle): number {
  const parts = splitMeasure(text)
  if (!parts) return Number.NaN
  const own = parts.before + parts.after
  if (own !== '' && own !== unit) return Number.NaN
  return Number(plainNumber(parts.digits, signs))
}
