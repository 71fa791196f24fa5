/**
 * The grid of stratified SGD (kernels/solve/strata.ts): training entries by cells of blocks of rows. Rows are
 * assigned to blocks at random, so that all blocks have about as many entries. Records hold the positions of
 * rows in the order of the blocks; during an epoch the factors lie in that order, in the memory of the
 * momentum factors, so that the rows of a cell are adjacent.
 * | Everything follows from the seed and the rows' lengths; within a cell, entries have the order of the
 * first mode's view. Every process has all cells and does all the work, in its first partition, so that
 * neither partitions nor processes change the result. Exchanging rows after every stratum would take longer
 * than the work.
 */

import { below, draw } from '../../../../base/random.ts'
import { STRATA_FACTORS, STRATA_TABLES, STRATA_TURN_BYTES } from '../../../../kernels/solve/layout.ts'

/** The choices of g, the blocks per mode: powers of two, so that 8 or 16 threads have equally many. */
const BLOCKS = [32, 16, 8, 4, 2]
/** The fewest entries of a cell on average: for fewer, waiting for its turn is not worthwhile. */
const ENTRIES_OF_CELL = 32

/**
 * g, the blocks per mode, for a tensor of this order and number of entries: the most with full cells, at
 * least 2.
 */
export const strataBlocks = (order: number, entries: number): number =>
  BLOCKS.find((g) => entries / g ** order >= ENTRIES_OF_CELL) ?? BLOCKS[BLOCKS.length - 1]

/** Addresses of the grid in the first partition of a process. */
export interface StrataLayout {
  /** The description of the grid (STRATA_… of kernels/solve/layout.ts). */
  descriptor: number
  /** g, a number of blocks per mode, not an address. */
  blocks: number
  /** gᴺ, a number of cells, not an address. */
  cellCount: number
  /** (gᴺ + 1) The number of each cell's first record. */
  cells: number
  /** (entries × (N + 1)) The positions of the rows, and the value. */
  records: number
  /** (N × g) The number of strata that each block has been through. */
  turns: number
  /** Per mode, (P) the position of each row in the order of the blocks. */
  positions: readonly number[]
  /** Per mode, (P) the block of each row. */
  blockOf: readonly number[]
  /** Per thread, (gᴺ) its entries in each cell, then the number of its next record there. */
  counters: readonly number[]
}

/**
 * Lays out the grid in the memory of a partition.
 * @param take allocates bytes for a purpose
 * @param entries entries of all processes
 * @param threads the threads that fill the cells
 */
export function layOutStrata(
  take: (item: string, bytes: number) => number,
  dims: readonly number[],
  entries: number,
  threads: number,
): StrataLayout {
  const order = dims.length
  const blocks = strataBlocks(order, entries)
  const cellCount = blocks ** order
  return {
    descriptor: take('cells', STRATA_FACTORS + 4 * STRATA_TABLES * order),
    blocks,
    cellCount,
    cells: take('cells', 4 * (cellCount + 1)),
    records: take('cells', 4 * (order + 1) * entries),
    turns: take('cells', STRATA_TURN_BYTES * order * blocks),
    positions: dims.map((rows) => take('cells', 4 * rows)),
    blockOf: dims.map((rows) => take('cells', 4 * rows)),
    counters: Array.from({ length: threads }, () => take('cells', 4 * cellCount)),
  }
}

/**
 * Puts the rows of a mode in a random order and divides them into blocks with about equally many entries.
 * @param lengths entries of each row
 * @param key the random stream
 * @param blocks g, the number of blocks
 * @param positions receives the position of each row in the random order
 * @returns the block of each row
 */
export function divideIntoBlocks(
  lengths: Uint32Array,
  blocks: number,
  key: number,
  positions: Uint32Array,
): Uint32Array {
  const rows = lengths.length
  const order = new Uint32Array(rows)
  let entries = 0
  for (let row = 0; row < rows; row++) {
    const other = below(draw(key, row), row + 1)
    order[row] = order[other]
    order[other] = row
    entries += lengths[row]
  }
  const blockOf = new Uint32Array(rows)
  let before = 0
  for (let position = 0; position < rows; position++) {
    const row = order[position]
    positions[row] = position
    blockOf[row] = Math.min(blocks - 1, Math.floor((before * blocks) / entries))
    before += lengths[row]
  }
  return blockOf
}
