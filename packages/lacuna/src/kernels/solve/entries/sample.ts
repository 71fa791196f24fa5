// Which entries of a row a step uses: a window of the row's shuffled entries that starts anywhere and wraps around,
// so that memory is read in order and every entry is as likely as any other.
//
// A long row is several segments, which may lie in different parts of the problem. It is sampled by a window in each of
// them, in proportion to its entries, rounded up or down at random; or, where that would leave too few entries for each
// to be worth its sums, by fewer windows, in segments evenly spaced from a random one on. Which segment has which window
// follows from the row's length, c and the random stream alone, so that every part knows without asking.
import { Window } from "./gather";
import {
  STEP_PAPER, VIEW_EARLIER, VIEW_END_INDEX, VIEW_FIRST_INDEX, VIEW_FIRST_ROW, VIEW_LAST_ROW,
  VIEW_RECORDS, VIEW_RECORD_START, VIEW_ROW_LENGTHS, VIEW_SEGMENT, VIEW_WINDOW,
} from "../layout";
import { below, draw } from "../random";
import { strideOf } from "./records";
import { c, kind } from "../settings";

// Separate the draws that round from those that place windows, and those within long rows from both.
const ROUNDING: u32 = 0x51ed270b;
const SEGMENTS: u32 = 0x2545f491;
/** The draw, of those within a row, by which its windows are spaced or rounded; the others have a segment's number. */
const OFFSET: u32 = 0xffffffff;

@inline
export function rowLength(view: usize, p: u32): u32 {
  return load<u32>(load<usize>(view, VIEW_ROW_LENGTHS) + (<usize>p << 2));
}

/** How many of the view's records come before those of a segment. */
@inline
export function recordStart(view: usize, segment: u32): u32 {
  return load<u32>(load<usize>(view, VIEW_RECORD_START) + (<usize>segment << 2));
}

/**
 * B, of nnz entries. The paper takes ⌊c · nnz⌋, so that rows with fewer than 1/c entries never learn. The other steps
 * round up or down at random, with the mean c · nnz.
 */
export function sampleSize(nnz: u32, p: u32, key: u32): u32 {
  if (kind == STEP_PAPER) return <u32>Math.floor(c * <f64>nnz);
  const u = <f64>draw(key + ROUNDING, p) * (1.0 / 4294967296.0);
  return min(nnz, <u32>Math.floor(c * <f64>nnz + u));
}

/** Opens a window on the records of a segment, all nnz of them or B from anywhere on. */
export function openWindow(window: Window, view: usize, segment: u32, nnz: u32, B: u32, draws: u32, counter: u32): void {
  const stride = strideOf(view);
  const start = B < nnz ? below(draw(draws, counter), nnz) : 0;
  window.begin = load<usize>(view, VIEW_RECORDS) + <usize>recordStart(view, segment) * stride;
  window.end = window.begin + <usize>nnz * stride;
  window.at = window.begin + <usize>start * stride;
}

/** How a long row is sampled. */
@unmanaged
export class LongSample {
  draws: u32; // the stream of the draws within the row
  nnz: u32; // of the row, in all parts
  sampled: u32; // B
  segments: u32;
  windows: u32;
  offset: u32; // where the evenly spaced windows begin, or, if every segment has one, how their sizes are rounded
  here: u32; // the first of the row's segments that this part has …
  from: u32; // … and its windows, from … to
  to: u32;
  shared: bool; // whether other parts have segments of it, too
}

export function sampleLongRow(view: usize, p: u32, key: u32, sample: LongSample): void {
  const nnz = rowLength(view, p);
  const segment = load<u32>(view, VIEW_SEGMENT);
  const segments = (nnz - 1) / segment + 1;
  sample.draws = draw(key + SEGMENTS, p);
  sample.nnz = nnz;
  sample.sampled = sampleSize(nnz, p, key);
  sample.segments = segments;
  // By the size that B has without rounding, so that a row has as many windows as long as c is the same.
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

/** The segment in which window j is. */
@inline
export function segmentOf(sample: LongSample, j: u32): u32 {
  if (sample.windows == sample.segments) return j;
  return <u32>((<u64>j * <u64>sample.segments + <u64>sample.offset) / <u64>sample.windows);
}

/** How many windows lie in segments before this one: the smallest j whose segment is not before it. */
export function windowsBefore(sample: LongSample, index: u32): u32 {
  if (sample.windows == sample.segments) return index;
  const reached = <u64>index * <u64>sample.windows;
  const offset = <u64>sample.offset;
  if (reached <= offset) return 0;
  return <u32>((reached - offset + <u64>sample.segments - 1) / <u64>sample.segments);
}

/** How many entries window j samples in the row's segment `index`, which is number `segment` of this part and has `length`. */
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
