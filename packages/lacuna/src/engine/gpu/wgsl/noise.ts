/**
 * The noise of entries under a learned prior, in WGSL: kernels/solve/rows/posterior.ts has the same functions
 * and explains them.
 */
import { NOISE_BINS } from '../../../kernels/solve/layout.ts'
import { quadsOf, type Shape, type Team } from '../shape.ts'
import {
  directives,
  eachQuad,
  entryLoop,
  entrySum,
  partialDot,
  quadAt,
  recordsType,
  teamIndices,
} from './gather.ts'
import { stepStruct } from './step.ts'

/** Declares leaveOneOut, huberWeight and growth; largest leverage: beyond it predictions are mostly rounding. */
export const noiseFunctions = `
const MOST_LEVERAGE = 0.9;
fn leaveOneOut(predicted: f32, x: f32, h: f32) -> f32 { return max(0.0, (predicted - h * x) / (1.0 - h)); }
fn growth(mean: f32) -> f32 {
  let y = max(mean, step.leastMean);
  return select(1.0, step.variance0 + y * (step.variance1 + y * step.variance2), has(GROWING));
}
fn huberWeight(residual: f32, variance: f32) -> f32 {
  if (step.deviations == 0.0) { return 1.0; }
  return min(1.0, step.deviations * sqrt(step.sigma2 * variance) / max(abs(residual), 1e-30));
}`

/**
 * Declares h, the leverage of an entry, y, its leave-one-out prediction, residual, the leave-one-out residual,
 * and variance, its noise variance in units of σ². Needs `predicted`, `here` (the row of the view's mode), and
 * the variables of entryLoop.
 */
export function entryNoise({ order }: Shape): string {
  const others = Array.from({ length: order - 1 }, (_, o) => `other${o}`)
  return `
    let h = min(w * (leverages[here] + ${others.map((other) => `leverages[${other}]`).join(' + ')}), MOST_LEVERAGE);
    let y = leaveOneOut(predicted, x, h);
    let residual = (predicted - x) / (1.0 - h);
    var variance = growth(y);
    if (has(VARYING)) { variance *= variances[here] * ${others.map((other) => `variances[${other}]`).join(' * ')}; }`
}

/** Invocations of a workgroup of noiseBinsKernel, at least: one per bin. */
export const NOISE_TEAM = NOISE_BINS

/**
 * WGSL that bins leave-one-out residuals by leave-one-out predictions, over `step.count` segments of the view
 * by the first mode per workgroup: per bin the count, the sum of predictions and the sum of squared residuals,
 * each entry by its own weight. An invocation has a bin, and passes over the entries of a round in order.
 */
export const noiseBinsKernel = (shape: Shape, team: Team): string => `${directives(shape)}
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> records: ${recordsType(shape)};
@group(0) @binding(2) var<storage, read> factors: array<vec4f>;
@group(0) @binding(3) var<storage, read> segments: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> leverages: array<f32>;
@group(0) @binding(5) var<storage, read> variances: array<f32>;
@group(0) @binding(6) var<storage, read_write> bins: array<vec4f>;
var<workgroup> binned: array<vec4f, ${team.entries}>; // the weight, prediction and squared residual of an entry, its bin
${entrySum(team)}
${noiseFunctions}
/** The bin of y: quarters of a doubling around the mean, step.lambda. */
fn binOf(y: f32) -> f32 {
  var border = step.lambda * 0.0009765625;
  var bin = 0u;
  while (bin < ${NOISE_BINS - 1}u && y >= border) {
    border *= 1.189207115;
    bin++;
  }
  return f32(bin);
}
@compute @workgroup_size(${team.size})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let number = group.x + group.y * groups.x;
  let begin = step.firstSegment + number * step.count;
  var sum = vec4f();
  ${teamIndices(team)}
  for (var s = begin; s < min(begin + step.count, step.endSegment); s++) {
    let start = 0u;
    let length = segments[s].y;
    let count = length;
    if (count == 0u) { continue; }
    let first = segments[s].x - step.firstRecord;
    let here = segments[s].z;
    let row = here * ${quadsOf(shape)}u;
    ${eachQuad(team, (q) => quadAt(shape, team, 'a', q, (at) => `factors[row + ${at}]`))}
    ${entryLoop(
      shape,
      team,
      `let predicted = entrySum(vec2f(${partialDot(team, 'a')}, 0.0), lane).x;
      ${entryNoise(shape)}
      workgroupBarrier();
      if (own == 0u) {
        let weight = select(0.0, w, isIn);
        let squares = weight * huberWeight(residual, variance) * residual * residual;
        binned[part] = vec4f(weight, weight * y, squares, binOf(y));
      }
      workgroupBarrier();
      for (var e = 0u; e < ${team.entries}u; e++) {
        let entry = binned[e];
        sum += select(vec4f(), entry, u32(entry.w) == lane);
      }`,
    )}
  }
  if (lane < ${NOISE_BINS}u) { bins[(step.base + number) * ${NOISE_BINS}u + lane] = sum; }
}`
