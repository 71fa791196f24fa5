// Places entries in views, a block at a time (count.ts): the entries of long rows are counted by segment, and
// every entry's record is written to its segment. Threads run in parallel. Where memory allows, each has
// counters of its own, which determine the addresses of its records, so that no thread waits for another.
import { VIEW_MODE, VIEW_ORDER, VIEW_RECORDS } from "../layout";
import { COLUMN, countOne, isInView } from "./count";
import { below, mix } from "../random";
import { fieldBase, hasWeights, shiftOf, strideOf, valueOffset, wordOffset } from "../entries/records";

@inline
/**
 * The number of an entry's segment: at random, by its hash, among those of its row. first: the first segment
 * of each row (P + 1), or 0 if each row has one.
 */
function segmentOfEntry(row: u32, hash: u32, first: usize, modeKey: u32): u32 {
  if (!first) return row;
  const at = first + (<usize>row << 2);
  const start = load<u32>(at);
  const segments = load<u32>(at, 4) - start;
  return segments == 1 ? start : start + below(mix(hash ^ modeKey), segments);
}

/**
 * Adds the entries of a block that are in the view (isInView) to the counters of their segments. column: the
 * indices in the mode; first: the first segment of each row (P + 1).
 */
export function countSegments(
  column: usize, hashes: usize, count: u32, first: usize, modeKey: u32, probeKey: u32, limit: f64, lengths: usize,
  shared: bool,
): void {
  const picked = <u64>limit;
  for (let e: u32 = 0; e < count; e++) {
    const hash = load<u32>(hashes + (<usize>e << 2));
    if (isInView(hash, probeKey, picked))
      countOne(lengths, segmentOfEntry(load<u32>(column + (<usize>e << 2)), hash, first, modeKey), shared);
  }
}

/**
 * Writes the records of a block's entries whose segments, from … to, this partition owns; in any order, since
 * segments are sorted later.
 * @param next per segment, the number of the next record: of this thread, or `shared` by all threads
 * @param scale the power of two by which values are multiplied
 * @param meanWeight divides the weights, if the view has weights
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
  const valueAt = valueOffset(view);
  // Most tensors have at most three other modes, with indices that fit into a word.
  const isOneWord = valueAt == 4 && order <= 4;
  const a = otherColumn(columns, mode, 0), b = otherColumn(columns, mode, 1), c = otherColumn(columns, mode, 2);
  const sa = shiftOf(view, fieldBase(view, 0));
  const sb = order > 2 ? shiftOf(view, fieldBase(view, 1)) : 0;
  const sc = order > 3 ? shiftOf(view, fieldBase(view, 2)) : 0;
  const own = to - from;
  const picked = <u64>limit;
  for (let e: u32 = 0; e < count; e++) {
    const at = <usize>e << 2;
    const hash = load<u32>(hashes + at);
    const segment = segmentOfEntry(load<u32>(rows + at), hash, first, modeKey) - from;
    if (segment >= own || !isInView(hash, probeKey, picked)) continue;
    const record = records + <usize>countOne(next, segment, shared) * stride;
    if (isOneWord) {
      let word = load<u32>(a + at) << sa;
      if (order > 2) word |= load<u32>(b + at) << sb;
      if (order > 3) word |= load<u32>(c + at) << sc;
      store<u32>(record, word);
    } else storeIndices(view, order, columns + at, mode, record);
    store<f32>(record + valueAt, load<f32>(values + at) * scale);
    if (isWeighted) store<f32>(record + valueAt, <f32>(<f64>load<f32>(weights + at) / meanWeight), 4);
  }
}

/**
 * Packs the other modes' indices of an entry into its record. entry: the address of its index in the first
 * mode.
 */
function storeIndices(view: usize, order: u32, entry: usize, mode: u32, record: usize): void {
  let at: usize = 0;
  let word: u32 = 0;
  for (let o: u32 = 0; o + 1 < order; o++) {
    const field = fieldBase(view, o);
    if (wordOffset(field) != at) {
      store<u32>(record + at, word);
      at = wordOffset(field);
      word = 0;
    }
    word |= load<u32>(otherColumn(entry, mode, o)) << shiftOf(view, field);
  }
  store<u32>(record + at, word);
}

@inline
/** The address of the column of the o-th of the modes other than `mode`. */
function otherColumn(columns: usize, mode: u32, o: u32): usize {
  return columns + <usize>(o < mode ? o : o + 1) * COLUMN;
}
