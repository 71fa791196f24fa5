// Lines 8 to 13 of Algorithm 1, from the sums over the sample. Symbols are the paper's; y is Y_l(p,:), a is
// A_l(p,:).
import { mirrorHessian } from "../entries/gram";
import { VIEW_MOMENTUM_FACTOR, VIEW_FACTOR, SKIP_HESSIAN, SKIP_POWER_METHOD } from "../layout";
import { largestEigenvalue } from "./power";
import { MATRIX, ROW } from "../rank";
import { vectorScratch } from "../scratch";
import { isFirstInner, lambda, skip } from "../settings";

/**
 * Updates row p, and its row of Y if there is one, by lines 8 to 13 of Algorithm 1. sums: H (R × R) and, from
 * MATRIX on, g (R), both without λ.
 */
export function updateByPaper(view: usize, p: u32, sums: usize): void {
  const H = sums;
  const g = sums + MATRIX;
  let L: f32 = f32.MAX_VALUE;
  if (!(skip & SKIP_HESSIAN)) {
    mirrorHessian(H);
    // λ_max(KᵀK + λI) = λ_max(KᵀK) + λ; without λI the zeros that pad the rank stay out of it.
    if (!(skip & SKIP_POWER_METHOD)) L = largestEigenvalue(H, vectorScratch(), vectorScratch() + ROW) + lambda;
  }
  // H = 0 and λ = 0: every k is zero, so the gradient is zero too and the row is already optimal.
  if (L == 0) return;

  const a = load<usize>(view, VIEW_FACTOR) + <usize>p * ROW;
  const Y = load<usize>(view, VIEW_MOMENTUM_FACTOR) + <usize>p * ROW;
  const writesY = load<usize>(view, VIEW_MOMENTUM_FACTOR) != 0;
  const y = isFirstInner ? a : Y;
  const beta = (sqrt(L) - sqrt(lambda)) / (sqrt(L) + sqrt(lambda));
  for (let at: usize = 0; at < ROW; at += 16) {
    const yv = v128.load(y + at);
    const av = v128.load(a + at);
    const gradient = f32x4.add(v128.load(g + at), f32x4.mul(f32x4.splat(lambda), yv));
    const next = f32x4.max(f32x4.sub(yv, f32x4.div(gradient, f32x4.splat(L))), f32x4.splat(0));
    v128.store(a + at, next);
    if (writesY) v128.store(Y + at, f32x4.add(next, f32x4.mul(f32x4.splat(beta), f32x4.sub(next, av))));
  }
}
