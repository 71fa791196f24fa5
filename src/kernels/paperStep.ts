// One inner iteration l of Algorithm 1 (S_NMC) over all rows of a mode: the paper's step, rows in parallel as in
// Algorithm 3. Symbols are the paper's; y is Y_l(p,:), a is A_l(p,:).
import { gather } from "./gather";
import { addGradient, addGram, addHessian, addVector, mirrorHessian } from "./gram";
import {
  MODE_FACTOR, MODE_ORDER, MODE_PARTIALS, MODE_RECORDS, MODE_ROW_START, MODE_SPLITS, MODE_TASK_COUNT, MODE_TASKS,
  MODE_Y, SKIP_HESSIAN, SKIP_POWER_METHOD, SPLIT_BYTES, SPLIT_FIRST_PARTIAL, SPLIT_PARTS, TASK_BYTES, TASK_END_ROW,
  TASK_FROM, TASK_PARTIAL, TASK_ROW, TASK_SPLIT, TASK_TO,
} from "./layout";
import { largestEigenvalue } from "./power";
import { below, draw } from "./random";
import { BLOCK, MATRIX, ROW } from "./rank";
import { blockScratch, residualScratch, sumScratch, vectorScratch, windowScratch } from "./scratch";
import { finishPart, takeTask } from "./threads";

/** Bytes of the partial sums of a part: H, then g. */
export const PARTIAL_BYTES: usize = MATRIX + ROW;

/**
 * mode: its description (layout.ts); key: the random stream of this (iteration, mode, l); c: the sample
 * fraction; first: l = 0, where Y_0 = A_0; skip: for a bench, see layout.ts.
 */
export function paperStep(control: usize, mode: usize, key: u32, c: f64, lambda: f32, first: bool, skip: i32): void {
  const tasks = load<usize>(mode, MODE_TASKS);
  const count = load<u32>(mode, MODE_TASK_COUNT);
  for (let t = takeTask(control); t < count; t = takeTask(control)) {
    const task = tasks + t * TASK_BYTES;
    const row = load<u32>(task, TASK_ROW);
    const endRow = load<u32>(task, TASK_END_ROW);
    if (endRow != 0) {
      for (let p = row; p < endRow; p++) wholeRow(mode, p, key, c, lambda, first, skip);
    } else {
      partOfRow(mode, task, row, key, c, lambda, first, skip);
    }
  }
}

function wholeRow(mode: usize, p: u32, key: u32, c: f64, lambda: f32, first: bool, skip: i32): void {
  const sums = sumScratch();
  const sampled = sampleSize(mode, p, c);
  if (sampled == 0) return; // "If B = 0, then we skip the p-th row."
  addEntries(mode, p, key, sampled, 0, sampled, sums, first, skip);
  updateRow(mode, p, sums, lambda, first, skip);
}

/** A part of a long row. Whoever finishes the row's last part adds all of them, in order, and updates it. */
function partOfRow(mode: usize, task: usize, p: u32, key: u32, c: f64, lambda: f32, first: bool, skip: i32): void {
  const partials = load<usize>(mode, MODE_PARTIALS);
  const own = partials + <usize>load<u32>(task, TASK_PARTIAL) * PARTIAL_BYTES;
  addEntries(mode, p, key, sampleSize(mode, p, c), load<u32>(task, TASK_FROM), load<u32>(task, TASK_TO), own, first, skip);

  const splits = load<usize>(mode, MODE_SPLITS);
  const split = load<u32>(task, TASK_SPLIT);
  if (!finishPart(splits, split)) return;
  const parts = load<u32>(splits + split * SPLIT_BYTES, SPLIT_PARTS);
  const total = partials + <usize>load<u32>(splits + split * SPLIT_BYTES, SPLIT_FIRST_PARTIAL) * PARTIAL_BYTES;
  for (let i: u32 = 1; i < parts; i++) {
    const other = total + <usize>i * PARTIAL_BYTES;
    if (!(skip & SKIP_HESSIAN)) addHessian(total, other);
    addVector(total + MATRIX, other + MATRIX);
  }
  updateRow(mode, p, total, lambda, first, skip);
}

/** B = ⌊c · nnz_p⌋ */
@inline
function sampleSize(mode: usize, p: u32, c: f64): u32 {
  const rowStart = load<usize>(mode, MODE_ROW_START) + (<usize>p << 2);
  return <u32>Math.floor(c * <f64>(load<u32>(rowStart, 4) - load<u32>(rowStart)));
}

/**
 * Sums over the entries from … to of row p's sample (lines 5 to 9): g without λy and H without λI. The sample is a
 * window of the row's shuffled entries that starts anywhere, so memory is read in order.
 */
function addEntries(mode: usize, p: u32, key: u32, sampled: u32, from: u32, to: u32, sums: usize, first: bool, skip: i32): void {
  const rowStart = load<usize>(mode, MODE_ROW_START) + (<usize>p << 2);
  const begin = load<u32>(rowStart);
  const nnz = load<u32>(rowStart, 4) - begin;
  const stride = <usize>load<u32>(mode, MODE_ORDER) << 2;
  const start = sampled < nnz ? below(draw(key, p), nnz) : 0;
  const window = windowScratch();
  window.begin = load<usize>(mode, MODE_RECORDS) + <usize>begin * stride;
  window.end = window.begin + <usize>nnz * stride;
  window.at = window.begin + <usize>(<u32>((<u64>start + <u64>from) % <u64>nnz)) * stride;

  const y = (first ? load<usize>(mode, MODE_FACTOR) : load<usize>(mode, MODE_Y)) + <usize>p * ROW;
  const H = sums;
  const g = sums + MATRIX;
  const K = blockScratch();
  const D = residualScratch();
  for (let at = from; at < to; at += BLOCK) {
    const count = min(BLOCK, to - at);
    gather(mode, window, count, y, K, D);
    addGradient(K, D, count, g, at == from);
    if (!(skip & SKIP_HESSIAN)) addGram(K, count, H, at == from);
  }
}

/** Lines 8 to 13, from the sums over the sample. */
function updateRow(mode: usize, p: u32, sums: usize, lambda: f32, first: bool, skip: i32): void {
  const H = sums;
  const g = sums + MATRIX;
  let L: f32 = f32.MAX_VALUE;
  if (!(skip & SKIP_HESSIAN)) {
    mirrorHessian(H);
    if (!(skip & SKIP_POWER_METHOD)) {
      // λ_max(KᵀK + λI) = λ_max(KᵀK) + λ; without λI the zeros that pad the rank stay out of it.
      L = largestEigenvalue(H, vectorScratch(), vectorScratch() + ROW) + lambda;
    }
  }
  // H = 0 and λ = 0: every k is zero, so the gradient is zero too and the row is already optimal.
  if (L == 0) return;

  const a = load<usize>(mode, MODE_FACTOR) + <usize>p * ROW;
  const Y = load<usize>(mode, MODE_Y) + <usize>p * ROW;
  const keepY = load<usize>(mode, MODE_Y) != 0;
  const y = first ? a : Y;
  const beta = (sqrt(L) - sqrt(lambda)) / (sqrt(L) + sqrt(lambda));
  for (let at: usize = 0; at < ROW; at += 16) {
    const yv = v128.load(y + at);
    const av = v128.load(a + at);
    const gradient = f32x4.add(v128.load(g + at), f32x4.mul(f32x4.splat(lambda), yv));
    const next = f32x4.max(f32x4.sub(yv, f32x4.div(gradient, f32x4.splat(L))), f32x4.splat(0));
    v128.store(a + at, next);
    if (keepY) v128.store(Y + at, f32x4.add(next, f32x4.mul(f32x4.splat(beta), f32x4.sub(next, av))));
  }
}
