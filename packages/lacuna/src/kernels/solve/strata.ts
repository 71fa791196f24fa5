// Stratified SGD (DSGD: Gemulla, Nijkamp, Haas, Sismanis, KDD 2011), for any order. Every mode is divided
// into g blocks of rows; a cell of that grid is one block of each mode, with the entries in it. A stratum is
// a set of g cells of which no two share a block in any mode: stratum s has, for every block b of the first
// mode, the cell of the blocks (b + s_m) mod g, where s_2 … s_N are the digits of s. So the cells of a
// stratum can be processed in any order, or in parallel, and the entries of a cell in theirs: the bits do not
// depend on the threads.
//
// An entry moves the rows of all modes at once. With k_m the product of the other modes' rows and e the
// residual, mode m moves by η e k_m / Σ‖k_m‖², a Kaczmarz step (Kaczmarz 1937): η = 1 corrects the entry, to
// first order. No step size needs to be tuned.
//
// A thread has the same blocks of the first mode for the whole epoch, and the last mode's digit is the
// fastest: blocks of the last mode pass between threads most often. A counter per block (its turn) determines
// which thread may use it next, so that no thread waits for a whole stratum.
import {
  STRATA_BLOCKS, STRATA_CELLS, STRATA_FACTORS, STRATA_ORDER, STRATA_RECORDS, STRATA_SHIFT, STRATA_TURN_BYTES, STRATA_TURNS,
} from "./layout";
import { ROW } from "./rank";

/** Residual from which on an entry is skipped: the model has diverged there. */
const LARGEST_RESIDUAL: f32 = 1e18;

/** Nanoseconds that a thread sleeps when its spins are used up. */
const SLEEP: i64 = 20000;

/**
 * Runs a thread's cells of one epoch.
 * @param rate η
 * @param least lower bound of Σ‖k_m‖² in the step size
 * @param turn the number of strata since the turns were set to 0
 * @param spins how often a thread checks its turn before it sleeps
 */
export function strataEpoch(
  strata: usize, rate: f32, least: f32, turn: u32, thread: u32, threads: u32, spins: u32,
): void {
  const order = load<u32>(strata, STRATA_ORDER);
  const blocks = load<u32>(strata, STRATA_BLOCKS);
  const count: u32 = 1 << (load<u32>(strata, STRATA_SHIFT) * (order - 1));
  const starts = load<usize>(strata, STRATA_CELLS);
  const records = load<usize>(strata, STRATA_RECORDS);
  const stride = <usize>(order + 1) << 2;
  for (let s: u32 = 0; s < count; s++) {
    for (let b = thread; b < blocks; b += threads) {
      const start = starts + (<usize>(b * count + s) << 2);
      awaitTurns(strata, s, b, turn + s, spins);
      const begin = records + <usize>load<u32>(start) * stride;
      const end = records + <usize>load<u32>(start, 4) * stride;
      if (order == 3) moveThree(strata, begin, end, rate, least);
      else if (order == 4) moveFour(strata, begin, end, rate, least);
      else moveAny(strata, order, begin, end, rate, least);
      passTurns(strata, s, b, turn + s + 1);
    }
  }
}

/**
 * The address of the turn of that block of a mode which stratum s combines with block b of the first mode.
 */
@inline
function turnOf(strata: usize, order: u32, mode: u32, s: u32, b: u32): usize {
  const shift = load<u32>(strata, STRATA_SHIFT);
  const blocks: u32 = 1 << shift;
  const digit = mode == 0 ? 0 : s >> (shift * (order - 1 - mode));
  const block = (b + digit) & (blocks - 1);
  return load<usize>(strata, STRATA_TURNS) + <usize>(mode * blocks + block) * STRATA_TURN_BYTES;
}

/** Waits until it is this cell's turn in all of its blocks. */
function awaitTurns(strata: usize, s: u32, b: u32, turn: u32, most: u32): void {
  const order = load<u32>(strata, STRATA_ORDER);
  for (let mode: u32 = 0; mode < order; mode++) {
    const at = turnOf(strata, order, mode, s, b);
    let spins: u32 = 0;
    for (let now = atomic.load<u32>(at); now != turn; now = atomic.load<u32>(at)) {
      // No thread notifies: that would cost more than checking again.
      if (++spins > most) atomic.wait<u32>(at, now, SLEEP);
    }
  }
}

/** Passes the blocks of a cell on to the next stratum. */
function passTurns(strata: usize, s: u32, b: u32, turn: u32): void {
  const order = load<u32>(strata, STRATA_ORDER);
  for (let mode: u32 = 0; mode < order; mode++) atomic.store<u32>(turnOf(strata, order, mode, s, b), turn);
}

@inline
function factorOf(strata: usize, mode: u32): usize {
  return load<usize>(strata + (<usize>mode << 2), STRATA_FACTORS);
}

@inline
function rowOf(factor: usize, record: usize, mode: usize): usize {
  return factor + <usize>load<u32>(record + (mode << 2)) * ROW;
}

/** η e / Σ‖k_m‖² from the lanes' sums of the prediction and of Σ‖k_m‖²; 0 where the model has diverged. */
@inline
function stepOf(predicted: v128, squares: v128, x: f32, rate: f32, least: f32): f32 {
  const pairs = f32x4.add(v128.shuffle<f32>(predicted, squares, 0, 1, 4, 5), v128.shuffle<f32>(predicted, squares, 2, 3, 6, 7));
  const both = f32x4.add(pairs, v128.shuffle<f32>(pairs, pairs, 1, 0, 3, 2));
  const e = x - f32x4.extract_lane(both, 0);
  return abs(e) < LARGEST_RESIDUAL ? rate * e / max(f32x4.extract_lane(both, 2), least) : 0;
}

/** a ← (a + s k)₊ */
@inline
function move(row: usize, a: v128, s: v128, k: v128): void {
  v128.store(row, f32x4.pmax(f32x4.splat(0), f32x4.add(a, f32x4.mul(s, k))));
}

/** Processes the records of a cell, order 3. */
function moveThree(strata: usize, begin: usize, end: usize, rate: f32, least: f32): void {
  const first = factorOf(strata, 0);
  const second = factorOf(strata, 1);
  const third = factorOf(strata, 2);
  for (let record = begin; record < end; record += 16) {
    const p = rowOf(first, record, 0);
    const q = rowOf(second, record, 1);
    const o = rowOf(third, record, 2);
    let predicted = f32x4.splat(0);
    let squares = f32x4.splat(0);
    for (let at: usize = 0; at < ROW; at += 16) {
      const a = v128.load(p + at);
      const b = v128.load(q + at);
      const c = v128.load(o + at);
      const ab = f32x4.mul(a, b);
      const ac = f32x4.mul(a, c);
      const bc = f32x4.mul(b, c);
      predicted = f32x4.add(predicted, f32x4.mul(ab, c));
      squares = f32x4.add(squares, f32x4.add(f32x4.mul(ab, ab), f32x4.add(f32x4.mul(ac, ac), f32x4.mul(bc, bc))));
    }
    const s = f32x4.splat(stepOf(predicted, squares, load<f32>(record, 12), rate, least));
    for (let at: usize = 0; at < ROW; at += 16) {
      const a = v128.load(p + at);
      const b = v128.load(q + at);
      const c = v128.load(o + at);
      move(p + at, a, s, f32x4.mul(b, c));
      move(q + at, b, s, f32x4.mul(a, c));
      move(o + at, c, s, f32x4.mul(a, b));
    }
  }
}

/** Processes the records of a cell, order 4. */
function moveFour(strata: usize, begin: usize, end: usize, rate: f32, least: f32): void {
  const first = factorOf(strata, 0);
  const second = factorOf(strata, 1);
  const third = factorOf(strata, 2);
  const fourth = factorOf(strata, 3);
  for (let record = begin; record < end; record += 20) {
    const p = rowOf(first, record, 0);
    const q = rowOf(second, record, 1);
    const o = rowOf(third, record, 2);
    const l = rowOf(fourth, record, 3);
    let predicted = f32x4.splat(0);
    let squares = f32x4.splat(0);
    for (let at: usize = 0; at < ROW; at += 16) {
      const a = v128.load(p + at);
      const b = v128.load(q + at);
      const c = v128.load(o + at);
      const d = v128.load(l + at);
      const ab = f32x4.mul(a, b);
      const cd = f32x4.mul(c, d);
      const bcd = f32x4.mul(b, cd);
      const acd = f32x4.mul(a, cd);
      const abd = f32x4.mul(ab, d);
      const abc = f32x4.mul(ab, c);
      predicted = f32x4.add(predicted, f32x4.mul(ab, cd));
      squares = f32x4.add(squares, f32x4.add(
        f32x4.add(f32x4.mul(bcd, bcd), f32x4.mul(acd, acd)), f32x4.add(f32x4.mul(abd, abd), f32x4.mul(abc, abc)),
      ));
    }
    const s = f32x4.splat(stepOf(predicted, squares, load<f32>(record, 16), rate, least));
    for (let at: usize = 0; at < ROW; at += 16) {
      const a = v128.load(p + at);
      const b = v128.load(q + at);
      const c = v128.load(o + at);
      const d = v128.load(l + at);
      const ab = f32x4.mul(a, b);
      const cd = f32x4.mul(c, d);
      move(p + at, a, s, f32x4.mul(b, cd));
      move(q + at, b, s, f32x4.mul(a, cd));
      move(o + at, c, s, f32x4.mul(ab, d));
      move(l + at, d, s, f32x4.mul(ab, c));
    }
  }
}

/** One vector of k_m. */
@inline
function productWithout(strata: usize, order: u32, record: usize, mode: u32, at: usize): v128 {
  let k = f32x4.splat(1);
  for (let other: u32 = 0; other < order; other++)
    if (other != mode) k = f32x4.mul(k, v128.load(rowOf(factorOf(strata, other), record, other) + at));
  return k;
}

/** Processes the records of a cell, any order. */
function moveAny(strata: usize, order: u32, begin: usize, end: usize, rate: f32, least: f32): void {
  const stride = <usize>(order + 1) << 2;
  for (let record = begin; record < end; record += stride) {
    const p = rowOf(factorOf(strata, 0), record, 0);
    let predicted = f32x4.splat(0);
    let squares = f32x4.splat(0);
    for (let at: usize = 0; at < ROW; at += 16) {
      for (let mode: u32 = 0; mode < order; mode++) {
        const k = productWithout(strata, order, record, mode, at);
        squares = f32x4.add(squares, f32x4.mul(k, k));
        if (mode == 0) predicted = f32x4.add(predicted, f32x4.mul(v128.load(p + at), k));
      }
    }
    const s = f32x4.splat(stepOf(predicted, squares, load<f32>(record + stride - 4), rate, least));
    for (let at: usize = 0; at < ROW; at += 16) moveVector(strata, order, record, at, s);
  }
}

/**
 * Moves one vector of all modes, from the values before the step: k of a mode is the product of those before
 * and after it.
 */
function moveVector(strata: usize, order: u32, record: usize, at: usize, s: v128): void {
  let before = f32x4.splat(1);
  for (let mode: u32 = 0; mode < order; mode++) {
    const row = rowOf(factorOf(strata, mode), record, mode) + at;
    const a = v128.load(row);
    let k = before;
    for (let other = mode + 1; other < order; other++)
      k = f32x4.mul(k, v128.load(rowOf(factorOf(strata, other), record, other) + at));
    before = f32x4.mul(before, a);
    move(row, a, s, k);
  }
}

/** Copies every threads-th row of a factor to its position in the order of the blocks. */
export function toBlockOrder(factor: usize, positions: usize, rows: u32, into: usize, thread: u32, threads: u32): void {
  for (let row = thread; row < rows; row += threads)
    memory.copy(into + <usize>load<u32>(positions + (<usize>row << 2)) * ROW, factor + <usize>row * ROW, ROW);
}

/** Copies every threads-th row from its position in the order of the blocks back to the factor. */
export function fromBlockOrder(from: usize, positions: usize, rows: u32, factor: usize, thread: u32, threads: u32): void {
  for (let row = thread; row < rows; row += threads)
    memory.copy(factor + <usize>row * ROW, from + <usize>load<u32>(positions + (<usize>row << 2)) * ROW, ROW);
}
