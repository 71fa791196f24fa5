// One step of a mode: every row is sampled, summed over its sample, and updated. Rows are independent (Algorithm 3).
// A long row is summed window by window, and the sums are added two by two, as in a tournament, whoever is second doing
// it: the order of the additions depends on the row alone. Where a row lies in several parts, each part adds what it can;
// what is left, a few sums, is exchanged and added by everyone (engine/cpu/sharedRows.ts).
import { addEntries } from "../entries/entries";
import { addHessian, addVector } from "../entries/gram";
import { updateByGradient } from "./gradientRow";
import {
  CHUNK_BYTES, CHUNK_END_ROW, CHUNK_INDEX, CHUNK_PARTIAL, CHUNK_ROW, CHUNK_SEGMENT, CONTROL_THREADS, SKIP_HESSIAN,
  SKIP_ROWS, STEP_GRADIENT, STEP_NEWTON, STEP_PAPER, STEP_POSTERIOR, STEP_ZEROS, VIEW_ARRIVALS, VIEW_CHUNK_COUNT,
  VIEW_CHUNKS, VIEW_PARTIALS,
} from "../layout";
import { updateByNewton } from "./newtonRow";
import { updateByPaper } from "./paperRow";
import { updateByPosterior } from "./posteriorRow";
import { MATRIX, ROW } from "../rank";
import {
  LongSample, openWindow, recordStart, sampleLongRow, sampleSize, segmentOf, windowsBefore, windowSize,
} from "../entries/sample";
import { longSampleScratch, SUM_BYTES, sumScratch, windowScratch } from "../scratch";
import { kind, skip } from "../settings";
import { pieceOf, takeTask } from "../threads";

/** Bytes of the sums over a sample: H (R × R) or Hv (R), then from MATRIX on g (R), then Σ w x² and Σ w in float64. */
export const PARTIAL_BYTES: usize = SUM_BYTES;

/**
 * view: its description (layout.ts); key: the random stream of this (iteration, mode, l). Each thread begins with a piece of its
 * own, the same in every iteration: without asking, and with rows that its core may still have in its cache.
 */
export function step(control: usize, view: usize, key: u32, thread: u32): void {
  const count = load<u32>(view, VIEW_CHUNK_COUNT);
  const threads = load<u32>(control, CONTROL_THREADS);
  let first: u32 = 0;
  let piece: u32 = 0;
  for (let taken = thread; ; taken = threads + takeTask(control)) {
    for (; piece < taken && first < count; piece++) first += pieceOf(count - first, threads);
    if (first >= count) return;
    const end = first + pieceOf(count - first, threads);
    for (let number = first; number < end; number++) stepChunk(view, number, key);
  }
}

function stepChunk(view: usize, number: u32, key: u32): void {
  if (kind == STEP_PAPER && skip & SKIP_ROWS) return;
  const chunk = load<usize>(view, VIEW_CHUNKS) + <usize>number * CHUNK_BYTES;
  const row = load<u32>(chunk, CHUNK_ROW);
  const endRow = load<u32>(chunk, CHUNK_END_ROW);
  let segment = load<u32>(chunk, CHUNK_SEGMENT);
  if (endRow == 0) segmentOfLongRow(view, chunk, row, segment, key);
  else for (let p = row; p < endRow; p++) wholeRow(view, p, segment++, key);
}

function wholeRow(view: usize, p: u32, segment: u32, key: u32): void {
  const nnz = recordStart(view, segment + 1) - recordStart(view, segment);
  const sampled = sampleSize(nnz, p, key);
  if (sampled == 0) return; // "If B = 0, then we skip the p-th row."
  const window = windowScratch();
  openWindow(window, view, segment, nnz, sampled, key, p);
  const sums = sumScratch();
  addEntries(view, p, window, sampled, sums);
  updateRow(view, p, sampled, nnz, sums);
}

function segmentOfLongRow(view: usize, chunk: usize, p: u32, segment: u32, key: u32): void {
  const sample = longSampleScratch();
  sampleLongRow(view, p, key, sample);
  if (sample.sampled == 0) return;
  const index = load<u32>(chunk, CHUNK_INDEX);
  const j = windowsBefore(sample, index);
  if (j == sample.windows || segmentOf(sample, j) != index) return; // not visited this time
  const length = recordStart(view, segment + 1) - recordStart(view, segment);
  const B = windowSize(view, p, sample, j, index, segment, length);
  // The sums of the row's segments lie one after another: this is where those of its segment 0 would be.
  const slots = load<u32>(chunk, CHUNK_PARTIAL) - index;
  const sums = partial(view, slots + index);
  if (B == 0) memory.fill(sums, 0, PARTIAL_BYTES);
  else {
    const window = windowScratch();
    openWindow(window, view, segment, length, B, sample.draws, index);
    addEntries(view, p, window, B, sums);
  }
  addUp(view, p, sample, slots, j);
}

@inline
function partial(view: usize, slot: u32): usize {
  return load<usize>(view, VIEW_PARTIALS) + <usize>slot * PARTIAL_BYTES;
}

/**
 * The sum over window j is there: adds it to its neighbour's if that is there too, and so on upwards. The tree has the
 * windows as leaves; a node of `size` leaves from `low` on has its sum where that of its first leaf was. Ends at a node
 * whose neighbour is yet to come, at one whose neighbour lies in another part, or, at the root, with the row's update.
 */
function addUp(view: usize, p: u32, sample: LongSample, slots: u32, j: u32): void {
  let low = j;
  for (let size: u32 = 1; size < sample.windows; size <<= 1) {
    const left = low & ~(2 * size - 1);
    const right = left + size;
    if (right >= sample.windows) continue; // no neighbour
    if (sample.from > left || min(left + 2 * size, sample.windows) > sample.to) return;
    const middle = slots + segmentOf(sample, right); // belongs to this pair alone
    const arrival = load<usize>(view, VIEW_ARRIVALS) + (<usize>middle << 2);
    if (atomic.add<u32>(arrival, 1) == 0) return;
    atomic.store<u32>(arrival, 0); // for the next step
    low = left;
    addSums(partial(view, slots + segmentOf(sample, left)), partial(view, middle));
  }
  if (sample.shared) return; // the others must see it, too
  updateRow(view, p, sample.sampled, sample.nnz, partial(view, slots + segmentOf(sample, low)));
}

function addSums(total: usize, other: usize): void {
  if (kind == STEP_NEWTON || kind == STEP_POSTERIOR || (kind == STEP_PAPER && !(skip & SKIP_HESSIAN))) addHessian(total, other);
  else if (kind != STEP_ZEROS) addVector(total, other);
  addVector(total + MATRIX, other + MATRIX);
  if (kind == STEP_POSTERIOR) {
    const at = MATRIX + ROW;
    v128.store(total + at, f64x2.add(v128.load(total + at), v128.load(other + at)));
  }
}

function updateRow(view: usize, p: u32, sampled: u32, nnz: u32, sums: usize): void {
  if (kind == STEP_NEWTON || kind == STEP_ZEROS) updateByNewton(view, p, sampled, nnz, sums);
  else if (kind == STEP_POSTERIOR) updateByPosterior(view, p, sums);
  else if (kind == STEP_GRADIENT) updateByGradient(view, p, sampled, nnz, sums);
  else updateByPaper(view, p, sums);
}

// Rows that several parts share. Such a row is described by a table of words: how many parts have segments of it, and
// for each of them the first segment it has and where its sums are exchanged; at the end, how many segments there are.
// Around that place lie those of both rows that a part may share: before it the sums of the row that begins elsewhere, after
// it those of the one that begins here. So what a part hands over is one piece, and no longer than it must be.

/** The most leaves of a node that begins at `low` and lies within from … to. */
function largestNode(sample: LongSample, low: u32, to: u32): u32 {
  let size: u32 = 1;
  while (size < sample.windows && !(low & (2 * size - 1)) && min(low + 2 * size, sample.windows) <= to) size <<= 1;
  return size;
}

/** How many nodes make up the windows from … to. */
function nodesBetween(sample: LongSample, from: u32, to: u32): u32 {
  let nodes: u32 = 0;
  for (let low = from; low < to; low += largestNode(sample, low, to)) nodes++;
  return nodes;
}

/** How many sums whoever has the segments begin … end of a row hands over. */
export function handedOver(view: usize, p: u32, key: u32, begin: u32, end: u32): u32 {
  const sample = longSampleScratch();
  sampleLongRow(view, p, key, sample);
  if (sample.sampled == 0) return 0;
  return nodesBetween(sample, windowsBefore(sample, begin), windowsBefore(sample, end));
}

/** Copies the sums of the row that this part could not add any further to where they are exchanged. */
export function handOver(view: usize, p: u32, key: u32, slots: u32, place: usize, beginsHere: bool): void {
  const sample = longSampleScratch();
  sampleLongRow(view, p, key, sample);
  if (sample.sampled == 0) return;
  let to = beginsHere ? place : place - nodesBetween(sample, sample.from, sample.to) * PARTIAL_BYTES;
  for (let low = sample.from; low < sample.to; low += largestNode(sample, low, sample.to)) {
    memory.copy(to, partial(view, slots + segmentOf(sample, low)), PARTIAL_BYTES);
    to += PARTIAL_BYTES;
  }
}

/** Adds what the parts have handed over, in the order of the tree, and updates the row: every part does so for itself. */
export function finishSharedRow(view: usize, p: u32, key: u32, table: usize): void {
  const sample = longSampleScratch();
  sampleLongRow(view, p, key, sample);
  if (sample.sampled == 0) return;
  let size: u32 = 1;
  while (size < sample.windows) size <<= 1;
  updateRow(view, p, sample.sampled, sample.nnz, sumOfNode(sample, table, 0, size));
}

function sumOfNode(sample: LongSample, table: usize, low: u32, size: u32): usize {
  const parts = load<u32>(table);
  const end = min(low + size, sample.windows);
  for (let k: u32 = 0; k < parts; k++) {
    const entry = table + 4 + (<usize>k << 3);
    const from = windowsBefore(sample, load<u32>(entry));
    const to = windowsBefore(sample, load<u32>(entry, 8));
    if (from > low || to < end) continue;
    let sums = <usize>load<u32>(entry, 4);
    if (k > 0) sums -= nodesBetween(sample, from, to) * PARTIAL_BYTES;
    for (let other = from; other < low; other += largestNode(sample, other, to)) sums += PARTIAL_BYTES;
    return sums;
  }
  const left = sumOfNode(sample, table, low, size >> 1);
  if (low + (size >> 1) < sample.windows) addSums(left, sumOfNode(sample, table, low + (size >> 1), size >> 1));
  return left;
}
