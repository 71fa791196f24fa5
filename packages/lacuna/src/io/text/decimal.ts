/**
 * Decimal text to float32, from bytes, with the result of Math.fround(Number(text)) to the last bit.
 *
 * Clinger's observation makes it fast: if the digits form an integer m ≤ 2⁵³ and |e| ≤ 22, then m and 10^|e|
 * are exact in float64, so that one multiplication or division rounds once, as Number() does. Digits beyond
 * the sixteenth are dropped at first: the text then lies between m·10^e and (m + 1)·10^e, and if both ends
 * are the same float32 so is all between, because rounding is monotone. Whatever remains goes to Number().
 */

import { DOT, LOWER, LOWER_E, MINUS, NINE, PLUS, ZERO } from '../../base/characters.ts'
import { textOfBytes } from './escape.ts'

/** 10⁰ … 10²²: the powers of ten that float64 holds exactly. */
export const POWERS_OF_TEN: Float64Array = Float64Array.from({ length: 23 }, (_, e) => Number(`1e${e}`))

/** Below this, another digit can be appended and the result still lies below 2⁵³. */
const ROOM_FOR_A_DIGIT = 9e14
/** Larger exponents need not be distinguished: the value is 0 or infinite. */
const HUGE_EXPONENT = 1e6

/** m · 10^e with one rounding, for m ≤ 2⁵³ and |e| ≤ 22. */
export function timesPowerOfTen(m: number, e: number): number {
  return e < 0 ? m / POWERS_OF_TEN[-e] : m * POWERS_OF_TEN[e]
}

/**
 * The float32 written in bytes [from, to), where the byte at `to` is no digit (or there is none); NaN if it
 * is not a decimal number, ±Infinity if it is too large.
 */
export function parseDecimal(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  let c = bytes[at]
  const negative = c === MINUS
  if (negative || c === PLUS) c = bytes[++at]

  let m = 0
  let e = 0
  let dropped = false // was a digit other than 0 left out of m?
  const whole = at
  while (c >= ZERO && c <= NINE) {
    if (m < ROOM_FOR_A_DIGIT) m = m * 10 + (c - ZERO)
    else {
      e++
      dropped ||= c !== ZERO
    }
    c = bytes[++at]
  }
  let digits = at - whole
  if (c === DOT) {
    const fraction = ++at
    c = bytes[at]
    while (c >= ZERO && c <= NINE) {
      if (m < ROOM_FOR_A_DIGIT) {
        m = m * 10 + (c - ZERO)
        e--
      } else dropped ||= c !== ZERO
      c = bytes[++at]
    }
    digits += at - fraction
  }
  if (digits === 0) return NaN

  if ((c | LOWER) === LOWER_E) {
    c = bytes[++at]
    const down = c === MINUS
    if (down || c === PLUS) c = bytes[++at]
    const exponentDigits = at
    let exponent = 0
    while (c >= ZERO && c <= NINE) {
      if (exponent < HUGE_EXPONENT) exponent = exponent * 10 + (c - ZERO)
      c = bytes[++at]
    }
    if (at === exponentDigits) return NaN
    e += down ? -exponent : exponent
  }
  if (at !== to) return NaN

  if (e >= -22 && e <= 22) {
    const x = Math.fround(timesPowerOfTen(m, e))
    if (!dropped || x === Math.fround(timesPowerOfTen(m + 1, e))) return negative ? -x : x
  }
  return Math.fround(Number(textOfBytes(bytes, from, to)))
}
