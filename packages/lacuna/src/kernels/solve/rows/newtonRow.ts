// Solves the row's quadratic by coordinate descent over a ≥ 0 on
//   q(a) = gᵀ(a − y) + ½ (a − y)ᵀ (H + εI) (a − y),
// with g the gradient and H the Hessian of the sampled cost at y; λ shrinks the row towards the mean of its
// mode. The paper leaves algorithms that fully exploit H as an open topic; with H formed at a few nanoseconds
// per entry, solving for the row beats a gradient step at small ranks.
//
// A sample of B entries may leave directions of the row undetermined, and noise would move it far along them.
// Thus ε = λ B/nnz + damping · (tr H / B) · (1 − B/nnz) keeps the row near y: tr H / B is the mean of ‖k‖², the
// damping weighs as much as `damping` more entries would, and it vanishes when the whole row is used.
import { mirrorHessian } from "../entries/gram";
import { sumLanes } from "../lanes";
import { STEP_ZEROS, VIEW_MOMENTUM_FACTOR, VIEW_FACTOR, VIEW_MEAN } from "../layout";
import { extrapolate } from "./momentum";
import { MATRIX, R, ROW } from "../rank";
import { damping, kind, lambda } from "../settings";
import { addZeros } from "../setup/zeros";

/** Sweeps of coordinate descent over the components of a row, at most. */
export const MOST_SWEEPS: i32 = 8;
/**
 * Relative rounding error of the sums in H: a component with less curvature than this fraction of tr H is
 * undetermined.
 */
export const ROUNDING: f32 = 1e-7;
/** Curvature below which a component has vanished and has no inverse; data is scaled to about 1. */
const VANISHED: f32 = 1e-30;
/** Squared relative movement of a sweep below which it is the last. */
const SETTLED: f32 = 1e-6;

/**
 * Updates row p, and its momentum factor, by coordinate descent from y, the extrapolated row. sums: H (R × R,
 * changed) and, from MATRIX on, g (R, changed) over a sample of `sampled` of the row's `nnz` entries.
 */
export function updateByNewton(view: usize, p: u32, sampled: u32, nnz: u32, sums: usize): void {
  const H = sums;
  const G = sums + MATRIX; // the gradient of q at a
  const a = load<usize>(view, VIEW_FACTOR) + <usize>p * ROW;
  const before = load<usize>(view, VIEW_MOMENTUM_FACTOR) + <usize>p * ROW;
  const y = extrapolate(view, p);
  const B = <f32>sampled;
  const all = <f32>nnz;
  const weight = lambda * B / all;
  const mean = load<usize>(view, VIEW_MEAN);
  if (kind == STEP_ZEROS) addZeros(view, y, sums);
  else mirrorHessian(H);
  for (let at: usize = 0; at < ROW; at += 16) {
    const yv = v128.load(y + at);
    const shrinkage = f32x4.mul(f32x4.splat(weight), f32x4.sub(yv, v128.load(mean + at)));
    v128.store(G + at, f32x4.add(v128.load(G + at), shrinkage));
    v128.store(before + at, v128.load(a + at));
    v128.store(a + at, yv);
  }
  const size = trace(H);
  const inverse = y + ROW; // 1 / (H_rr + ε), or 0 for a component that no entry has any more: it stays
  addToDiagonal(H, weight + damping * (size / B) * (1 - B / all) + ROUNDING * size, inverse);
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    if (!descend(H, G, a, inverse)) break;
  }
}

/** The trace of H (R × R). */
export function trace(H: usize): f32 {
  let sum: f32 = 0;
  for (let r: usize = 0; r < R; r++) sum += load<f32>(H + r * (ROW + 4));
  return sum;
}

/**
 * Adds ε to the diagonal of H (R × R) in place, and writes 1 / (H_rr + ε) to `inverse` (R); 0 where a
 * component has vanished.
 */
export function addToDiagonal(H: usize, epsilon: f32, inverse: usize): void {
  for (let r: usize = 0; r < R; r++) {
    const h = load<f32>(H + r * (ROW + 4)) + epsilon;
    store<f32>(H + r * (ROW + 4), h);
    store<f32>(inverse + (r << 2), h > VANISHED ? <f32>1 / h : 0);
  }
}

/**
 * One sweep of coordinate descent over a ≥ 0: sets each component of a (R) to its minimiser given the others,
 * and updates G (R), the gradient at a. Returns whether the row still moved. Four components at a time: their
 * slice of the gradient stays in a register while they move, and the rest of the gradient is updated for all
 * four at once.
 */
export function descend(H: usize, G: usize, a: usize, inverse: usize): bool {
  let moves = f32x4.splat(0);
  let sizes = f32x4.splat(0);
  for (let at: usize = 0; at < ROW; at += 16) {
    const rows = H + (at >> 2) * ROW;
    const own = rows + at;
    const now = v128.load(a + at);
    const inv = v128.load(inverse + at);
    let g = v128.load(G + at);
    const d0 = componentStep(f32x4.extract_lane(now, 0), f32x4.extract_lane(g, 0), f32x4.extract_lane(inv, 0));
    g = f32x4.add(g, f32x4.mul(f32x4.splat(d0), v128.load(own)));
    const d1 = componentStep(f32x4.extract_lane(now, 1), f32x4.extract_lane(g, 1), f32x4.extract_lane(inv, 1));
    g = f32x4.add(g, f32x4.mul(f32x4.splat(d1), v128.load(own, ROW)));
    const d2 = componentStep(f32x4.extract_lane(now, 2), f32x4.extract_lane(g, 2), f32x4.extract_lane(inv, 2));
    g = f32x4.add(g, f32x4.mul(f32x4.splat(d2), v128.load(own, 2 * ROW)));
    const d3 = componentStep(f32x4.extract_lane(now, 3), f32x4.extract_lane(g, 3), f32x4.extract_lane(inv, 3));

    const s0 = f32x4.splat(d0), s1 = f32x4.splat(d1), s2 = f32x4.splat(d2), s3 = f32x4.splat(d3);
    for (let s: usize = 0; s < ROW; s += 16) {
      const h = rows + s;
      const by01 = f32x4.add(f32x4.mul(s0, v128.load(h)), f32x4.mul(s1, v128.load(h, ROW)));
      const by23 = f32x4.add(f32x4.mul(s2, v128.load(h, 2 * ROW)), f32x4.mul(s3, v128.load(h, 3 * ROW)));
      v128.store(G + s, f32x4.add(v128.load(G + s), f32x4.add(by01, by23)));
    }
    let delta = f32x4.replace_lane(s0, 1, d1);
    delta = f32x4.replace_lane(f32x4.replace_lane(delta, 2, d2), 3, d3);
    const next = f32x4.max(f32x4.add(now, delta), f32x4.splat(0));
    v128.store(a + at, next);
    moves = f32x4.add(moves, f32x4.mul(delta, delta));
    sizes = f32x4.add(sizes, f32x4.mul(next, next));
  }
  return sumLanes(moves) > SETTLED * sumLanes(sizes);
}

@inline
/** The change of a component that brings it to its minimum, but not below zero. */
function componentStep(now: f32, slope: f32, inverse: f32): f32 {
  return max<f32>(-now, -slope * inverse);
}
