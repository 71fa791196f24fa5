/**
 * Sums over a row's entries for the E-step of variational EM: kernels/solve/rows/posterior.ts in WGSL. Per
 * segment: H in 4 × 4 tiles, g = −Σ w x k, Σ w x² and the sum of the entries' own weights, and where
 * covariances are those of groups, the weights by group of each other mode (kernels/solve/rows/groups.ts).
 */
import { GROUPS } from '../../../kernels/solve/layout.ts'
import type { Covariances } from '../../engine.ts'
import { quadsOf, type Shape, type Team, tilesOf } from '../shape.ts'
import {
  directives,
  eachQuad,
  entryLoop,
  entrySum,
  partialDot,
  quadAt,
  recordsType,
  scratchQuads,
  teamIndices,
  teamSum,
} from './gather.ts'
import { entryNoise, noiseFunctions } from './noise.ts'
import { stepStruct } from './step.ts'
import { declareTile, storeTiles, tileAt } from './tileSums.ts'

/** Quads of the weights by group of one other mode. */
const GROUP_QUADS = GROUPS / 4
/** Bytes of shared memory for the k of a block of entries, and for the tiles of several splits. */
const BLOCK_BYTES = 8192
/** Bytes of shared memory for the weights, rows and groups of a block of entries. */
const NOTE_BYTES = 1536

/** Offsets of the parts of a segment's sums, in quads, and the number of quads. */
export function posteriorSumQuads(shape: Shape, form: Covariances) {
  const g = 4 * tilesOf(shape)
  const squares = g + quadsOf(shape)
  const groups = squares + 1
  return { g, squares, groups, all: groups + (form === 'groups' ? GROUP_QUADS * (shape.order - 1) : 0) }
}

/** WGSL of the sums of a step under a learned prior, over whole segments. */
export function posteriorSumsKernel(shape: Shape, team: Team, form: Covariances): string {
  const quads = quadsOf(shape)
  const tiles = tilesOf(shape)
  const { size } = team
  const others = shape.order - 1
  const isGrouped = form === 'groups'
  const shared = Math.min(tiles, size)
  const splits = Math.max(1, Math.floor(Math.min(size / shared, BLOCK_BYTES / (64 * shared))))
  const most = Math.min(BLOCK_BYTES / (16 * quads), NOTE_BYTES / (4 * shape.order)) / team.entries
  const perBlock = Math.max(1, Math.min(8, Math.floor(most)))
  const block = perBlock * team.entries
  const blockQuads = isGrouped ? block * quads : 0
  const scratch = Math.max(blockQuads, splits > 1 ? splits * shared * 4 : 0, scratchQuads(team), size)
  const at = posteriorSumQuads(shape, form)
  const eachOther = (code: (o: number) => string): string =>
    Array.from({ length: others }, (_, o) => code(o)).join('\n')
  const note = (o: number): string => (isGrouped ? `groups[other${o}]` : `other${o}`)
  return `${directives(shape)}
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> records: ${recordsType(shape)};
@group(0) @binding(2) var<storage, read> factors: array<vec4f>;
@group(0) @binding(3) var<storage, read> segments: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> leverages: array<f32>;
@group(0) @binding(5) var<storage, read> variances: array<f32>;
${
  isGrouped
    ? '@group(0) @binding(6) var<storage, read> groups: array<u32>; // of each row'
    : '@group(0) @binding(6) var<storage, read> covariances: array<vec4f>; // V of each row, in tiles'
}
@group(0) @binding(7) var<storage, read_write> sums: array<vec4f>;
var<workgroup> scratch: array<vec4f, ${scratch}>;
var<workgroup> weights: array<f32, ${block}>;
var<workgroup> notes: array<u32, ${block * others}>; // per entry and other mode the row, or its group
${entrySum(team)}
${noiseFunctions}
${tileAt}
fn isUneven() -> bool { return has(GROWING) || has(VARYING) || step.deviations > 0.0; }
@compute @workgroup_size(${size})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let s = step.firstSegment + group.x + group.y * workgroups.x;
  if (s >= step.endSegment) { return; }
  let start = 0u;
  let length = segments[s].y;
  let count = length;
  if (count == 0u) { return; }
  let first = segments[s].x - step.firstRecord;
  ${teamIndices(team)}
  let here = segments[s].z;
  let row = here * ${quads}u;
  ${eachQuad(team, (q) => quadAt(shape, team, 'a', q, (quad) => `factors[row + ${quad}]`))}
  ${declareTile(tiles, size, splits)}
  ${eachQuad(team, (q) => `var g${q} = vec4f();`)}
  var squares = vec2f();
  ${isGrouped ? 'var byGroup = vec4f();' : ''}
  ${entryLoop(
    shape,
    team,
    `var noise = 1.0;
    if (isUneven()) {
      let predicted = entrySum(vec2f(${partialDot(team, 'a')}, 0.0), lane).x;
      ${entryNoise(shape)}
      noise = huberWeight(residual, variance) / variance;
    }
    let weight = select(0.0, noise * w, isIn);
    if (own == 0u) { squares += vec2f(weight * x * x, select(0.0, w, isIn)); }
    ${eachQuad(team, (q) => `g${q} -= (weight * x) * k${q};`)}
    let turn = round % ${perBlock}u;
    if (turn == 0u) { workgroupBarrier(); }
    let note = turn * ${team.entries}u + part;
    if (own == 0u) {
      weights[note] = weight;
      ${eachOther((o) => `notes[note * ${others}u + ${o}u] = ${note(o)};`)}
    }
    ${
      isGrouped
        ? `let root = sqrt(weight);
    ${eachQuad(team, (q) => `if (own + ${q * team.lanes}u < ${quads}u) { scratch[note * ${quads}u + own + ${q * team.lanes}u] = root * k${q}; }`)}`
        : ''
    }
    if (turn == ${perBlock - 1}u || round + 1u == rounds) {
      workgroupBarrier();
      let filled = (turn + 1u) * ${team.entries}u;
      if (hasTile) {
        for (var e = split; e < filled; e += ${splits}u) {
          ${
            isGrouped
              ? `let x = scratch[e * ${quads}u + tile.x];
          let y = scratch[e * ${quads}u + tile.y];
          t0 += x.x * y; t1 += x.y * y; t2 += x.z * y; t3 += x.w * y;`
              : `var m0 = vec4f(weights[e]); var m1 = m0; var m2 = m0; var m3 = m0;
          for (var o = 0u; o < ${others}u; o++) {
            let b = notes[e * ${others}u + o];
            let x = factors[b * ${quads}u + tile.x];
            let y = factors[b * ${quads}u + tile.y];
            let V = (b * ${tiles}u + number) * 4u;
            m0 *= covariances[V] + x.x * y;
            m1 *= covariances[V + 1u] + x.y * y;
            m2 *= covariances[V + 2u] + x.z * y;
            m3 *= covariances[V + 3u] + x.w * y;
          }
          t0 += m0; t1 += m1; t2 += m2; t3 += m3;`
          }
        }
      }
      ${
        isGrouped
          ? `if (lane < ${GROUP_QUADS * others}u) {
        let mine = 4u * (lane % ${GROUP_QUADS}u) + vec4<u32>(0u, 1u, 2u, 3u);
        let o = lane / ${GROUP_QUADS}u;
        for (var e = 0u; e < filled; e++) {
          byGroup += select(vec4f(), vec4f(weights[e]), mine == vec4<u32>(notes[e * ${others}u + o]));
        }
      }`
          : ''
      }
    }`,
  )}
  let into = (s - step.base) * ${at.all}u;
  ${storeTiles(tiles, size, splits)}
  if (group.z > 0u) { return; }
  ${teamSum(shape, team, 'g', `sums[into + ${at.g}u + quad] = value;`)}
  workgroupBarrier();
  scratch[lane] = vec4f(squares, 0.0, 0.0);
  workgroupBarrier();
  for (var half = ${size / 2}u; half > 0u; half >>= 1u) {
    if (lane < half) { scratch[lane] += scratch[lane + half]; }
    workgroupBarrier();
  }
  if (lane == 0u) { sums[into + ${at.squares}u] = scratch[0]; }
  ${isGrouped ? `if (lane < ${GROUP_QUADS * others}u) { sums[into + ${at.groups}u + lane] = byGroup; }` : ''}
}`
}
