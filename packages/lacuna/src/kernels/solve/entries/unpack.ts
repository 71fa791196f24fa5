// Unpacks the records of a block into columns: the addresses of the rows of the other factors, their indices,
// and the values. Four entries at a time, so that packed indices cost next to nothing.
import { VIEW_OTHERS } from "../layout";
import { ROW } from "../rank";
import { fieldBase, maskOf, nextRecord, shiftOf, strideOf, valueOffset, wordOffset } from "./records";
import { addressScratch, indexScratch, valueScratch, wordScratch } from "../scratch";
import { Window } from "./window";

/** Bytes of a record of two words: all indices in one, and the value. */
const PAIR_BYTES: usize = 8;

@inline
/** The index in the other-th of the other modes of entry e of the block that was unpacked last. */
export function unpackedIndex(e: u32, other: u32): usize {
  return load<usize>(indexScratch(other) + (<usize>e << 2));
}

/**
 * Unpacks `count` ≤ BLOCK records from the window on and advances it. Writes addressScratch(o): the addresses
 * of the rows of the o-th other factor; indexScratch(o): their indices; valueScratch(): the values.
 */
export function unpackRecords(view: usize, others: u32, window: Window, count: u32): void {
  const words = wordScratch();
  if (strideOf(view) == PAIR_BYTES) {
    window.at = splitPairs(window, count, words, valueScratch());
    for (let o: u32 = 0; o < others; o++) decodeIndices(view, o, words, count);
    return;
  }
  let copied: usize = valueOffset(view);
  const after = copyWords(view, window, count, copied, valueScratch());
  for (let o: u32 = 0; o < others; o++) {
    const word = wordOffset(fieldBase(view, o));
    if (word != copied) copyWords(view, window, count, word, words);
    copied = word;
    decodeIndices(view, o, words, count);
  }
  window.at = after;
}

/**
 * Copies the word at offset `word` of `count` records from the window on to `to` (BLOCK); returns the address
 * of the record after them. Does not advance the window.
 */
function copyWords(view: usize, window: Window, count: u32, word: usize, to: usize): usize {
  const stride = strideOf(view);
  const begin = window.begin;
  const end = window.end;
  let record = window.at;
  for (let e: u32 = 0; e < count; e++) {
    store<u32>(to + (<usize>e << 2), load<u32>(record + word));
    record = nextRecord(record, stride, begin, end);
  }
  return record;
}

/**
 * Copies the words of `count` records of two words from the window on to `first` and `second` (BLOCK);
 * returns the address of the record after them. Does not advance the window.
 */
function splitPairs(window: Window, count: u32, first: usize, second: usize): usize {
  const begin = window.begin;
  const end = window.end;
  let record = window.at;
  let e: u32 = 0;
  while (e < count) {
    // Up to where the window wraps; its end is 0 if it does not.
    const run = end == 0 ? count - e : min(count - e, <u32>((end - record) / PAIR_BYTES));
    const stop = e + run;
    for (; e + 4 <= stop; e += 4) {
      const two = v128.load(record);
      const more = v128.load(record, 16);
      v128.store(first + (<usize>e << 2), v128.shuffle<i32>(two, more, 0, 2, 4, 6));
      v128.store(second + (<usize>e << 2), v128.shuffle<i32>(two, more, 1, 3, 5, 7));
      record += 4 * PAIR_BYTES;
    }
    for (; e < stop; e++) {
      store<u32>(first + (<usize>e << 2), load<u32>(record));
      store<u32>(second + (<usize>e << 2), load<u32>(record, 4));
      record += PAIR_BYTES;
    }
    if (record == end) record = begin;
  }
  return record;
}

/**
 * Extracts the indices in the other-th of the other modes from `count` words of records to indexScratch, and
 * the addresses of these rows to addressScratch. Beyond `count`, up to a multiple of four, both are
 * undefined.
 */
function decodeIndices(view: usize, other: u32, words: usize, count: u32): void {
  const field = fieldBase(view, other);
  const shift = shiftOf(view, field);
  const mask = i32x4.splat(maskOf(view, field));
  const factor = i32x4.splat(load<i32>(view + (<usize>other << 2), VIEW_OTHERS));
  const addresses = addressScratch(other);
  const own = indexScratch(other);
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    const indices = v128.and(i32x4.shr_u(v128.load(words + at), shift), mask);
    v128.store(own + at, indices);
    v128.store(addresses + at, i32x4.add(factor, i32x4.mul(indices, i32x4.splat(<i32>ROW))));
  }
}
