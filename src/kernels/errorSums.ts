// Σ (k·y − x)² and Σ |k·y − x| over all entries of a mode's view, task by task, in float64.
import { gather } from "./gather";
import {
  MODE_FACTOR, MODE_ORDER, MODE_RECORDS, MODE_ROW_START, MODE_TASK_COUNT, MODE_TASKS, TASK_BYTES, TASK_END_ROW,
  TASK_FROM, TASK_ROW, TASK_TO,
} from "./layout";
import { BLOCK, ROW } from "./rank";
import { blockScratch, residualScratch, windowScratch } from "./scratch";
import { takeTask } from "./threads";

/** Writes two float64 per task to `sums`; who adds them does so in the order of the tasks. */
export function errorSums(control: usize, mode: usize, sums: usize): void {
  const tasks = load<usize>(mode, MODE_TASKS);
  const count = load<u32>(mode, MODE_TASK_COUNT);
  const rowStart = load<usize>(mode, MODE_ROW_START);
  for (let t = takeTask(control); t < count; t = takeTask(control)) {
    const task = tasks + t * TASK_BYTES;
    const row = load<u32>(task, TASK_ROW);
    const endRow = load<u32>(task, TASK_END_ROW);
    const own = sums + (<usize>t << 4);
    store<f64>(own, 0);
    store<f64>(own, 0, 8);
    if (endRow == 0) {
      addErrors(mode, row, load<u32>(task, TASK_FROM), load<u32>(task, TASK_TO), own);
    } else {
      for (let p = row; p < endRow; p++) {
        const at = rowStart + (<usize>p << 2);
        addErrors(mode, p, 0, load<u32>(at, 4) - load<u32>(at), own);
      }
    }
  }
}

function addErrors(mode: usize, p: u32, from: u32, to: u32, sums: usize): void {
  const stride = <usize>load<u32>(mode, MODE_ORDER) << 2;
  const begin = load<u32>(load<usize>(mode, MODE_ROW_START) + (<usize>p << 2));
  const window = windowScratch();
  window.begin = load<usize>(mode, MODE_RECORDS) + <usize>begin * stride;
  window.end = 0; // never reached: the window does not wrap
  window.at = window.begin + <usize>from * stride;
  const y = load<usize>(mode, MODE_FACTOR) + <usize>p * ROW;
  const D = residualScratch();
  let squares = load<f64>(sums);
  let absolutes = load<f64>(sums, 8);
  for (let at = from; at < to; at += BLOCK) {
    const count = min(BLOCK, to - at);
    gather(mode, window, count, y, blockScratch(), D);
    for (let e: u32 = 0; e < count; e++) {
      const d = <f64>load<f32>(D + (<usize>e << 2));
      squares += d * d;
      absolutes += Math.abs(d);
    }
  }
  store<f64>(sums, squares);
  store<f64>(sums, absolutes, 8);
}
