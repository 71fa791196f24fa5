// Error sums Σ w (k·y − x)² and Σ w |k·y − x| over all entries of a view, chunk by chunk, in float64. Threads
// take chunks from the task counter of the control block.
import { gather } from "./entries/gather";
import {
  CHUNK_BYTES, CHUNK_END_ROW, CHUNK_ROW, CHUNK_SEGMENT, VIEW_CHUNK_COUNT, VIEW_CHUNKS, VIEW_FACTOR, VIEW_RECORDS,
} from "./layout";
import { BLOCK, ROW } from "./rank";
import { entryWeight, hasWeights, strideOf, valueOffset } from "./entries/records";
import { recordStart } from "./entries/sample";
import { blockScratch, residualScratch, windowScratch } from "./scratch";
import { takeTask } from "./threads";
import { isUnknown, predictEntry } from "./setup/zeros";

/**
 * Writes Σ w d² and Σ w |d| of each chunk, d = k·y − x with y the row of the factor, to `sums` (chunks × 2,
 * float64); the caller adds them in the order of the chunks. With `zeros`, these are the differences between
 * the errors of listed cells and those that zeros would have there; unknown cells have no error.
 */
export function errorSums(control: usize, view: usize, sums: usize, zeros: bool): void {
  const chunks = load<usize>(view, VIEW_CHUNKS);
  const count = load<u32>(view, VIEW_CHUNK_COUNT);
  for (let number = takeTask(control); number < count; number = takeTask(control)) {
    const chunk = chunks + <usize>number * CHUNK_BYTES;
    const row = load<u32>(chunk, CHUNK_ROW);
    const endRow = load<u32>(chunk, CHUNK_END_ROW);
    let segment = load<u32>(chunk, CHUNK_SEGMENT);
    const own = sums + (<usize>number << 4);
    store<f64>(own, 0);
    store<f64>(own, 0, 8);
    if (endRow == 0) addErrors(view, row, segment, own, zeros);
    else for (let p = row; p < endRow; p++) addErrors(view, p, segment++, own, zeros);
  }
}

/**
 * Writes Σ w x² and Σ w |x| of each chunk to `sums` (chunks × 2, float64): the errors of a model that
 * predicts 0, without reading any factor.
 */
export function valueSums(control: usize, view: usize, sums: usize): void {
  const stride = strideOf(view);
  const isWeighted = hasWeights(view);
  const value = valueOffset(view);
  for (let number = takeTask(control); number < load<u32>(view, VIEW_CHUNK_COUNT); number = takeTask(control)) {
    const end = chunkEnd(view, number);
    let squares: f64 = 0;
    let absolutes: f64 = 0;
    for (let record = chunkBegin(view, number); record < end; record += stride) {
      const x = <f64>load<f32>(record + value);
      const w = isWeighted ? <f64>entryWeight(view, record) : 1;
      squares += w * (x * x);
      absolutes += w * Math.abs(x);
    }
    store<f64>(sums + (<usize>number << 4), squares);
    store<f64>(sums + (<usize>number << 4), absolutes, 8);
  }
}

/**
 * Writes the sum of the weights of each chunk, and 0, to `sums` (chunks × 2, float64); the view has weights.
 */
export function weightSums(control: usize, view: usize, sums: usize): void {
  const stride = strideOf(view);
  for (let number = takeTask(control); number < load<u32>(view, VIEW_CHUNK_COUNT); number = takeTask(control)) {
    const end = chunkEnd(view, number);
    let sum: f64 = 0;
    for (let record = chunkBegin(view, number); record < end; record += stride) sum += <f64>entryWeight(view, record);
    store<f64>(sums + (<usize>number << 4), sum);
    store<f64>(sums + (<usize>number << 4), 0, 8);
  }
}

/** The address of the first record of chunk `number`. */
function chunkBegin(view: usize, number: u32): usize {
  const chunk = load<usize>(view, VIEW_CHUNKS) + <usize>number * CHUNK_BYTES;
  return load<usize>(view, VIEW_RECORDS) + <usize>recordStart(view, load<u32>(chunk, CHUNK_SEGMENT)) * strideOf(view);
}

/** The address behind the last record of chunk `number`. */
function chunkEnd(view: usize, number: u32): usize {
  const chunk = load<usize>(view, VIEW_CHUNKS) + <usize>number * CHUNK_BYTES;
  const endRow = load<u32>(chunk, CHUNK_END_ROW);
  const segments = endRow == 0 ? 1 : endRow - load<u32>(chunk, CHUNK_ROW);
  const end = load<u32>(chunk, CHUNK_SEGMENT) + segments;
  return load<usize>(view, VIEW_RECORDS) + <usize>recordStart(view, end) * strideOf(view);
}

/** Adds the error sums of a segment of row p to the two float64 at `sums`. zeros: as in errorSums. */
function addErrors(view: usize, p: u32, segment: u32, sums: usize, zeros: bool): void {
  const begin = recordStart(view, segment);
  const count = recordStart(view, segment + 1) - begin;
  const window = windowScratch();
  const stride = strideOf(view);
  const isWeighted = hasWeights(view);
  window.begin = load<usize>(view, VIEW_RECORDS) + <usize>begin * stride;
  window.end = 0; // never reached: the window does not wrap
  window.at = window.begin;
  const y = load<usize>(view, VIEW_FACTOR) + <usize>p * ROW;
  const D = residualScratch();
  let squares = load<f64>(sums);
  let absolutes = load<f64>(sums, 8);
  for (let done: u32 = 0; done < count; done += BLOCK) {
    const some = min(BLOCK, count - done);
    let record = window.at;
    gather(view, window, some, y, blockScratch(), D);
    for (let e: u32 = 0; e < some; e++) {
      const d = <f64>load<f32>(D + (<usize>e << 2));
      if (isWeighted) {
        const w = <f64>entryWeight(view, record);
        squares += w * (d * d);
        absolutes += w * Math.abs(d);
        record += stride;
        continue;
      }
      squares += d * d;
      absolutes += Math.abs(d);
      if (zeros) {
        const predicted = predictEntry(view, y, e);
        squares -= predicted * predicted;
        absolutes -= predicted;
        if (isUnknown(record + valueOffset(view))) {
          squares -= d * d;
          absolutes -= Math.abs(d);
        }
        record += stride;
      }
    }
  }
  store<f64>(sums, squares);
  store<f64>(sums, absolutes, 8);
}
