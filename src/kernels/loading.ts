// From entries to views, some thousand at a time: they are hashed, counted by row and by segment, and placed. Columns
// (the indices in each mode) and values of a block lie in this thread's scratch, LOADED_AT_A_TIME words each; any number
// of threads may count and place at once.
import { LOADED_AT_A_TIME, VIEW_MODE, VIEW_ORDER, VIEW_RECORD_START, VIEW_RECORDS } from "./layout";
import { below, mix } from "./random";
import { hasWeights, strideOf } from "./records";

const COLUMN: usize = <usize>LOADED_AT_A_TIME << 2;

/** hashes[e] of the coordinates of each entry: `hashCoordinates` of src/tensor/coordinateOrder.ts, four at a time. */
export function hashBlock(columns: usize, order: u32, count: u32, key: u32, hashes: usize): void {
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    let h = i32x4.splat(key);
    for (let i: u32 = 0; i < order; i++) {
      const index = v128.load(columns + <usize>i * COLUMN + at);
      h = i32x4.mul(v128.xor(h, index), i32x4.splat(0x9e3779b1));
      h = i32x4.add(v128.xor(h, i32x4.shr_u(h, 15)), i32x4.splat(0x7feb352d));
    }
    h = i32x4.mul(v128.xor(h, i32x4.shr_u(h, 16)), i32x4.splat(0x7feb352d));
    h = i32x4.mul(v128.xor(h, i32x4.shr_u(h, 15)), i32x4.splat(0x846ca68b));
    v128.store(hashes + at, v128.xor(h, i32x4.shr_u(h, 16)));
  }
}

/** Whether an index is not below its mode's size (N words), or a value is not finite. */
export function hasFault(columns: usize, order: u32, sizes: usize, values: usize, count: u32): bool {
  let bad = i32x4.splat(0);
  // Whole vectors; what is left of the last one is looked at by itself.
  const whole = <usize>(count & ~3) << 2;
  for (let i: u32 = 0; i < order; i++) {
    const column = columns + <usize>i * COLUMN;
    const size = load<u32>(sizes + (<usize>i << 2));
    for (let at: usize = 0; at < whole; at += 16)
      bad = v128.or(bad, i32x4.ge_u(v128.load(column + at), i32x4.splat(size)));
    for (let at = whole; at < <usize>count << 2; at += 4) if (load<u32>(column + at) >= size) return true;
  }
  const exponent = i32x4.splat(0x7f800000);
  for (let at: usize = 0; at < whole; at += 16)
    bad = v128.or(bad, i32x4.eq(v128.and(v128.load(values + at), exponent), exponent));
  for (let at = whole; at < <usize>count << 2; at += 4) if ((load<u32>(values + at) & 0x7f800000) == 0x7f800000) return true;
  return v128.any_true(bad);
}

/** Σ x² of a block. */
export function sumOfSquares(values: usize, count: u32): f64 {
  let sum: f64 = 0;
  for (let e: u32 = 0; e < count; e++) {
    const x = <f64>load<f32>(values + (<usize>e << 2));
    sum += x * x;
  }
  return sum;
}

/** Adds to the two words of a digest, whatever the order of the entries. weights: 0 where there are none. */
export function addToDigest(hashes: usize, values: usize, weights: usize, count: u32, digest: usize): void {
  let first = load<u32>(digest);
  let second = load<u32>(digest, 4);
  for (let e: u32 = 0; e < count; e++) {
    let hash = load<u32>(hashes + (<usize>e << 2));
    if (weights) hash = mix(hash + load<u32>(weights + (<usize>e << 2)));
    const bits = load<u32>(values + (<usize>e << 2));
    first += mix(hash ^ bits);
    second += mix(hash + bits * 0x9e3779b1);
  }
  store<u32>(digest, first);
  store<u32>(digest, second, 4);
}

/** Counts the entries of each row: in counters of one's own, or in those that all threads share. */
export function countRows(column: usize, count: u32, lengths: usize, shared: bool): void {
  if (shared) {
    for (let e: u32 = 0; e < count; e++) atomic.add<u32>(lengths + (<usize>load<u32>(column + (<usize>e << 2)) << 2), 1);
  } else {
    for (let e: u32 = 0; e < count; e++) {
      const at = lengths + (<usize>load<u32>(column + (<usize>e << 2)) << 2);
      store<u32>(at, load<u32>(at) + 1);
    }
  }
}

/** Counters of one's own into those of all. */
export function addCounts(own: usize, rows: u32, lengths: usize): void {
  for (let p: u32 = 0; p < rows; p++) {
    const count = load<u32>(own + (<usize>p << 2));
    if (count > 0) atomic.add<u32>(lengths + (<usize>p << 2), count);
  }
}

/** Whether an entry is in a view: in all but the probe, every one is. */
@inline
function isPicked(hash: u32, probeKey: u32, limit: u64): bool {
  return limit == 0x100000000 || <u64>mix(hash ^ probeKey) < limit;
}

/** Counts, by row, the entries whose place in the order of the probe is below a limit. */
export function countPicked(column: usize, hashes: usize, count: u32, probeKey: u32, limit: f64, lengths: usize): void {
  for (let e: u32 = 0; e < count; e++)
    if (isPicked(load<u32>(hashes + (<usize>e << 2)), probeKey, <u64>limit))
      atomic.add<u32>(lengths + (<usize>load<u32>(column + (<usize>e << 2)) << 2), 1);
}

/** The number of the segment that an entry belongs to: of its row, by its place in the order of the mode. */
@inline
function segmentOf(row: u32, hash: u32, first: usize, modeKey: u32): u32 {
  const at = first + (<usize>row << 2);
  const start = load<u32>(at);
  const segments = load<u32>(at, 4) - start;
  return segments == 1 ? start : start + below(mix(hash ^ modeKey), segments);
}

/** Counts the entries of each segment of the rows that have several. first: the first segment of each row (P + 1). */
export function countSegments(
  column: usize, hashes: usize, count: u32, first: usize, modeKey: u32, probeKey: u32, limit: f64, lengths: usize,
): void {
  for (let e: u32 = 0; e < count; e++) {
    const row = load<u32>(column + (<usize>e << 2));
    const at = first + (<usize>row << 2);
    if (load<u32>(at, 4) - load<u32>(at) == 1) continue;
    const hash = load<u32>(hashes + (<usize>e << 2));
    if (isPicked(hash, probeKey, <u64>limit))
      atomic.add<u32>(lengths + (<usize>segmentOf(row, hash, first, modeKey) << 2), 1);
  }
}

/**
 * Places the records of a block's entries whose segments, from … to, this part owns: anywhere within them, for they are
 * sorted after. While that goes on, the start of each segment's records stands one place further on than it should, and
 * moves to its end with every record: so it is right when all are placed. Weights, if the view has them, are divided by
 * their mean.
 */
export function placeRecords(
  view: usize, columns: usize, hashes: usize, values: usize, weights: usize, count: u32,
  first: usize, modeKey: u32, probeKey: u32, limit: f64, from: u32, to: u32, scale: f32, meanWeight: f64,
): void {
  const order = load<u32>(view, VIEW_ORDER);
  const mode = load<u32>(view, VIEW_MODE);
  const stride = strideOf(view);
  const isWeighted = hasWeights(view);
  const records = load<usize>(view, VIEW_RECORDS);
  const starts = load<usize>(view, VIEW_RECORD_START) + 4;
  const rows = columns + <usize>mode * COLUMN;
  for (let e: u32 = 0; e < count; e++) {
    const at = <usize>e << 2;
    const hash = load<u32>(hashes + at);
    const segment = segmentOf(load<u32>(rows + at), hash, first, modeKey);
    if (segment < from || segment >= to || !isPicked(hash, probeKey, <u64>limit)) continue;
    let record = records + <usize>atomic.add<u32>(starts + (<usize>(segment - from) << 2), 1) * stride;
    for (let i: u32 = 0; i < order; i++) {
      if (i == mode) continue;
      store<u32>(record, load<u32>(columns + <usize>i * COLUMN + at));
      record += 4;
    }
    store<f32>(record, load<f32>(values + at) * scale);
    if (isWeighted) store<f32>(record, <f32>(<f64>load<f32>(weights + at) / meanWeight), 4);
  }
}
