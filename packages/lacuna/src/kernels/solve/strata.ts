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

/** The absolute residual from which on an entry is skipped: the model has diverged there. */
const LARGEST_RESIDUAL: f32 = 1e18;

/** Nanoseconds that a thread sleeps when its spins are used up. */
const SLEEP: i64 = 20000;

/**
 * Runs one epoch of stratified SGD: every stratum in order, and in each the cells of this thread, which are
 * those of every threads-th block of the first mode. Updates the factors in place.
 * @param strata the address of the grid's description (STRATA_…, layout.ts)
 * @param rate η
 * @param minSquares lower bound of Σ‖k_m‖² in the step size
 * @param turn the number of strata since the turns were set to 0
 * @param spins how often a thread checks its turn before it sleeps
 */
export function strataEpoch(
  strata: usize, rate: f32, minSquares: f32, turn: u32, thread: u32, threads: u32, spins: u32,
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
      if (order == 3) updateCellOfThree(strata, begin, end, rate, minSquares);
      else if (order == 4) updateCellOfFour(strata, begin, end, rate, minSquares);
      else updateCellOfAny(strata, order, begin, end, rate, minSquares);
      passTurns(strata, s, b, turn + s + 1);
    }
  }
}

@inline
/**
 * The address of the turn (the number of strata done) of that block of a mode which stratum s combines with
 * block b of the first mode.
 */
function turnAddress(strata: usize, order: u32, mode: u32, s: u32, b: u32): usize {
  const shift = load<u32>(strata, STRATA_SHIFT);
  const blocks: u32 = 1 << shift;
  const digit = mode == 0 ? 0 : s >> (shift * (order - 1 - mode));
  const block = (b + digit) & (blocks - 1);
  return load<usize>(strata, STRATA_TURNS) + <usize>(mode * blocks + block) * STRATA_TURN_BYTES;
}

/** Waits until the turns of all blocks of cell b of stratum s are `turn`; sleeps after `maxSpins` checks. */
function awaitTurns(strata: usize, s: u32, b: u32, turn: u32, maxSpins: u32): void {
  const order = load<u32>(strata, STRATA_ORDER);
  for (let mode: u32 = 0; mode < order; mode++) {
    const at = turnAddress(strata, order, mode, s, b);
    let spins: u32 = 0;
    for (let now = atomic.load<u32>(at); now != turn; now = atomic.load<u32>(at)) {
      // No thread notifies: that would cost more than checking again.
      if (++spins > maxSpins) atomic.wait<u32>(at, now, SLEEP);
    }
  }
}

/** Sets the turns of all blocks of cell b of stratum s to `turn`: the next stratum may use them. */
function passTurns(strata: usize, s: u32, b: u32, turn: u32): void {
  const order = load<u32>(strata, STRATA_ORDER);
  for (let mode: u32 = 0; mode < order; mode++) atomic.store<u32>(turnAddress(strata, order, mode, s, b), turn);
}

@inline
/** The address of the factor of a mode, its rows in the order of the blocks. */
function factorAddress(strata: usize, mode: u32): usize {
  return load<usize>(strata + (<usize>mode << 2), STRATA_FACTORS);
}

@inline
/** The address of the row of a factor that a record refers to. */
function rowAddress(factor: usize, record: usize, mode: usize): usize {
  return factor + <usize>load<u32>(record + (mode << 2)) * ROW;
}

@inline
/**
 * η e / max(Σ‖k_m‖², minSquares) with the residual e = x − prediction (value minus prediction); 0 where the
 * model has diverged. predicted, squares: lane by lane sums of the prediction and of Σ‖k_m‖².
 */
function stepSize(predicted: v128, squares: v128, x: f32, rate: f32, minSquares: f32): f32 {
  const pairs = f32x4.add(v128.shuffle<f32>(predicted, squares, 0, 1, 4, 5), v128.shuffle<f32>(predicted, squares, 2, 3, 6, 7));
  const both = f32x4.add(pairs, v128.shuffle<f32>(pairs, pairs, 1, 0, 3, 2));
  const e = x - f32x4.extract_lane(both, 0);
  return abs(e) < LARGEST_RESIDUAL ? rate * e / max(f32x4.extract_lane(both, 2), minSquares) : 0;
}

@inline
/** Stores (a + s k)₊, four components of a row after a Kaczmarz step, at `row`. */
function updateVector(row: usize, a: v128, s: v128, k: v128): void {
  v128.store(row, f32x4.pmax(f32x4.splat(0), f32x4.add(a, f32x4.mul(s, k))));
}

/** Takes a Kaczmarz step for each record of a cell [begin, end), in order, for tensors of order 3. */
function updateCellOfThree(strata: usize, begin: usize, end: usize, rate: f32, minSquares: f32): void {
  const first = factorAddress(strata, 0);
  const second = factorAddress(strata, 1);
  const third = factorAddress(strata, 2);
  for (let record = begin; record < end; record += 16) {
    const p = rowAddress(first, record, 0);
    const q = rowAddress(second, record, 1);
    const o = rowAddress(third, record, 2);
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
    const s = f32x4.splat(stepSize(predicted, squares, load<f32>(record, 12), rate, minSquares));
    for (let at: usize = 0; at < ROW; at += 16) {
      const a = v128.load(p + at);
      const b = v128.load(q + at);
      const c = v128.load(o + at);
      updateVector(p + at, a, s, f32x4.mul(b, c));
      updateVector(q + at, b, s, f32x4.mul(a, c));
      updateVector(o + at, c, s, f32x4.mul(a, b));
    }
  }
}

/** Takes a Kaczmarz step for each record of a cell [begin, end), in order, for tensors of order 4. */
function updateCellOfFour(strata: usize, begin: usize, end: usize, rate: f32, minSquares: f32): void {
  const first = factorAddress(strata, 0);
  const second = factorAddress(strata, 1);
  const third = factorAddress(strata, 2);
  const fourth = factorAddress(strata, 3);
  for (let record = begin; record < end; record += 20) {
    const p = rowAddress(first, record, 0);
    const q = rowAddress(second, record, 1);
    const o = rowAddress(third, record, 2);
    const l = rowAddress(fourth, record, 3);
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
    const s = f32x4.splat(stepSize(predicted, squares, load<f32>(record, 16), rate, minSquares));
    for (let at: usize = 0; at < ROW; at += 16) {
      const a = v128.load(p + at);
      const b = v128.load(q + at);
      const c = v128.load(o + at);
      const d = v128.load(l + at);
      const ab = f32x4.mul(a, b);
      const cd = f32x4.mul(c, d);
      updateVector(p + at, a, s, f32x4.mul(b, cd));
      updateVector(q + at, b, s, f32x4.mul(a, cd));
      updateVector(o + at, c, s, f32x4.mul(ab, d));
      updateVector(l + at, d, s, f32x4.mul(ab, c));
    }
  }
}

@inline
/** Four components, from byte `at` on, of k_m: the product of the rows of all modes but m. */
function productWithout(strata: usize, order: u32, record: usize, mode: u32, at: usize): v128 {
  let k = f32x4.splat(1);
  for (let other: u32 = 0; other < order; other++)
    if (other != mode) k = f32x4.mul(k, v128.load(rowAddress(factorAddress(strata, other), record, other) + at));
  return k;
}

/** Takes a Kaczmarz step for each record of a cell [begin, end), in order, for tensors of any order. */
function updateCellOfAny(strata: usize, order: u32, begin: usize, end: usize, rate: f32, minSquares: f32): void {
  const stride = <usize>(order + 1) << 2;
  for (let record = begin; record < end; record += stride) {
    const p = rowAddress(factorAddress(strata, 0), record, 0);
    let predicted = f32x4.splat(0);
    let squares = f32x4.splat(0);
    for (let at: usize = 0; at < ROW; at += 16) {
      for (let mode: u32 = 0; mode < order; mode++) {
        const k = productWithout(strata, order, record, mode, at);
        squares = f32x4.add(squares, f32x4.mul(k, k));
        if (mode == 0) predicted = f32x4.add(predicted, f32x4.mul(v128.load(p + at), k));
      }
    }
    const s = f32x4.splat(stepSize(predicted, squares, load<f32>(record + stride - 4), rate, minSquares));
    for (let at: usize = 0; at < ROW; at += 16) updateVectors(strata, order, record, at, s);
  }
}

/**
 * Updates four components, from byte `at` on, of the rows of all modes from their values before the step: k
 * of a mode is the product of the modes before and after it. s: the step size.
 */
function updateVectors(strata: usize, order: u32, record: usize, at: usize, s: v128): void {
  let before = f32x4.splat(1);
  for (let mode: u32 = 0; mode < order; mode++) {
    const row = rowAddress(factorAddress(strata, mode), record, mode) + at;
    const a = v128.load(row);
    let k = before;
    for (let other = mode + 1; other < order; other++)
      k = f32x4.mul(k, v128.load(rowAddress(factorAddress(strata, other), record, other) + at));
    before = f32x4.mul(before, a);
    updateVector(row, a, s, k);
  }
}

/**
 * Copies every threads-th row of a factor to its position, given by `positions`, in the order of the blocks.
 */
export function toBlockOrder(factor: usize, positions: usize, rows: u32, into: usize, thread: u32, threads: u32): void {
  for (let row = thread; row < rows; row += threads)
    memory.copy(into + <usize>load<u32>(positions + (<usize>row << 2)) * ROW, factor + <usize>row * ROW, ROW);
}

/**
 * Copies every threads-th row from its position, given by `positions`, in the order of the blocks to the
 * factor.
 */
export function fromBlockOrder(from: usize, positions: usize, rows: u32, factor: usize, thread: u32, threads: u32): void {
  for (let row = thread; row < rows; row += threads)
    memory.copy(factor + <usize>row * ROW, from + <usize>load<u32>(positions + (<usize>row << 2)) * ROW, ROW);
}
