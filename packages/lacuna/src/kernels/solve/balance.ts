// Passes over the rows of a factor, block by block, for balancing its columns (engine/cpu/steps/balance.ts).
// Each thread has every threads-th block; sums of a block are in float32, and are added in the order of the
// blocks. Rows without entries do not count.
import { BLOCK_ROWS } from "./layout";
import { ROW } from "./rank";

/** Per block, the sum of the squares of each column (R). */
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

/** Per block, the sum of each column (R). */
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

/** Multiplies each column r of a factor by by_r (R). */
export function scaleColumns(factor: usize, rows: u32, by: usize, thread: u32, threads: u32): void {
  for (let begin = thread * BLOCK_ROWS; begin < rows; begin += threads * BLOCK_ROWS) {
    const end = min(begin + BLOCK_ROWS, rows);
    for (let p = begin; p < end; p++) {
      const row = factor + <usize>p * ROW;
      for (let at: usize = 0; at < ROW; at += 16) v128.store(row + at, f32x4.mul(v128.load(row + at), v128.load(by + at)));
    }
  }
}

/** Copies `row` (R) to the rows without entries. */
export function fillEmptyRows(factor: usize, rows: u32, lengths: usize, row: usize, thread: u32, threads: u32): void {
  for (let begin = thread * BLOCK_ROWS; begin < rows; begin += threads * BLOCK_ROWS) {
    const end = min(begin + BLOCK_ROWS, rows);
    for (let p = begin; p < end; p++)
      if (load<u32>(lengths + (<usize>p << 2)) == 0) memory.copy(factor + <usize>p * ROW, row, ROW);
  }
}
