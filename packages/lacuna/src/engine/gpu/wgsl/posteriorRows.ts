/**
 * The posterior of a row under a learned prior, from its sums (posteriorSums.ts): kernels/solve/rows/
 * posteriorRow.ts and groups.ts in WGSL. The covariance is inverted in float32, scaled by its diagonal.
 */
import { GROUPS } from '../../../kernels/solve/layout.ts'
import type { Covariances } from '../../engine.ts'
import { quadsOf, type Shape, tilesOf } from '../shape.ts'
import { directives } from './gather.ts'
import { posteriorSumQuads } from './posteriorSums.ts'
import { rowTeam, storedHessian, teamFunctions } from './rows.ts'
import { stepStruct } from './step.ts'
import { tileAt } from './tileSums.ts'

/** Largest rank at which a triangle of the system is in shared memory; beyond it, in the memory of V. */
const MOST_SHARED_RANK = 80
/** The slot of a row whose V is not computed. */
export const NO_SLOT = 0xffffffff

/** Numbers of a mode's prior: σ²Σ⁻¹ with padded rows, then μ. */
export const priorNumbers = (shape: Shape): number => {
  const padded = 4 * quadsOf(shape)
  return padded * padded + padded
}

/** WGSL that updates rows, their covariances and their sums: a workgroup per row, an invocation per component. */
export function posteriorRowsKernel(shape: Shape, form: Covariances): string {
  const { rank } = shape
  const padded = 4 * quadsOf(shape)
  const numbers = 16 * tilesOf(shape)
  const team = rowTeam(shape)
  const isShared = rank <= MOST_SHARED_RANK
  const at = posteriorSumQuads(shape, form)
  const sync = isShared ? 'workgroupBarrier();' : 'storageBarrier(); workgroupBarrier();'
  return `${directives(shape)}
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> prior: array<f32>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
@group(0) @binding(4) var<storage, read_write> factors: array<f32>;
@group(0) @binding(5) var<storage, read_write> covariances: array<f32>; // V by slot, in tiles
@group(0) @binding(6) var<storage, read_write> leverages: array<f32>;
@group(0) @binding(7) var<storage, read_write> rowSums: array<vec4<u32>>; // expected, determined, total; the slot
${form === 'groups' ? '@group(0) @binding(8) var<storage, read> groupMatrices: array<f32>;' : ''}
${isShared ? `var<workgroup> triangle: array<f32, ${(rank * (rank + 1)) / 2}>;` : ''}
var<workgroup> points: array<f32, ${team}>;
var<workgroup> scales: array<f32, ${team}>;
${storedHessian('sums[sumsAt + ')}
${teamFunctions(shape)}
${tileAt}
/** Sweeps of coordinate descent, at most; rounding of H; vanished curvature; movement of the last sweep. */
const MOST_SWEEPS = 8u;
const ROUNDING = 1e-7;
const VANISHED = 1e-30;
const SETTLED = 1e-6;
/** The least pivot of the scaled system; jitter is added to its diagonal, tenfold each time, until it has that. */
const LEAST_PIVOT = 1e-6;
const MOST_ATTEMPTS = 8u;
fn placeOf(slot: u32, r: u32, s: u32) -> u32 { return ${isShared ? '' : `slot * ${numbers}u + `}r * (r + 1u) / 2u + s; }
fn system(sumsAt: u32, r: u32, s: u32, epsilon: f32) -> f32 {
  return storedHessian(sumsAt, r, s) + prior[r * ${padded}u + s] + select(0.0, epsilon, r == s);
}
${form === 'groups' ? addGroups(shape, at.groups, numbers, team) : ''}
@compute @workgroup_size(${team})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let p = step.firstRow + group.x + group.y * workgroups.x;
  if (p >= step.endRow) { return; }
  if (rows[p].z == 0u) { return; }
  let sumsAt = (rows[p].x - step.base) * ${4 * at.all}u;
  let slot = rowSums[p].w;
  let isComponent = lane < ${rank}u;
  let r = min(lane, ${rank - 1}u);
  ${form === 'groups' ? 'addGroups(sumsAt, lane);\n  storageBarrier();\n  workgroupBarrier();' : ''}
  let mean = prior[${padded * padded}u + r];
  let g = select(0.0, sums[sumsAt + ${4 * at.g}u + r], isComponent);
  var a = select(0.0, factors[p * ${padded}u + r], isComponent);
  let trace = total(select(0.0, storedHessian(sumsAt, r, r), isComponent), lane);
  let epsilon = ROUNDING * trace;
  ${
    isShared
      ? `if (isComponent) {
    for (var s = 0u; s <= r; s++) { triangle[placeOf(0u, r, s)] = system(sumsAt, r, s, epsilon); }
  }`
      : ''
  }
  points[lane] = a;
  scales[lane] = select(0.0, a - mean, isComponent);
  workgroupBarrier();
  if (!has(FROZEN)) {
    var slope = g;
    for (var s = 0u; s < ${rank}u; s++) {
      slope += storedHessian(sumsAt, r, s) * points[s] + prior[r * ${padded}u + s] * scales[s];
    }
    let curvature = system(sumsAt, r, r, epsilon);
    let inverse = select(0.0, 1.0 / curvature, curvature > VANISHED);
    var turn = 0u;
    for (var sweep = 0u; sweep < MOST_SWEEPS; sweep++) {
      var moved = 0.0;
      for (var s = 0u; s < ${rank}u; s++) {
        let delta = broadcast(max(-a, -slope * inverse), s, turn, lane);
        turn++;
        slope += delta * ${isShared ? 'triangle[placeOf(0u, max(r, s), min(r, s))]' : 'system(sumsAt, r, s, epsilon)'};
        if (lane == s) {
          a = max(a + delta, 0.0);
          moved = delta * delta;
        }
      }
      let moves = total(select(0.0, moved, isComponent), lane);
      let size = total(select(0.0, a * a, isComponent), lane);
      if (firstDecides(!(moves > SETTLED * size), lane)) { break; }
    }
    if (isComponent) { factors[p * ${padded}u + r] = a; }
  }
  workgroupBarrier();
  points[lane] = select(0.0, a, isComponent);
  workgroupBarrier();
  var gradient = 2.0 * g;
  for (var s = 0u; s < ${rank}u; s++) { gradient += storedHessian(sumsAt, r, s) * points[s]; }
  var expected = sums[sumsAt + ${4 * at.squares}u] + total(select(0.0, gradient * a, isComponent), lane);
  let weight = sums[sumsAt + ${4 * at.squares + 1}u];
  var determined = 0.0;
  if (firstDecides(slot != ${NO_SLOT}u, lane)) {
    invert(sumsAt, slot, epsilon, isComponent, r, lane);
    determined = total(writeCovariance(sumsAt, slot, lane), lane);
    ${
      isShared
        ? ''
        : `storageBarrier();
    workgroupBarrier();
    for (var place = lane; place < ${numbers}u; place += ${team}u) {
      // While frozen, rows are certain.
      covariances[slot * ${numbers}u + place] = select(sums[sumsAt + place], 0.0, has(FROZEN));
    }`
    }
    expected += select(determined, 0.0, has(CERTAIN));
    determined /= step.sigma2;
    if (lane == 0u && !has(FROZEN)) { leverages[p] = determined / max(weight, 1e-30); }
  }
  if (lane == 0u) {
    rowSums[p] = vec4<u32>(bitcast<u32>(expected), bitcast<u32>(determined), bitcast<u32>(weight), slot);
  }
}
/**
 * Writes L⁻¹, with L Lᵀ the system scaled to a diagonal of ones, over the triangle of the system: an invocation
 * per row of the triangle.
 */
fn invert(sumsAt: u32, slot: u32, epsilon: f32, isComponent: bool, r: u32, lane: u32) {
  workgroupBarrier();
  scales[lane] = inverseSqrt(max(system(sumsAt, r, r, epsilon), VANISHED));
  var jitter = 0.0;
  for (var attempt = 0u; attempt < MOST_ATTEMPTS; attempt++) {
    ${sync}
    if (isComponent) {
      for (var s = 0u; s <= r; s++) {
        ${tri(isShared)}[placeOf(slot, r, s)] =
          system(sumsAt, r, s, epsilon) * scales[r] * scales[s] + select(0.0, jitter, r == s);
      }
    }
    var isSound = true;
    for (var j = 0u; j < ${rank}u; j++) {
      ${sync}
      let pivot = ${tri(isShared)}[placeOf(slot, j, j)];
      isSound = isSound && pivot > LEAST_PIVOT;
      let root = sqrt(max(pivot, LEAST_PIVOT));
      let below = ${tri(isShared)}[placeOf(slot, max(r, j), j)] / root;
      points[lane] = below;
      workgroupBarrier();
      if (isComponent && r > j) {
        ${tri(isShared)}[placeOf(slot, r, j)] = below;
        for (var k = j + 1u; k <= r; k++) { ${tri(isShared)}[placeOf(slot, r, k)] -= below * points[k]; }
      }
      if (lane == j) { ${tri(isShared)}[placeOf(slot, j, j)] = root; }
    }
    if (firstDecides(isSound, lane)) { break; }
    jitter = select(10.0 * jitter, 1e-6, jitter == 0.0);
  }
  for (var left = ${rank}u; left > 0u; left--) {
    let j = left - 1u;
    ${sync}
    points[lane] = ${tri(isShared)}[placeOf(slot, max(r, j), j)];
    workgroupBarrier();
    let own = 1.0 / points[j];
    if (isComponent && r > j) {
      var sum = 0.0;
      for (var k = j + 1u; k <= r; k++) { sum += ${tri(isShared)}[placeOf(slot, r, k)] * points[k]; }
      ${tri(isShared)}[placeOf(slot, r, j)] = -own * sum;
    }
    if (lane == j) { ${tri(isShared)}[placeOf(slot, j, j)] = own; }
  }
  ${sync}
}
/** Writes V from the inverted triangle, unless frozen; returns this invocation's part of tr(V H). */
fn writeCovariance(sumsAt: u32, slot: u32, lane: u32) -> f32 {
  var determined = 0.0;
  for (var place = lane; place < ${numbers}u; place += ${team}u) {
    let tile = tileAt(place / 16u);
    let i = 4u * tile.x + place % 16u / 4u;
    let j = 4u * tile.y + place % 4u;
    var v = 0.0;
    if (i < ${rank}u && j < ${rank}u) {
      for (var k = max(i, j); k < ${rank}u; k++) {
        v += ${tri(isShared)}[placeOf(slot, k, i)] * ${tri(isShared)}[placeOf(slot, k, j)];
      }
      v *= step.sigma2 * scales[i] * scales[j];
    }
    determined += select(2.0, 1.0, tile.x == tile.y) * v * sums[sumsAt + place];
    if (!has(FROZEN)) {
      ${isShared ? `covariances[slot * ${numbers}u + place]` : 'sums[sumsAt + place]'} = select(v, 0.0, has(CERTAIN));
    }
  }
  return determined;
}`
}

/** The array that has the triangle of the system. */
const tri = (isShared: boolean): string => (isShared ? 'triangle' : 'covariances')

/**
 * Declares addGroups, which adds the covariances of the other modes' rows to H, by the weights by group behind
 * it: n (∏ (S + V̄) − ∏ S), in place.
 */
const addGroups = ({ order }: Shape, groupsAt: number, numbers: number, team: number): string => `
fn addGroups(sumsAt: u32, lane: u32) {
  var n = 0.0;
  for (var g = 0u; g < ${GROUPS}u; g++) { n += sums[sumsAt + ${4 * groupsAt}u + g]; }
  if (!(n > 0.0)) { return; }
  for (var place = lane; place < ${numbers}u; place += ${team}u) {
    var whole = n;
    var certain = n;
    for (var o = 0u; o < ${order - 1}u; o++) {
      let matrices = select(o + 1u, o, o < step.mode) * ${(GROUPS + 1) * numbers}u + place;
      var covariance = 0.0;
      for (var g = 0u; g < ${GROUPS}u; g++) {
        let weight = sums[sumsAt + ${4 * groupsAt}u + o * ${GROUPS}u + g];
        if (weight > 0.0) { covariance += weight * groupMatrices[matrices + g * ${numbers}u]; }
      }
      ${order === 2 ? 'whole = n + covariance;' : `let moment = groupMatrices[matrices + ${GROUPS * numbers}u]; whole *= moment + covariance / n; certain *= moment;`}
    }
    sums[sumsAt + place] += whole - certain;
  }
}`
