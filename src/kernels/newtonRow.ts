// The row's quadratic, solved: coordinate descent over a ≥ 0 on
//   q(a) = gᵀ(a − y) + ½ (a − y)ᵀ (H + εI) (a − y),
// with g the gradient and H the Hessian of the sampled cost at y. The paper leaves algorithms that fully exploit H as an
// open topic; with H formed at a few nanoseconds per entry, solving for the row beats a gradient step at small ranks.
//
// A sample of B entries may leave directions of the row undetermined, and noise would throw it far along them. So
// ε = λ's share + damping · (tr H / B) · (1 − B/nnz) keeps the row near y: tr H / B is the mean of ‖k‖², the damping
// weighs as much as `damping` more entries would, and it vanishes when the whole row is used.
import { mirrorHessian } from "./gram";
import { MODE_COMPANION, MODE_FACTOR } from "./layout";
import { extrapolate } from "./momentum";
import { MATRIX, R, ROW } from "./rank";
import { entriesOf } from "./sample";
import { damping, lambda } from "./settings";

const MOST_SWEEPS: i32 = 8;
/** The sums that H is made of are off by about this much of tr H: a component with less is not known at all. */
const ROUNDING: f32 = 1e-7;
/** A sweep that moves the row by less than this, squared and relative, in the metric of diag(H), is the last. */
const SETTLED: f32 = 1e-6;

export function updateByNewton(mode: usize, p: u32, sampled: u32, sums: usize): void {
  const H = sums;
  const G = sums + MATRIX; // the gradient of q at a, without εI
  const a = load<usize>(mode, MODE_FACTOR) + <usize>p * ROW;
  const before = load<usize>(mode, MODE_COMPANION) + <usize>p * ROW;
  const y = extrapolate(mode, p);
  const nnz = <f32>entriesOf(mode, p);
  const B = <f32>sampled;
  const weight = lambda * B / nnz;
  mirrorHessian(H);
  for (let at: usize = 0; at < ROW; at += 16) {
    const yv = v128.load(y + at);
    v128.store(G + at, f32x4.add(v128.load(G + at), f32x4.mul(f32x4.splat(weight), yv)));
    v128.store(before + at, v128.load(a + at));
    v128.store(a + at, yv);
  }
  const size = trace(H);
  const epsilon = weight + damping * (size / B) * (1 - B / nnz) + ROUNDING * size;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    if (!descend(H, G, a, y, epsilon)) break;
  }
}

function trace(H: usize): f32 {
  let sum: f32 = 0;
  for (let r: usize = 0; r < R; r++) sum += load<f32>(H + r * (ROW + 4));
  return sum;
}

/** One sweep over the components, each set to its best value given the others; says whether it still moved. */
function descend(H: usize, G: usize, a: usize, y: usize, epsilon: f32): bool {
  let moved: f32 = 0;
  let size: f32 = 0;
  for (let r: usize = 0; r < R; r++) {
    const h = load<f32>(H + r * (ROW + 4)) + epsilon;
    if (h == 0) continue; // no entry has this component, and λ = 0
    const at = r << 2;
    const now = load<f32>(a + at);
    const slope = load<f32>(G + at) + epsilon * (now - load<f32>(y + at));
    const next = max<f32>(0, now - slope / h);
    const delta = next - now;
    size += h * next * next;
    if (delta == 0) continue;
    moved += h * delta * delta;
    store<f32>(a + at, next);
    const row = H + r * ROW;
    const by = f32x4.splat(delta);
    for (let s: usize = 0; s < ROW; s += 16) {
      v128.store(G + s, f32x4.add(v128.load(G + s), f32x4.mul(by, v128.load(row + s))));
    }
  }
  return moved > SETTLED * size;
}
