/** Kernels that sum errors over a view by the first mode: per segment, then over blocks of segments. */
import { quadsOf, type Shape, type Team } from '../shape.ts'
import {
  directives,
  eachQuad,
  entryLoop,
  entrySum,
  isUnknown,
  partialDot,
  quadAt,
  recordsType,
  teamIndices,
} from './gather.ts'
import { stepStruct } from './step.ts'

/**
 * WGSL of the sums Σ w d² and Σ w |d| of each segment, with d = k·y − x and y the row of the factor. With
 * `zeros`, these are the differences between the errors of listed cells and those that zeros would have there;
 * unknown cells have no error.
 */
export const errorsKernel = (shape: Shape, team: Team, zeros: boolean): string => `${directives(shape)}
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> records: ${recordsType(shape)};
@group(0) @binding(2) var<storage, read> factors: array<vec4f>;
@group(0) @binding(3) var<storage, read> segments: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> errors: array<vec2f>;
var<workgroup> scratch: array<vec2f, ${team.size}>;
${entrySum(team)}
@compute @workgroup_size(${team.size})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let s = step.firstSegment + group.x + group.y * groups.x;
  if (s >= step.endSegment) { return; }
  let start = 0u;
  let length = segments[s].y;
  let count = length;
  let first = segments[s].x - step.firstRecord;
  ${teamIndices(team)}
  let row = segments[s].z * ${quadsOf(shape)}u;
  ${eachQuad(team, (q) => quadAt(shape, team, 'y', q, (at) => `factors[row + ${at}]`))}
  var sum = vec2f();
  ${entryLoop(
    shape,
    team,
    `let predicted = entrySum(vec2f(${partialDot(team, 'y')}, 0.0), lane).x;
    let d = ${zeros ? `select(predicted - x, 0.0, ${isUnknown('x')})` : 'predicted - x'};
    if (isIn && own == 0u) {
      sum += w * vec2f(d * d, abs(d))${zeros ? ' - vec2f(predicted * predicted, predicted)' : ''};
    }`,
  )}
  scratch[lane] = sum;
  workgroupBarrier();
  for (var half = ${team.size / 2}u; half > 0u; half >>= 1u) {
    if (lane < half) { scratch[lane] += scratch[lane + half]; }
    workgroupBarrier();
  }
  if (lane == 0u) { errors[s] = scratch[0]; }
}`

/** Segments of a block, whose sums a workgroup adds. */
export const ERROR_BLOCK = 256

/** WGSL that adds the sums of `step.count` segments over blocks of ERROR_BLOCK segments. */
export const reduceErrorsKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> errors: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> reduced: array<vec2f>;
var<workgroup> scratch: array<vec2f, ${ERROR_BLOCK}>;
@compute @workgroup_size(${ERROR_BLOCK})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let s = group.x * ${ERROR_BLOCK}u + lane;
  var own = vec2f();
  if (s < step.count) { own = errors[s]; }
  scratch[lane] = own;
  workgroupBarrier();
  for (var half = ${ERROR_BLOCK / 2}u; half > 0u; half >>= 1u) {
    if (lane < half) { scratch[lane] += scratch[lane + half]; }
    workgroupBarrier();
  }
  if (lane == 0u) { reduced[group.x] = scratch[0]; }
}`
