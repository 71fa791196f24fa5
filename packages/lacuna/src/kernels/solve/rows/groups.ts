// Posterior covariances by group of rows, where those of every row would take too long or too much memory.
// Rows with about as many entries have about the same V, so that V is averaged within groups (half-octaves of
// the number of entries) over a sample of their rows, which alone are inverted: sampled rows have slots. With
// V̄_o the mean of V over the rows of mode o that a row's entries have, and S_o the mean of b bᵀ over the
// entries of mode o, the expectation of Σ w k kᵀ is
//   Σ w k kᵀ + n (∏_o (S_o + V̄_o) − ∏_o S_o),   n = Σ w,
// which needs no matrix per entry. With one other mode it is exact, given the groups.
import { GROUPS, VIEW_ORDER, VIEW_OTHERS, VIEW_SLOTS } from "../layout";
import { MATRIX, R, ROW } from "../rank";
import { GROUP_SUMS, systemScratch } from "../scratch";
import { unpackedIndex } from "../entries/unpack";

/** Bytes of the weights by group of one other mode. */
const GROUP_BYTES: usize = 4 * GROUPS;

/**
 * Adds the weights W (BLOCK) of the `count` entries that were unpacked last to those of the groups of their
 * rows: `weights` (others × GROUPS). With `fresh`, they start at 0.
 */
export function addToGroups(view: usize, count: u32, W: usize, weights: usize, fresh: bool): void {
  const order = load<u32>(view, VIEW_ORDER);
  if (fresh) memory.fill(weights, 0, <usize>(order - 1) * GROUP_BYTES);
  for (let o: u32 = 0; o + 1 < order; o++) {
    const groups = load<usize>(view + ((4 * order + o) << 2), VIEW_OTHERS);
    const own = weights + <usize>o * GROUP_BYTES;
    for (let e: u32 = 0; e < count; e++) {
      const at = own + (<usize>load<u32>(groups + (unpackedIndex(e, o) << 2)) << 2);
      store<f32>(at, load<f32>(at) + load<f32>(W + (<usize>e << 2)));
    }
  }
}

/**
 * Adds the covariances of the other modes' rows to H = Σ w k kᵀ at `sums` (R × R), by the weights by group
 * behind it; on the tiles on and above the diagonal.
 */
export function addGroupCovariances(view: usize, sums: usize): void {
  const order = load<u32>(view, VIEW_ORDER);
  const others = order - 1;
  const weights = sums + GROUP_SUMS;
  let n: f32 = 0;
  for (let g: usize = 0; g < <usize>GROUPS; g++) n += load<f32>(weights + (g << 2));
  if (!(n > 0)) return;
  const covariance = systemScratch(); // a row of V̄_o
  const whole = covariance + ROW; // a row of n ∏ (S_o + V̄_o)
  const certain = whole + ROW; // a row of n ∏ S_o
  for (let r: usize = 0; r < R; r++) {
    const first = (r & ~3) << 2;
    const h = sums + r * ROW;
    for (let o: u32 = 0; o < others; o++) {
      const matrices = load<usize>(view + ((order + o) << 2), VIEW_OTHERS) + r * ROW;
      const own = weights + <usize>o * GROUP_BYTES;
      memory.fill(covariance + first, 0, ROW - first);
      for (let g: usize = 0; g < <usize>GROUPS; g++) {
        const weight = load<f32>(own + (g << 2));
        if (weight > 0) addMultiple(covariance, matrices + g * MATRIX, weight, first);
      }
      if (others == 1) addMultiple(h, covariance, 1, first);
      else multiplyMoments(covariance, matrices + <usize>GROUPS * MATRIX, whole, certain, n, first, o == 0);
    }
    if (others > 1) {
      addMultiple(h, whole, 1, first);
      addMultiple(h, certain, -1, first);
    }
  }
}

@inline
/** to += weight · from, of rows (R), from the byte offset `first` on. */
function addMultiple(to: usize, from: usize, weight: f32, first: usize): void {
  const all = f32x4.splat(weight);
  for (let at = first; at < ROW; at += 16)
    v128.store(to + at, f32x4.add(v128.load(to + at), f32x4.mul(all, v128.load(from + at))));
}

@inline
/**
 * Multiplies a row of the products over other modes in place: `whole` by S + V̄ and `certain` by S, with V̄
 * the row `covariance` divided by n, and S the row `moments`. With isFirst, the products start at n.
 */
function multiplyMoments(
  covariance: usize, moments: usize, whole: usize, certain: usize, n: f32, first: usize, isFirst: bool,
): void {
  const part = f32x4.splat(1 / n);
  const all = f32x4.splat(n);
  for (let at = first; at < ROW; at += 16) {
    const S = v128.load(moments + at);
    const M = f32x4.add(S, f32x4.mul(part, v128.load(covariance + at)));
    v128.store(whole + at, f32x4.mul(isFirst ? all : v128.load(whole + at), M));
    v128.store(certain + at, f32x4.mul(isFirst ? all : v128.load(certain + at), S));
  }
}

@inline
/** The slot of row p in VIEW_MOMENTS; meaningless for a row that is not sampled. */
export function slotOf(view: usize, p: u32): usize {
  const slots = load<usize>(view, VIEW_SLOTS);
  return slots ? <usize>load<u32>(slots + (<usize>p << 2)) : <usize>p;
}

@inline
/** Whether V of row p is computed: of every row, or of those that are sampled for their group. */
export function isSampled(view: usize, p: u32): bool {
  const slots = load<usize>(view, VIEW_SLOTS);
  return !slots || load<u32>(slots + (<usize>p << 2), 4) > load<u32>(slots + (<usize>p << 2));
}

/**
 * Writes Σ c a aᵀ (R × R, float64) over the rows with entries of each block of `perBlock` rows to `sums`, for
 * every threads-th block; on the tiles on and above the diagonal. lengths: the entries of each row.
 * @param byLength whether c is the number of the row's entries; else it is 1
 */
export function sumOuterProducts(
  factor: usize, rows: u32, lengths: usize, byLength: bool, perBlock: u32, sums: usize, thread: u32, threads: u32,
): void {
  for (let begin = thread * perBlock; begin < rows; begin += threads * perBlock) {
    const end = min(begin + perBlock, rows);
    const own = sums + <usize>(begin / perBlock) * 2 * MATRIX;
    memory.fill(own, 0, 2 * MATRIX);
    for (let p = begin; p < end; p++) {
      const length = load<u32>(lengths + (<usize>p << 2));
      if (length == 0) continue;
      const a = factor + <usize>p * ROW;
      const c: f64 = byLength ? <f64>length : 1;
      for (let r: usize = 0; r < R; r++) {
        const left = f64x2.splat(c * <f64>load<f32>(a + (r << 2)));
        for (let s = r & ~3; s < R; s += 2) {
          const at = own + ((r * R + s) << 3);
          const right = f64x2.promote_low_f32x4(v128.load64_zero(a + (s << 2)));
          v128.store(at, f64x2.add(v128.load(at), f64x2.mul(left, right)));
        }
      }
    }
  }
}
