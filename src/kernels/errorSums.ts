// Σ (k·y − x)² and Σ |k·y − x| over all entries of a view, each by its weight, chunk by chunk, in float64.
import { gather } from "./gather";
import {
  CHUNK_BYTES, CHUNK_END_ROW, CHUNK_ROW, CHUNK_SEGMENT, VIEW_CHUNK_COUNT, VIEW_CHUNKS, VIEW_FACTOR, VIEW_RECORDS,
} from "./layout";
import { BLOCK, ROW } from "./rank";
import { entryWeight, hasWeights, strideOf } from "./records";
import { recordStart } from "./sample";
import { blockScratch, residualScratch, windowScratch } from "./scratch";
import { takeTask } from "./threads";
import { isUnknown, predictedAt } from "./zeros";

/**
 * Writes two float64 per chunk to `sums`; who adds them does so in the order of the chunks. With `zeros`, they are how much
 * more or less the errors of listed cells are than if these were zeros, too; and unknown ones have none.
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

/** The sum of the weights of each chunk, in place of its errors, and 0; of a view whose entries have weights. */
export function weightSums(control: usize, view: usize, sums: usize): void {
  const chunks = load<usize>(view, VIEW_CHUNKS);
  const count = load<u32>(view, VIEW_CHUNK_COUNT);
  const stride = strideOf(view);
  for (let number = takeTask(control); number < count; number = takeTask(control)) {
    const chunk = chunks + <usize>number * CHUNK_BYTES;
    const endRow = load<u32>(chunk, CHUNK_END_ROW);
    const segment = load<u32>(chunk, CHUNK_SEGMENT);
    const segments = endRow == 0 ? 1 : endRow - load<u32>(chunk, CHUNK_ROW);
    const records = load<usize>(view, VIEW_RECORDS);
    const end = records + <usize>recordStart(view, segment + segments) * stride;
    let sum: f64 = 0;
    for (let record = records + <usize>recordStart(view, segment) * stride; record < end; record += stride)
      sum += <f64>entryWeight(view, record);
    const own = sums + (<usize>number << 4);
    store<f64>(own, sum);
    store<f64>(own, 0, 8);
  }
}

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
        const predicted = predictedAt(view, y, record);
        squares -= predicted * predicted;
        absolutes -= predicted;
        if (isUnknown(record + stride - 4)) {
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
