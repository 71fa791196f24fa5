// Passes over the rows of a factor, block by block, for balancing its columns (engine/cpu/steps/balance.ts).
// A block has BLOCK_ROWS rows; thread number `thread` processes every threads-th block. Sums over a block are
// in float32; the caller adds them in the order of the blocks. `lengths` (rows) has the number of entries of
// each row.
import { BLOCK_ROWS } from "./layout";
import { ROW } from "./rank";

/**
 * Writes to `sums` (blocks × R) the sum of the squares of each column over the rows of a block with entries.
 */
export function sumSquares(factor: usize, rows: u32, lengths: usize, sums: usize, thread: u32, threads: u32): void {
  for (let begin = thread * BLOCK_ROWS; begin < rows; begin += threads * BLOCK_ROWS) {
    const end = min(begin + BLOCK_ROWS, rows);
    const own = sums + <usize>(begin / BLOCK_ROWS) * ROW;
    memory.fill(own, 0, ROW);
    for (let p = begin; p < end; p++) {
      if (load<u32>(lengths + (<usize>p << 2)) == 0) continue;
      const row = factor + <usize>p * ROW;
      for (let at: usize = 0; at < ROW; at += 16) {
        const u = v128.load(row + at);
        v128.store(own + at, f32x4.add(v128.load(own + at), f32x4.mul(u, u)));
      }
    }
  }
}

/** Writes to `sums` (blocks × R) the sum of each column over the rows of a block with entries. */
export function sumRows(factor: usize, rows: u32, lengths: usize, sums: usize, thread: u32, threads: u32): void {
  for (let begin = thread * BLOCK_ROWS; begin < rows; begin += threads * BLOCK_ROWS) {
    const end = min(begin + BLOCK_ROWS, rows);
    const own = sums + <usize>(begin / BLOCK_ROWS) * ROW;
    memory.fill(own, 0, ROW);
    for (let p = begin; p < end; p++) {
      if (load<u32>(lengths + (<usize>p << 2)) == 0) continue;
      const row = factor + <usize>p * ROW;
      for (let at: usize = 0; at < ROW; at += 16)
        v128.store(own + at, f32x4.add(v128.load(own + at), v128.load(row + at)));
    }
  }
}

/** Multiplies each column r of a factor (rows × R) in place by by[r] (R). */
export function scaleColumns(factor: usize, rows: u32, by: usize, thread: u32, threads: u32): void {
  for (let begin = thread * BLOCK_ROWS; begin < rows; begin += threads * BLOCK_ROWS) {
    const end = min(begin + BLOCK_ROWS, rows);
    for (let p = begin; p < end; p++) {
      const row = factor + <usize>p * ROW;
      for (let at: usize = 0; at < ROW; at += 16) v128.store(row + at, f32x4.mul(v128.load(row + at), v128.load(by + at)));
    }
  }
}

/** Copies `row` (R) to the rows of a factor (rows × R) that have no entries. */
export function fillEmptyRows(factor: usize, rows: u32, lengths: usize, row: usize, thread: u32, threads: u32): void {
  for (let begin = thread * BLOCK_ROWS; begin < rows; begin += threads * BLOCK_ROWS) {
    const end = min(begin + BLOCK_ROWS, rows);
    for (let p = begin; p < end; p++)
      if (load<u32>(lengths + (<usize>p << 2)) == 0) memory.copy(factor + <usize>p * ROW, row, ROW);
  }
}
