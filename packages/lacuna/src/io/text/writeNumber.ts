/**
 * Numbers to decimal text, as bytes: the mirror of decimal.ts. A float32 is written with the 7, 8 or 9
 * significant digits (9 always suffice) from which parseDecimal gets the same bits, less trailing zeros.
 */
import { DOT, LOWER_E, MINUS, ZERO } from '../../base/characters.ts'
import { POWERS_OF_TEN, timesPowerOfTen } from './decimal.ts'

/** No less than the bytes that any float32 takes as text: -1.23456789e-38 and the like. */
export const LONGEST_FLOAT32 = 20

/** Float32 holds every whole number up to this one. */
const EXACT_WHOLE = 2 ** 24

/** Writes a whole number below 2³² at position `at`; returns the position behind it. */
export function writeWhole(bytes: Uint8Array, at: number, n: number): number {
  const end = at + countDigits(n)
  writeDigits(bytes, end, n)
  return end
}

/**
 * Writes a float32 at position `at`; returns the position behind it. Throws a RangeError if it is not finite.
 */
export function writeFloat32(bytes: Uint8Array, at: number, x: number): number {
  if (!Number.isFinite(x)) throw new RangeError(`${x} is no number that can be written`)
  if (x < 0 || Object.is(x, -0)) {
    bytes[at++] = MINUS
    x = -x
  }
  if (x < EXACT_WHOLE && x === Math.floor(x)) return writeWhole(bytes, at, x)

  let exponent = exponentOf(x)
  for (let precision = 7; precision <= 9; precision++) {
    const scale = precision - 1 - exponent
    if (scale < -22 || scale > 22) break // timesPowerOfTen() would round twice
    let m = Math.round(timesPowerOfTen(x, scale)) >>> 0 // at most 10⁹ or just above
    if (Math.fround(timesPowerOfTen(m, -scale)) !== x) continue
    let lowest = -scale // the exponent of m's last digit
    while (m % 10 === 0) {
      m = (m / 10) >>> 0
      lowest++
    }
    return writeDecimal(bytes, at, m, lowest)
  }

  // Far from 1, powers of ten are not exact: let the engine find the digits. "1.234567e-30" → 1234567, -36
  let text = x.toPrecision(9)
  for (let precision = 8; precision >= 7; precision--) {
    const shorter = x.toPrecision(precision)
    if (Math.fround(Number(shorter)) === x) text = shorter
  }
  const [digits, power] = Number(text).toExponential().split('e')
  exponent = Number(power)
  const m = Number(digits.replace('.', ''))
  return writeDecimal(bytes, at, m, exponent - countDigits(m) + 1)
}

/** Receives the text of one number. */
const scratch = new Uint8Array(LONGEST_FLOAT32)

/** A float32 as text. Throws a RangeError if it is not finite. */
export const float32Text = (x: number): string =>
  new TextDecoder().decode(scratch.subarray(0, writeFloat32(scratch, 0, x)))

const LARGEST_FLOAT32 = (2 - 2 ** -23) * 2 ** 127

/** A finite number as text: rounded to a float32 unless it is too large for one, else in full precision. */
export const numberAsText = (x: number): string =>
  Math.abs(x) <= LARGEST_FLOAT32 ? float32Text(Math.fround(x)) : String(x)

/** Writes m · 10^lowest, m < 2³², plainly from 1e-5 to 1e10, else as 1.25e-7; returns the position behind. */
function writeDecimal(bytes: Uint8Array, at: number, m: number, lowest: number): number {
  const digits = countDigits(m)
  const exponent = lowest + digits - 1
  if (exponent < -5 || exponent > 9) return writeScientific(bytes, at, m, digits, exponent)
  if (lowest >= 0) {
    const end = at + digits
    writeDigits(bytes, end, m)
    return end + writeZeros(bytes, end, lowest)
  }
  if (exponent < 0) {
    bytes[at++] = ZERO
    bytes[at++] = DOT
    at += writeZeros(bytes, at, -1 - exponent)
    writeDigits(bytes, at + digits, m)
    return at + digits
  }
  return writePointed(bytes, at, m, digits, exponent + 1)
}

/**
 * Writes the `digits` digits of m, the first of weight 10^exponent, as 1.25e-7; returns the position behind.
 */
function writeScientific(bytes: Uint8Array, at: number, m: number, digits: number, exponent: number): number {
  at = digits === 1 ? writeWhole(bytes, at, m) : writePointed(bytes, at, m, digits, 1)
  bytes[at++] = LOWER_E
  if (exponent < 0) bytes[at++] = MINUS
  return writeWhole(bytes, at, Math.abs(exponent))
}

/** Writes the `digits` digits of m with a point after the first `before`; returns the position behind. */
function writePointed(bytes: Uint8Array, at: number, m: number, digits: number, before: number): number {
  const unit = POWERS_OF_TEN[digits - before]
  const whole = (m / unit) >>> 0
  writeDigits(bytes, at + before, whole)
  bytes[at + before] = DOT
  const end = at + digits + 1
  writeZeros(bytes, at + before + 1, digits - before) // the fraction may begin with zeros
  writeDigits(bytes, end, m - whole * unit)
  return end
}

/** Writes the digits of n, a whole number below 2³², so that they end before `end`. */
function writeDigits(bytes: Uint8Array, end: number, n: number): void {
  let at = end
  let left = n >>> 0 // whole numbers in 32 bits divide by a multiplication
  do {
    const rest = (left / 10) >>> 0
    bytes[--at] = ZERO + (left - rest * 10)
    left = rest
  } while (left > 0)
}

/** The power of ten of the first digit of x > 0; it may be one off, next to a power of ten. */
function exponentOf(x: number): number {
  let exponent = 0
  if (x >= 1) while (exponent < 10 && x >= POWERS_OF_TEN[exponent + 1]) exponent++
  else while (exponent > -10 && x * POWERS_OF_TEN[-exponent] < 1) exponent--
  return Math.abs(exponent) < 10 ? exponent : Math.floor(Math.log10(x))
}

/** Writes `zeros` zeros at position `at`; returns their number. */
function writeZeros(bytes: Uint8Array, at: number, zeros: number): number {
  for (let i = 0; i < zeros; i++) bytes[at + i] = ZERO
  return zeros
}

/** The number of digits of a whole number below 10¹⁰. */
function countDigits(n: number): number {
  let digits = 1
  while (digits < 10 && n >= POWERS_OF_TEN[digits]) digits++
  return digits
}
