// Unlisted cells as zeros, without visiting them. Over all cells of a row, Σ k kᵀ is the same for every row:
// the elementwise product of U⁽ʲ⁾ᵀU⁽ʲ⁾ over the other modes j. In Σ (k·y − x) k only listed cells contribute
// to the term with x. A listed cell that is unknown counts as if it had the predicted value: its residual is
// zero.
import { gatherWithProduct } from "../entries/gather";
import { Window } from "../entries/window";
import { addGradient } from "../entries/gram";
import { UNKNOWN_BITS, VIEW_GRAM, VIEW_ORDER, VIEW_OTHERS } from "../layout";
import { MATRIX, R, ROW } from "../rank";
import { strideOf, valueOffset } from "../entries/records";
import { blockScratch, productScratch, residualScratch, zeroScratch } from "../scratch";
import { unpackedIndex } from "../entries/unpack";

/**
 * Adds −Σ x k over `count` ≤ BLOCK listed cells from the window on to g (R), and advances it; unknown cells
 * count with x = k·y. With `fresh`, g starts at 0.
 */
export function addListedCells(view: usize, window: Window, count: u32, y: usize, g: usize, fresh: bool): void {
  const K = blockScratch();
  const D = residualScratch();
  const S = productScratch();
  const valueAt = valueOffset(view);
  const stride = strideOf(view);
  let record = window.at;
  const zeros = zeroScratch();
  memory.fill(zeros, 0, ROW);
  gatherWithProduct(view, window, count, zeros, y, K, D, S); // D = −x
  for (let e: u32 = 0; e < count; e++) {
    if (isUnknown(record + valueAt)) store<f32>(D + (<usize>e << 2), -load<f32>(S + (<usize>e << 2)));
    record += stride;
    if (record == window.end) record = window.begin;
  }
  addGradient(K, D, count, g, fresh);
}

@inline
/** Whether the value at this address marks an unknown cell. */
export function isUnknown(value: usize): bool {
  return load<u32>(value) == UNKNOWN_BITS;
}

/**
 * The prediction k·y of entry e of the block that was gathered last, in float64, since sums over listed cells
 * are subtracted from sums over all cells.
 */
export function predictEntry(view: usize, y: usize, e: u32): f64 {
  const others = load<u32>(view, VIEW_ORDER) - 1;
  let sum: f64 = 0;
  for (let r: usize = 0; r < R; r++) {
    let product = <f64>load<f32>(y + (r << 2));
    for (let o: u32 = 0; o < others; o++) {
      const factor = load<usize>(view + (o << 2), VIEW_OTHERS);
      product *= <f64>load<f32>(factor + unpackedIndex(e, o) * ROW + (r << 2));
    }
    sum += product;
  }
  return sum;
}

/**
 * Extends the sums over listed cells to all cells of a row: writes H (R × R), Σ k kᵀ over all cells, at
 * `sums`, and adds H y to g (R) behind it.
 */
export function addZeros(view: usize, y: usize, sums: usize): void {
  const gram = load<usize>(view, VIEW_GRAM);
  memory.copy(sums, gram, MATRIX);
  const g = sums + MATRIX;
  for (let at: usize = 0; at < ROW; at += 16) {
    let s = v128.load(g + at);
    for (let r: usize = 0; r < R; r++)
      s = f32x4.add(s, f32x4.mul(v128.load32_splat(y + (r << 2)), v128.load(gram + r * ROW + at)));
    v128.store(g + at, s);
  }
}

/**
 * Writes UᵀU (R × R, float64) over each block of `perBlock` rows of a factor to `sums`, for every threads-th
 * block; on the tiles on and above the diagonal.
 */
export function sumProducts(factor: usize, rows: u32, perBlock: u32, sums: usize, thread: u32, threads: u32): void {
  for (let begin = thread * perBlock; begin < rows; begin += threads * perBlock) {
    const end = min(begin + perBlock, rows);
    const own = sums + <usize>(begin / perBlock) * 2 * MATRIX;
    memory.fill(own, 0, 2 * MATRIX);
    for (let p = begin; p < end; p++) {
      const a = factor + <usize>p * ROW;
      for (let r: usize = 0; r < R; r++) {
        const u = f64x2.splat(<f64>load<f32>(a + (r << 2)));
        for (let s = r & ~3; s < R; s += 2) {
          const at = own + ((r * R + s) << 3);
          const other = f64x2.promote_low_f32x4(v128.load64_zero(a + (s << 2)));
          v128.store(at, f64x2.add(v128.load(at), f64x2.mul(u, other)));
        }
      }
    }
  }
}
