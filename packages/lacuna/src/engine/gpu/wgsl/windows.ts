/**
 * The windows that a step samples of every row: kernels/solve/entries/sample.ts in WGSL, with the same draws.
 * One invocation per segment. WGSL has no 64-bit integers, so products and quotients are computed from words.
 */
import type { Shape } from '../shape.ts'
import { random, wideArithmetic } from './random.ts'
import { stepStruct } from './step.ts'

/** Invocations of a workgroup of windowsKernel. */
export const WINDOWS_TEAM = 64

/**
 * WGSL that draws the window of every segment, which may be empty, and B, the number of sampled entries, of
 * every row.
 */
export const windowsKernel = (shape: Shape): string => `
${stepStruct(shape)}
@group(0) @binding(1) var<storage, read> segments: array<vec4<u32>>;      // first record, entries, row, row within its mode
@group(0) @binding(2) var<storage, read> rows: array<vec4<u32>>;          // first segment, segments, entries, mode
@group(0) @binding(3) var<storage, read_write> windows: array<vec2<u32>>; // where a segment's window starts, its entries
@group(0) @binding(4) var<storage, read_write> sampled: array<u32>;       // B of each row

${random}
${wideArithmetic}

const ROUNDING = 0x51ed270bu; // the streams of kernels/solve/entries/sample.ts
const SEGMENTS = 0x2545f491u;
const OFFSET = 0xffffffffu;

/**
 * ⌊c · n⌋, and the fraction that remains, in units of 2⁻³². The CPU rounds the product to 53 bits: a product
 * that is less than half a unit of the last place below a whole number becomes that number. This happens at c
 * = 0.7 now and then, and must be the same here.
 */
fn scaledCount(n: u32) -> vec2<u32> {
  if (step.isWhole == 1u) { return vec2(n, 0u); }
  let low = wideProduct(step.sampleFraction.y, n);
  let high = wideProduct(step.sampleFraction.x, n);
  let rest = high.y + low.x;
  let whole = high.x + select(0u, 1u, rest < low.x);
  let missing = plus(vec2(~rest, ~low.y), 1u); // to the next whole number, in 2⁻⁶⁴
  let halfUnit = u32(11 + i32(firstLeadingBit(whole))); // as a power of two of them; the first bit of 0 is −1
  var isNext = missing.x == 0u && missing.y > 0u && missing.y <= 1u << min(halfUnit, 31u);
  if (halfUnit >= 32u) { isNext = (missing.x > 0u || missing.y > 0u) && missing.x < 1u << (halfUnit - 32u); }
  return select(vec2(whole, rest), vec2(whole + 1u, 0u), isNext);
}

fn sampleSize(n: u32, p: u32, key: u32) -> u32 {
  let scaled = scaledCount(n);
  if (step.isPaper == 1u) { return scaled.x; }
  let u = draw(key + ROUNDING, p);
  return min(n, scaled.x + select(0u, 1u, scaled.y + u < u));
}

fn startOf(n: u32, B: u32, draws: u32, counter: u32) -> u32 {
  return select(0u, below(draw(draws, counter), n), B < n);
}

@compute @workgroup_size(${WINDOWS_TEAM})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let s = step.firstSegment + (group.x + group.y * groups.x) * ${WINDOWS_TEAM}u + lane;
  if (s >= step.endSegment) { return; }
  let segment = segments[s];
  let row = rows[segment.z];
  let p = segment.w;
  let n = row.z;
  let key = extend(extend(step.stream, row.w), step.inner);
  let B = sampleSize(n, p, key);
  let index = s - row.x;
  if (index == 0u) { sampled[segment.z] = B; }
  if (row.y == 1u) {
    windows[s] = vec2(startOf(n, B, key, p), B);
    return;
  }
  var window = vec2(0u, 0u);
  if (B > 0u) { window = windowOf(row, segment, index, p, key, B); }
  windows[s] = window;
}

/** The window of a segment of a long row. */
fn windowOf(row: vec4<u32>, segment: vec4<u32>, index: u32, p: u32, key: u32, B: u32) -> vec2<u32> {
  let n = row.z;
  let draws = draw(key + SEGMENTS, p);
  var count = row.y;
  if (step.isPaper == 0u) { count = min(count, max(1u, scaledCount(n).x / step.leastWindow)); }
  let offset = below(draw(draws, OFFSET), select(n, row.y, count < row.y));
  var size = 0u;
  if (count == row.y) {
    // Every segment has a window, in proportion to its entries.
    let before = segment.x - segments[row.x].x;
    size = quotient(B, before + segment.y, offset, n) - quotient(B, before, offset, n);
  } else {
    // Windows evenly spaced: the first whose segment is not before this one must be in it.
    let reached = wideProduct(index, count);
    var j = 0u;
    if (reached.x > 0u || reached.y > offset) { j = quotientOf(plus(minus(reached, offset), row.y - 1u), row.y); }
    if (j >= count || quotient(j, row.y, offset, count) != index) { return vec2(0u, 0u); }
    size = min(segment.y, quotient(B, j + 1u, 0u, count) - quotient(B, j, 0u, count));
  }
  return vec2(startOf(segment.y, size, draws, index), size);
}
`
