/**
 * Kernels that sum over the window of each segment what the update of a row needs
 * (kernels/solve/entries/entries.ts). A quad is four components, one vec4f.
 */
import { quadsOf, type Shape, type Team, tilesOf } from '../shape.ts'
import {
  directives,
  eachQuad,
  entryLoop,
  entrySum,
  isUnknown,
  partialDot,
  quadAt,
  recordsType,
  scratchQuads,
  teamIndices,
  teamSum,
} from './gather.ts'
import { stepStruct } from './step.ts'
import { declareTile, storeTiles, tileAt } from './tileSums.ts'

/** The buffers of the kernels that sum over windows. */
const bindings = (shape: Shape): string => `
@group(0) @binding(1) var<storage, read> records: ${recordsType(shape)};
@group(0) @binding(2) var<storage, read> factors: array<vec4f>;     // of all modes, one after the other
@group(0) @binding(3) var<storage, read> momentumFactors: array<vec4f>;
@group(0) @binding(4) var<storage, read> segments: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> windows: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read> vectors: array<vec4f>;     // per mode v, then its mean
@group(0) @binding(7) var<storage, read_write> sums: array<vec4f>;`

/**
 * Declares the window of this workgroup's segment and y0 …, the quads of y; returns if the window is empty.
 */
const openWindow = (shape: Shape, team: Team): string => `
  let s = step.firstSegment + group.x + group.y * groups.x;
  if (s >= step.endSegment) { return; }
  let start = windows[s].x;
  let count = windows[s].y;
  if (count == 0u) { return; }
  let length = segments[s].y;
  let first = segments[s].x - step.firstRecord;
  ${teamIndices(team)}
  let row = segments[s].z * ${quadsOf(shape)}u;
  ${eachQuad(team, (q) => quadAt(shape, team, 'y', q, (at) => `pointAt(row + ${at})`))}`

/**
 * Declares pointAt: a quad of y, the point at which the gradient is taken. It is the paper's Y, or the row
 * extrapolated by its momentum and projected to nonnegative values.
 */
const point = `
fn pointAt(at: u32) -> vec4f {
  let now = factors[at];
  if (step.isPaper == 1u) {
    if (step.inner == 0u) { return now; }
    return momentumFactors[at];
  }
  return max(now + step.momentum * (now - momentumFactors[at]), vec4f());
}`

const signature = `fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32)`

/** Quads per segment of the sums of a gradient step: Hv, then g. */
export const gradientSumQuads = (shape: Shape): number => 2 * quadsOf(shape)
/** Quads per segment of the sums of a newton or paper step: the tiles of H, then g. */
export const gramQuads = (shape: Shape): number => 4 * tilesOf(shape) + quadsOf(shape)

/**
 * WGSL of the sums of a gradient step, per segment: Hv = Σ w (k·v) k, from which gradientRowsKernel makes the
 * Collatz–Wielandt bound D = diag(Hv / v), and the gradient g = Σ w (k·y − x) k at the extrapolated point y.
 */
export const gradientSumsKernel = (shape: Shape, team: Team): string => `${directives(shape)}
${stepStruct(shape)}
${bindings(shape)}
var<workgroup> scratch: array<vec4f, ${scratchQuads(team)}>;
${entrySum(team)}
${point}
@compute @workgroup_size(${team.size})
${signature} {
  ${openWindow(shape, team)}
  let scale = 2u * step.mode * ${quadsOf(shape)}u;
  ${eachQuad(team, (q) => quadAt(shape, team, 'v', q, (at) => `vectors[scale + ${at}]`))}
  ${eachQuad(team, (q) => `var g${q} = vec4f(); var h${q} = vec4f();`)}
  ${entryLoop(
    shape,
    team,
    `let dots = entrySum(vec2f(${partialDot(team, 'y')}, ${partialDot(team, 'v')}), lane);
    let d = select(0.0, w * (dots.x - x), isIn);
    let b = select(0.0, w * dots.y, isIn);
    ${eachQuad(team, (q) => `g${q} += d * k${q}; h${q} += b * k${q};`)}`,
  )}
  let into = (s - step.base) * ${gradientSumQuads(shape)}u;
  ${teamSum(shape, team, 'h', 'sums[into + quad] = value;')}
  ${teamSum(shape, team, 'g', `sums[into + ${quadsOf(shape)}u + quad] = value;`)}
}`

/** Quads per segment of the sums over listed cells, where unlisted ones are zeros: g. */
export const listedSumQuads = (shape: Shape): number => quadsOf(shape)

/**
 * WGSL of the sums of a newton step where unlisted cells are zeros, per segment: −Σ x k over the listed cells,
 * without which g = Σ (k·y − x) k over all cells is Σ k kᵀ y (wgsl/zeros.ts). An unknown cell counts as if it
 * had the predicted value.
 */
export const listedSumsKernel = (shape: Shape, team: Team): string => `${directives(shape)}
${stepStruct(shape)}
${bindings(shape)}
var<workgroup> scratch: array<vec4f, ${scratchQuads(team)}>;
${entrySum(team)}
${point}
@compute @workgroup_size(${team.size})
${signature} {
  ${openWindow(shape, team)}
  ${eachQuad(team, (q) => `var g${q} = vec4f();`)}
  ${entryLoop(
    shape,
    team,
    `let predicted = entrySum(vec2f(${partialDot(team, 'y')}, 0.0), lane).x;
    let listed = select(x, predicted, ${isUnknown('x')});
    let d = select(0.0, -listed, isIn);
    ${eachQuad(team, (q) => `g${q} += d * k${q};`)}`,
  )}
  let into = (s - step.base) * ${listedSumQuads(shape)}u;
  ${teamSum(shape, team, 'g', 'sums[into + quad] = value;')}
}`

/** Bytes of shared memory of a workgroup that every device has. */
const SHARED_BYTES = 16384

/** The number of entries whose k are in shared memory at a time: a multiple of team.entries. */
function blockEntries(shape: Shape, team: Team): number {
  const most = Math.floor(SHARED_BYTES / 2 / 16 / quadsOf(shape) / team.entries)
  return team.entries * Math.max(1, Math.min(8, most))
}

/** The number of workgroups that divide the tiles of H of a segment among them. */
export const tileGroups = (shape: Shape, team: Team): number => Math.ceil(tilesOf(shape) / team.size)

/**
 * WGSL of the sums of a newton or paper step, per segment: H = Σ w k kᵀ in 4 × 4 tiles on and above the
 * diagonal, then g = Σ w (k·y − x) k. Blocks of √w k are gathered into shared memory; each invocation sums
 * one tile, and where there are fewer tiles than invocations, over some of the entries.
 */
export function gramKernel(shape: Shape, team: Team): string {
  const quads = quadsOf(shape)
  const tiles = tilesOf(shape)
  const { size } = team
  const shared = Math.min(tiles, size)
  // A device without subgroups needs some of the shared memory for dot products.
  const most = (SHARED_BYTES * (shape.subgroup > 1 ? 1 : 0.75)) / (16 * 4 * shared)
  const splits = Math.max(1, Math.floor(Math.min(size / shared, most)))
  const block = blockEntries(shape, team)
  const perBlock = block / team.entries
  const scratch = Math.max(block * quads, splits > 1 ? splits * shared * 4 : 0, scratchQuads(team))
  return `${directives(shape)}
${stepStruct(shape)}
${bindings(shape)}
var<workgroup> scratch: array<vec4f, ${scratch}>;
${entrySum(team)}
${point}
${tileAt}
@compute @workgroup_size(${size})
${signature} {
  ${openWindow(shape, team)}
  ${declareTile(tiles, size, splits)}
  ${eachQuad(team, (q) => `var g${q} = vec4f();`)}
  ${entryLoop(
    shape,
    team,
    `let dots = entrySum(vec2f(${partialDot(team, 'y')}, 0.0), lane);
    let d = select(0.0, w * (dots.x - x), isIn);
    let root = select(0.0, sqrt(w), isIn);
    ${eachQuad(team, (q) => `g${q} += d * k${q};`)}
    let turn = round % ${perBlock}u;
    if (turn == 0u) { workgroupBarrier(); }
    let slot = (turn * ${team.entries}u + part) * ${quads}u + own;
    ${eachQuad(team, (q) => `if (own + ${q * team.lanes}u < ${quads}u) { scratch[slot + ${q * team.lanes}u] = root * k${q}; }`)}
    if (turn == ${perBlock - 1}u || round + 1u == rounds) {
      workgroupBarrier();
      let filled = (turn + 1u) * ${team.entries}u;
      if (hasTile) {
        for (var other = split; other < filled; other += ${splits}u) {
          let a = scratch[other * ${quads}u + tile.x];
          let b = scratch[other * ${quads}u + tile.y];
          t0 += a.x * b; t1 += a.y * b; t2 += a.z * b; t3 += a.w * b;
        }
      }
    }`,
  )}
  let into = (s - step.base) * ${gramQuads(shape)}u;
  ${storeTiles(tiles, size, splits)}
  if (group.z > 0u) { return; }
  ${teamSum(shape, team, 'g', `sums[into + ${4 * tiles}u + quad] = value;`)}
}`
}

/** Invocations of a workgroup of reduceKernel. */
export const REDUCE_TEAM = 256

/**
 * WGSL that adds, for each row of several segments, the sums of all segments into those of its first, in a
 * fixed order. A workgroup has some quads of a row's sums; several invocations share each of them.
 * @param sumQuads quads of the sums of a segment
 */
export function reduceKernel(shape: Shape, sumQuads: number): string {
  const across = reduceWidth(sumQuads)
  const parts = REDUCE_TEAM / across
  return `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> longRows: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> windows: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> sums: array<vec4f>;
var<workgroup> scratch: array<vec4f, ${REDUCE_TEAM}>;
@compute @workgroup_size(${REDUCE_TEAM})
${signature} {
  let number = group.x + group.y * groups.x;
  if (number >= step.count) { return; }
  let row = rows[longRows[step.firstRow + number]];
  let quad = group.z * ${across}u + lane % ${across}u;
  let part = lane / ${across}u;
  var sum = vec4f();
  if (quad < ${sumQuads}u) {
    for (var index = part; index < row.y; index += ${parts}u) {
      if (windows[row.x + index].y > 0u) { sum += sums[(row.x + index - step.base) * ${sumQuads}u + quad]; }
    }
  }
  scratch[lane] = sum;
  workgroupBarrier();
  for (var half = ${parts / 2}u; half > 0u; half >>= 1u) {
    if (part < half) { scratch[lane] += scratch[lane + half * ${across}u]; }
    workgroupBarrier();
  }
  if (part == 0u && quad < ${sumQuads}u) { sums[(row.x - step.base) * ${sumQuads}u + quad] = scratch[lane]; }
}`
}

/** The number of quads of a row's sums that one workgroup of reduceKernel adds. */
export const reduceWidth = (sumQuads: number): number => Math.min(64, 2 ** Math.ceil(Math.log2(sumQuads)))
