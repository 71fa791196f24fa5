// One step of a mode: every row is sampled, summed over its sample, and updated. Rows are independent (Algorithm 3);
// a row too long for one task is summed in parts, and whoever finishes the last part adds them in order.
import { addEntries } from "./entries";
import { addHessian, addVector } from "./gram";
import { updateByGradient } from "./gradientRow";
import {
  MODE_PARTIALS, MODE_SPLITS, MODE_TASK_COUNT, MODE_TASKS, SKIP_HESSIAN, SPLIT_BYTES, SPLIT_FIRST_PARTIAL,
  SPLIT_PARTS, STEP_GRADIENT, STEP_NEWTON, STEP_PAPER, TASK_BYTES, TASK_END_ROW, TASK_FROM, TASK_PARTIAL, TASK_ROW,
  TASK_SPLIT, TASK_TO,
} from "./layout";
import { updateByNewton } from "./newtonRow";
import { updateByPaper } from "./paperRow";
import { MATRIX, ROW } from "./rank";
import { plannedSize, sampleSize } from "./sample";
import { sumScratch } from "./scratch";
import { kind, skip } from "./settings";
import { finishPart, takeTask } from "./threads";

/** Bytes of the sums over a sample: H (R × R) or Hv (R), then from MATRIX on g (R). */
export const PARTIAL_BYTES: usize = MATRIX + ROW;

/** mode: its description (layout.ts); key: the random stream of this (iteration, mode, l). */
export function step(control: usize, mode: usize, key: u32): void {
  const tasks = load<usize>(mode, MODE_TASKS);
  const count = load<u32>(mode, MODE_TASK_COUNT);
  for (let t = takeTask(control); t < count; t = takeTask(control)) {
    const task = tasks + t * TASK_BYTES;
    const row = load<u32>(task, TASK_ROW);
    const endRow = load<u32>(task, TASK_END_ROW);
    if (endRow == 0) partOfRow(mode, task, row, key);
    else for (let p = row; p < endRow; p++) wholeRow(mode, p, key);
  }
}

function wholeRow(mode: usize, p: u32, key: u32): void {
  const sampled = sampleSize(mode, p, key);
  if (sampled == 0) return; // "If B = 0, then we skip the p-th row."
  const sums = sumScratch();
  addEntries(mode, p, key, sampled, 0, sampled, sums);
  updateRow(mode, p, sampled, sums);
}

function partOfRow(mode: usize, task: usize, p: u32, key: u32): void {
  const sampled = sampleSize(mode, p, key);
  const partials = load<usize>(mode, MODE_PARTIALS);
  const own = partials + <usize>load<u32>(task, TASK_PARTIAL) * PARTIAL_BYTES;
  // Tasks are cut for ⌊c·nnz⌋ entries; where one more is sampled, the last part takes it.
  const to = load<u32>(task, TASK_TO);
  addEntries(mode, p, key, sampled, load<u32>(task, TASK_FROM), to == plannedSize(mode, p) ? sampled : to, own);

  const splits = load<usize>(mode, MODE_SPLITS);
  const split = load<u32>(task, TASK_SPLIT);
  if (!finishPart(splits, split)) return;
  const parts = load<u32>(splits + split * SPLIT_BYTES, SPLIT_PARTS);
  const total = partials + <usize>load<u32>(splits + split * SPLIT_BYTES, SPLIT_FIRST_PARTIAL) * PARTIAL_BYTES;
  const matrices = kind == STEP_NEWTON || (kind == STEP_PAPER && !(skip & SKIP_HESSIAN));
  for (let i: u32 = 1; i < parts; i++) {
    const other = total + <usize>i * PARTIAL_BYTES;
    if (matrices) addHessian(total, other);
    else addVector(total, other);
    addVector(total + MATRIX, other + MATRIX);
  }
  updateRow(mode, p, sampled, total);
}

function updateRow(mode: usize, p: u32, sampled: u32, sums: usize): void {
  if (kind == STEP_NEWTON) updateByNewton(mode, p, sampled, sums);
  else if (kind == STEP_GRADIENT) updateByGradient(mode, p, sampled, sums);
  else updateByPaper(mode, p, sums);
}
