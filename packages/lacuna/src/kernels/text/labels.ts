// A cache of the codes of a mode's labels: a code is the number of a label in the mode's dictionary. Labels
// are looked up where they lie in the text. The cache has a fixed size; codes that it does not have are
// MISSING, and the host finds them and may add them. It has two tables: one by number, for labels that are
// whole numbers, and a hash table of short texts.
import { countLeadingDigits, parseDigits } from "./digits";

/** The code of a label that the cache does not have. */
const MISSING: u32 = 0xffffffff;

/**
 * Bytes of an entry: two words of a short text with its length, one of its code, and one unused. A text may
 * be in one of two entries, which lie in one cache line.
 */
const ENTRY: usize = 32;
/** Most bytes of a text in the cache. */
const SHORT: usize = 15;

@inline
/**
 * The whole number that a text is, of at most seven digits, without sign or leading zeros; MISSING for other
 * texts.
 */
function plainNumber(at: usize, length: usize): u32 {
  const bytes = load<u64>(at);
  if (length - 1 > 6 || countLeadingDigits(bytes) < length || (<u8>bytes == 48 && length > 1)) return MISSING;
  return parseDigits(bytes, length);
}

// firstWord and secondWord have no branches: the length of a text cannot be predicted by the processor.
@inline
/** The first eight bytes of a text of at most SHORT bytes, with zeros behind its end. */
function firstWord(at: usize, length: usize): u64 {
  return load<u64>(at) & select<u64>(-1, (<u64>1 << (<u64>length << 3)) - 1, length >= 8);
}

@inline
/**
 * The bytes of a text of at most SHORT bytes from the ninth on, with zeros behind its end, and its length on
 * top.
 */
function secondWord(at: usize, length: usize): u64 {
  const bytes = load<u64>(at + 8) & ((<u64>1 << ((<u64>length - 8) << 3)) - 1);
  return select<u64>(bytes, 0, length > 8) | (<u64>length << 56);
}

@inline
/** The address of the first of the two entries where the text of words a and b may be. */
function entryAddress(texts: usize, mask: u32, a: u64, b: u64): usize {
  let hash = (a ^ rotl(b * 0x9e3779b97f4a7c15, 32)) * 0xd6e8feb86659fd93;
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93;
  return texts + <usize>(<u32>(hash >> 32) & mask) * 2 * ENTRY;
}

@inline
/** Whether an entry holds the text of words a and b. */
function holdsText(entry: usize, a: u64, b: u64): bool { return ((load<u64>(entry) ^ a) | (load<u64>(entry, 8) ^ b)) == 0; }

let freshCount: u32 = 0;

/** The number of labels to which the last `lookUpLabels` gave new codes. */
export function freshNumbers(): u32 { return freshCount; }

/**
 * Writes the codes of the valid ones of `rows` fields, whose bounds are as `splitRows` writes them, to `out`.
 * Codes of whole numbers below `size` are in the table `numbers`, those of other short texts in `texts`,
 * which has 2 · (mask + 1) entries; both hold 1 + code. Before the first field that is MISSING, numbers
 * without a code get the codes from `next` on, unless that is MISSING, and are written to `fresh`. Returns
 * the number of codes that are MISSING.
 */
export function lookUpLabels(
  base: usize, starts: usize, ends: usize, valid: usize, rows: u32, numbers: usize, size: u32, texts: usize, mask: u32, out: usize,
  next: u32, fresh: usize,
): u32 {
  let missing = u32(next == MISSING);
  const known = missing;
  freshCount = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const offset = <usize>row << 2;
    let code: u32 = 0;
    if (load<u8>(valid + <usize>row) == 0) continue;
    const at = base + load<i32>(starts + offset);
    const length = base + load<i32>(ends + offset) - at;
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
      const entry = entryAddress(texts, mask, a, b);
      code = select<u32>(load<u32>(entry, 16), 0, holdsText(entry, a, b))
        | select<u32>(load<u32>(entry + ENTRY, 16), 0, holdsText(entry + ENTRY, a, b));
    }
    store<u32>(out + offset, code - 1);
    missing += u32(code == 0);
  }
  return missing - known;
}

/**
 * Adds the code of the label [at, end) to the cache, unless it is too long; it may replace another. Returns
 * whether it is a number below `size` that the cache did not have.
 */
export function rememberLabel(at: usize, end: usize, numbers: usize, size: u32, texts: usize, mask: u32, code: u32): bool {
  const length = end - at;
  const n = plainNumber(at, length);
  if (n < size) {
    const slot = numbers + (<usize>n << 2);
    const isNew = load<u32>(slot) == 0;
    store<u32>(slot, code + 1);
    return isNew;
  }
  if (length <= SHORT) {
    const a = firstWord(at, length);
    const b = secondWord(at, length);
    let entry = entryAddress(texts, mask, a, b);
    const isTaken = load<u32>(entry, 16) != 0 && !holdsText(entry, a, b);
    // If both are taken, it replaces one.
    if (isTaken && (load<u32>(entry + ENTRY, 16) == 0 || (code & 1) != 0)) entry += ENTRY;
    store<u64>(entry, a);
    store<u64>(entry, b, 8);
    store<u32>(entry, code + 1, 16);
  }
  return false;
}

/**
 * Writes the codes of the valid ones of `rows` cells of a time grid (float64, gridTimes) to `out`, from a
 * table of 1 + code for the cells 0 … size − 1. Returns the number of codes that are MISSING.
 */
export function lookUpCells(cells: usize, valid: usize, rows: u32, table: usize, size: u32, out: usize): u32 {
  let missing: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if (load<u8>(valid + <usize>row) == 0) continue;
    const cell = load<f64>(cells + (<usize>row << 3));
    let code: u32 = 0;
    if (cell >= 0 && cell < <f64>size) code = load<u32>(table + (<usize><u32>cell << 2));
    store<u32>(out + (<usize>row << 2), code - 1);
    missing += u32(code == 0);
  }
  return missing;
}
