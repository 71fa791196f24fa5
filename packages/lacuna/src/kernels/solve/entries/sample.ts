// The sample of a row: a window of the row's shuffled entries with a random start, which wraps around. So
// memory is read in order, and every entry is equally likely.
//
// A long row has several segments, which may lie in different partitions. It is sampled by a window in each
// of them, in proportion to their entries, rounded up or down at random. Where that would leave too few
// entries per window to be worth the sums, there are fewer windows, in segments evenly spaced from a random
// one on. Which segment has which window follows from the row's length, c and the random stream alone, so
// that partitions need not communicate.
import {
  STEP_PAPER, VIEW_EARLIER, VIEW_END_INDEX, VIEW_FIRST_INDEX, VIEW_FIRST_ROW, VIEW_LAST_ROW,
  VIEW_RECORDS, VIEW_RECORD_START, VIEW_ROW_LENGTHS, VIEW_SEGMENT, VIEW_WINDOW,
} from "../layout";
import { below, draw } from "../random";
import { strideOf } from "./records";
import { c, kind } from "../settings";
import { LongSample, Window } from "./window";

// Constants that separate the streams of the draws: those that round sizes, and those within long rows.
const ROUNDING: u32 = 0x51ed270b;
const SEGMENTS: u32 = 0x2545f491;
/**
 * Counter of the draw that spaces or rounds the windows of a long row; the other counters are numbers of
 * segments.
 */
const OFFSET: u32 = 0xffffffff;

@inline
/** The number of entries of row p in all partitions. */
export function rowLength(view: usize, p: u32): u32 {
  return load<u32>(load<usize>(view, VIEW_ROW_LENGTHS) + (<usize>p << 2));
}

@inline
/** The number of the first record of a segment. */
export function recordStart(view: usize, segment: u32): u32 {
  return load<u32>(load<usize>(view, VIEW_RECORD_START) + (<usize>segment << 2));
}

/**
 * B, the sample size of a row of nnz entries. The paper takes ⌊c · nnz⌋, so that rows with fewer than 1/c
 * entries are never updated. The other steps round up or down at random, with the mean c · nnz.
 */
export function sampleSize(nnz: u32, p: u32, key: u32): u32 {
  if (kind == STEP_PAPER) return <u32>Math.floor(c * <f64>nnz);
  const u = <f64>draw(key + ROUNDING, p) * (1.0 / 4294967296.0);
  return min(nnz, <u32>Math.floor(c * <f64>nnz + u));
}

/**
 * Sets a window to the records of a segment: to the first if B, the sample size, is all of its nnz entries,
 * else to a random one.
 * @param segment the number of the segment in this partition
 * @param draws the random stream of the start
 * @param counter the number of the draw in that stream
 */
export function openWindow(window: Window, view: usize, segment: u32, nnz: u32, B: u32, draws: u32, counter: u32): void {
  const stride = strideOf(view);
  const start = B < nnz ? below(draw(draws, counter), nnz) : 0;
  window.begin = load<usize>(view, VIEW_RECORDS) + <usize>recordStart(view, segment) * stride;
  window.end = window.begin + <usize>nnz * stride;
  window.at = window.begin + <usize>start * stride;
}

/**
 * Writes the sample of row p, which has several segments, to `sample`. key: the random stream of the step.
 */
export function sampleLongRow(view: usize, p: u32, key: u32, sample: LongSample): void {
  const nnz = rowLength(view, p);
  const segment = load<u32>(view, VIEW_SEGMENT);
  const segments = (nnz - 1) / segment + 1;
  sample.draws = draw(key + SEGMENTS, p);
  sample.nnz = nnz;
  sample.sampled = sampleSize(nnz, p, key);
  sample.segments = segments;
  // The number of windows follows from B before rounding, so that it depends on c and nnz alone.
  const planned = <u32>Math.floor(c * <f64>nnz);
  const worthwhile = max<u32>(1, planned / load<u32>(view, VIEW_WINDOW));
  sample.windows = kind == STEP_PAPER ? segments : min(segments, worthwhile);
  sample.offset = below(draw(sample.draws, OFFSET), sample.windows < segments ? segments : nnz);
  sample.here = p == load<u32>(view, VIEW_FIRST_ROW) ? load<u32>(view, VIEW_FIRST_INDEX) : 0;
  sample.from = windowsBefore(sample, sample.here);
  const end = p == load<u32>(view, VIEW_LAST_ROW) ? load<u32>(view, VIEW_END_INDEX) : segments;
  sample.to = windowsBefore(sample, end);
  sample.shared = sample.here > 0 || end < segments;
}

@inline
/** The index, among the row's segments, of the segment of window j. */
export function segmentOfWindow(sample: LongSample, j: u32): u32 {
  if (sample.windows == sample.segments) return j;
  return <u32>((<u64>j * <u64>sample.segments + <u64>sample.offset) / <u64>sample.windows);
}

/**
 * The number of windows in the row's segments before segment `index`: the smallest j whose segment is not
 * before it.
 */
export function windowsBefore(sample: LongSample, index: u32): u32 {
  if (sample.windows == sample.segments) return index;
  const reached = <u64>index * <u64>sample.windows;
  const offset = <u64>sample.offset;
  if (reached <= offset) return 0;
  return <u32>((reached - offset + <u64>sample.segments - 1) / <u64>sample.segments);
}

/**
 * The number of entries of window j of row p, which lies in the row's segment `index`: number `segment` of
 * this partition, with `length` entries. May be 0.
 */
export function windowSize(view: usize, p: u32, sample: LongSample, j: u32, index: u32, segment: u32, length: u32): u32 {
  const B = <u64>sample.sampled;
  const windows = <u64>sample.windows;
  if (sample.windows < sample.segments) return min(length, <u32>(B * <u64>(j + 1) / windows - B * <u64>j / windows));
  const elsewhere = p == load<u32>(view, VIEW_FIRST_ROW) ? load<u32>(view, VIEW_EARLIER) : 0;
  const before = <u64>(elsewhere + recordStart(view, segment) - recordStart(view, segment - (index - sample.here)));
  const nnz = <u64>sample.nnz;
  const offset = <u64>sample.offset;
  return <u32>((B * (before + <u64>length) + offset) / nnz - (B * before + offset) / nnz);
}
