// Decimal text to float32 with the bits of Math.fround(Number(text)): io/text/decimal.ts explains why this is
// exact. Numbers that need more than one rounding are converted by the host.
import { countLeadingDigits, parseDigits, isDigit } from "./digits";

const PLUS: u32 = 43;
const MINUS: u32 = 45;
const DOT: u32 = 46;
/** The bit that turns an upper-case letter into a lower-case one. */
const LOWER: u32 = 32;
const LOWER_E: u32 = 101;

/** Below this, another digit can be appended and the result still lies below 2⁵³. */
const ROOM_FOR_A_DIGIT: u64 = 900_000_000_000_000;
/** An exponent beyond every float32; further digits need not be added. */
const HUGE_EXPONENT: i32 = 1_000_000;

/** 10⁰ … 10²²: the powers of ten that float64 holds exactly. */
const POWERS: StaticArray<f64> = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
  1e22,
];
/** 10⁰ … 10⁸ as integers. */
const WHOLE_POWERS: StaticArray<u32> = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

@external("host", "exactly")
/** Asks the host for Math.fround(Number(text)) of the bytes [from, to), which are a decimal number. */
declare function parseByHost(from: usize, to: usize): f64;

/** The end of the number that parseDecimal read last. */
export let numberEnd: usize = 0;

@inline
/** 10^e as float64, exactly, for 0 ≤ e ≤ 22. */
function powerOfTen(e: i32): f64 { return unchecked(POWERS[e]); }

@inline
/** m · 10^e as float32, for m below 2⁵³ and −22 ≤ e ≤ 22: the float64 product or quotient is rounded once. */
function scaleByTen(m: u64, e: i32): f32 {
  return <f32>(e < 0 ? <f64>m / powerOfTen(-e) : <f64>m * powerOfTen(e));
}

/**
 * Parses the decimal number that begins at `from`; NaN if none does, ±Infinity if it is too large. Sets
 * `numberEnd` to its end. A byte that cannot belong to a number must follow in the text.
 */
export function parseDecimal(from: usize): f32 {
  // Most values have few digits: seven and a fraction of eight fit into eight bytes each.
  const whole = load<u64>(from);
  const wholeDigits = countLeadingDigits(whole);
  let at = from + wholeDigits;
  if (wholeDigits >= 1 && wholeDigits <= 7) {
    let m = <u64>parseDigits(whole, wholeDigits);
    let c = <u32>load<u8>(at);
    if (c != DOT && (c | LOWER) != LOWER_E) {
      numberEnd = at;
      return <f32>(<f64>m);
    }
    if (c == DOT) {
      at++;
      const fraction = load<u64>(at);
      const digits = countLeadingDigits(fraction);
      if (digits >= 1) {
        m = m * <u64>unchecked(WHOLE_POWERS[<i32>digits]) + <u64>parseDigits(fraction, digits);
        at += digits;
        c = <u32>load<u8>(at);
        if (!isDigit(c) && (c | LOWER) != LOWER_E) {
          numberEnd = at;
          return <f32>(<f64>m / powerOfTen(<i32>digits));
        }
      }
    }
  }
  return parseLong(from);
}

/** `parseDecimal` for numbers of any length, with sign and exponent. */
function parseLong(from: usize): f32 {
  let at = from;
  let c = <u32>load<u8>(at);
  const negative = c == MINUS;
  if (negative || c == PLUS) c = load<u8>(++at);
  let m: u64 = 0;
  let e: i32 = 0;
  let dropped = false; // was a digit other than 0 left out of m?
  const whole = at;
  while (isDigit(c)) {
    if (m < ROOM_FOR_A_DIGIT) m = m * 10 + <u64>(c - 48);
    else {
      e++;
      if (c != 48) dropped = true;
    }
    c = load<u8>(++at);
  }
  let digits = at - whole;
  if (c == DOT) {
    const fraction = ++at;
    c = load<u8>(at);
    while (isDigit(c)) {
      if (m < ROOM_FOR_A_DIGIT) {
        m = m * 10 + <u64>(c - 48);
        e--;
      } else if (c != 48) dropped = true;
      c = load<u8>(++at);
    }
    digits += at - fraction;
  }
  numberEnd = at;
  if (digits == 0) return NaN;
  if ((c | LOWER) == LOWER_E) {
    c = load<u8>(++at);
    const down = c == MINUS;
    if (down || c == PLUS) c = load<u8>(++at);
    const exponentDigits = at;
    let exponent: i32 = 0;
    while (isDigit(c)) {
      if (exponent < HUGE_EXPONENT) exponent = exponent * 10 + <i32>(c - 48);
      c = load<u8>(++at);
    }
    numberEnd = at;
    if (at == exponentDigits) return NaN;
    e += down ? -exponent : exponent;
  }
  if (e >= -22 && e <= 22) {
    const x = scaleByTen(m, e);
    if (!dropped || x == scaleByTen(m + 1, e)) return negative ? -x : x;
  }
  return <f32>parseByHost(from, at);
}
