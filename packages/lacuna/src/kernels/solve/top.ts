// The best rows of a factor for many questions at once (maximum inner product search). A question is a vector
// q; the score of a row a is q·a. Rows lie in tiles of eight, component by component, so that four questions
// are multiplied with eight rows without horizontal sums; runs of tiles stay in the cache while all questions
// of a task pass over them. Sums are in the order of the components, and of equal scores the first row wins:
// the result does not depend on the threads.
//
// The number of components is not a constant of this module: the factors of several models may be
// concatenated.
import {
  TOP_BEST, TOP_COUNT, TOP_EXCLUDED, TOP_EXCLUDED_START, TOP_LENGTH, TOP_MOST, TOP_QUESTION_COUNT, TOP_QUESTIONS,
  TOP_ROWS_AT_A_TIME, TOP_SCORES, TOP_TASK_QUESTIONS, TOP_TILES,
} from "./layout";
import { takeTask } from "./threads";

/**
 * Takes tasks of questions until none is left, and writes the best rows of each question, at most TOP_MOST
 * and best first, with their scores. work: the address of the description (TOP_…, layout.ts).
 */
export function topRows(control: usize, work: usize): void {
  const questions = load<u32>(work, TOP_QUESTION_COUNT);
  const tasks = (questions + TOP_TASK_QUESTIONS - 1) / TOP_TASK_QUESTIONS;
  for (let task = takeTask(control); task < tasks; task = takeTask(control)) {
    const from = task * TOP_TASK_QUESTIONS;
    answerQuestions(work, from, min(questions, from + TOP_TASK_QUESTIONS));
  }
}

/** Scores all rows for the questions from … to − 1, four at a time; questions beyond the last are ignored. */
function answerQuestions(work: usize, from: u32, to: u32): void {
  const rows = load<u32>(work, TOP_COUNT);
  for (let first: u32 = 0; first < rows; first += TOP_ROWS_AT_A_TIME) {
    const end = min(rows, first + TOP_ROWS_AT_A_TIME);
    for (let question = from; question < to; question += 4) {
      for (let row = first; row < end; row += 8) scoreTile(work, question, row);
    }
  }
}

/**
 * Scores eight rows from `row` on for four questions from `question` on, and inserts those that are better.
 */
function scoreTile(work: usize, question: u32, row: u32): void {
  const length = <usize>load<u32>(work, TOP_LENGTH);
  const stride = length << 2;
  let q = load<usize>(work, TOP_QUESTIONS) + <usize>question * stride;
  let tile = load<usize>(work, TOP_TILES) + <usize>row * stride;
  let a0 = f32x4.splat(0), a1 = f32x4.splat(0), b0 = f32x4.splat(0), b1 = f32x4.splat(0);
  let c0 = f32x4.splat(0), c1 = f32x4.splat(0), d0 = f32x4.splat(0), d1 = f32x4.splat(0);
  for (const end = q + stride; q < end; q += 4) {
    const x = v128.load(tile);
    const y = v128.load(tile, 16);
    const a = v128.load32_splat(q), b = v128.load32_splat(q + stride);
    a0 = f32x4.add(a0, f32x4.mul(a, x));
    a1 = f32x4.add(a1, f32x4.mul(a, y));
    b0 = f32x4.add(b0, f32x4.mul(b, x));
    b1 = f32x4.add(b1, f32x4.mul(b, y));
    const c = v128.load32_splat(q + 2 * stride), d = v128.load32_splat(q + 3 * stride);
    c0 = f32x4.add(c0, f32x4.mul(c, x));
    c1 = f32x4.add(c1, f32x4.mul(c, y));
    d0 = f32x4.add(d0, f32x4.mul(d, x));
    d1 = f32x4.add(d1, f32x4.mul(d, y));
    tile += 32;
  }
  insertBetter(work, question, row, a0, a1);
  insertBetter(work, question + 1, row, b0, b1);
  insertBetter(work, question + 2, row, c0, c1);
  insertBetter(work, question + 3, row, d0, d1);
}

@inline
/**
 * Inserts those of eight rows from `row` on into the answers of a question that are better than its worst so
 * far; most are not. low, high: their scores.
 */
function insertBetter(work: usize, question: u32, row: u32, low: v128, high: v128): void {
  const most = load<u32>(work, TOP_MOST);
  const scores = load<usize>(work, TOP_SCORES) + ((<usize>question * most) << 2);
  const worst = v128.load32_splat(scores + (<usize>(most - 1) << 2));
  if (!v128.any_true(v128.or(f32x4.gt(low, worst), f32x4.gt(high, worst)))) return;
  insertRow(work, question, row, f32x4.extract_lane(low, 0));
  insertRow(work, question, row + 1, f32x4.extract_lane(low, 1));
  insertRow(work, question, row + 2, f32x4.extract_lane(low, 2));
  insertRow(work, question, row + 3, f32x4.extract_lane(low, 3));
  insertRow(work, question, row + 4, f32x4.extract_lane(high, 0));
  insertRow(work, question, row + 5, f32x4.extract_lane(high, 1));
  insertRow(work, question, row + 6, f32x4.extract_lane(high, 2));
  insertRow(work, question, row + 7, f32x4.extract_lane(high, 3));
}

/**
 * Inserts a row into the answers of a question, in the order of the scores, if it is better than the worst
 * and not excluded. Empty answers have the score −1, below every row's.
 */
function insertRow(work: usize, question: u32, row: u32, score: f32): void {
  const most = load<u32>(work, TOP_MOST);
  const begin = (<usize>question * most) << 2;
  const scores = load<usize>(work, TOP_SCORES) + begin;
  const best = load<usize>(work, TOP_BEST) + begin;
  let at = <usize>(most - 1) << 2;
  if (!(score > load<f32>(scores + at))) return;
  if (row >= load<u32>(work, TOP_COUNT) || question >= load<u32>(work, TOP_QUESTION_COUNT)) return;
  if (isExcluded(work, question, row)) return;
  for (; at > 0 && load<f32>(scores + at - 4) < score; at -= 4) {
    store<f32>(scores + at, load<f32>(scores + at - 4));
    store<u32>(best + at, load<u32>(best + at - 4));
  }
  store<f32>(scores + at, score);
  store<u32>(best + at, row);
}

/** Whether a row is excluded from the answers of a question; the list of excluded rows is sorted. */
function isExcluded(work: usize, question: u32, row: u32): bool {
  const starts = load<usize>(work, TOP_EXCLUDED_START) + (<usize>question << 2);
  const rows = load<usize>(work, TOP_EXCLUDED);
  let low = load<u32>(starts), high = load<u32>(starts, 4);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = load<u32>(rows + (<usize>middle << 2));
    if (found == row) return true;
    if (found < row) low = middle + 1;
    else high = middle;
  }
  return false;
}
