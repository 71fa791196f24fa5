// Splits the lines of a table as text into fields, and reads the numbers of a column. A row with a quote, or
// with another number of fields, is left to the host.
import { numberEnd, parseDecimal } from "./decimal";

const LF: u32 = 10;
const CR: u32 = 13;
const SPACE: u32 = 32;
const QUOTE: u32 = 34;

let stoppedAt: usize = 0;
let linesPassed: u32 = 0;

/** The address at which the last `splitRows` stopped: the beginning of a row, or the end of the text. */
export function rowStop(): usize { return stoppedAt; }

/** The number of lines that the last `splitRows` passed, blank ones included. */
export function rowLines(): u32 { return linesPassed; }

/**
 * Splits the whole lines [at, end) into `width` fields each, at a delimiter of one byte or, if `second` is
 * not 0, two. For a column with a slot (slots below 0: none), the field of row r begins and ends at
 * starts[slot · capacity + r] and ends[…], relative to `base`; an empty field ends before it begins. lines[r]
 * is the number of its line, counted from `line`. Stops at `capacity` rows, and at a row with a quote or
 * another number of fields. Returns the number of rows, including the `rows` that were split before.
 */
export function splitRows(
  base: usize, at: usize, end: usize, first: u32, second: u32, width: u32, slots: usize, starts: usize, ends: usize,
  lines: usize, capacity: u32, rows: u32, line: u32,
): u32 {
  let plain: u32 = 0;
  if (second == 0 && width > 1) {
    const before = rows;
    rows = splitPlainRows(base, at, end, first, width, slots, starts, ends, lines, capacity, rows, line);
    plain = rows - before;
    at = stoppedAt;
    line += plain;
  }
  if (at < end && rows < capacity)
    rows = splitAnyRows(base, at, end, first, second, width, slots, starts, ends, lines, capacity, rows, line);
  else linesPassed = 0;
  linesPassed += plain;
  return rows;
}

/** Bytes in which the ends of fields are found at a time. */
const WINDOW: usize = 4096;
/** The addresses of the separators in a window, some more than WINDOW. */
const separators: usize = memory.data(4 * (4096 + 16));

/**
 * `splitRows` for a delimiter of one byte, until a blank line or a row longer than WINDOW. The ends of fields
 * are found for many rows first, without branches, since the number of ends in 16 bytes cannot be predicted;
 * then the rows are all alike.
 */
function splitPlainRows(
  base: usize, at: usize, end: usize, first: u32, width: u32, slots: usize, starts: usize, ends: usize, lines: usize,
  capacity: u32, rows: u32, line: u32,
): u32 {
  const stride = <usize>capacity << 2;
  const feeds = i8x16.splat(<i8>LF);
  const delimiters = i8x16.splat(<i8>first);
  const quotes = i8x16.splat(<i8>QUOTE);
  const rowBytes = <usize>width << 2;
  let quoted: u32 = 0;
  while (at < end && quoted == 0) {
    const windowEnd = min(end, at + WINDOW);
    let next = separators;
    for (let block = at; block < windowEnd; block += 16) {
      const bytes = v128.load(block);
      let mask = <u32>i8x16.bitmask(v128.or(i8x16.eq(bytes, feeds), i8x16.eq(bytes, delimiters)));
      quoted = <u32>i8x16.bitmask(i8x16.eq(bytes, quotes));
      if (block + 16 > windowEnd) {
        const inside = (<u32>1 << <u32>(windowEnd - block)) - 1;
        mask &= inside;
        quoted &= inside;
      }
      if (quoted != 0) mask &= (<u32>1 << ctz(quoted)) - 1;
      const count = popcnt(mask);
      const position = <u32>block;
      for (let more: u32 = 0; more < count; more += 4) {
        store<u32>(next, position + ctz(mask));
        mask &= mask - 1;
        store<u32>(next, position + ctz(mask), 4);
        mask &= mask - 1;
        store<u32>(next, position + ctz(mask), 8);
        mask &= mask - 1;
        store<u32>(next, position + ctz(mask), 12);
        mask &= mask - 1;
        next += 16;
      }
      next -= (<usize>(0 - count) & 3) << 2; // of the last four, those that are none
      if (quoted != 0) break;
    }
    const before = rows;
    for (let row = separators; row + rowBytes <= next; row += rowBytes) {
      const last = <usize>load<u32>(row + rowBytes - 4);
      if (load<u8>(last) != LF || rows == capacity) {
        stoppedAt = at;
        return rows;
      }
      let fieldStart = at;
      for (let column: u32 = 0; column < width; column++) {
        const position = <usize>load<u32>(row + (<usize>column << 2));
        let stop = position;
        if (position == last) stop -= usize(position > fieldStart && load<u8>(position - 1) == CR);
        else if (load<u8>(position) == LF) {
          stoppedAt = at;
          return rows;
        }
        const slot = load<i32>(slots + (<usize>column << 2));
        if (slot >= 0) {
          const cell = <usize>slot * stride + (<usize>rows << 2);
          store<i32>(starts + cell, <i32>(fieldStart - base));
          store<i32>(ends + cell, <i32>(stop - base) - i32(stop == fieldStart));
        }
        fieldStart = position + 1;
      }
      store<u32>(lines + (<usize>rows << 2), line++);
      rows++;
      at = last + 1;
    }
    if (rows == before) break; // the row is longer than that
  }
  stoppedAt = at;
  return rows;
}

/** `splitRows` for all delimiters, rows of any length, and blank lines between them, which it skips. */
function splitAnyRows(
  base: usize, at: usize, end: usize, first: u32, second: u32, width: u32, slots: usize, starts: usize, ends: usize,
  lines: usize, capacity: u32, rows: u32, line: u32,
): u32 {
  const stride = <usize>capacity << 2;
  const firstLine = line;
  const feeds = i8x16.splat(<i8>LF);
  const delimiters = i8x16.splat(<i8>first);
  const quotes = i8x16.splat(<i8>QUOTE);
  const step: usize = second != 0 ? 2 : 1;
  let rowStart = at;
  let fieldStart = at;
  let column: u32 = 0;
  // Reads sixteen bytes at a time: where fields end, and whether there is a quote.
  for (let block = at; block < end; block += 16) {
    const bytes = v128.load(block);
    let mask = <u32>i8x16.bitmask(v128.or(i8x16.eq(bytes, feeds), i8x16.eq(bytes, delimiters)));
    let quoted = <u32>i8x16.bitmask(i8x16.eq(bytes, quotes));
    if (block + 16 > end) {
      const inside = (<u32>1 << <u32>(end - block)) - 1;
      mask &= inside;
      quoted &= inside;
    }
    if (quoted != 0) {
      // The rows before the quote are good; the row with it is left to the host.
      mask &= (<u32>1 << ctz(quoted)) - 1;
    }
    while (mask != 0) {
      const position = block + <usize>ctz(mask);
      mask &= mask - 1;
      const isEnd = load<u8>(position) == LF;
      if (!isEnd && (position < fieldStart || (second != 0 && load<u8>(position + 1) != second))) continue;
      let stop = position;
      if (isEnd && position > fieldStart && load<u8>(position - 1) == CR) stop--;
      if (isEnd && column == 0 && stop == rowStart) {
        line++; // a blank line
        rowStart = position + 1;
        fieldStart = rowStart;
        continue;
      }
      if (column < width) {
        const slot = load<i32>(slots + (<usize>column << 2));
        if (slot >= 0) {
          const cell = <usize>slot * stride + (<usize>rows << 2);
          store<i32>(starts + cell, <i32>(fieldStart - base));
          store<i32>(ends + cell, <i32>(stop - base) - i32(stop == fieldStart));
        }
      }
      column++;
      if (!isEnd) {
        fieldStart = position + step;
        continue;
      }
      if (column != width) {
        stoppedAt = rowStart;
        linesPassed = line - firstLine;
        return rows;
      }
      store<u32>(lines + (<usize>rows << 2), line);
      rows++;
      line++;
      column = 0;
      rowStart = position + 1;
      fieldStart = rowStart;
      if (rows == capacity) {
        stoppedAt = rowStart;
        linesPassed = line - firstLine;
        return rows;
      }
    }
    if (quoted != 0) break;
  }
  stoppedAt = rowStart;
  linesPassed = line - firstLine;
  return rows;
}

/** The number of empty ones of `rows` fields: those that end before they begin. */
export function emptyFields(starts: usize, ends: usize, rows: u32): u32 {
  let counts = i32x4.splat(0);
  let at: usize = 0;
  const bytes = <usize>rows << 2;
  for (; at + 16 <= bytes; at += 16)
    counts = i32x4.sub(counts, i32x4.lt_s(v128.load(ends + at), v128.load(starts + at)));
  let empty = i32x4.extract_lane(counts, 0) + i32x4.extract_lane(counts, 1) + i32x4.extract_lane(counts, 2)
    + i32x4.extract_lane(counts, 3);
  for (; at < bytes; at += 4) empty += i32(load<i32>(ends + at) < load<i32>(starts + at));
  return <u32>empty;
}

/**
 * Parses `rows` fields, without the blanks around them, as float32 and writes them as float64 to `out`; NaN
 * or ±Infinity for those that are no finite numbers. Returns the number of these.
 */
export function decimals(base: usize, starts: usize, ends: usize, rows: u32, out: usize): u32 {
  let others: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const offset = <usize>row << 2;
    let from = base + load<i32>(starts + offset);
    let to = base + load<i32>(ends + offset);
    let x: f32 = NaN;
    while (<isize>from < <isize>to && load<u8>(from) == SPACE) from++;
    while (<isize>to > <isize>from && load<u8>(to - 1) == SPACE) to--;
    if (<isize>from < <isize>to) {
      x = parseDecimal(from);
      if (numberEnd != to) x = NaN;
    }
    others += u32(!isFinite(x));
    store<f64>(out + (<usize>row << 3), <f64>x);
  }
  return others;
}
