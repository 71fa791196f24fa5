// L = max(eig(H)), line 10 of Algorithm 1, by the power method. H ≥ 0 entrywise, so its leading eigenvector
// is nonnegative (Perron and Frobenius), and the all-ones start vector has a component along it. The result
// is a Rayleigh quotient: never above the eigenvalue, with an error quadratic in that of the vector.
import { sumLanes, sumLanesOfFour } from "../lanes";
import { R, ROW } from "../rank";

/** The relative change of the eigenvalue below which the power method ends. */
const TOLERANCE: f32 = 1e-6;
/** Most products of H with a vector. */
const MOST_PRODUCTS: i32 = 200;
/** Size below which a matrix has vanished and its inverse overflows; data is scaled to about 1. */
const VANISHED: f32 = 1e-30;

/** The largest eigenvalue of H (R × R, both triangles, nonnegative). v, w: scratch for two vectors (R). */
export function largestEigenvalue(H: usize, v: usize, w: usize): f32 {
  for (let at: usize = 0; at < ROW; at += 16) v128.store(v + at, f32x4.splat(1));
  let rho: f32 = 0;
  for (let products = 0; products < MOST_PRODUCTS; products++) {
    multiply(H, v, w);
    const before = rho;
    rho = dot(v, w) / dot(v, v);
    if (!(abs(rho - before) > TOLERANCE * rho)) break; // true at once for H = 0
    // The vector is normalized by its largest component, not its norm: a maximum cannot overflow.
    const top = largest(w);
    if (!(top > VANISHED)) return 0;
    scale(w, <f32>1 / top);
    const swap = v;
    v = w;
    w = swap;
  }
  return rho;
}

/** w (R) = H v, for H (R × R), four rows at a time. */
function multiply(H: usize, v: usize, w: usize): void {
  for (let row: usize = 0; row < R; row += 4) {
    const h = H + row * ROW;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let at: usize = 0; at < ROW; at += 16) {
      const x = v128.load(v + at);
      s0 = f32x4.add(s0, f32x4.mul(v128.load(h + at), x));
      s1 = f32x4.add(s1, f32x4.mul(v128.load(h + at, ROW), x));
      s2 = f32x4.add(s2, f32x4.mul(v128.load(h + at, 2 * ROW), x));
      s3 = f32x4.add(s3, f32x4.mul(v128.load(h + at, 3 * ROW), x));
    }
    v128.store(w + (row << 2), sumLanesOfFour(s0, s1, s2, s3));
  }
}

/** aᵀb of two vectors (R). */
function dot(a: usize, b: usize): f32 {
  let s = f32x4.splat(0);
  for (let at: usize = 0; at < ROW; at += 16) s = f32x4.add(s, f32x4.mul(v128.load(a + at), v128.load(b + at)));
  return sumLanes(s);
}

/** The largest component of a vector (R), or 0 if all are negative. */
function largest(a: usize): f32 {
  let m = f32x4.splat(0);
  for (let at: usize = 0; at < ROW; at += 16) m = f32x4.max(m, v128.load(a + at));
  m = f32x4.max(m, v128.shuffle<f32>(m, m, 2, 3, 0, 1));
  return f32x4.extract_lane(f32x4.max(m, v128.shuffle<f32>(m, m, 1, 0, 3, 2)), 0);
}

/** Multiplies a vector (R) in place. */
function scale(a: usize, by: f32): void {
  const s = f32x4.splat(by);
  for (let at: usize = 0; at < ROW; at += 16) v128.store(a + at, f32x4.mul(v128.load(a + at), s));
}
