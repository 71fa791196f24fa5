// Hashes, checks and counts entries by row, in blocks of LOADED_AT_A_TIME; place.ts then places them. The
// columns of a block (the indices in each mode), values and hashes lie in this thread's scratch,
// LOADED_AT_A_TIME words each.
import { LOADED_AT_A_TIME } from "../layout";
import { hashFour, mix, mixFour } from "../random";

/** Bytes from one column of a block to the next. */
export const COLUMN: usize = <usize>LOADED_AT_A_TIME << 2;

/**
 * Writes the hash of each entry's coordinates to hashes[e]: `hashCoordinates` of
 * packages/lacuna/src/tensor/order/coordinateOrder.ts, four at a time. key: the stream of the hashes.
 */
export function hashBlock(columns: usize, order: u32, count: u32, key: u32, hashes: usize): void {
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    let h = i32x4.splat(key);
    for (let i: u32 = 0; i < order; i++) h = hashFour(h, v128.load(columns + <usize>i * COLUMN + at));
    v128.store(hashes + at, mixFour(h));
  }
}

/** Whether an index of a block is not below its mode's size (`sizes`, N words), or a value is not finite. */
export function hasFault(columns: usize, order: u32, sizes: usize, values: usize, count: u32): bool {
  let bad = i32x4.splat(0);
  // Whole vectors first; the rest of the last one is checked one by one.
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

/** Σ x² over the `count` values of a block, in float64. */
export function sumOfSquares(values: usize, count: u32): f64 {
  const whole = <usize>(count & ~3) << 2;
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  for (let at: usize = 0; at < whole; at += 16) {
    const x = v128.load(values + at);
    const first = f64x2.promote_low_f32x4(x);
    const second = f64x2.promote_low_f32x4(i64x2.shuffle(x, x, 1, 0));
    low = f64x2.add(low, f64x2.mul(first, first));
    high = f64x2.add(high, f64x2.mul(second, second));
  }
  const both = f64x2.add(low, high);
  let sum = f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
  for (let at = whole; at < <usize>count << 2; at += 4) {
    const x = <f64>load<f32>(values + at);
    sum += x * x;
  }
  return sum;
}

/**
 * Adds the entries of a block to the two words of a digest that does not depend on the order of the entries.
 * weights: 0 if there are none.
 */
export function addToDigest(hashes: usize, values: usize, weights: usize, count: u32, digest: usize): void {
  const whole = <usize>(count & ~3) << 2;
  let first = i32x4.splat(0);
  let second = i32x4.splat(0);
  for (let at: usize = 0; at < whole; at += 16) {
    let hash = v128.load(hashes + at);
    if (weights) hash = mixFour(i32x4.add(hash, v128.load(weights + at)));
    const bits = v128.load(values + at);
    first = i32x4.add(first, mixFour(v128.xor(hash, bits)));
    second = i32x4.add(second, mixFour(i32x4.add(hash, i32x4.mul(bits, i32x4.splat(0x9e3779b1)))));
  }
  let firstSum = load<u32>(digest) + sumWords(first);
  let secondSum = load<u32>(digest, 4) + sumWords(second);
  for (let at = whole; at < <usize>count << 2; at += 4) {
    let hash = load<u32>(hashes + at);
    if (weights) hash = mix(hash + load<u32>(weights + at));
    const bits = load<u32>(values + at);
    firstSum += mix(hash ^ bits);
    secondSum += mix(hash + bits * 0x9e3779b1);
  }
  store<u32>(digest, firstSum);
  store<u32>(digest, secondSum, 4);
}

@inline
/** The sum of four words, modulo 2³². */
function sumWords(x: v128): u32 {
  return i32x4.extract_lane(x, 0) + i32x4.extract_lane(x, 1) + i32x4.extract_lane(x, 2) + i32x4.extract_lane(x, 3);
}

/**
 * Adds the entries of a block to the counters of their rows. column: the indices in the mode. shared: whether
 * other threads use the counters at the same time.
 */
export function countRows(column: usize, count: u32, lengths: usize, shared: bool): void {
  for (let e: u32 = 0; e < count; e++) countOne(lengths, load<u32>(column + (<usize>e << 2)), shared);
}

/** Adds those entries of a block that belong to the probe (isInView) to the counters of their rows. */
export function countProbeRows(
  column: usize, hashes: usize, count: u32, probeKey: u32, limit: f64, lengths: usize, shared: bool,
): void {
  const picked = <u64>limit;
  for (let e: u32 = 0; e < count; e++)
    if (isInView(load<u32>(hashes + (<usize>e << 2)), probeKey, picked))
      countOne(lengths, load<u32>(column + (<usize>e << 2)), shared);
}

@inline
/** Increments a counter and returns its old value; atomically, which is slower, only if threads share it. */
export function countOne(counters: usize, number: u32, shared: bool): u32 {
  const at = counters + (<usize>number << 2);
  if (shared) return atomic.add<u32>(at, 1);
  const before = load<u32>(at);
  store<u32>(at, before + 1);
  return before;
}

@inline
/**
 * Whether an entry with this hash is in a view: every entry is if `limit` is 2³²; the view of the probe has
 * those whose hash, mixed with `probeKey`, is below `limit`.
 */
export function isInView(hash: u32, probeKey: u32, limit: u64): bool {
  return limit == 0x100000000 || <u64>mix(hash ^ probeKey) < limit;
}
