/**
 * How many decimals the numbers of a column have, so that inferred values are written beside them with as many as
 * mean something, and not with all that a float32 has.
 */
import { numberAsText } from '../../text/index.ts'
import { type NumberStyle, plainNumber } from './numberStyle.ts'

/** How numbers are written in a column. */
export interface NumberForm extends NumberStyle {
  /** The most decimals; undefined for all that a float32 has. */
  decimals?: number
  /** The fewest decimals, with zeros at the end if need be: what all numbers of the column have; 0 by default. */
  padded?: number
  /** The character between thousands, as the column writes it; none by default. */
  separator?: string
}

/** Significant digits of a typical value that are always written. */
const TYPICAL_DIGITS = 3
/** Significant digits of a typical value beyond which a float32 has none. */
const MOST_DIGITS = 7

/**
 * The form of the numbers in a column: as many decimals as its numbers have at most, or as give its median three
 * significant digits, if these are more. So a column of 1 decimal gets 1 (18.3), one of ratings from 1 to 5 gets 2
 * (3.72), and one of counts of some thousands none.
 * @param texts cells of the column; others than numbers do not matter
 * @param typical size of the numbers, where the column has none; by default all digits are written then
 */
export function numberFormOf(
  texts: readonly (string | null)[],
  style: NumberStyle,
  typical?: number,
): NumberForm {
  const form: NumberForm = { decimal: style.decimal, thousands: style.thousands }
  const sizes: number[] = []
  let [most, fewest] = [0, Infinity]
  for (const text of texts) {
    const plain = text === null ? '' : plainNumber(text, style).trim()
    const [, fraction = '', exponent = '0'] = /^[-+]?\d*(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(plain) ?? []
    const size = Math.abs(Number(plain))
    if (plain === '' || !Number.isFinite(size)) continue
    const decimals = Math.max(0, fraction.length - Number(exponent))
    most = Math.max(most, decimals)
    fewest = Math.min(fewest, decimals)
    if (size > 0) sizes.push(size)
    // A blank or apostrophe between thousands may be one of several characters.
    if (style.thousands !== undefined) form.separator ??= /\d([^\d.,e+-])\d{3}/i.exec(text!)?.[1]
  }
  const median = sizes.sort((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? typical
  // Numbers so far from 1 are written with an exponent.
  if (median === undefined || median < 1e-5 || median >= 1e10) return form
  const exponent = Math.floor(Math.log10(median))
  form.decimals = Math.max(
    0,
    Math.min(Math.max(most, TYPICAL_DIGITS - 1 - exponent), MOST_DIGITS - 1 - exponent),
  )
  form.padded = Math.min(fewest, form.decimals)
  return form
}

/**
 * An observed number as text, with the decimal sign of a column. Whole numbers have all their digits, others the 15 that
 * a double holds for certain, without the error of arithmetic in the digits behind them (0.1 * 3).
 */
export function writeExactly(x: number, { decimal = '.' }: NumberStyle): string {
  const text = String(Number.isInteger(x) ? x : Number(x.toPrecision(15)))
  return text.replace('.', decimal)
}

/** A number in the form of a column; null for NaN, which is an empty cell. */
export function writeInForm(y: number, form: NumberForm): string | null {
  const { decimal, decimals, padded = 0, thousands, separator = thousands } = form
  if (Number.isNaN(y)) return null
  // From 1e21 on, toFixed writes an exponent, whose zeros must stay.
  const isFixed = decimals !== undefined && Math.abs(y) < 1e21
  let text = isFixed ? y.toFixed(decimals) : numberAsText(y)
  if (isFixed && decimals > padded)
    for (let spare = decimals - padded; spare > 0 && text.endsWith('0'); spare--) text = text.slice(0, -1)
  if (text.endsWith('.')) text = text.slice(0, -1)
  if (/^-0(\.0*)?$/.test(text)) text = text.slice(1)
  const [whole, fraction] = text.split('.')
  const grouped =
    separator === undefined || /e/i.test(whole) ? whole : whole.replace(/\B(?=(\d{3})+$)/g, separator)
  return fraction === undefined ? grouped : `${grouped}${decimal ?? '.'}${fraction}`
}
