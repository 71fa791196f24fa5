// From counted entries to views, a block at a time (loading.ts): the entries of long rows are counted by segment, and every
// entry's record is placed in its segment. Any number of threads may do so at once. Where there is room for it each of them
// counts for itself, so that each knows where its own records of a segment go, and none waits for another.
import { VIEW_MODE, VIEW_ORDER, VIEW_RECORDS } from "./layout";
import { COLUMN, countOne, isPicked } from "./loading";
import { below, mix } from "./random";
import { hasWeights, strideOf } from "./records";

/** The number of the segment that an entry belongs to: of its row, by its place in the order of the mode. first: 0 if each row has one. */
@inline
function segmentOf(row: u32, hash: u32, first: usize, modeKey: u32): u32 {
  if (!first) return row;
  const at = first + (<usize>row << 2);
  const start = load<u32>(at);
  const segments = load<u32>(at, 4) - start;
  return segments == 1 ? start : start + below(mix(hash ^ modeKey), segments);
}

/** Counts the entries of each segment. first: the first segment of each row (P + 1). */
export function countSegments(
  column: usize, hashes: usize, count: u32, first: usize, modeKey: u32, probeKey: u32, limit: f64, lengths: usize,
  shared: bool,
): void {
  const picked = <u64>limit;
  for (let e: u32 = 0; e < count; e++) {
    const hash = load<u32>(hashes + (<usize>e << 2));
    if (isPicked(hash, probeKey, picked))
      countOne(lengths, segmentOf(load<u32>(column + (<usize>e << 2)), hash, first, modeKey), shared);
  }
}

/**
 * Places the records of a block's entries whose segments, from … to, this part owns: anywhere within them, for they are
 * sorted after. next: per segment, where the next record goes, for this thread or for all who share it; weights, if the view
 * has them, are divided by their mean.
 */
export function placeRecords(
  view: usize, columns: usize, hashes: usize, values: usize, weights: usize, count: u32,
  first: usize, modeKey: u32, probeKey: u32, limit: f64, from: u32, to: u32, scale: f32, meanWeight: f64,
  next: usize, shared: bool,
): void {
  const order = load<u32>(view, VIEW_ORDER);
  const mode = load<u32>(view, VIEW_MODE);
  const stride = strideOf(view);
  const isWeighted = hasWeights(view);
  const records = load<usize>(view, VIEW_RECORDS);
  const rows = columns + <usize>mode * COLUMN;
  const valueAt = <usize>(order - 1) << 2;
  // The other modes' columns: the first three by themselves, for most tensors have no more.
  const second = otherColumn(columns, mode, 1);
  const third = otherColumn(columns, mode, 2);
  const own = to - from;
  const picked = <u64>limit;
  for (let e: u32 = 0; e < count; e++) {
    const at = <usize>e << 2;
    const hash = load<u32>(hashes + at);
    const segment = segmentOf(load<u32>(rows + at), hash, first, modeKey) - from;
    if (segment >= own || !isPicked(hash, probeKey, picked)) continue;
    const record = records + <usize>countOne(next, segment, shared) * stride;
    store<u32>(record, load<u32>(otherColumn(columns, mode, 0) + at));
    if (order > 2) store<u32>(record, load<u32>(second + at), 4);
    if (order > 3) store<u32>(record, load<u32>(third + at), 8);
    for (let o: u32 = 3; o + 1 < order; o++)
      store<u32>(record + (<usize>o << 2), load<u32>(otherColumn(columns, mode, o) + at));
    store<f32>(record + valueAt, load<f32>(values + at) * scale);
    if (isWeighted) store<f32>(record + valueAt, <f32>(<f64>load<f32>(weights + at) / meanWeight), 4);
  }
}

/** The column of the o-th of the other modes. */
@inline
function otherColumn(columns: usize, mode: u32, o: u32): usize {
  return columns + <usize>(o < mode ? o : o + 1) * COLUMN;
}
