// The posterior of a row under a learned prior a ~ N(μ, Σ/t), the E-step of variational EM:
//   a minimises ½ aᵀ(H + tσ²Σ⁻¹)a − (Σ w x k + tσ²Σ⁻¹μ)ᵀa over a ≥ 0, V = σ² (H + tσ²Σ⁻¹)⁻¹, M = V + a aᵀ,
// with H = Σ w ⊙_j M_j (posterior.ts). μ and t are the row's own if its mode has side information; otherwise
// t = 1. V ignores that a ≥ 0: bounds that hold a component at zero today do not make it certain. Three sums
// per row are written: Σ w x² − 2 Σ w x k·a + tr(M H), which is Σ w E[(x − k·a)²]; tr(V H)/σ², the number of
// parameters that the entries determine; and the number of entries, or the sum of their own weights.
import { mirrorHessian } from "../entries/gram";
import { addGroupCovariances, isSampled, slotOf } from "./groups";
import {
  VIEW_MOMENTUM_FACTOR, VIEW_FACTOR, VIEW_LEVERAGES, VIEW_MOMENTS, VIEW_PRIOR, VIEW_ROW_MEANS, VIEW_ROW_SUMS, VIEW_COUPLING_WEIGHTS,
} from "../layout";
import { addToDiagonal, descend, MOST_SWEEPS, ROUNDING, trace } from "./newtonRow";
import { MATRIX, R, ROW } from "../rank";
import { choleskyScratch, inverseScratch, systemScratch, vectorScratch } from "../scratch";
import { isCertain, isFrozen, isGrouped, rank, sigma2 } from "../settings";

/** The least sum of weights; smaller ones have vanished in float32. */
const LEAST_TOTAL: f64 = 1e-30;

/**
 * Updates row p, its second moments, its leverage and its three sums (VIEW_ROW_SUMS) from the sums over its
 * entries that addMoments makes. If the step is frozen, only the three sums. A row that is not sampled for its
 * group has no covariance of its own: its sums lack what V adds, and it keeps its leverage.
 */
export function updateByPosterior(view: usize, p: u32, sums: usize): void {
  const H = sums;
  const g = sums + MATRIX; // −Σ w x k
  const a = load<usize>(view, VIEW_FACTOR) + <usize>p * ROW;
  if (isGrouped) addGroupCovariances(view, sums);
  mirrorHessian(H);
  const system = systemScratch();
  const G = vectorScratch();
  const inverse = G + ROW;
  const size = trace(H);
  formSystem(view, p, H, g, a, system, G);
  addToDiagonal(system, ROUNDING * size, inverse);
  if (!isFrozen) {
    const momentumFactor = load<usize>(view, VIEW_MOMENTUM_FACTOR);
    for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
      if (!descend(system, G, a, inverse)) break;
    }
    if (momentumFactor) memory.copy(momentumFactor + <usize>p * ROW, a, ROW);
  }
  const squares = load<f64>(sums, MATRIX + ROW);
  const total = load<f64>(sums, MATRIX + ROW + 8);
  if (!isSampled(view, p)) return writeRowSums(view, p, squares + certainSquares(H, g, a), 0, total);
  invertCholesky(system);
  writeMoments(view, p, total, H, g, a, squares);
}

/**
 * 2 gᵀa + aᵀHa: with Σ w x² the squared residuals of a row without uncertainty, in float64. g = −Σ w x k.
 */
function certainSquares(H: usize, g: usize, a: usize): f64 {
  let sums = f64x2.splat(0);
  for (let s: usize = 0; s < R; s++) {
    const u = <f64>load<f32>(a + (s << 2));
    if (u == 0) continue;
    const us = f64x2.splat(u);
    for (let at: usize = 0; at < ROW; at += 8)
      sums = f64x2.add(sums, f64x2.mul(us, f64x2.mul(promote(H + s * ROW + at), promote(a + at))));
  }
  for (let at: usize = 0; at < ROW; at += 8)
    sums = f64x2.add(sums, f64x2.mul(f64x2.splat(2), f64x2.mul(promote(g + at), promote(a + at))));
  return f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
}

/** Writes the three sums of row p. */
function writeRowSums(view: usize, p: u32, expected: f64, determined: f64, total: f64): void {
  const sums = load<usize>(view, VIEW_ROW_SUMS) + <usize>p * 24;
  store<f64>(sums, expected);
  store<f64>(sums, determined, 8);
  store<f64>(sums, total, 16);
}

/**
 * Writes system = H + tσ²Σ⁻¹ (R × R) and G (R), the gradient of the row's quadratic at a:
 * −Σ w x k + H a + tσ²Σ⁻¹(a − μ), summed in float64.
 */
function formSystem(view: usize, p: u32, H: usize, g: usize, a: usize, system: usize, G: usize): void {
  const prior = load<usize>(view, VIEW_PRIOR);
  const mean = load<usize>(view, VIEW_ROW_MEANS) + <usize>p * ROW;
  const couplingWeight = load<f32>(load<usize>(view, VIEW_COUPLING_WEIGHTS) + (<usize>p << 2));
  const couplingWeights = f32x4.splat(couplingWeight);
  for (let at: usize = 0; at < MATRIX; at += 16)
    v128.store(system + at, f32x4.add(v128.load(H + at), f32x4.mul(couplingWeights, v128.load(prior + at))));
  // Two components at a time, as H and Σ⁻¹ are symmetric.
  const weights = f64x2.splat(<f64>couplingWeight);
  for (let at: usize = 0; at < ROW; at += 8) {
    let sum = promote(g + at);
    for (let s: usize = 0; s < R; s++) {
      const u = <f64>load<f32>(a + (s << 2));
      const precision = f64x2.mul(weights, promote(prior + s * ROW + at));
      const fromMean = f64x2.splat(u - <f64>load<f32>(mean + (s << 2)));
      sum = f64x2.add(sum, f64x2.add(f64x2.mul(promote(H + s * ROW + at), f64x2.splat(u)), f64x2.mul(precision, fromMean)));
    }
    v128.store64_lane(G + at, f32x4.demote_f64x2_zero(sum), 0);
  }
}

@inline
/** Two float32 from an address on, as float64. */
function promote(address: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(address));
}

/**
 * Writes T = L⁻¹, with L Lᵀ the system, to inverseScratch, transposed: T[j][i] is element (i, j). Adds jitter
 * to the diagonal, tenfold each time, until the system is positive definite in float64.
 */
function invertCholesky(system: usize): void {
  const L = choleskyScratch();
  const T = inverseScratch();
  let jitter: f64 = 0;
  while (!factorize(system, L, jitter)) jitter = jitter == 0 ? 1e-7 * largestDiagonal(system) : 10 * jitter;
  memory.fill(T, 0, 2 * MATRIX);
  for (let j: usize = 0; j < rank; j++) {
    const t = T + j * 2 * ROW;
    store<f64>(t + (j << 3), 1 / load<f64>(L + j * 2 * ROW + (j << 3)));
    for (let i = j + 1; i < rank; i++) {
      const l = L + i * 2 * ROW;
      store<f64>(t + (i << 3), -dot(l, t, j, i) / load<f64>(l + (i << 3)));
    }
  }
}

@inline
/** Σ x[k] y[k] over from ≤ k < to, of float64 arrays. */
function dot(x: usize, y: usize, from: usize, to: usize): f64 {
  let sum: f64 = 0;
  let k = from;
  if (k & 1 && k < to) {
    sum = load<f64>(x + (k << 3)) * load<f64>(y + (k << 3));
    k++;
  }
  let sums = f64x2.splat(0);
  for (; k + 2 <= to; k += 2) sums = f64x2.add(sums, f64x2.mul(v128.load(x + (k << 3)), v128.load(y + (k << 3))));
  if (k < to) sum += load<f64>(x + (k << 3)) * load<f64>(y + (k << 3));
  return sum + (f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1));
}

/**
 * Writes the Cholesky factor L (float64), L Lᵀ = system + jitter I; returns false if a pivot is not positive.
 */
function factorize(system: usize, L: usize, jitter: f64): bool {
  for (let i: usize = 0; i < rank; i++) {
    const row = L + i * 2 * ROW;
    for (let j: usize = 0; j <= i; j++) {
      const other = L + j * 2 * ROW;
      const rest = <f64>load<f32>(system + i * ROW + (j << 2)) - dot(row, other, 0, j);
      if (j < i) store<f64>(row + (j << 3), rest / load<f64>(other + (j << 3)));
      else {
        const pivot = rest + jitter;
        if (!(pivot > 0)) return false;
        store<f64>(row + (i << 3), Math.sqrt(pivot));
      }
    }
  }
  return true;
}

/** The largest element of the diagonal of a matrix (R × R), at least 1e-30. */
function largestDiagonal(system: usize): f64 {
  let most: f64 = 1e-30;
  for (let r: usize = 0; r < rank; r++) most = max(most, <f64>load<f32>(system + r * (ROW + 4)));
  return most;
}

/**
 * Writes the three sums of row p and, unless the step is frozen, its second moments M (V where covariances
 * are those of groups) and its leverage, from the inverse in inverseScratch. total: the sum of the entries'
 * own weights; squares: Σ w x².
 */
function writeMoments(view: usize, p: u32, total: f64, H: usize, g: usize, a: usize, squares: f64): void {
  const T = inverseScratch();
  const M = load<usize>(view, VIEW_MOMENTS) + slotOf(view, p) * MATRIX;
  let expected = squares;
  let determined: f64 = 0;
  for (let i: usize = 0; i < rank; i++) {
    const u = <f64>load<f32>(a + (i << 2));
    expected += 2 * <f64>load<f32>(g + (i << 2)) * u;
    for (let j: usize = 0; j <= i; j++) {
      const v = sigma2 * dot(T + i * 2 * ROW, T + j * 2 * ROW, i, rank);
      const uncertainty = isCertain ? 0 : v;
      const m = uncertainty + u * <f64>load<f32>(a + (j << 2));
      const h = <f64>load<f32>(H + j * ROW + (i << 2)) * (i == j ? 1 : 2);
      expected += m * h;
      determined += v * h;
      if (isFrozen) continue;
      const kept = <f32>(isGrouped ? uncertainty : m);
      store<f32>(M + j * ROW + (i << 2), kept);
      if ((i & ~3) == (j & ~3)) store<f32>(M + i * ROW + (j << 2), kept);
    }
  }
  writeRowSums(view, p, expected, determined / sigma2, total);
  if (!isFrozen)
    store<f32>(load<usize>(view, VIEW_LEVERAGES) + (<usize>p << 2), <f32>(determined / sigma2 / max(total, LEAST_TOTAL)));
}
