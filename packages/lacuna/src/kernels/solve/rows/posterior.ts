// Sums over a row's entries for the E-step of variational EM (Bishop 2006, section 10.1). Under the learned
// prior every row has a Gaussian posterior N(a, V). The expectation of an entry's k kᵀ over the posteriors of
// the other modes' rows is the elementwise product of their second moments M = E[b bᵀ] = b bᵀ + V. So H of a
// row is Σ w ⊙_j M_j, with w the inverse of the noise variance of the entry in units of σ², times the entry's
// own weight if it has one.
//
// The noise may grow with the values: its variance is σ² times a polynomial of the leave-one-out prediction.
// The leverage of a row is the fraction of an entry's value that its prediction follows because of that row;
// it turns predictions and residuals into leave-one-out ones. The variance may also differ between rows; and
// the weights of outliers may be those of a Huber loss.
import { gatherWithProduct } from "../entries/gather";
import { Window } from "../entries/window";
import { addGradient, addHessian } from "../entries/gram";
import { addToGroups } from "./groups";
import {
  CHUNK_BYTES, CHUNK_END_ROW, CHUNK_ROW, CHUNK_SEGMENT, NOISE_BINS, VIEW_CHUNK_COUNT, VIEW_CHUNKS, VIEW_FACTOR,
  VIEW_LEVERAGES, VIEW_ORDER, VIEW_OTHERS, VIEW_RECORDS, VIEW_VARIANCES,
} from "../layout";
import { BLOCK, MATRIX, R, ROW } from "../rank";
import { entryWeight, hasWeights, nextRecord, strideOf } from "../entries/records";
import { unpackedIndex } from "../entries/unpack";
import { recordStart } from "../entries/sample";
import { multiplyByRoots } from "../entries/weights";
import { addressScratch, blockScratch, GROUP_SUMS, indexScratch, productScratch, residualScratch, systemScratch, windowScratch, zeroScratch } from "../scratch";
import {
  hasVariances, isGrouped, isWeighted, leastMean, mostDeviations, rank, sigma2, variance0, variance1, variance2,
} from "../settings";
import { takeTask } from "../threads";

/** Largest leverage; beyond it a leave-one-out prediction would be mostly rounding. */
const MOST_LEVERAGE: f32 = 0.9;

/**
 * Adds the sums over `count` ≤ BLOCK entries of row p from the window on, and advances it: Σ w ⊙_j M_j to H
 * (R × R) at `sums`, −Σ w x k to g (R) behind it, and Σ w x² and the sum of the entries' own weights to the
 * two float64 behind that. With `fresh`, the sums start at 0. Where covariances are those of groups, H is
 * Σ w k kᵀ, and the weights by group follow (groups.ts).
 */
export function addMoments(view: usize, p: u32, window: Window, count: u32, sums: usize, fresh: bool): void {
  const K = blockScratch();
  const D = residualScratch();
  const W = productScratch();
  const a = load<usize>(view, VIEW_FACTOR) + <usize>p * ROW;
  const stride = strideOf(view);
  const isOwn = hasWeights(view);
  const start = window.at;
  const zeros = zeroScratch();
  memory.fill(zeros, 0, ROW);
  gatherWithProduct(view, window, count, zeros, a, K, D, W); // D = −x, W = k·a
  let squares: f64 = fresh ? 0 : load<f64>(sums, MATRIX + ROW);
  let total: f64 = fresh ? 0 : load<f64>(sums, MATRIX + ROW + 8);
  let record = start;
  for (let e: u32 = 0; e < count; e++) {
    const at = <usize>e << 2;
    const x = -load<f32>(D + at);
    let w = hasUnevenWeights() ? weightOf(view, p, record, e, load<f32>(W + at), x) : <f32>1;
    if (isOwn) {
      const own = entryWeight(view, record);
      w *= own;
      total += <f64>own;
    }
    store<f32>(W + at, w);
    store<f32>(D + at, -w * x);
    squares += <f64>(w * x) * <f64>x;
    record = nextRecord(record, stride, window.begin, window.end);
  }
  if (!isOwn) total += <f64>count;
  store<f64>(sums, squares, MATRIX + ROW);
  store<f64>(sums, total, MATRIX + ROW + 8);
  addGradient(K, D, count, sums + MATRIX, fresh);
  if (isGrouped) {
    if (isOwn || hasUnevenWeights()) multiplyByRoots(K, W, count);
    addHessian(K, count, sums, fresh);
    addToGroups(view, count, W, sums + GROUP_SUMS, fresh);
    return;
  }
  if (fresh) memory.fill(sums, 0, MATRIX);
  addMomentProducts(view, count, W, sums);
}

/**
 * H (R × R) += Σ w ⊙_j M_j over the `count` entries that were unpacked last, with the weights W (BLOCK); on
 * the tiles on and above the diagonal. Two entries at a time.
 */
function addMomentProducts(view: usize, count: u32, W: usize, H: usize): void {
  const order = load<u32>(view, VIEW_ORDER);
  const others = order - 1;
  // The addresses of rows are no longer needed.
  findMoments(view, others, count);
  const A = addressScratch(0), B = addressScratch(1), C = addressScratch(2);
  for (let e: u32 = 0; e < count; e += 2) {
    const isPair = e + 1 < count;
    const here = <usize>e << 2;
    const there = isPair ? here + 4 : here;
    const w0 = v128.load32_splat(W + (<usize>e << 2));
    const w1 = isPair ? v128.load32_splat(W + (<usize>e << 2), 4) : f32x4.splat(0);
    const a0 = load<usize>(A + here), a1 = load<usize>(A + there);
    if (others == 1) addMomentsOfOne(H, w0, w1, a0, a1);
    else {
      const b0 = load<usize>(B + here), b1 = load<usize>(B + there);
      if (others == 2) addMomentsOfTwo(H, w0, w1, a0, a1, b0, b1);
      else if (others == 3) addMomentsOfThree(H, w0, w1, a0, a1, b0, b1, load<usize>(C + here), load<usize>(C + there));
      else {
        addMomentsOfAny(H, w0, here, others);
        if (isPair) addMomentsOfAny(H, w1, there, others);
      }
    }
  }
}

/** Replaces the addresses of rows of the block that was unpacked last by the addresses of their moments. */
function findMoments(view: usize, others: u32, count: u32): void {
  for (let o: u32 = 0; o < others; o++) {
    const moments = i32x4.splat(load<i32>(view + (<usize>(others + 1 + o) << 2), VIEW_OTHERS));
    const indices = indexScratch(o);
    const addresses = addressScratch(o);
    for (let at: usize = 0; at < <usize>count << 2; at += 16)
      v128.store(addresses + at, i32x4.add(moments, i32x4.mul(v128.load(indices + at), i32x4.splat(<i32>MATRIX))));
  }
}

// The functions below update only the tiles of H (R × R) on and above the diagonal.

/** H += w0 A0 + w1 A1, for two entries and one other mode: the moments of their rows are at a0 and a1. */
function addMomentsOfOne(H: usize, w0: v128, w1: v128, a0: usize, a1: usize): void {
  for (let r: usize = 0; r < rank; r++) {
    for (let at = r * ROW + ((r & ~3) << 2), end = (r + 1) * ROW; at < end; at += 16) {
      const sum = f32x4.add(f32x4.mul(w0, v128.load(a0 + at)), f32x4.mul(w1, v128.load(a1 + at)));
      v128.store(H + at, f32x4.add(v128.load(H + at), sum));
    }
  }
}

/** H += w0 (A0 ⊙ B0) + w1 (A1 ⊙ B1), for two entries and two other modes. */
function addMomentsOfTwo(H: usize, w0: v128, w1: v128, a0: usize, a1: usize, b0: usize, b1: usize): void {
  for (let r: usize = 0; r < rank; r++) {
    for (let at = r * ROW + ((r & ~3) << 2), end = (r + 1) * ROW; at < end; at += 16) {
      const first = f32x4.mul(f32x4.mul(w0, v128.load(a0 + at)), v128.load(b0 + at));
      const second = f32x4.mul(f32x4.mul(w1, v128.load(a1 + at)), v128.load(b1 + at));
      v128.store(H + at, f32x4.add(v128.load(H + at), f32x4.add(first, second)));
    }
  }
}

/** H += w0 (A0 ⊙ B0 ⊙ C0) + w1 (A1 ⊙ B1 ⊙ C1), for two entries and three other modes. */
function addMomentsOfThree(
  H: usize, w0: v128, w1: v128, a0: usize, a1: usize, b0: usize, b1: usize, c0: usize, c1: usize,
): void {
  for (let r: usize = 0; r < rank; r++) {
    for (let at = r * ROW + ((r & ~3) << 2), end = (r + 1) * ROW; at < end; at += 16) {
      const first = f32x4.mul(f32x4.mul(w0, v128.load(a0 + at)), f32x4.mul(v128.load(b0 + at), v128.load(c0 + at)));
      const second = f32x4.mul(f32x4.mul(w1, v128.load(a1 + at)), f32x4.mul(v128.load(b1 + at), v128.load(c1 + at)));
      v128.store(H + at, f32x4.add(v128.load(H + at), f32x4.add(first, second)));
    }
  }
}

/**
 * H += w · (M_1 ⊙ M_2 ⊙ …), for one entry and any number of other modes.
 * @param w the entry's weight, in all four lanes
 * @param here byte offset of the entry in each addressScratch(o), which holds addresses of moments (findMoments)
 * @param others number of other modes
 */
function addMomentsOfAny(H: usize, w: v128, here: usize, others: u32): void {
  for (let r: usize = 0; r < rank; r++) {
    for (let at = r * ROW + ((r & ~3) << 2), end = (r + 1) * ROW; at < end; at += 16) {
      let product = w;
      for (let o: u32 = 0; o < others; o++) product = f32x4.mul(product, v128.load(load<usize>(addressScratch(o) + here) + at));
      v128.store(H + at, f32x4.add(v128.load(H + at), product));
    }
  }
}

/** The leverage of entry e: the sum of those of its rows, times its own weight; at most MOST_LEVERAGE. */
function leverageOf(view: usize, p: u32, record: usize, e: u32): f32 {
  const order = load<u32>(view, VIEW_ORDER);
  let sum = load<f32>(load<usize>(view, VIEW_LEVERAGES) + (<usize>p << 2));
  for (let o: u32 = 0; o + 1 < order; o++) {
    const leverages = load<usize>(view + ((2 * order + o) << 2), VIEW_OTHERS);
    sum += load<f32>(leverages + (unpackedIndex(e, o) << 2));
  }
  if (hasWeights(view)) sum *= entryWeight(view, record);
  return min(sum, MOST_LEVERAGE);
}

@inline
/** The leave-one-out prediction, at least 0, of an entry of value x and leverage h. */
function leaveOneOut(predicted: f32, x: f32, h: f32): f32 {
  return max<f32>(0, (predicted - h * x) / (1 - h));
}

@inline
/**
 * Whether entries are weighted by their noise: it grows with values, differs between rows, or has outliers.
 */
function hasUnevenWeights(): bool {
  return isWeighted || hasVariances || mostDeviations > 0;
}

/** The noise weight of entry e: its Huber weight divided by its noise variance in units of σ². */
function weightOf(view: usize, p: u32, record: usize, e: u32, predicted: f32, x: f32): f32 {
  const h = leverageOf(view, p, record, e);
  const variance = varianceOf(view, p, e, leaveOneOut(predicted, x, h));
  return huberWeight((predicted - x) / (1 - h), variance) / variance;
}

/** The noise variance of an entry whose leave-one-out prediction is `mean`, in units of σ². */
function varianceOf(view: usize, p: u32, e: u32, mean: f32): f32 {
  let variance: f32 = 1;
  if (isWeighted) {
    const y = max(mean, leastMean);
    variance = variance0 + y * (variance1 + y * variance2);
  }
  if (!hasVariances) return variance;
  const order = load<u32>(view, VIEW_ORDER);
  variance *= load<f32>(load<usize>(view, VIEW_VARIANCES) + (<usize>p << 2));
  for (let o: u32 = 0; o + 1 < order; o++) {
    const variances = load<usize>(view + ((3 * order + o) << 2), VIEW_OTHERS);
    variance *= load<f32>(variances + (unpackedIndex(e, o) << 2));
  }
  return variance;
}

@inline
/**
 * The weight that the Huber loss leaves a residual: 1 within mostDeviations standard deviations, and
 * inversely proportional beyond.
 */
function huberWeight(residual: f32, variance: f32): f32 {
  if (mostDeviations == 0) return 1;
  const most = mostDeviations * Mathf.sqrt(<f32>sigma2 * variance);
  return min<f32>(1, most / max<f32>(abs(residual), 1e-30));
}

/**
 * Bins leave-one-out residuals by leave-one-out predictions: per chunk and bin the count, the sum of
 * predictions and the sum of squared residuals, in float64, each entry by its own weight. Bins are quarters
 * of a doubling, around `mean`.
 */
export function noiseMoments(control: usize, view: usize, mean: f32, sums: usize): void {
  const chunks = load<usize>(view, VIEW_CHUNKS);
  const count = load<u32>(view, VIEW_CHUNK_COUNT);
  writeBorders(mean);
  for (let number = takeTask(control); number < count; number = takeTask(control)) {
    const chunk = chunks + <usize>number * CHUNK_BYTES;
    const row = load<u32>(chunk, CHUNK_ROW);
    const endRow = load<u32>(chunk, CHUNK_END_ROW);
    let segment = load<u32>(chunk, CHUNK_SEGMENT);
    const own = sums + <usize>number * (24 * NOISE_BINS);
    memory.fill(own, 0, 24 * NOISE_BINS);
    if (endRow == 0) addToBins(view, row, segment, own);
    else for (let p = row; p < endRow; p++) addToBins(view, p, segment++, own);
  }
}

/** Adds the entries of a segment of row p to the bins, three float64 each. */
function addToBins(view: usize, p: u32, segment: u32, bins: usize): void {
  const begin = recordStart(view, segment);
  const count = recordStart(view, segment + 1) - begin;
  const stride = strideOf(view);
  const isOwn = hasWeights(view);
  const window = windowScratch();
  window.begin = load<usize>(view, VIEW_RECORDS) + <usize>begin * stride;
  window.end = 0; // never reached: the window does not wrap
  window.at = window.begin;
  const a = load<usize>(view, VIEW_FACTOR) + <usize>p * ROW;
  const zeros = zeroScratch();
  const D = residualScratch();
  const S = productScratch();
  let record = window.begin;
  for (let done: u32 = 0; done < count; done += BLOCK) {
    const some = min(BLOCK, count - done);
    memory.fill(zeros, 0, ROW);
    gatherWithProduct(view, window, some, zeros, a, blockScratch(), D, S);
    for (let e: u32 = 0; e < some; e++) {
      const x = -load<f32>(D + (<usize>e << 2));
      const predicted = load<f32>(S + (<usize>e << 2));
      const h = leverageOf(view, p, record, e);
      const y = leaveOneOut(predicted, x, h);
      const residual = (predicted - x) / (1 - h);
      const believed = mostDeviations == 0 ? <f32>1 : huberWeight(residual, varianceOf(view, p, e, y));
      const bin = bins + <usize>binOf(y) * 24;
      const own = isOwn ? <f64>entryWeight(view, record) : 1;
      store<f64>(bin, load<f64>(bin) + own);
      store<f64>(bin, load<f64>(bin, 8) + own * <f64>y, 8);
      store<f64>(bin, load<f64>(bin, 16) + own * (<f64>(believed * residual) * <f64>residual), 16);
      record += stride;
    }
  }
}

/** Writes the borders of the bins, all but the last, to the posterior scratch: quarters of a doubling. */
function writeBorders(mean: f32): void {
  let border: f32 = mean * 0.0009765625; // 2⁻¹⁰
  for (let bin = 0; bin < NOISE_BINS - 1; bin++) {
    store<f32>(systemScratch() + (<usize>bin << 2), border);
    border *= 1.189207115; // 2^¼
  }
}

/**
 * The bin of y: the number of borders that it reaches. By comparison, which gives the same on every machine.
 */
function binOf(y: f32): u32 {
  let bin: u32 = 0;
  for (let half: u32 = NOISE_BINS / 2; half > 0; half >>= 1) {
    if (y >= load<f32>(systemScratch() + (<usize>(bin + half - 1) << 2))) bin += half;
  }
  return bin;
}

/** Writes M = a aᵀ, the second moments without uncertainty, for every threads-th row of a factor. */
export function startMoments(factor: usize, moments: usize, rows: u32, thread: u32, threads: u32): void {
  for (let p = thread; p < rows; p += threads) {
    const a = factor + <usize>p * ROW;
    const M = moments + <usize>p * MATRIX;
    for (let r: usize = 0; r < R; r++) {
      const own = v128.load32_splat(a + (r << 2));
      for (let at: usize = 0; at < ROW; at += 16) v128.store(M + r * ROW + at, f32x4.mul(own, v128.load(a + at)));
    }
  }
}

/**
 * Writes Σ M (R × R, float64) over the rows with entries of each block of `perBlock` rows to `sums`, for
 * every threads-th block; on the tiles on and above the diagonal. lengths: the entries of each row.
 */
export function sumMoments(
  moments: usize, rows: u32, lengths: usize, perBlock: u32, sums: usize, thread: u32, threads: u32,
): void {
  for (let begin = thread * perBlock; begin < rows; begin += threads * perBlock) {
    const end = min(begin + perBlock, rows);
    const own = sums + <usize>(begin / perBlock) * 2 * MATRIX;
    memory.fill(own, 0, 2 * MATRIX);
    for (let p = begin; p < end; p++) {
      if (load<u32>(lengths + (<usize>p << 2)) == 0) continue;
      const M = moments + <usize>p * MATRIX;
      for (let r: usize = 0; r < R; r++) {
        for (let s = r & ~3; s < R; s += 2) {
          const at = own + ((r * R + s) << 3);
          v128.store(at, f64x2.add(v128.load(at), f64x2.promote_low_f32x4(v128.load64_zero(M + r * ROW + (s << 2)))));
        }
      }
    }
  }
}
