// The kernel of .tns text: lines to columns of numbers. Nothing is allocated: the host chooses the addresses
// of text and columns and gives whole lines, so that no loop over a line runs past its end. A line that is no
// good entry is left to the host.
import { numberEnd, parseDecimal } from "./decimal";
import { countLeadingDigits, parseDigits, isDigit } from "./digits";
import { isEntryLine } from "./entryLines";

export { countBuckets, scatterToBuckets, hasDuplicate, hashEntries } from "./distinct";
export { freshNumbers, lookUpCells, lookUpLabels, rememberLabel } from "./labels";
export { decimals, emptyFields, rowLines, rowStop, splitRows } from "./rows";
export { gridTimes, numberTimes } from "./times";

const TAB: u32 = 9;
const LF: u32 = 10;
const CR: u32 = 13;
const SPACE: u32 = 32;
const PERCENT: u32 = 37;

/** Larger than any index: further digits need not be added. */
const BEYOND: u64 = 1_000_000_000_000;

/** The first address, a multiple of 16, of the memory that the host may use. */
export function freeFrom(): usize { return (__heap_base + 15) & ~15; }

let stoppedAt: usize = 0;

/** The address at which the last `parseEntries` stopped: the beginning of a line, or the end of the text. */
export function stop(): usize { return stoppedAt; }

/**
 * Parses the lines [at, end), each of `order` indices, from 1 to those in `limits` (order), and, if
 * `hasValues`, a value, until a line that is no valid entry, or `capacity` entries; `stop` is the line after
 * them. Writes the indices, from 0 on, to columns that follow one another, each `capacity` words long, and
 * the values (float32) behind them. Returns the number of entries.
 */
export function parseEntries(
  at: usize, end: usize, order: u32, hasValues: bool, limits: usize, columns: usize, capacity: u32,
): u32 {
  const stride = <usize>capacity << 2;
  const lastLimit = limits + (<usize>order << 2);
  let entry: u32 = 0;
  while (at < end && entry < capacity) {
    const lineStart = at;
    stoppedAt = lineStart;
    let c = <u32>load<u8>(at);
    while (c == SPACE || c == TAB) c = load<u8>(++at);
    let column = columns + (<usize>entry << 2);
    for (let limit = limits; limit < lastLimit; limit += 4) {
      const bytes = load<u64>(at);
      const digits = countLeadingDigits(bytes);
      if (digits == 0) return entry;
      let index = <u64>parseDigits(bytes, digits);
      at += digits;
      c = load<u8>(at);
      while (isDigit(c)) {
        if (index < BEYOND) index = index * 10 + <u64>(c - 48);
        c = load<u8>(++at);
      }
      if (index == 0 || index > <u64>load<u32>(limit) || c > SPACE) return entry;
      store<u32>(column, <u32>(index - 1));
      column += stride;
      while (c == SPACE || c == TAB) c = load<u8>(++at);
    }
    if (hasValues) {
      const x = parseDecimal(at);
      at = numberEnd;
      c = load<u8>(at);
      if (!isFinite(x) || c > SPACE) return entry;
      store<f32>(column, x);
      while (c == SPACE || c == TAB) c = load<u8>(++at);
    }
    if (c == CR) c = load<u8>(++at);
    if (c != LF) return entry;
    at++;
    entry++;
  }
  stoppedAt = at;
  return entry;
}

let entryLines: u32 = 0;

/** The number of entries among the lines that `countLines` counted last; the others are blank or comments. */
export function entries(): u32 { return entryLines; }

/**
 * Counts the lines that begin in [from, to), each behind a line feed, of which the first may be at from − 1.
 * `entries` is then the number of those that are neither blank nor comments.
 */
export function countLines(from: usize, to: usize): u32 {
  let lines: u32 = 0;
  let others: u32 = 0;
  let at = from;
  const feeds = i8x16.splat(<i8>LF);
  const largest = i8x16.splat(<i8>PERCENT);
  for (; at + 16 <= to; at += 16) {
    const ends = i8x16.eq(v128.load(at - 1), feeds);
    const mask = <u32>i8x16.bitmask(ends);
    lines += popcnt(mask);
    // Few lines begin with a character below a digit: only these are examined.
    let odd = <u32>i8x16.bitmask(v128.and(ends, i8x16.le_u(v128.load(at), largest)));
    while (odd != 0) {
      if (!isEntryLine(at + <usize>ctz(odd))) others++;
      odd &= odd - 1;
    }
  }
  for (; at < to; at++)
    if (load<u8>(at - 1) == LF) {
      lines++;
      if (!isEntryLine(at)) others++;
    }
  entryLines = lines - others;
  return lines;
}

/** The largest of `count` indices; 0 if count is 0. */
export function largest(column: usize, count: u32): u32 {
  let most = i32x4.splat(0);
  const end = column + (<usize>count << 2);
  let at = column;
  for (; at + 16 <= end; at += 16) most = i32x4.max_u(most, v128.load(at));
  let found = max(
    max(<u32>i32x4.extract_lane(most, 0), <u32>i32x4.extract_lane(most, 1)),
    max(<u32>i32x4.extract_lane(most, 2), <u32>i32x4.extract_lane(most, 3)),
  );
  for (; at < end; at += 4) found = max(found, load<u32>(at));
  return found;
}

/** Whether one of `count` values (float32) is below 0. */
export function anyNegative(values: usize, count: u32): bool {
  const end = values + (<usize>count << 2);
  for (let at = values; at < end; at += 4) if (load<f32>(at) < 0) return true;
  return false;
}
