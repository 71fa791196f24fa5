// The pass over a sample: sums of what a row's update needs.
import { gather, gatherTwo } from "./gather";
import { addGradient, addGram, addTwo } from "./gram";
import { MODE_COMPANION, MODE_FACTOR, MODE_SCALE, SKIP_HESSIAN, STEP_GRADIENT, STEP_PAPER } from "./layout";
import { extrapolate } from "./momentum";
import { BLOCK, MATRIX, ROW } from "./rank";
import { openWindow } from "./sample";
import { blockScratch, productScratch, residualScratch, windowScratch } from "./scratch";
import { first, kind, skip } from "./settings";

/**
 * Sums over the entries from … to of row p's sample: g = Σ (k·y − x) k at sums + MATRIX, and at sums either
 * H = Σ k kᵀ or, for a gradient step, Hv = Σ (k·v) k. λ is left out of both.
 */
export function addEntries(mode: usize, p: u32, key: u32, sampled: u32, from: u32, to: u32, sums: usize): void {
  const window = windowScratch();
  openWindow(window, mode, p, key, sampled, from);
  const y = pointOf(mode, p);
  const g = sums + MATRIX;
  const K = blockScratch();
  const D = residualScratch();
  for (let at = from; at < to; at += BLOCK) {
    const count = min(BLOCK, to - at);
    const fresh = at == from;
    if (kind == STEP_GRADIENT) {
      gatherTwo(mode, window, count, y, load<usize>(mode, MODE_SCALE), K, D, productScratch());
      addTwo(K, D, productScratch(), count, g, sums, fresh);
    } else {
      gather(mode, window, count, y, K, D);
      addGradient(K, D, count, g, fresh);
      if (kind != STEP_PAPER || !(skip & SKIP_HESSIAN)) addGram(K, count, sums, fresh);
    }
  }
}

/** y, where the gradient is taken. */
function pointOf(mode: usize, p: u32): usize {
  if (kind != STEP_PAPER) return extrapolate(mode, p);
  return (first ? load<usize>(mode, MODE_FACTOR) : load<usize>(mode, MODE_COMPANION)) + <usize>p * ROW;
}
