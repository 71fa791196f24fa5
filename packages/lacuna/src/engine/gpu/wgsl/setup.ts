/**
 * Kernels that build the views of a problem from the columns of its entries: they count the entries of every
 * row, divide the rows into bins, place the entries' records in their bins, and sort every bin. The order of
 * the records is that of engine/cpu/setup/place/order.ts, so that steps sample the entries that the CPU
 * samples.
 *
 * A **bin** is a range of the positions in a segment: positions are hashes, so bins of a segment have about
 * equally many entries, BIN_ENTRIES at most on average, and a workgroup can sort one by comparing all pairs.
 *
 * Sizes are parameters of a dispatch, so that one set of kernels serves all orders: a device compiles them
 * before the tensor has been read.
 */
import { isUnknown } from './gather.ts'
import { random, wideArithmetic } from './random.ts'

/** Entries of a bin, on average at most. */
export const BIN_ENTRIES = 128
/** Most entries of a bin that the device sorts; only coordinates that are listed many times make more. */
export const LONGEST_BIN = 1024
/** Invocations of a workgroup of the kernels that have one entry per invocation. */
export const ENTRY_TEAM = 256
/** Invocations of a workgroup that sorts a bin. */
const SORT_TEAM = 32
/** Records whose values a workgroup of valueSumsKernel sums. */
export const SUMMED_RECORDS = 4096

/** Words behind the counters of rows: a digest of two words, and the number of the first invalid entry. */
export const COUNTER_WORDS = 4

/** The parameters of a dispatch of these kernels; numbers that a kernel does not use may be left out. */
export interface SourceWords {
  /** N */
  order: number
  /** Words of a record. */
  words: number
  /** Entries of the chunk, bins of the slice, or records of the slice. */
  count: number
  /** Words from one column of the chunk to the next. */
  stride?: number
  /** The number of the chunk's first entry. */
  firstEntry?: number
  /** The stream of the coordinates' hashes. */
  hashKey?: number
  /** The key of the probe's choice. */
  probeKey?: number
  /** The entries whose position in the order of the probe is below are in the view; 0: all are. */
  probeLimit?: number
  /** The view's mode, or how many modes countRowsKernel counts by. */
  mode?: number
  /** The key of the mode's order. */
  modeKey?: number
  /** S, the most entries of a row that is one segment. */
  segment?: number
  /** Position of the first row's length in the counters; for countRowsKernel, of the probe's first row. */
  firstCounter?: number
  /** Position of the two words of the digest in the counters. */
  totals?: number
  /** The first bin of the slice, and one past its last. */
  bins?: readonly [number, number]
  /** The power of two by which values are multiplied. */
  scale?: number
  /** Whether entries have weights. */
  isWeighted?: boolean
  /** Whether sortBinsKernel looks for repeated coordinates. */
  findsRepeated?: boolean
}

/** The words of a dispatch's parameters, in the order of the WGSL struct. */
export function writeSource(given: SourceWords): Uint32Array<ArrayBuffer> {
  const [firstBin, endBin] = given.bins ?? [0, 0]
  const words = Uint32Array.from([
    given.order,
    given.words,
    given.count,
    given.stride ?? 0,
    given.firstEntry ?? 0,
    given.hashKey ?? 0,
    given.probeKey ?? 0,
    given.probeLimit ?? 0,
    given.mode ?? 0,
    given.modeKey ?? 0,
    given.segment ?? 0,
    given.firstCounter ?? 0,
    given.totals ?? 0,
    firstBin,
    endBin,
    0,
    given.isWeighted ? 1 : 0,
    given.findsRepeated ? 1 : 0,
    0,
    0,
  ])
  new Float32Array(words.buffer)[15] = given.scale ?? 1
  return words
}

const source = `
struct Source {
  order: u32,
  words: u32,
  count: u32,
  stride: u32,
  firstEntry: u32,
  hashKey: u32,
  probeKey: u32,
  probeLimit: u32,
  mode: u32,
  modeKey: u32,
  segment: u32,
  firstCounter: u32,
  totals: u32,
  firstBin: u32,
  endBin: u32,
  scale: f32,
  isWeighted: u32,
  findsRepeated: u32,
  unused: vec2<u32>,
}
@group(0) @binding(0) var<uniform> source: Source;`

/** Declares the number of this invocation over all workgroups. */
const signature = `fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32)`
const entryNumber = `let e = (group.x + group.y * groups.x) * ${ENTRY_TEAM}u + lane;`

/** Declares the chunk of entries, hashOf and isInView (kernels/solve/setup/count.ts). */
const entryFunctions = `
@group(0) @binding(1) var<storage, read> entries: array<u32>; // columns (Chunk)
${random}
${wideArithmetic}
fn hashOf(e: u32) -> u32 {
  var hash = source.hashKey;
  for (var m = 0u; m < source.order; m++) { hash = hashIndex(hash, entries[m * source.stride + e]); }
  return mixed(hash);
}
fn isInView(hash: u32) -> bool {
  return source.probeLimit == 0u || mixed(hash ^ source.probeKey) < source.probeLimit;
}`

/**
 * WGSL that checks entries and counts them by row: `source.mode` modes, and the probe by the first mode if
 * `source.probeLimit` is not 0. Adds to the digest, and writes the least number of an invalid entry.
 */
export const countRowsKernel = `
${source}
${entryFunctions}
@group(0) @binding(2) var<storage, read> modes: array<vec2<u32>>; // rows of a mode, where their counters begin
@group(0) @binding(3) var<storage, read_write> counters: array<atomic<u32>>;
var<workgroup> digest: array<atomic<u32>, 2>;
@compute @workgroup_size(${ENTRY_TEAM})
${signature} {
  if (lane < 2u) { atomicStore(&digest[lane], 0u); }
  workgroupBarrier();
  ${entryNumber}
  if (e < source.count) { countEntry(e); }
  workgroupBarrier();
  if (lane < 2u) { atomicAdd(&counters[source.totals + lane], atomicLoad(&digest[lane])); }
}
fn countEntry(e: u32) {
  var isValid = true;
  for (var m = 0u; m < source.order; m++) {
    isValid = isValid && entries[m * source.stride + e] < modes[m].x;
  }
  let bits = entries[source.order * source.stride + e];
  if (!isValid || (bits & 0x7f800000u) == 0x7f800000u) {
    atomicMin(&counters[source.totals + 2u], source.firstEntry + e);
    return;
  }
  let hash = hashOf(e);
  for (var m = 0u; m < source.mode; m++) {
    atomicAdd(&counters[modes[m].y + entries[m * source.stride + e]], 1u);
  }
  if (source.probeLimit > 0u && isInView(hash)) { atomicAdd(&counters[source.firstCounter + entries[e]], 1u); }
  var own = hash;
  if (source.isWeighted == 1u) { own = mixed(hash + entries[(source.order + 2u) * source.stride + e]); }
  atomicAdd(&digest[0], mixed(own ^ bits));
  atomicAdd(&digest[1], mixed(own + bits * 0x9e3779b1u));
}`

/** Declares binOf: the bin of an entry of a row, and its position within its segment. */
const binOf = `
@group(0) @binding(2) var<storage, read> counters: array<u32>;  // entries of each row
@group(0) @binding(3) var<storage, read> firstBins: array<u32>; // of each row of the view
fn binOf(row: u32, hash: u32) -> vec2<u32> {
  let n = counters[source.firstCounter + row];
  let segments = (n - 1u) / source.segment + 1u;
  let position = wideProduct(mixed(hash ^ source.modeKey), segments);
  let bins = (n - 1u) / (segments * ${BIN_ENTRIES}u) + 1u;
  return vec2(firstBins[row] + position.x * bins + wideProduct(position.y, bins).x, position.y);
}`

/** The number of bins of a row of `length` entries in `segments` segments; `binOf` in WGSL has the same. */
export const binsOfRow = (length: number, segments: number): number =>
  length === 0 ? segments : segments * (Math.floor((length - 1) / (segments * BIN_ENTRIES)) + 1)

/** WGSL that counts the entries of a view by bin. */
export const countBinsKernel = `
${source}
${entryFunctions}
${binOf}
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;
@compute @workgroup_size(${ENTRY_TEAM})
${signature} {
  ${entryNumber}
  if (e >= source.count) { return; }
  let hash = hashOf(e);
  if (isInView(hash)) { atomicAdd(&counts[binOf(entries[source.mode * source.stride + e], hash).x], 1u); }
}`

/**
 * WGSL that writes the records of a view's entries to their bins, in any order, and beside each its position
 * in its segment. Bins outside of the slice are left out.
 */
export const placeKernel = `
${source}
${entryFunctions}
${binOf}
@group(0) @binding(4) var<storage, read_write> next: array<atomic<u32>>; // per bin of the slice, its next record
@group(0) @binding(5) var<storage, read_write> records: array<u32>;
@group(0) @binding(6) var<storage, read_write> positions: array<u32>;
@compute @workgroup_size(${ENTRY_TEAM})
${signature} {
  ${entryNumber}
  if (e >= source.count) { return; }
  let hash = hashOf(e);
  if (!isInView(hash)) { return; }
  let bin = binOf(entries[source.mode * source.stride + e], hash);
  if (bin.x < source.firstBin || bin.x >= source.endBin) { return; }
  let slot = atomicAdd(&next[bin.x - source.firstBin], 1u);
  positions[slot] = bin.y;
  var at = slot * source.words;
  for (var m = 0u; m < source.order; m++) {
    if (m == source.mode) { continue; }
    records[at] = entries[m * source.stride + e];
    at++;
  }
  let bits = entries[source.order * source.stride + e];
  let x = bitcast<f32>(bits);
  records[at] = select(bitcast<u32>(x * source.scale), bits, ${isUnknown('x')});
  if (source.isWeighted == 1u) { records[at + 1u] = entries[(source.order + 1u) * source.stride + e]; }
}`

/**
 * WGSL that sorts the records of each bin by position; ties by the words of the record. A workgroup per bin:
 * an invocation counts the records that come before its own.
 */
export const sortBinsKernel = `
${source}
@group(0) @binding(1) var<storage, read> starts: array<u32>; // per bin of the slice its first record, then their number
@group(0) @binding(2) var<storage, read> positions: array<u32>;
@group(0) @binding(3) var<storage, read> placed: array<u32>;
@group(0) @binding(4) var<storage, read_write> records: array<u32>;
@group(0) @binding(5) var<storage, read_write> repeated: array<atomic<u32>>;
/** The first word in which two records differ; the number of words if there is none. */
fn firstDifference(a: u32, b: u32) -> u32 {
  var word = 0u;
  while (word < source.words && placed[a * source.words + word] == placed[b * source.words + word]) { word++; }
  return word;
}
@compute @workgroup_size(${SORT_TEAM})
${signature} {
  let bin = group.x + group.y * groups.x;
  if (bin >= source.count) { return; }
  let begin = starts[bin];
  let end = starts[bin + 1u];
  if (end - begin > ${LONGEST_BIN}u) { return; }
  for (var own = begin + lane; own < end; own += ${SORT_TEAM}u) {
    let position = positions[own];
    var before = 0u;
    for (var other = begin; other < end; other++) {
      let another = positions[other];
      if (another < position) { before++; }
      if (another != position || other == own) { continue; }
      let word = firstDifference(own, other);
      if (word == source.words) { before += select(0u, 1u, other < own); }
      else { before += select(0u, 1u, placed[other * source.words + word] < placed[own * source.words + word]); }
      if (source.findsRepeated == 1u && word >= source.order - 1u) { atomicStore(&repeated[0], 1u); }
    }
    let to = (begin + before) * source.words;
    for (var word = 0u; word < source.words; word++) {
      records[to + word] = placed[own * source.words + word];
    }
  }
}`

/** WGSL that sums w, w x² and w |x| over every SUMMED_RECORDS records of a slice, in a fixed order. */
export const valueSumsKernel = `
${source}
@group(0) @binding(1) var<storage, read> records: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4f>;
var<workgroup> scratch: array<vec4f, ${ENTRY_TEAM}>;
@compute @workgroup_size(${ENTRY_TEAM})
${signature} {
  let number = group.x + group.y * groups.x;
  let begin = number * ${SUMMED_RECORDS}u;
  if (begin >= source.count) { return; }
  let end = min(begin + ${SUMMED_RECORDS}u, source.count);
  var sum = vec4f();
  for (var e = begin + lane; e < end; e += ${ENTRY_TEAM}u) {
    let at = e * source.words + source.order - 1u;
    let x = bitcast<f32>(records[at]);
    var w = 1.0;
    if (source.isWeighted == 1u) { w = bitcast<f32>(records[at + 1u]); }
    sum += w * vec4f(1.0, x * x, abs(x), 0.0);
  }
  scratch[lane] = sum;
  workgroupBarrier();
  for (var half = ${ENTRY_TEAM / 2}u; half > 0u; half >>= 1u) {
    if (lane < half) { scratch[lane] += scratch[lane + half]; }
    workgroupBarrier();
  }
  if (lane == 0u) { sums[number] = scratch[0]; }
}`
