/**
 * Kernels that balance the columns of the factors (engine/cpu/steps/balance.ts): sums over blocks of rows,
 * column scales and v from them, mean rows, and rows without entries. All modes are processed together;
 * nothing leaves the device.
 */
import type { Shape } from '../shape.ts'
import { stepStruct } from './step.ts'

/**
 * Sizes are parameters of the step (count, quads, and the number of modes as `mode`), so that all ranks have
 * the same kernels.
 */
type Order = Pick<Shape, 'order'>

/** Invocations of a workgroup of most kernels. */
export const BALANCE_TEAM = 64
/** Rows of a block, whose sums one invocation makes for a quad of columns. */
export const BLOCK_ROWS = 64

const signature = `fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32)`
/** Declares the number of this invocation over all workgroups. */
const number = `let number = (group.x + group.y * groups.x) * ${BALANCE_TEAM}u + lane;`

/**
 * WGSL that sums, per block of rows of one mode, each column of the factor, or its squares, over the rows
 * that have entries.
 */
export const blockSumsKernel = (shape: Order, squares: boolean): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> blocks: array<vec2<u32>>; // its rows, from … to
@group(0) @binding(3) var<storage, read> factors: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> blockSums: array<vec4f>;
@compute @workgroup_size(${BALANCE_TEAM})
${signature} {
  ${number}
  let block = number / step.quads;
  let quad = number % step.quads;
  if (block >= step.count) { return; }
  var sum = vec4f();
  for (var p = blocks[block].x; p < blocks[block].y; p++) {
    if (rows[p].z == 0u) { continue; }
    let u = factors[p * step.quads + quad];
    sum += ${squares ? 'u * u' : 'u'};
  }
  blockSums[number] = sum;
}`

/** Invocations of a workgroup of totalsKernel. */
export const TOTALS_TEAM = 64

/** WGSL that adds the sums of the blocks of each mode: a workgroup per mode and quad. */
export const totalsKernel = (shape: Order): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> modes: array<vec4<u32>>; // first block, blocks, rows with entries
@group(0) @binding(2) var<storage, read> blockSums: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> totals: array<vec4f>;
var<workgroup> scratch: array<vec4f, ${TOTALS_TEAM}>;
@compute @workgroup_size(${TOTALS_TEAM})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let mode = modes[group.x / step.quads];
  let quad = group.x % step.quads;
  var sum = vec4f();
  for (var block = lane; block < mode.y; block += ${TOTALS_TEAM}u) {
    sum += blockSums[(mode.x + block) * step.quads + quad];
  }
  scratch[lane] = sum;
  workgroupBarrier();
  for (var half = ${TOTALS_TEAM / 2}u; half > 0u; half >>= 1u) {
    if (lane < half) { scratch[lane] += scratch[lane + half]; }
    workgroupBarrier();
  }
  if (lane == 0u) { totals[group.x] = scratch[0]; }
}`

/**
 * WGSL that computes from column sums of squares the scales that make the norms of a column equal in all
 * modes, and v of the gradient step: one workgroup, an invocation per component. The common norm is an N-th
 * root: logarithms approximate it, and a Newton step corrects the last bits.
 */
export const scalesKernel = (shape: Order): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> totals: array<f32>;
@group(0) @binding(2) var<storage, read_write> vectors: array<f32>; // per mode v, then its mean
@group(0) @binding(3) var<storage, read_write> columnScales: array<f32>;
var<workgroup> exchanged: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) r: u32) {
  let padded = 4u * step.quads;
  var joint = 0.0;
  var isSound = r < step.count;
  if (isSound) {
    var logarithm = 0.0;
    for (var i = 0u; i < step.mode; i++) {
      let square = totals[i * padded + r];
      isSound = isSound && square > 1e-37 && square < 1e38;
      logarithm += 0.5 * log2(square);
    }
    if (isSound) {
      joint = exp2(logarithm / f32(step.mode));
      var ratio = 1.0;
      for (var i = 0u; i < step.mode; i++) { ratio *= sqrt(totals[i * padded + r]) / joint; }
      joint *= 1.0 + (ratio - 1.0) / f32(step.mode);
    }
  }
  exchanged[r] = joint;
  workgroupBarrier();
  for (var half = 128u; half > 0u; half >>= 1u) {
    if (r < half) { exchanged[r] = max(exchanged[r], exchanged[r + half]); }
    workgroupBarrier();
  }
  let longest = exchanged[0];
  if (r >= padded) { return; }
  // A component this much smaller than the largest is not trusted to stay so.
  let relative = max(1e-3, select(1.0, joint / longest, longest > 0.0));
  var v = 1.0;
  for (var i = 1u; i < step.mode; i++) { v /= relative; }
  for (var i = 0u; i < step.mode; i++) {
    columnScales[i * padded + r] = select(1.0, joint / sqrt(totals[i * padded + r]), isSound);
    vectors[2u * i * padded + r] = min(v, 1e30);
  }
}`

/** WGSL that multiplies the columns of the factors and momentum factors by their scales. */
export const scaleRowsKernel = (shape: Order): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> columnScales: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> factors: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> momentumFactors: array<vec4f>;
@compute @workgroup_size(${BALANCE_TEAM})
${signature} {
  ${number}
  let p = number / step.quads;
  if (p >= step.count) { return; }
  let times = columnScales[rows[p].w * step.quads + number % step.quads];
  factors[number] *= times;
  if (step.hasMomentumFactors == 1u) { momentumFactors[number] *= times; }
}`

/**
 * WGSL that writes the mean row of each mode, from totals, to the last of the mode's `step.base` rows in
 * `means`; zeros where unlisted cells are zeros.
 */
export const meansKernel = (shape: Order, zeros: boolean): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> modes: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> totals: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> means: array<vec4f>;
@compute @workgroup_size(${BALANCE_TEAM})
${signature} {
  ${number}
  if (number >= step.mode * step.quads) { return; }
  let mode = number / step.quads;
  let at = (mode * step.base + step.base - 1u) * step.quads + number % step.quads;
  means[at] = ${zeros ? 'vec4f()' : 'totals[number] / f32(modes[mode].z)'};
}`

/** WGSL that copies the mean row of their mode to rows without entries. */
export const fillKernel = (shape: Order): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> means: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> factors: array<vec4f>;
@compute @workgroup_size(${BALANCE_TEAM})
${signature} {
  ${number}
  let p = number / step.quads;
  if (p >= step.count || rows[p].z > 0u) { return; }
  factors[number] = means[(rows[p].w * step.base + step.base - 1u) * step.quads + number % step.quads];
}`
