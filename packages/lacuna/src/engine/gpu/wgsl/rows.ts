/**
 * Kernels that update rows from their sums: kernels/solve/rows/gradientRow.ts, newtonRow.ts and paperRow.ts
 * in WGSL.
 */
import { powerOfTwo, quadsOf, type Shape, tilesOf } from '../shape.ts'
import { directives } from './gather.ts'
import { stepStruct } from './step.ts'
import { gradientSumQuads, gramQuads, listedSumQuads } from './sums.ts'

/** The buffers of the kernels that update rows. @param element the WGSL type: f32, or vec4f for quads */
const bindings = (element: string): string => `
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> sampled: array<u32>;
@group(0) @binding(3) var<storage, read> sums: array<${element}>;
@group(0) @binding(4) var<storage, read> vectors: array<${element}>; // per mode v, then its mean
@group(0) @binding(5) var<storage, read_write> factors: array<${element}>;
@group(0) @binding(6) var<storage, read_write> momentumFactors: array<${element}>;`

const signature = `fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32)`

/** Invocations of a workgroup of gradientRowsKernel. */
export const GRADIENT_ROWS_TEAM = 64

/**
 * WGSL of a projected gradient step under the Collatz–Wielandt bound D = diag((Hv)_r / v_r): one invocation
 * per quad of a row. Rows without sampled entries stay.
 */
export const gradientRowsKernel = (shape: Shape): string => {
  const quads = quadsOf(shape)
  return `
${stepStruct(shape)}
${bindings('vec4f')}
/** Rounding may leave a computed D a little below. */
const ROUNDING = 1.00002;
@compute @workgroup_size(${GRADIENT_ROWS_TEAM})
${signature} {
  let number = (group.x + group.y * groups.x) * ${GRADIENT_ROWS_TEAM}u + lane;
  let p = step.firstRow + number / ${quads}u;
  let quad = number % ${quads}u;
  if (p >= step.endRow) { return; }
  let B = sampled[p];
  if (B == 0u) { return; }
  let sumsAt = (rows[p].x - step.base) * ${gradientSumQuads(shape)}u + quad;
  let Hv = sums[sumsAt];
  let g = sums[sumsAt + ${quads}u];
  let v = vectors[2u * step.mode * ${quads}u + quad];
  let mean = vectors[(2u * step.mode + 1u) * ${quads}u + quad];
  // The sample stands for the whole row: λ is weighted by B / nnz.
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

/** Largest rank at which H of a row is copied to shared memory. */
const MOST_SHARED_RANK = 60

/** Invocations of a workgroup that updates a row: one per component, a power of two. */
export const rowTeam = ({ rank }: Shape): number => Math.max(4, powerOfTwo(rank))

/**
 * Declares storedHessian: H_rs from its tiles on and above the diagonal.
 * @param read the WGSL that reads the number at an index, which follows, up to that
 */
export const storedHessian = (read: string): string => `
/** H_rs from the tiles on and above the diagonal. */
fn storedHessian(sumsAt: u32, r: u32, s: u32) -> f32 {
  let swap = r / 4u > s / 4u;
  let i = select(r, s, swap);
  let j = select(s, r, swap);
  let tile = (j / 4u) * (j / 4u + 1u) / 2u + i / 4u;
  return ${read}16u * tile + 4u * (i % 4u) + j % 4u];
}`

/** Declares operations over the invocations of a workgroup of `rowTeam`: total, largest, broadcast, firstDecides. */
export function teamFunctions(shape: Shape): string {
  const team = rowTeam(shape)
  const isOneSubgroup = team <= shape.subgroup
  return `
var<workgroup> exchanged: array<f32, ${team}>;
var<workgroup> slots: array<f32, 2>;
var<workgroup> decision: u32;
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
/** Broadcasts x of invocation \`source\`. turn: a counter of the calls. */
fn broadcast(x: f32, source: u32, turn: u32, lane: u32) -> f32 {
  ${
    isOneSubgroup
      ? 'return subgroupShuffle(x, source);'
      : `if (lane == source) { slots[turn & 1u] = x; }
  workgroupBarrier();
  return slots[turn & 1u];`
  }
}
/** x of the first invocation, as a uniform value. */
fn firstDecides(x: bool, lane: u32) -> bool {
  if (lane == 0u) { decision = select(0u, 1u, x); }
  return workgroupUniformLoad(&decision) == 1u;
}`
}

/**
 * WGSL that the kernels that use H of a row have in common: a workgroup per row, an invocation per component.
 * `team`: invocations of a workgroup; `loadRow`: the beginning of `main`, which returns for rows without
 * sampled entries.
 * @param cells the buffer of H, if it is the same for all rows of the mode; by default it is in `sums`
 */
function rowSolver(shape: Shape, cells?: string): { team: number; declarations: string; loadRow: string } {
  const { rank } = shape
  const padded = 4 * quadsOf(shape)
  const team = rowTeam(shape)
  const isShared = rank <= MOST_SHARED_RANK
  const declarations = `${directives(shape)}
${stepStruct(shape)}
${bindings('f32')}
${isShared ? `var<workgroup> H: array<f32, ${rank * rank}>;` : ''}
${storedHessian(cells ? `${cells}[` : 'sums[sumsAt + ')}
fn hessian(sumsAt: u32, r: u32, s: u32) -> f32 {
  ${isShared ? `return H[r * ${rank}u + s];` : 'return storedHessian(sumsAt, r, s);'}
}
${teamFunctions(shape)}`
  const loadRow = `
  let p = step.firstRow + group.x + group.y * groups.x;
  if (p >= step.endRow) { return; }
  let B = sampled[p];
  if (B == 0u) { return; }
  let sumsAt = (rows[p].x - step.base) * ${4 * (cells ? listedSumQuads : gramQuads)(shape)}u;
  let isComponent = lane < ${rank}u;
  let r = min(lane, ${rank - 1}u);
  ${isShared ? `for (var at = lane; at < ${rank * rank}u; at += ${team}u) { H[at] = storedHessian(sumsAt, at / ${rank}u, at % ${rank}u); }\n  workgroupBarrier();` : ''}
  let at = p * ${padded}u + r;
  let now = factors[at];
  var g = select(0.0, sums[sumsAt + ${cells ? 0 : 16 * tilesOf(shape)}u + r], isComponent);`
  return { team, declarations, loadRow }
}

/**
 * WGSL of coordinate descent on the row's quadratic over a ≥ 0, damped where the sample is small.
 * @param zeros whether unlisted cells are zeros: H is then that of all cells, in a buffer of its own, and the
 * sums are those of listedSumsKernel
 */
export function newtonRowsKernel(shape: Shape, zeros = false): string {
  const { rank } = shape
  const padded = 4 * quadsOf(shape)
  const { team, declarations, loadRow } = rowSolver(shape, zeros ? 'cells' : undefined)
  return `${declarations}
${
  zeros
    ? `@group(0) @binding(7) var<storage, read> cells: array<f32>;
var<workgroup> points: array<f32, ${team}>;`
    : ''
}
/** Sweeps of coordinate descent, at most. */
const MOST_SWEEPS = 8u;
/**
 * The sums that H is made of are off by about this much of tr H: a component with less is not known at all.
 */
const ROUNDING = 1e-7;
/** Curvature below which a component has vanished. */
const VANISHED = 1e-30;
/** A sweep that moves the row by less than this, squared and relative, is the last. */
const SETTLED = 1e-6;
@compute @workgroup_size(${team})
${signature} {
  ${loadRow}
  let fraction = f32(B) / f32(rows[p].z);
  let weight = step.lambda * fraction;
  let y = max(now + step.momentum * (now - momentumFactors[at]), 0.0);
  let mean = vectors[(2u * step.mode + 1u) * ${padded}u + r];
  ${
    zeros
      ? `points[lane] = select(0.0, y, isComponent);
  workgroupBarrier();
  for (var s = 0u; s < ${rank}u; s++) { g += hessian(sumsAt, s, r) * points[s]; }`
      : ''
  }
  g += weight * (y - mean);
  let diagonal = hessian(sumsAt, r, r);
  let trace = total(select(0.0, diagonal, isComponent), lane);
  let epsilon = weight + step.damping * (trace / f32(B)) * (1.0 - fraction) + ROUNDING * trace;
  let curvature = diagonal + epsilon;
  let inverse = select(0.0, 1.0 / curvature, curvature > VANISHED);
  var a = y;
  var turn = 0u;
  for (var sweep = 0u; sweep < MOST_SWEEPS; sweep++) {
    var moved = 0.0;
    for (var s = 0u; s < ${rank}u; s++) {
      let wish = max(-a, -g * inverse);
      let delta = broadcast(wish, s, turn, lane);
      turn++;
      g += delta * (hessian(sumsAt, s, r) + select(0.0, epsilon, s == r));
      if (lane == s) {
        a = max(a + delta, 0.0);
        moved = delta * delta;
      }
    }
    let moves = total(select(0.0, moved, isComponent), lane);
    let size = total(select(0.0, a * a, isComponent), lane);
    if (firstDecides(!(moves > SETTLED * size), lane)) { break; }
  }
  if (isComponent) {
    momentumFactors[at] = now;
    factors[at] = a;
  }
}`
}

/** WGSL of lines 8 to 13 of the paper's Algorithm 1, with L by the power method. */
export function paperRowsKernel(shape: Shape): string {
  const { rank } = shape
  const { team, declarations, loadRow } = rowSolver(shape)
  return `${declarations}
var<workgroup> direction: array<f32, ${team}>;
/**
 * The relative change of the eigenvalue below which the power method ends, after at most MOST_PRODUCTS
 * products.
 */
const TOLERANCE = 1e-6;
const MOST_PRODUCTS = 200u;
const VANISHED = 1e-30;
@compute @workgroup_size(${team})
${signature} {
  ${loadRow}
  var v = select(0.0, 1.0, isComponent);
  var rho = 0.0;
  for (var products = 0u; products < MOST_PRODUCTS; products++) {
    workgroupBarrier();
    direction[lane] = v;
    workgroupBarrier();
    var w = 0.0;
    for (var s = 0u; s < ${rank}u; s++) { w += hessian(sumsAt, s, r) * direction[s]; }
    w = select(0.0, w, isComponent);
    let before = rho;
    rho = total(v * w, lane) / total(v * v, lane);
    let top = largest(w, lane);
    if (!(top > VANISHED)) { rho = 0.0; }
    if (firstDecides(!(abs(rho - before) > TOLERANCE * rho) || !(top > VANISHED), lane)) { break; }
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
