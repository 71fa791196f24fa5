// One step of a mode: every row is sampled, summed over its sample, and updated. Rows are independent
// (Algorithm 3). A long row is summed window by window, and the sums are added pairwise in a binary tree; of
// two neighbours, the thread that finishes second adds them. The order of the additions depends on the row
// alone. Where a row lies in several partitions, each partition adds what it can; the few sums that remain
// are exchanged and added in every partition (engine/cpu/steps/exchangeRows.ts).
import { addEntries } from "../entries/entries";
import { addMatrix, addVector } from "../entries/gram";
import { updateByGradient } from "./gradientRow";
import {
  CHUNK_BYTES, CHUNK_END_ROW, CHUNK_INDEX, CHUNK_PARTIAL, CHUNK_ROW, CHUNK_SEGMENT, CONTROL_THREADS, SKIP_HESSIAN,
  STEP_GRADIENT, STEP_NEWTON, STEP_PAPER, STEP_POSTERIOR, STEP_ZEROS, VIEW_ARRIVALS, VIEW_CHUNK_COUNT, VIEW_CHUNKS,
  VIEW_PARTIALS,
} from "../layout";
import { updateByNewton } from "./newtonRow";
import { updateByPaper } from "./paperRow";
import { updateByPosterior } from "./posteriorRow";
import { MATRIX, ROW } from "../rank";
import {
  openWindow, recordStart, sampleLongRow, sampleSize, segmentOfWindow, windowsBefore, windowSize,
} from "../entries/sample";
import { LongSample } from "../entries/window";
import { GROUP_SUMS, longSampleScratch, sumBytes, sumScratch, windowScratch } from "../scratch";
import { isGrouped, kind, skip } from "../settings";
import { batchSize, takeTask } from "../threads";

/**
 * Runs a thread's work of a step: takes batches of chunks until none is left. The first batch of a thread is
 * the same in every iteration: it needs no counter, and its core may still have the rows in its cache.
 * @param view the address of the view's description (layout.ts)
 * @param key the random stream of this (iteration, mode, l)
 */
export function step(control: usize, view: usize, key: u32, thread: u32): void {
  const count = load<u32>(view, VIEW_CHUNK_COUNT);
  const threads = load<u32>(control, CONTROL_THREADS);
  let first: u32 = 0;
  let batch: u32 = 0;
  for (let taken = thread; ; taken = threads + takeTask(control)) {
    for (; batch < taken && first < count; batch++) first += batchSize(count - first, threads);
    if (first >= count) return;
    const end = first + batchSize(count - first, threads);
    for (let number = first; number < end; number++) stepChunk(view, number, key);
  }
}

/** Updates the rows of chunk `number`, or sums over its segment of a long row. key: as in `step`. */
function stepChunk(view: usize, number: u32, key: u32): void {
  const chunk = load<usize>(view, VIEW_CHUNKS) + <usize>number * CHUNK_BYTES;
  const row = load<u32>(chunk, CHUNK_ROW);
  const endRow = load<u32>(chunk, CHUNK_END_ROW);
  let segment = load<u32>(chunk, CHUNK_SEGMENT);
  if (endRow == 0) sumSegment(view, chunk, row, segment, key);
  else for (let p = row; p < endRow; p++) updateWholeRow(view, p, segment++, key);
}

/** Updates row p, which has one segment, from a sample of its entries; rows with an empty sample stay. */
function updateWholeRow(view: usize, p: u32, segment: u32, key: u32): void {
  const nnz = recordStart(view, segment + 1) - recordStart(view, segment);
  const sampled = sampleSize(nnz, p, key);
  if (sampled == 0) return; // "If B = 0, then we skip the p-th row."
  const window = windowScratch();
  openWindow(window, view, segment, nnz, sampled, key, p);
  const sums = sumScratch();
  addEntries(view, p, window, sampled, sums);
  updateRow(view, p, sampled, nnz, sums);
}

/**
 * Sums over the window of a segment of long row p, if the sample has one there, and adds the sums to those of
 * the row's other windows; the last one updates the row.
 */
function sumSegment(view: usize, chunk: usize, p: u32, segment: u32, key: u32): void {
  const sample = longSampleScratch();
  sampleLongRow(view, p, key, sample);
  if (sample.sampled == 0) return;
  const index = load<u32>(chunk, CHUNK_INDEX);
  const j = windowsBefore(sample, index);
  if (j == sample.windows || segmentOfWindow(sample, j) != index) return; // not visited this time
  const length = recordStart(view, segment + 1) - recordStart(view, segment);
  const B = windowSize(view, p, sample, j, index, segment, length);
  // The sums of the row's segments lie one after another: this is the slot that its segment 0 would have.
  const slots = load<u32>(chunk, CHUNK_PARTIAL) - index;
  const sums = partialSums(view, slots + index);
  if (B == 0) memory.fill(sums, 0, sumBytes());
  else {
    const window = windowScratch();
    openWindow(window, view, segment, length, B, sample.draws, index);
    addEntries(view, p, window, B, sums);
  }
  addToTree(view, p, sample, slots, j);
}

@inline
/** The address of the sums in a slot of the view's partial sums. */
function partialSums(view: usize, slot: u32): usize {
  return load<usize>(view, VIEW_PARTIALS) + <usize>slot * sumBytes();
}

/**
 * Adds the finished sum over window j to that of its neighbour in the tree, if that is finished too, and so
 * on upwards. The leaves of the tree are the windows; a node of `size` leaves from `low` on has its sum in
 * the slot of its first leaf. Ends at a node whose neighbour is not finished or lies in another partition,
 * or, at the root, with the update of the row.
 */
function addToTree(view: usize, p: u32, sample: LongSample, slots: u32, j: u32): void {
  let low = j;
  for (let size: u32 = 1; size < sample.windows; size <<= 1) {
    const left = low & ~(2 * size - 1);
    const right = left + size;
    if (right >= sample.windows) continue; // no neighbour
    if (sample.from > left || min(left + 2 * size, sample.windows) > sample.to) return;
    const middle = slots + segmentOfWindow(sample, right); // belongs to this pair alone
    const arrival = load<usize>(view, VIEW_ARRIVALS) + (<usize>middle << 2);
    if (atomic.add<u32>(arrival, 1) == 0) return;
    atomic.store<u32>(arrival, 0); // for the next step
    low = left;
    addSums(partialSums(view, slots + segmentOfWindow(sample, left)), partialSums(view, middle));
  }
  if (sample.shared) return; // other partitions need the sum, too
  updateRow(view, p, sample.sampled, sample.nnz, partialSums(view, slots + segmentOfWindow(sample, low)));
}

/**
 * total += other, the sums over a sample that this kind of step has: H (R × R) or Hv (R), from MATRIX on g
 * (R), and under a learned prior Σ w x² and Σ w in float64, and the weights by group (groups.ts).
 */
function addSums(total: usize, other: usize): void {
  if (kind == STEP_NEWTON || kind == STEP_POSTERIOR || (kind == STEP_PAPER && !(skip & SKIP_HESSIAN))) addMatrix(total, other);
  else if (kind != STEP_ZEROS) addVector(total, other);
  addVector(total + MATRIX, other + MATRIX);
  if (kind == STEP_POSTERIOR) {
    const at = MATRIX + ROW;
    v128.store(total + at, f64x2.add(v128.load(total + at), v128.load(other + at)));
    if (isGrouped) {
      for (let at = GROUP_SUMS; at < sumBytes(); at += 16)
        v128.store(total + at, f32x4.add(v128.load(total + at), v128.load(other + at)));
    }
  }
}

/** Updates row p from the sums over a sample of `sampled` of its `nnz` entries, by the kind of step. */
function updateRow(view: usize, p: u32, sampled: u32, nnz: u32, sums: usize): void {
  if (kind == STEP_NEWTON || kind == STEP_ZEROS) updateByNewton(view, p, sampled, nnz, sums);
  else if (kind == STEP_POSTERIOR) updateByPosterior(view, p, sums);
  else if (kind == STEP_GRADIENT) updateByGradient(view, p, sampled, nnz, sums);
  else updateByPaper(view, p, sums);
}

// Shared rows: rows with segments in several partitions. Such a row has a table of words: how many partitions
// have segments of it; for each of them its first segment and the address at which its sums are exchanged;
// and the number of all segments. A partition shares at most two rows, one that begins in an
// earlier partition, whose sums end at that address, and one that begins in this partition, whose sums begin there.
// A partition's sums are therefore one contiguous piece, and no longer than necessary.

/**
 * The number of leaves of the largest node of the tree that begins at window `low` and ends at or before
 * `to`.
 */
function largestNode(sample: LongSample, low: u32, to: u32): u32 {
  let size: u32 = 1;
  while (size < sample.windows && !(low & (2 * size - 1)) && min(low + 2 * size, sample.windows) <= to) size <<= 1;
  return size;
}

/** The number of nodes of the tree, each as large as possible, that cover the windows from … to − 1. */
function nodesBetween(sample: LongSample, from: u32, to: u32): u32 {
  let nodes: u32 = 0;
  for (let low = from; low < to; low += largestNode(sample, low, to)) nodes++;
  return nodes;
}

/**
 * The number of partial sums that a partition writes of row p if it has the row's segments begin … end − 1.
 */
export function countPartialSums(view: usize, p: u32, key: u32, begin: u32, end: u32): u32 {
  const sample = longSampleScratch();
  sampleLongRow(view, p, key, sample);
  if (sample.sampled == 0) return 0;
  return nodesBetween(sample, windowsBefore(sample, begin), windowsBefore(sample, end));
}

/**
 * Copies this partition's partial sums of a shared row to where they are exchanged: from `position` on if the
 * row begins here, else up to `position`. slots: the slot that the row's segment 0 would have.
 */
export function writePartialSums(view: usize, p: u32, key: u32, slots: u32, position: usize, beginsHere: bool): void {
  const sample = longSampleScratch();
  sampleLongRow(view, p, key, sample);
  if (sample.sampled == 0) return;
  let to = beginsHere ? position : position - <usize>nodesBetween(sample, sample.from, sample.to) * sumBytes();
  for (let low = sample.from; low < sample.to; low += largestNode(sample, low, sample.to)) {
    memory.copy(to, partialSums(view, slots + segmentOfWindow(sample, low)), sumBytes());
    to += sumBytes();
  }
}

/**
 * Adds the partial sums of all partitions, in the order of the tree, and updates the shared row p. Every
 * partition does the same, with the same result. table: the row's table of partitions, described above.
 */
export function finishSharedRow(view: usize, p: u32, key: u32, table: usize): void {
  const sample = longSampleScratch();
  sampleLongRow(view, p, key, sample);
  if (sample.sampled == 0) return;
  let size: u32 = 1;
  while (size < sample.windows) size <<= 1;
  updateRow(view, p, sample.sampled, sample.nnz, sumOfNode(sample, table, 0, size));
}

/**
 * The address of the sums of the node of `size` windows from `low` on: those that one partition has written,
 * or else the sums of its two halves, added in place.
 */
function sumOfNode(sample: LongSample, table: usize, low: u32, size: u32): usize {
  const parts = load<u32>(table);
  const end = min(low + size, sample.windows);
  for (let k: u32 = 0; k < parts; k++) {
    const entry = table + 4 + (<usize>k << 3);
    const from = windowsBefore(sample, load<u32>(entry));
    const to = windowsBefore(sample, load<u32>(entry, 8));
    if (from > low || to < end) continue;
    let sums = <usize>load<u32>(entry, 4);
    if (k > 0) sums -= <usize>nodesBetween(sample, from, to) * sumBytes();
    for (let other = from; other < low; other += largestNode(sample, other, to)) sums += sumBytes();
    return sums;
  }
  const left = sumOfNode(sample, table, low, size >> 1);
  if (low + (size >> 1) < sample.windows) addSums(left, sumOfNode(sample, table, low + (size >> 1), size >> 1));
  return left;
}
