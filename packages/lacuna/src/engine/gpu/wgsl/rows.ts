/** The updates of rows from their sums: packages/lacuna/src/kernels/solve/rows/gradientRow.ts, newtonRow.ts and paperRow.ts in WGSL. */
import { powerOfTwo, quadsOf, type Shape, tilesOf } from '../shape.ts'
import { header } from './gather.ts'
import { stepStruct } from './step.ts'
import { boundQuads, gramQuads } from './sums.ts'

const bindings = (element: string): string => `
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> sampled: array<u32>;
@group(0) @binding(3) var<storage, read> sums: array<${element}>;
@group(0) @binding(4) var<storage, read> vectors: array<${element}>; // per mode v, then its mean
@group(0) @binding(5) var<storage, read_write> factors: array<${element}>;
@group(0) @binding(6) var<storage, read_write> momentumFactors: array<${element}>;`

const signature = `fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32)`

export const BOUND_ROWS_TEAM = 64

/** One invocation per vector of a row: a gradient step under the bound D = diag((Hv)_r / v_r). */
export const boundRowsKernel = (shape: Shape): string => {
  const quads = quadsOf(shape)
  return `
${stepStruct(shape)}
${bindings('vec4f')}
/** Rounding may leave a computed D a little below. */
const ROUNDING = 1.00002;
@compute @workgroup_size(${BOUND_ROWS_TEAM})
${signature} {
  let number = (group.x + group.y * groups.x) * ${BOUND_ROWS_TEAM}u + lane;
  let p = step.firstRow + number / ${quads}u;
  let quad = number % ${quads}u;
  if (p >= step.endRow) { return; }
  let B = sampled[p];
  if (B == 0u) { return; }
  let place = (rows[p].x - step.base) * ${boundQuads(shape)}u + quad;
  let Hv = sums[place];
  let g = sums[place + ${quads}u];
  let v = vectors[2u * step.mode * ${quads}u + quad];
  let mean = vectors[(2u * step.mode + 1u) * ${quads}u + quad];
  // The sample stands for the whole row: its share of λ is B / nnz.
  let weight = step.lambda * f32(B) / f32(rows[p].z);
  let at = p * ${quads}u + quad;
  let now = factors[at];
  let y = max(now + step.momentum * (now - momentumFactors[at]), vec4f());
  let D = ROUNDING * (Hv / v) + weight;
  let gradient = g + weight * (y - mean);
  momentumFactors[at] = now;
  // D = 0 has no gradient either: the component stays.
  factors[at] = select(y, max(y - gradient / D, vec4f()), D > vec4f());
}`
}

/** Rows of so many components have H in shared memory while they are solved. */
const MOST_SHARED_RANK = 60

/** What the kernels that solve for a row with its H have in common: a workgroup has a row, an invocation a component. */
function solving(shape: Shape): { team: number; declarations: string; opening: string } {
  const { rank } = shape
  const padded = 4 * quadsOf(shape)
  const team = Math.max(4, powerOfTwo(rank))
  const isShared = rank <= MOST_SHARED_RANK
  const isOneSubgroup = team <= shape.subgroup
  const declarations = `${header(shape)}
${stepStruct(shape)}
${bindings('f32')}
${isShared ? `var<workgroup> H: array<f32, ${rank * rank}>;` : ''}
var<workgroup> exchanged: array<f32, ${team}>;
var<workgroup> slots: array<f32, 2>;
var<workgroup> decision: u32;
/** H_rs, of tiles on and above the diagonal. */
fn listed(place: u32, r: u32, s: u32) -> f32 {
  let swap = r / 4u > s / 4u;
  let i = select(r, s, swap);
  let j = select(s, r, swap);
  let tile = (j / 4u) * (j / 4u + 1u) / 2u + i / 4u;
  return sums[place + 16u * tile + 4u * (i % 4u) + j % 4u];
}
fn hessian(place: u32, r: u32, s: u32) -> f32 {
  ${isShared ? `return H[r * ${rank}u + s];` : 'return listed(place, r, s);'}
}
/** Sum and maximum over all invocations, for all of them. */
${['total', 'largest']
  .map((name) => {
    const add = (a: string, b: string): string => (name === 'total' ? `${a} + ${b}` : `max(${a}, ${b})`)
    const masks: number[] = []
    for (let mask = 1; mask < team; mask *= 2) masks.push(mask)
    const shuffles = masks.map((mask) => `y = ${add('y', `subgroupShuffleXor(y, ${mask}u)`)};`).join(' ')
    return isOneSubgroup
      ? `fn ${name}(x: f32, lane: u32) -> f32 { var y = x; ${shuffles} return y; }`
      : `fn ${name}(x: f32, lane: u32) -> f32 {
  workgroupBarrier();
  exchanged[lane] = x;
  workgroupBarrier();
  for (var half = ${team / 2}u; half > 0u; half >>= 1u) {
    if (lane < half) { exchanged[lane] = ${add('exchanged[lane]', 'exchanged[lane + half]')}; }
    workgroupBarrier();
  }
  return exchanged[0];
}`
  })
  .join('\n')}
/** What invocation \`who\` has, for all. turn: changes from one call to the next. */
fn told(x: f32, who: u32, turn: u32, lane: u32) -> f32 {
  ${
    isOneSubgroup
      ? 'return subgroupShuffle(x, who);'
      : `if (lane == who) { slots[turn & 1u] = x; }
  workgroupBarrier();
  return slots[turn & 1u];`
  }
}
/** Whether the first invocation says so; all go the same way. */
fn agreed(x: bool, lane: u32) -> bool {
  if (lane == 0u) { decision = select(0u, 1u, x); }
  return workgroupUniformLoad(&decision) == 1u;
}`
  const opening = `
  let p = step.firstRow + group.x + group.y * groups.x;
  if (p >= step.endRow) { return; }
  let B = sampled[p];
  if (B == 0u) { return; }
  let place = (rows[p].x - step.base) * ${4 * gramQuads(shape)}u;
  let isComponent = lane < ${rank}u;
  let r = min(lane, ${rank - 1}u);
  ${isShared ? `for (var at = lane; at < ${rank * rank}u; at += ${team}u) { H[at] = listed(place, at / ${rank}u, at % ${rank}u); }\n  workgroupBarrier();` : ''}
  let at = p * ${padded}u + r;
  let now = factors[at];
  var g = select(0.0, sums[place + ${16 * tilesOf(shape)}u + r], isComponent);`
  return { team, declarations, opening }
}

/** Coordinate descent on the row's quadratic, damped where the sample is small. */
export function newtonRowsKernel(shape: Shape): string {
  const { rank } = shape
  const padded = 4 * quadsOf(shape)
  const { team, declarations, opening } = solving(shape)
  return `${declarations}
const MOST_SWEEPS = 8u;
/** The sums that H is made of are off by about this much of tr H: a component with less is not known at all. */
const ROUNDING = 1e-7;
/** A curvature below this is that of a component that has vanished. */
const VANISHED = 1e-30;
/** A sweep that moves the row by less than this, squared and relative, is the last. */
const SETTLED = 1e-6;
@compute @workgroup_size(${team})
${signature} {
  ${opening}
  let share = f32(B) / f32(rows[p].z);
  let weight = step.lambda * share;
  let y = max(now + step.momentum * (now - momentumFactors[at]), 0.0);
  let mean = vectors[(2u * step.mode + 1u) * ${padded}u + r];
  g += weight * (y - mean);
  let diagonal = hessian(place, r, r);
  let trace = total(select(0.0, diagonal, isComponent), lane);
  let epsilon = weight + step.damping * (trace / f32(B)) * (1.0 - share) + ROUNDING * trace;
  let curvature = diagonal + epsilon;
  let inverse = select(0.0, 1.0 / curvature, curvature > VANISHED);
  var a = y;
  var turn = 0u;
  for (var sweep = 0u; sweep < MOST_SWEEPS; sweep++) {
    var moved = 0.0;
    for (var s = 0u; s < ${rank}u; s++) {
      let wish = max(-a, -g * inverse);
      let delta = told(wish, s, turn, lane);
      turn++;
      g += delta * (hessian(place, s, r) + select(0.0, epsilon, s == r));
      if (lane == s) {
        a = max(a + delta, 0.0);
        moved = delta * delta;
      }
    }
    let moves = total(select(0.0, moved, isComponent), lane);
    let size = total(select(0.0, a * a, isComponent), lane);
    if (agreed(!(moves > SETTLED * size), lane)) { break; }
  }
  if (isComponent) {
    momentumFactors[at] = now;
    factors[at] = a;
  }
}`
}

/** Lines 8 to 13 of Algorithm 1, with L by the power method. */
export function paperRowsKernel(shape: Shape): string {
  const { rank } = shape
  const { team, declarations, opening } = solving(shape)
  return `${declarations}
var<workgroup> direction: array<f32, ${team}>;
const TOLERANCE = 1e-6;
const MOST_PRODUCTS = 200u;
const VANISHED = 1e-30;
@compute @workgroup_size(${team})
${signature} {
  ${opening}
  var v = select(0.0, 1.0, isComponent);
  var rho = 0.0;
  for (var products = 0u; products < MOST_PRODUCTS; products++) {
    workgroupBarrier();
    direction[lane] = v;
    workgroupBarrier();
    var w = 0.0;
    for (var s = 0u; s < ${rank}u; s++) { w += hessian(place, s, r) * direction[s]; }
    w = select(0.0, w, isComponent);
    let before = rho;
    rho = total(v * w, lane) / total(v * v, lane);
    let top = largest(w, lane);
    if (!(top > VANISHED)) { rho = 0.0; }
    if (agreed(!(abs(rho - before) > TOLERANCE * rho) || !(top > VANISHED), lane)) { break; }
    v = w / top;
  }
  let L = rho + step.lambda;
  // H = 0 and λ = 0: every k is zero, so the gradient is zero too and the row is already optimal.
  if (L == 0.0 || !isComponent) { return; }
  var y = now;
  if (step.inner > 0u) { y = momentumFactors[at]; }
  let next = max(y - (g + step.lambda * y) / L, 0.0);
  let beta = (sqrt(L) - sqrt(step.lambda)) / (sqrt(L) + sqrt(step.lambda));
  factors[at] = next;
  if (step.hasMomentumFactors == 1u) { momentumFactors[at] = next + beta * (next - now); }
}`
}
