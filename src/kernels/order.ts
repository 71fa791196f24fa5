// Puts the records of each segment in their order: by a hash of their coordinates, so that it is random, and the same
// whatever the order in which the entries came. Entries whose hashes are equal go by their coordinates, then by value and weight.
// src/engine/cpu/order.ts has the same hashes in TypeScript.
import {
  CHUNK_BYTES, CHUNK_END_ROW, CHUNK_ROW, CHUNK_SEGMENT, VIEW_CHUNK_COUNT, VIEW_CHUNKS, VIEW_MODE, VIEW_ORDER,
  VIEW_RECORDS, VIEW_SEGMENT,
} from "./layout";
import { hashIndex, mix } from "./random";
import { strideOf } from "./records";
import { recordStart, rowLength } from "./sample";

/** Up to so many records are inserted one by one; more are first thrown into buckets. */
const FEW: u32 = 24;

/** Bytes of scratch for sorting n records of so many words. */
export function orderScratchBytes(n: u32, words: u32): usize {
  // A place in the order and a number of 4 bytes each, twice; a record; as many buckets as records, and one.
  return <usize>n * (16 + (<usize>words << 2) + 4) + 8;
}

/**
 * Sorts the segments in this thread's share of a view's chunks, but for those of more than `most` entries. hashKey: the
 * stream of the coordinates' hashes; modeKey makes another order of them for each mode.
 */
export function orderChunks(
  view: usize, hashKey: u32, modeKey: u32, scratch: usize, most: u32, thread: u32, threads: u32,
): void {
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
        orderSegment(view, row, segment, segments, hashKey, modeKey, scratch);
    } else {
      for (let p = row; p < endRow; p++) orderSegment(view, p, segment++, 1, hashKey, modeKey, scratch);
    }
  }
}

function orderSegment(
  view: usize, p: u32, segment: u32, segments: u32, hashKey: u32, modeKey: u32, scratch: usize,
): void {
  const order = load<u32>(view, VIEW_ORDER);
  const stride = strideOf(view);
  const begin = recordStart(view, segment);
  const n = recordStart(view, segment + 1) - begin;
  if (n < 2) return;
  const records = load<usize>(view, VIEW_RECORDS) + <usize>begin * stride;
  const pairs = scratch;
  const sorted = pairs + (<usize>n << 3);
  const copies = sorted + (<usize>n << 3);
  const buckets = copies + <usize>n * stride;
  const mode = load<u32>(view, VIEW_MODE);
  for (let e: u32 = 0; e < n; e++) {
    const place = placeOf(records + <usize>e * stride, order, mode, p, segments, hashKey, modeKey);
    store<u64>(pairs + (<usize>e << 3), (<u64>place << 32) | <u64>e);
  }
  const inOrder = n <= FEW ? pairs : sorted;
  if (n > FEW) bucketSort(pairs, sorted, buckets, n);
  insertionSort(inOrder, n, records, stride);
  memory.copy(copies, records, <usize>n * stride);
  for (let e: u32 = 0; e < n; e++) {
    const from = copies + <usize>load<u32>(inOrder + (<usize>e << 3)) * stride;
    const to = records + <usize>e * stride;
    for (let at: usize = 0; at < stride; at += 4) store<u32>(to + at, load<u32>(from + at));
  }
}

/**
 * Where an entry stands in its segment, as a share of 2³². The row's segments divide the hashes evenly among them: a hash
 * times their number has the segment in its high word and this in its low one.
 */
@inline
function placeOf(record: usize, order: u32, mode: u32, p: u32, segments: u32, hashKey: u32, modeKey: u32): u32 {
  let hash = hashKey;
  for (let i: u32 = 0; i < mode; i++) hash = hashIndex(hash, load<u32>(record + (<usize>i << 2)));
  hash = hashIndex(hash, p);
  for (let i = mode; i + 1 < order; i++) hash = hashIndex(hash, load<u32>(record + (<usize>i << 2)));
  return mix(mix(hash) ^ modeKey) * segments;
}

/** Places are spread evenly: as many buckets as records leave few in each. */
function bucketSort(pairs: usize, sorted: usize, buckets: usize, n: u32): void {
  memory.fill(buckets, 0, <usize>(n + 1) << 2);
  for (let e: u32 = 0; e < n; e++) {
    const bucket = buckets + (<usize>bucketOf(pairs + (<usize>e << 3), n) << 2);
    store<u32>(bucket, load<u32>(bucket, 4) + 1, 4);
  }
  for (let b: u32 = 1; b < n; b++) {
    const at = buckets + (<usize>b << 2);
    store<u32>(at, load<u32>(at) + load<u32>(at - 4));
  }
  for (let e: u32 = 0; e < n; e++) {
    const pair = pairs + (<usize>e << 3);
    const bucket = buckets + (<usize>bucketOf(pair, n) << 2);
    const at = load<u32>(bucket);
    store<u32>(bucket, at + 1);
    store<u64>(sorted + (<usize>at << 3), load<u64>(pair));
  }
}

@inline
function bucketOf(pair: usize, n: u32): u32 {
  return <u32>((<u64>load<u32>(pair, 4) * <u64>n) >> 32);
}

function insertionSort(pairs: usize, n: u32, records: usize, stride: usize): void {
  for (let e: u32 = 1; e < n; e++) {
    const own = load<u64>(pairs + (<usize>e << 3));
    let at = e;
    while (at > 0) {
      const before = load<u64>(pairs + (<usize>(at - 1) << 3));
      if (!comesBefore(own, before, records, stride)) break;
      store<u64>(pairs + (<usize>at << 3), before);
      at--;
    }
    store<u64>(pairs + (<usize>at << 3), own);
  }
}

@inline
function comesBefore(a: u64, b: u64, records: usize, stride: usize): bool {
  const placeA = <u32>(a >> 32);
  const placeB = <u32>(b >> 32);
  return placeA != placeB ? placeA < placeB : recordBefore(<u32>a, <u32>b, records, stride);
}

function recordBefore(a: u32, b: u32, records: usize, stride: usize): bool {
  const first = records + <usize>a * stride;
  const second = records + <usize>b * stride;
  for (let at: usize = 0; at < stride; at += 4) {
    const x = load<u32>(first + at);
    const y = load<u32>(second + at);
    if (x != y) return x < y;
  }
  return false;
}
