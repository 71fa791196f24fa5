/**
 * Kernels for unlisted cells as zeros (kernels/solve/setup/zeros.ts): UᵀU of every factor, and from these
 * Σ k kᵀ over all cells of a row, which is the same for all rows of a mode.
 */
import { quadsOf, type Shape, tilesOf } from '../shape.ts'
import { stepStruct } from './step.ts'
import { tileAt } from './tileSums.ts'

/** Invocations of a workgroup of these kernels. */
export const PRODUCTS_TEAM = 64
/** Most blocks of rows per mode over which products are summed. */
export const MOST_PRODUCT_BLOCKS = 256
/** Quads of UᵀU: 4 × 4 tiles on and above the diagonal. */
export const productQuads = (shape: Shape): number => 4 * tilesOf(shape)

const signature = `fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32)`

/**
 * WGSL that sums UᵀU over each block of `step.count` rows, of those from `step.firstRow` to `step.endRow`: a
 * workgroup per block and some of the tiles.
 */
export const productSumsKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> factors: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> blockProducts: array<vec4f>;
${tileAt}
@compute @workgroup_size(${PRODUCTS_TEAM})
${signature} {
  let number = group.z * ${PRODUCTS_TEAM}u + lane;
  let begin = step.firstRow + group.x * step.count;
  if (number >= ${tilesOf(shape)}u) { return; }
  let tile = tileAt(number);
  var t0 = vec4f(); var t1 = vec4f(); var t2 = vec4f(); var t3 = vec4f();
  for (var p = begin; p < min(begin + step.count, step.endRow); p++) {
    let a = factors[p * ${quadsOf(shape)}u + tile.x];
    let b = factors[p * ${quadsOf(shape)}u + tile.y];
    t0 += a.x * b; t1 += a.y * b; t2 += a.z * b; t3 += a.w * b;
  }
  let at = group.x * ${productQuads(shape)}u + 4u * number;
  blockProducts[at] = t0; blockProducts[at + 1u] = t1; blockProducts[at + 2u] = t2; blockProducts[at + 3u] = t3;
}`

/**
 * WGSL that adds the products of `step.count` blocks, in order, times `step.lambda`, and writes them from quad
 * `step.base` on: an invocation per quad.
 */
export const addProductsKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> blockProducts: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> products: array<vec4f>;
@compute @workgroup_size(${PRODUCTS_TEAM})
${signature} {
  let quad = group.x * ${PRODUCTS_TEAM}u + lane;
  if (quad >= ${productQuads(shape)}u) { return; }
  var sum = vec4f();
  for (var block = 0u; block < step.count; block++) { sum += blockProducts[block * ${productQuads(shape)}u + quad]; }
  products[step.base + quad] = step.lambda * sum;
}`

/** WGSL that multiplies UᵀU of all modes but `step.mode`, elementwise: Σ k kᵀ over all cells of a row. */
export const multiplyProductsKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> products: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> cells: array<vec4f>;
@compute @workgroup_size(${PRODUCTS_TEAM})
${signature} {
  let quad = group.x * ${PRODUCTS_TEAM}u + lane;
  if (quad >= ${productQuads(shape)}u) { return; }
  var product = vec4f(1.0);
  for (var mode = 0u; mode < ${shape.order}u; mode++) {
    if (mode != step.mode) { product *= products[mode * ${productQuads(shape)}u + quad]; }
  }
  cells[quad] = product;
}`
