// Reads the common forms of times in the fields of a column: Unix times, and days and times of ISO 8601.
import { countLeadingDigits, parseDigits } from "./digits";

/** Larger Unix times are in milliseconds, others in seconds. */
const MILLISECONDS_FROM: f64 = 1e11;
/** The latest time in microseconds: the largest exact integer of float64. */
const LARGEST: f64 = 9007199254740991;
/** Whole numbers below this may be years. */
const YEARS_TO: f64 = 2500;
/** 10⁰ … 10⁷. */
const TENS: StaticArray<f64> = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
/** Numbers of this many digits may be days, such as 20140401. */
const DATE_DIGITS: usize = 8;

/** Microseconds of a second, and of a day. */
const SECOND: f64 = 1e6;
const DAY: f64 = 86_400e6;
const MINUS: u32 = 45;
const SPACE: u32 = 32;
const COLON: u32 = 58;
const UPPER_T: u32 = 84;

@inline
/** The number that two bytes are in decimal digits; 10 000 if they are no digits. */
function twoDigits(at: usize): u32 {
  const tens = <u32>load<u8>(at) - 48;
  const ones = <u32>load<u8>(at, 1) - 48;
  return tens > 9 || ones > 9 ? 10_000 : 10 * tens + ones;
}

/**
 * The Unix time in microseconds of a text such as 2014-04-01 or 2014-04-01 12:30:05, with a blank or T
 * between, in UTC; NaN for any other text.
 */
function isoTime(at: usize, length: usize): f64 {
  const isDay = length == 10;
  if ((!isDay && length != 19) || load<u8>(at, 4) != MINUS || load<u8>(at, 7) != MINUS) return NaN;
  const year: u32 = 100 * twoDigits(at) + twoDigits(at + 2);
  const month = twoDigits(at + 5);
  const day = twoDigits(at + 8);
  if (year - 1 > 9998 || month - 1 > 11 || day - 1 > 30) return NaN;
  const isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const isShort = month == 4 || month == 6 || month == 9 || month == 11;
  if (day > (month == 2 ? 28 + u32(isLeap) : 31 - u32(isShort))) return NaN;
  // Years are counted from March, as in labels/time.ts.
  const y = month > 2 ? year : year - 1;
  const era = y / 400;
  const yearOfEra = y - 400 * era;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const days = 146_097 * era + 365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
  const midnight = <f64>(<i32>days - 719_468) * DAY;
  if (isDay) return midnight;
  const between = <u32>load<u8>(at, 10);
  const hour = twoDigits(at + 11);
  const minute = twoDigits(at + 14);
  const second = twoDigits(at + 17);
  if (between != SPACE && between != UPPER_T) return NaN;
  if (load<u8>(at, 13) != COLON || load<u8>(at, 16) != COLON || hour > 23 || minute > 59 || second > 59) return NaN;
  return midnight + SECOND * <f64>(3600 * hour + 60 * minute + second);
}

let numberCount: u32 = 0;

/** The number of fields that the last `gridTimes` read as Unix times. */
export function numberTimes(): u32 { return numberCount; }

/**
 * Converts `rows` fields that are Unix times or times of ISO 8601 to cells of a grid, floor((time − origin) /
 * unit) with all in microseconds, and writes these as float64 to `out`; NaN for other fields, also for years
 * such as 2014 and days such as 20140401. Returns the number of other fields.
 */
export function gridTimes(base: usize, starts: usize, ends: usize, rows: u32, origin: f64, unit: f64, out: usize): u32 {
  let others: u32 = 0;
  numberCount = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const offset = <usize>row << 2;
    const at = base + load<i32>(starts + offset);
    const length = base + load<i32>(ends + offset) - at;
    let time: f64 = NaN;
    if (length - 1 < 15 && length != DATE_DIGITS) {
      const bytes = load<u64>(at);
      const digits = countLeadingDigits(bytes);
      let x = NaN;
      if (digits >= length) x = <f64>parseDigits(bytes, length);
      else if (digits == 8) {
        const more = load<u64>(at + 8);
        if (countLeadingDigits(more) >= length - 8)
          x = <f64>parseDigits(bytes, 8) * unchecked(TENS[<i32>length - 8]) + <f64>parseDigits(more, length - 8);
      }
      const micros = x * (x > MILLISECONDS_FROM ? 1e3 : 1e6);
      if (x > YEARS_TO && micros <= LARGEST) {
        time = micros;
        numberCount++;
      }
    }
    if (time != time) time = isoTime(at, length);
    const cell = Math.floor((time - origin) / unit);
    others += u32(cell != cell);
    store<f64>(out + (<usize>row << 3), cell);
  }
  return others;
}
