// The pass over a sample: the sums that the update of a row needs.
import { gather, gatherWithProduct } from "./gather";
import { Window } from "./window";
import { addGradient, addHessian, addGradientAndProduct } from "./gram";
import { SKIP_HESSIAN, STEP_GRADIENT, STEP_PAPER, STEP_POSTERIOR, STEP_ZEROS, VIEW_MOMENTUM_FACTOR, VIEW_FACTOR, VIEW_SCALE } from "../layout";
import { extrapolate } from "../rows/momentum";
import { BLOCK, MATRIX, ROW } from "../rank";
import { hasWeights } from "./records";
import { blockScratch, productScratch, residualScratch } from "../scratch";
import { addMoments } from "../rows/posterior";
import { isFirstInner, kind, skip } from "../settings";
import { weighBlock } from "./weights";
import { addListedCells } from "../setup/zeros";

/**
 * Writes the sums over `count` entries of row p from the window on, and advances the window: g = Σ w (k·y −
 * x) k at sums + MATRIX, and at `sums` either H = Σ w k kᵀ (tiles on and above the diagonal) or, for a
 * gradient step, Hv = Σ w (k·v) k. Both are without λ. Where unlisted cells are zeros, there is only −Σ x k
 * at sums + MATRIX (zeros.ts); under a learned prior the sums are those of addMoments (posterior.ts).
 */
export function addEntries(view: usize, p: u32, window: Window, count: u32, sums: usize): void {
  const y = pointOf(view, p);
  const g = sums + MATRIX;
  const K = blockScratch();
  const D = residualScratch();
  const isWeighted = hasWeights(view);
  for (let done: u32 = 0; done < count; done += BLOCK) {
    const some = min(BLOCK, count - done);
    const fresh = done == 0;
    const start = window.at;
    if (kind == STEP_ZEROS) addListedCells(view, window, some, y, g, fresh);
    else if (kind == STEP_POSTERIOR) addMoments(view, p, window, some, sums, fresh);
    else if (kind == STEP_GRADIENT) {
      gatherWithProduct(view, window, some, y, load<usize>(view, VIEW_SCALE), K, D, productScratch());
      if (isWeighted) weighBlock(view, start, window, some, K, D, productScratch());
      addGradientAndProduct(K, D, productScratch(), some, g, sums, fresh);
    } else {
      gather(view, window, some, y, K, D);
      if (isWeighted) weighBlock(view, start, window, some, K, D, 0);
      addGradient(K, D, some, g, fresh);
      if (kind != STEP_PAPER || !(skip & SKIP_HESSIAN)) addHessian(K, some, sums, fresh);
    }
  }
}

/**
 * The address of y (R), the point at which the gradient is taken: Y of the paper's step, or the row
 * extrapolated by its momentum.
 */
function pointOf(view: usize, p: u32): usize {
  if (kind != STEP_PAPER) return extrapolate(view, p);
  return (isFirstInner ? load<usize>(view, VIEW_FACTOR) : load<usize>(view, VIEW_MOMENTUM_FACTOR)) + <usize>p * ROW;
}
