/** Kernels that sum over the rows of a mode what the M-step of variational EM needs, and average groups of rows. */
import { GROUPS } from '../../../kernels/solve/layout.ts'
import { quadsOf, type Shape, tilesOf } from '../shape.ts'
import { NO_SLOT } from './posteriorRows.ts'
import { stepStruct } from './step.ts'
import { tileAt } from './tileSums.ts'
import { PRODUCTS_TEAM, productQuads } from './zeros.ts'

const signature = `fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32)`

/** How a sum over rows weighs them: 'entries' by their number of entries; 'rows' alike, around the prior mean. */
export type RowWeights = 'entries' | 'rows'

/**
 * WGSL that sums a aᵀ over the rows with entries of each block of `step.count` rows, by their number of
 * entries; or (a − μ)(a − μ)ᵀ, each row alike, so that the sums keep their digits.
 */
export const outerSumsKernel = (shape: Shape, weights: RowWeights): string => {
  const quads = quadsOf(shape)
  const isCentred = weights === 'rows'
  const quad = (at: string): string =>
    `factors[p * ${quads}u + ${at}]${isCentred ? ` - prior[${4 * quads * quads}u + ${at}]` : ''}`
  return `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> factors: array<vec4f>;
@group(0) @binding(3) var<storage, read> prior: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> blockProducts: array<vec4f>;
${tileAt}
@compute @workgroup_size(${PRODUCTS_TEAM})
${signature} {
  let number = group.z * ${PRODUCTS_TEAM}u + lane;
  let begin = step.firstRow + group.x * step.count;
  if (number >= ${tilesOf(shape)}u) { return; }
  let tile = tileAt(number);
  var t0 = vec4f(); var t1 = vec4f(); var t2 = vec4f(); var t3 = vec4f();
  for (var p = begin; p < min(begin + step.count, step.endRow); p++) {
    if (rows[p].z == 0u) { continue; }
    let a = (${quad('tile.x')})${isCentred ? '' : ' * f32(rows[p].z)'};
    let b = ${quad('tile.y')};
    t0 += a.x * b; t1 += a.y * b; t2 += a.z * b; t3 += a.w * b;
  }
  let at = group.x * ${productQuads(shape)}u + 4u * number;
  blockProducts[at] = t0; blockProducts[at + 1u] = t1; blockProducts[at + 2u] = t2; blockProducts[at + 3u] = t3;
}`
}

/** WGSL that sums V over the rows with entries of each block of `step.count` rows. */
export const covarianceSumsKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> covariances: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> blockProducts: array<vec4f>;
@compute @workgroup_size(${PRODUCTS_TEAM})
${signature} {
  let quad = group.z * ${PRODUCTS_TEAM}u + lane;
  let begin = step.firstRow + group.x * step.count;
  if (quad >= ${productQuads(shape)}u) { return; }
  var sum = vec4f();
  for (var p = begin; p < min(begin + step.count, step.endRow); p++) {
    if (rows[p].z > 0u) { sum += covariances[p * ${productQuads(shape)}u + quad]; }
  }
  blockProducts[group.x * ${productQuads(shape)}u + quad] = sum;
}`

/**
 * WGSL that averages V over the slots of each group of mode `step.mode`. slots: per group its first slot, and
 * their number; then the row of each slot.
 */
export const averageGroupsKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> slots: array<u32>;
@group(0) @binding(2) var<storage, read> covariances: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> groupMatrices: array<vec4f>;
@compute @workgroup_size(${PRODUCTS_TEAM})
${signature} {
  let quad = group.x * ${PRODUCTS_TEAM}u + lane;
  if (quad >= ${productQuads(shape)}u || slots[group.y] == slots[group.y + 1u]) { return; }
  var sum = vec4f();
  for (var slot = slots[group.y]; slot < slots[group.y + 1u]; slot++) {
    sum += covariances[slot * ${productQuads(shape)}u + quad];
  }
  groupMatrices[(step.mode * ${GROUPS + 1}u + group.y) * ${productQuads(shape)}u + quad] =
    sum / f32(slots[group.y + 1u] - slots[group.y]);
}`

/** WGSL that averages the number of determined parameters over the slots of each group: one workgroup. */
export const averageDeterminedKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> slots: array<u32>;
@group(0) @binding(2) var<storage, read> rowSums: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> determined: array<f32>;
@compute @workgroup_size(${GROUPS})
fn main(@builtin(local_invocation_index) g: u32) {
  var sum = 0.0;
  for (var slot = slots[g]; slot < slots[g + 1u]; slot++) {
    sum += bitcast<f32>(rowSums[slots[${GROUPS + 1}u + slot]].y);
  }
  determined[g] = sum / max(1.0, f32(slots[g + 1u] - slots[g]));
}`

/** Invocations of a workgroup of the kernels that have an invocation per row. */
export const ROW_TEAM = 64

/**
 * WGSL that completes the sums and leverages of the rows whose V was not computed: they determine as many
 * parameters as the sampled rows of their group do on average.
 */
export const completeRowsKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> groupOf: array<u32>;
@group(0) @binding(3) var<storage, read> determined: array<f32>;
@group(0) @binding(4) var<storage, read_write> rowSums: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> leverages: array<f32>;
@compute @workgroup_size(${ROW_TEAM})
${signature} {
  let p = step.firstRow + (group.x + group.y * groups.x) * ${ROW_TEAM}u + lane;
  if (p >= step.endRow || rows[p].z == 0u || rowSums[p].w != ${NO_SLOT}u) { return; }
  let own = determined[groupOf[p]];
  let expected = bitcast<f32>(rowSums[p].x) + select(step.sigma2 * own, 0.0, has(CERTAIN));
  rowSums[p].x = bitcast<u32>(expected);
  rowSums[p].y = bitcast<u32>(own);
  if (!has(FROZEN)) { leverages[p] = own / max(bitcast<f32>(rowSums[p].z), 1e-30); }
}`

/** Rows whose sums a workgroup of rowTotalsKernel adds. */
export const ADDED_ROWS = 1024

/** WGSL that adds the first two sums of the rows with entries over every ADDED_ROWS rows of a mode. */
export const rowTotalsKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> rowSums: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> totals: array<vec2f>;
var<workgroup> scratch: array<vec2f, ${ROW_TEAM}>;
@compute @workgroup_size(${ROW_TEAM})
${signature} {
  let number = group.x + group.y * groups.x;
  let begin = step.firstRow + number * ${ADDED_ROWS}u;
  if (begin >= step.endRow) { return; }
  var sum = vec2f();
  for (var p = begin + lane; p < min(begin + ${ADDED_ROWS}u, step.endRow); p += ${ROW_TEAM}u) {
    if (rows[p].z > 0u) { sum += vec2f(bitcast<f32>(rowSums[p].x), bitcast<f32>(rowSums[p].y)); }
  }
  scratch[lane] = sum;
  workgroupBarrier();
  for (var half = ${ROW_TEAM / 2}u; half > 0u; half >>= 1u) {
    if (lane < half) { scratch[lane] += scratch[lane + half]; }
    workgroupBarrier();
  }
  if (lane == 0u) { totals[step.base + number] = scratch[0]; }
}`
