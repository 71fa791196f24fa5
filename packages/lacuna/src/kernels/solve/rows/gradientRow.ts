// A projected gradient step with its own step size for every component, and H never formed.
//
// K ≥ 0 makes H = Σ k kᵀ symmetric and entrywise nonnegative. For any v > 0 let D = diag((Hv)_r / v_r). Then
// D ⪰ H: for every z,
//   zᵀDz − zᵀHz = Σ_{r,s} H_rs (v_s/v_r) z_r² − Σ_{r,s} H_rs z_r z_s
//               = ½ Σ_{r,s} H_rs v_r v_s (z_r/v_r − z_s/v_s)²  ≥ 0,
// by pairing (r,s) with (s,r). So ½ zᵀDz bounds the row's quadratic from above and a step of g_r / D_r cannot
// overshoot. In particular λ_max(H) ≤ max_r D_r, the Collatz–Wielandt bound (Horn & Johnson, Matrix Analysis,
// 8.1.26): one step size for all components would have to be 1 / max_r D_r. Hv = Σ (k·v) k costs O(B·R) in
// the pass that computes g anyway.
//
// λ shrinks the row towards the mean of its mode (VIEW_MEAN), not towards zero.
//
// A component r with k_r = 0 in the whole sample has D_r = 0 and g_r = 0: only λ moves it. v is the same for
// all rows of a mode: 1 / (the typical size of k_r), which makes D right for components of different sizes.
import { VIEW_MOMENTUM_FACTOR, VIEW_FACTOR, VIEW_MEAN, VIEW_SCALE } from "../layout";
import { extrapolate } from "./momentum";
import { MATRIX, ROW } from "../rank";
import { lambda } from "../settings";

/** Factor that makes up for rounding, by which a computed D may be a little too small. */
const ROUNDING: f32 = 1.00002;

/**
 * Updates row p, and its momentum factor, by a projected gradient step from y, the extrapolated row. sums: Hv
 * (R) and, from MATRIX on, g (R) over a sample of `sampled` of the row's `nnz` entries.
 */
export function updateByGradient(view: usize, p: u32, sampled: u32, nnz: u32, sums: usize): void {
  const Hv = sums;
  const g = sums + MATRIX;
  const v = load<usize>(view, VIEW_SCALE);
  const mean = load<usize>(view, VIEW_MEAN);
  // The sample stands for the whole row: λ is weighted by B / nnz.
  const weight = f32x4.splat(lambda * <f32>sampled / <f32>nnz);
  const a = load<usize>(view, VIEW_FACTOR) + <usize>p * ROW;
  const before = load<usize>(view, VIEW_MOMENTUM_FACTOR) + <usize>p * ROW;
  const y = extrapolate(view, p);
  const zero = f32x4.splat(0);
  for (let at: usize = 0; at < ROW; at += 16) {
    const yv = v128.load(y + at);
    const gradient = f32x4.add(v128.load(g + at), f32x4.mul(weight, f32x4.sub(yv, v128.load(mean + at))));
    const bound = f32x4.div(v128.load(Hv + at), v128.load(v + at));
    const D = f32x4.add(f32x4.mul(bound, f32x4.splat(ROUNDING)), weight);
    const ahead = f32x4.max(f32x4.sub(yv, f32x4.div(gradient, D)), zero);
    // D = 0 has no gradient either: the component stays.
    const next = v128.bitselect(ahead, yv, f32x4.gt(D, zero));
    v128.store(before + at, v128.load(a + at));
    v128.store(a + at, next);
  }
}
