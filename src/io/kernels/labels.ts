// The values of a mode that have been seen before, looked up where the text lies. What is not found here the host knows, or numbers,
// and it may tell: the tables are of a fixed size, and hold what fits.
import { digitsIn, eightDigits } from "./digits";

/** In place of a code: the host is to say. */
const MISSING: u32 = 0xffffffff;

/** A short text with its length is two words; with its code and a gap it takes three. */
const ENTRY: usize = 24;
const SHORT: usize = 15;

/** The whole number that a text is, written in the one plain way, of at most seven digits; else MISSING. */
@inline
function plainNumber(at: usize, length: usize): u32 {
  const bytes = load<u64>(at);
  if (length - 1 > 6 || digitsIn(bytes) < length || (<u8>bytes == 48 && length > 1)) return MISSING;
  return eightDigits(bytes, length);
}

@inline
function firstWord(at: usize, length: usize): u64 {
  const bytes = load<u64>(at);
  return length >= 8 ? bytes : bytes & ((<u64>1 << (<u64>length << 3)) - 1);
}

@inline
function secondWord(at: usize, length: usize): u64 {
  const bytes = length <= 8 ? 0 : load<u64>(at + 8) & ((<u64>1 << ((<u64>length - 8) << 3)) - 1);
  return bytes | (<u64>length << 56);
}

/** Where a text may be: there, or at the place beside it. */
@inline
function placeOf(texts: usize, mask: u32, a: u64, b: u64): usize {
  let hash = (a ^ (b * 0x9e3779b97f4a7c15)) * 0xd6e8feb86659fd93;
  hash ^= hash >> 32;
  return texts + <usize>(<u32>hash & mask) * ENTRY;
}

@inline
function beside(texts: usize, place: usize): usize { return texts + ((((place - texts) / ENTRY) ^ 1) * ENTRY); }

let freshCount: u32 = 0;

/** How many numbers the last `lookUpLabels` has given codes to. */
export function freshNumbers(): u32 { return freshCount; }

/**
 * The codes of `rows` fields, as `splitRows` has cut them, that are kept: of whole numbers below `size` from `numbers`, of other short
 * texts from `texts`, which has mask + 1 places. Tables hold 1 + code. Returns how many are MISSING. Before the first of these, numbers
 * that have none get the codes from `next` on, unless it is MISSING, and are written to `fresh`.
 */
export function lookUpLabels(
  base: usize, starts: usize, ends: usize, kept: usize, rows: u32, numbers: usize, size: u32, texts: usize, mask: u32, out: usize,
  next: u32, fresh: usize,
): u32 {
  let missing = u32(next == MISSING);
  const known = missing;
  freshCount = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const place = <usize>row << 2;
    let code: u32 = 0;
    if (load<u8>(kept + <usize>row) == 0) continue;
    const at = base + load<i32>(starts + place);
    const length = base + load<i32>(ends + place) - at;
    const n = plainNumber(at, length);
    if (n < size) {
      code = load<u32>(numbers + (<usize>n << 2));
      if (code == 0 && missing == 0) {
        store<u32>(fresh + (<usize>freshCount << 2), n);
        freshCount++;
        code = next + freshCount;
        store<u32>(numbers + (<usize>n << 2), code);
      }
    } else if (length <= SHORT) {
      const a = firstWord(at, length);
      const b = secondWord(at, length);
      let entry = placeOf(texts, mask, a, b);
      if (load<u64>(entry) != a || load<u64>(entry, 8) != b) entry = beside(texts, entry);
      if (load<u64>(entry) == a && load<u64>(entry, 8) == b) code = load<u32>(entry, 16);
    }
    store<u32>(out + place, code - 1);
    missing += u32(code == 0);
  }
  return missing - known;
}

/** What `lookUpLabels` is to find from now on, if there is room; whether it is a number that it did not know. */
export function rememberLabel(at: usize, end: usize, numbers: usize, size: u32, texts: usize, mask: u32, code: u32): bool {
  const length = end - at;
  const n = plainNumber(at, length);
  if (n < size) {
    const place = numbers + (<usize>n << 2);
    const isNew = load<u32>(place) == 0;
    store<u32>(place, code + 1);
    return isNew;
  }
  if (length <= SHORT) {
    const a = firstWord(at, length);
    const b = secondWord(at, length);
    let entry = placeOf(texts, mask, a, b);
    if (load<u32>(entry, 16) != 0 && load<u32>(beside(texts, entry), 16) == 0) entry = beside(texts, entry);
    store<u64>(entry, a);
    store<u64>(entry, b, 8);
    store<u32>(entry, code + 1, 16);
  }
  return false;
}

/** Unix times from here on are milliseconds. */
const MILLISECONDS_FROM: f64 = 1e11;
const LARGEST: f64 = 9007199254740991;
/** What is not beyond may be a year. */
const YEARS_TO: f64 = 2500;
const TENS: StaticArray<f64> = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
/** What has so many may be a day, as 20140401. */
const DATE_DIGITS: usize = 8;

/**
 * Fields that are plain Unix times, as cells of a grid: how many `unit`s they lie behind `origin`, both in microseconds, rounded down.
 * NaN for whatever else, years such as 2014 and days such as 20140401 among them. Returns how many of these there are.
 */
export function gridTimes(base: usize, starts: usize, ends: usize, rows: u32, origin: f64, unit: f64, out: usize): u32 {
  let others: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const place = <usize>row << 2;
    const at = base + load<i32>(starts + place);
    const length = base + load<i32>(ends + place) - at;
    let cell: f64 = NaN;
    if (length - 1 < 15 && length != DATE_DIGITS) {
      const bytes = load<u64>(at);
      const digits = digitsIn(bytes);
      let x = NaN;
      if (digits >= length) x = <f64>eightDigits(bytes, length);
      else if (digits == 8) {
        const more = load<u64>(at + 8);
        if (digitsIn(more) >= length - 8)
          x = <f64>eightDigits(bytes, 8) * unchecked(TENS[<i32>length - 8]) + <f64>eightDigits(more, length - 8);
      }
      const time = x * (x > MILLISECONDS_FROM ? 1e3 : 1e6);
      if (x > YEARS_TO && time <= LARGEST) cell = Math.floor((time - origin) / unit);
    }
    others += u32(cell != cell);
    store<f64>(out + (<usize>row << 3), cell);
  }
  return others;
}

/** The codes of cells that are kept, from a table of 1 + code for those from 0 to size − 1; how many are MISSING. */
export function lookUpCells(cells: usize, kept: usize, rows: u32, table: usize, size: u32, out: usize): u32 {
  let missing: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if (load<u8>(kept + <usize>row) == 0) continue;
    const cell = load<f64>(cells + (<usize>row << 3));
    let code: u32 = 0;
    if (cell >= 0 && cell < <f64>size) code = load<u32>(table + (<usize><u32>cell << 2));
    store<u32>(out + (<usize>row << 2), code - 1);
    missing += u32(code == 0);
  }
  return missing;
}
