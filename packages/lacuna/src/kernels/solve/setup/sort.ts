// Sorts the records of each segment by a hash of their coordinates: the order is random, and independent of
// that of the input. Ties are sorted by coordinates, then by value and weight.
// engine/cpu/setup/place/order.ts has the same hashes in TypeScript.
//
// Hashes are evenly distributed: records are scattered to as many buckets as there are records, which leaves
// few out of order, and then sorted by insertion.
import {
  CHUNK_BYTES, CHUNK_END_ROW, CHUNK_ROW, CHUNK_SEGMENT, VIEW_CHUNK_COUNT, VIEW_CHUNKS, VIEW_MODE, VIEW_ORDER,
  VIEW_RECORDS, VIEW_SEGMENT,
} from "../layout";
import { hashFour, mixFour } from "../random";
import { fieldBase, maskOf, shiftOf, strideOf, valueOffset, wordOffset } from "../entries/records";
import { recordStart, rowLength } from "../entries/sample";

/** Most records of a segment that is sorted by insertion alone. */
const FEW: u32 = 8;
/** The offset of a word that is not loaded. */
const NONE: usize = 0xffffffff;

/** Bytes of scratch for sorting n records of `words` words each. */
export function sortScratchBytes(n: u32, words: u32): usize {
  // Sort keys, their copies, copies of the records, n + 1 buckets, and room for one record.
  return <usize>n * (12 + (<usize>words << 2)) + 8 + (<usize>words << 2);
}

/**
 * Sorts the records of the segments in every threads-th chunk of a view, except segments of long rows of more
 * than `most` entries. Returns the number of entries that have the coordinates of an entry before them.
 * @param hashKey the stream of the coordinates' hashes
 * @param modeKey makes another order of the hashes for each mode
 */
export function sortChunks(
  view: usize, hashKey: u32, modeKey: u32, scratch: usize, most: u32, thread: u32, threads: u32,
): u32 {
  let repeated: u32 = 0;
  const chunks = load<usize>(view, VIEW_CHUNKS);
  const count = load<u32>(view, VIEW_CHUNK_COUNT);
  for (let number = thread; number < count; number += threads) {
    const chunk = chunks + <usize>number * CHUNK_BYTES;
    const row = load<u32>(chunk, CHUNK_ROW);
    const endRow = load<u32>(chunk, CHUNK_END_ROW);
    let segment = load<u32>(chunk, CHUNK_SEGMENT);
    if (endRow == 0) {
      const segments = (rowLength(view, row) - 1) / load<u32>(view, VIEW_SEGMENT) + 1;
      if (recordStart(view, segment + 1) - recordStart(view, segment) <= most)
        repeated += sortSegment(view, row, segment, segments, hashKey, modeKey, scratch);
    } else {
      for (let p = row; p < endRow; p++)
        repeated += sortSegment(view, p, segment++, 1, hashKey, modeKey, scratch);
    }
  }
  return repeated;
}

/**
 * Sorts the records of a segment of row p, in place. Returns the number of those that have the coordinates of
 * one before them. segments: the number of the row's segments in all partitions.
 */
function sortSegment(
  view: usize, p: u32, segment: u32, segments: u32, hashKey: u32, modeKey: u32, scratch: usize,
): u32 {
  const stride = strideOf(view);
  const begin = recordStart(view, segment);
  const n = recordStart(view, segment + 1) - begin;
  if (n < 2) return 0;
  const records = load<usize>(view, VIEW_RECORDS) + <usize>begin * stride;
  const indexBytes = valueOffset(view);
  const keys = scratch; // (n)
  computeKeys(view, p, records, n, segments, hashKey, modeKey, keys);
  const copies = keys + (<usize>n << 3); // (n records)
  if (n <= FEW) return insertionSort(records, keys, n, stride, indexBytes, copies);
  const copiedKeys = keys + (<usize>n << 2); // (n)
  const buckets = copies + <usize>n * stride; // (n + 1)
  scatterToBuckets(records, keys, n, stride, copies, copiedKeys, buckets);
  const repeated = insertionSort(copies, copiedKeys, n, stride, indexBytes, buckets + (<usize>(n + 1) << 2));
  memory.copy(records, copies, <usize>n * stride);
  return repeated;
}

/**
 * Writes the sort key of each of the n records of a segment of row p to `keys` (n, rounded up to a multiple
 * of four): the record's position in the segment as a fraction of 2³². The row's segments divide the hashes
 * evenly: of a hash times the number of segments, the high word is the segment and the low word the key.
 */
function computeKeys(
  view: usize, p: u32, records: usize, n: u32, segments: u32, hashKey: u32, modeKey: u32, keys: usize,
): void {
  const order = load<u32>(view, VIEW_ORDER);
  const stride = strideOf(view);
  const mode = load<u32>(view, VIEW_MODE);
  const last = records + <usize>(n - 1) * stride;
  for (let e: u32 = 0; e < n; e += 4) {
    const first = records + <usize>e * stride;
    // Beyond the end, the last one again.
    const second = min(first + stride, last);
    const third = min(second + stride, last);
    const fourth = min(third + stride, last);
    let hash = i32x4.splat(hashKey);
    let words = i32x4.splat(0);
    let loaded: usize = NONE;
    for (let i: u32 = 0; i + 1 < order; i++) {
      if (i == mode) hash = hashFour(hash, i32x4.splat(p));
      const field = fieldBase(view, i);
      const at = wordOffset(field);
      if (at != loaded) {
        words = v128.load32_splat(first + at);
        words = v128.load_lane<u32>(second + at, words, 1);
        words = v128.load_lane<u32>(third + at, words, 2);
        words = v128.load_lane<u32>(fourth + at, words, 3);
        loaded = at;
      }
      const indices = v128.and(i32x4.shr_u(words, shiftOf(view, field)), i32x4.splat(maskOf(view, field)));
      hash = hashFour(hash, indices);
    }
    if (mode + 1 == order) hash = hashFour(hash, i32x4.splat(p));
    const mixed = mixFour(v128.xor(mixFour(hash), i32x4.splat(modeKey)));
    v128.store(keys + (<usize>e << 2), i32x4.mul(mixed, i32x4.splat(segments)));
  }
}

/** Copies records and their sort keys bucket by bucket (counting sort). buckets: room for n + 1 counters. */
function scatterToBuckets(
  records: usize, keys: usize, n: u32, stride: usize, copies: usize, copiedKeys: usize, buckets: usize,
): void {
  memory.fill(buckets, 0, <usize>(n + 1) << 2);
  for (let e: u32 = 0; e < n; e++) {
    const bucket = buckets + (<usize>bucketOf(load<u32>(keys + (<usize>e << 2)), n) << 2);
    store<u32>(bucket, load<u32>(bucket, 4) + 1, 4);
  }
  let before: u32 = 0;
  for (let b: u32 = 1; b < n; b++) {
    const at = buckets + (<usize>b << 2);
    before += load<u32>(at);
    store<u32>(at, before);
  }
  for (let e: u32 = 0; e < n; e++) {
    const key = load<u32>(keys + (<usize>e << 2));
    const bucket = buckets + (<usize>bucketOf(key, n) << 2);
    const at = load<u32>(bucket);
    store<u32>(bucket, at + 1);
    store<u32>(copiedKeys + (<usize>at << 2), key);
    copyRecord(copies + <usize>at * stride, records + <usize>e * stride, stride);
  }
}

@inline
/** The bucket, below n, of a sort key: keys are evenly distributed. */
function bucketOf(key: u32, n: u32): u32 {
  return <u32>((<u64>key * <u64>n) >> 32);
}

/**
 * Sorts n records and their sort keys in place by insertion. Returns how many have the coordinates of one
 * before them: the same key and the same first `indexBytes` bytes. These end up side by side, and the later
 * one is compared with its neighbours when it is inserted. room: the address of memory for one record.
 */
function insertionSort(records: usize, keys: usize, n: u32, stride: usize, indexBytes: usize, room: usize): u32 {
  let repeated: u32 = 0;
  let before = load<u32>(keys);
  for (let e: u32 = 1; e < n; e++) {
    const key = load<u32>(keys + (<usize>e << 2));
    if (key > before) {
      before = key;
      continue;
    }
    const at = insertRecord(records, keys, e, stride, room);
    const own = records + <usize>at * stride;
    if (at > 0 && areEqual(own - stride, own, indexBytes) || at < e && areEqual(own, own + stride, indexBytes)) repeated++;
    before = load<u32>(keys + (<usize>e << 2));
  }
  return repeated;
}

/**
 * Moves record e and its key to their position among those before it, which are sorted by key and then by the
 * words of the record; returns that position. room: the address of memory for one record.
 */
function insertRecord(records: usize, keys: usize, e: u32, stride: usize, room: usize): u32 {
  const own = records + <usize>e * stride;
  const key = load<u32>(keys + (<usize>e << 2));
  let at = e;
  while (at > 0) {
    const other = load<u32>(keys + (<usize>(at - 1) << 2));
    if (other < key || (other == key && !precedes(own, records + <usize>(at - 1) * stride, stride))) break;
    at--;
  }
  if (at == e) return at;
  copyRecord(room, own, stride);
  for (let to = e; to > at; to--) {
    store<u32>(keys + (<usize>to << 2), load<u32>(keys + (<usize>(to - 1) << 2)));
    copyRecord(records + <usize>to * stride, records + <usize>(to - 1) * stride, stride);
  }
  store<u32>(keys + (<usize>at << 2), key);
  copyRecord(records + <usize>at * stride, room, stride);
  return at;
}

@inline
/** Whether the first `bytes` bytes of two records are equal. */
function areEqual(first: usize, second: usize, bytes: usize): bool {
  for (let at: usize = 0; at < bytes; at += 4) if (load<u32>(first + at) != load<u32>(second + at)) return false;
  return true;
}

@inline
/** Copies a record of `stride` bytes. */
function copyRecord(to: usize, from: usize, stride: usize): void {
  if (stride == 8) store<u64>(to, load<u64>(from));
  else if (stride == 16) v128.store(to, v128.load(from));
  else for (let at: usize = 0; at < stride; at += 4) store<u32>(to + at, load<u32>(from + at));
}

/** Whether a record comes before another of the same sort key: by its words, in order. */
function precedes(first: usize, second: usize, stride: usize): bool {
  for (let at: usize = 0; at < stride; at += 4) {
    const x = load<u32>(first + at);
    const y = load<u32>(second + at);
    if (x != y) return x < y;
  }
  return false;
}
