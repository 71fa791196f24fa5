/**
 * The training entries by the cells of a grid of blocks of rows, for SGD in strata (kernels/solve/strata.ts). Rows come to blocks at
 * random, each block with about as many entries as the others; their places in the order of the blocks stand in the records,
 * and while an epoch runs the factors lie in that order, where momentum has its past otherwise: a cell's rows are neighbours.
 *
 * All of it follows from the seed and the rows' lengths, and entries stand in their cells as in the view of the first mode: by
 * row, and at random within it. Every process has all cells and does all the work itself, in the first of its parts: so
 * neither parts nor processes make a difference. Exchanging rows after every stratum would take longer than the work.
 */

import { below, draw } from '../../../../base/random.ts'
import { uint32Array } from '../../../../base/sharedArrays.ts'
import { STRATA_FACTORS, STRATA_TURN_BYTES } from '../../../../kernels/solve/layout.ts'

/** Blocks of every mode, g: powers of two, so that one of 8 or 16 threads has as many of them as another. */
const BLOCKS = [32, 16, 8, 4, 2]
/** Cells are to have so many entries on average: fewer are not worth waiting for one's turn. */
const ENTRIES_OF_CELL = 32

/** g; 2 at least, however few entries there are. */
export const strataBlocks = (order: number, entries: number): number =>
  BLOCKS.find((g) => entries / g ** order >= ENTRIES_OF_CELL) ?? BLOCKS[BLOCKS.length - 1]

/** Where it lies in the first part of a process. */
export interface StrataLayout {
  descriptor: number
  blocks: number
  cellCount: number
  cells: number
  records: number
  turns: number
  /** Per mode, (P): the place of each row in the order of the blocks. */
  places: readonly number[]
}

/** entries: all of them. */
export function layOutStrata(
  take: (item: string, bytes: number) => number,
  dims: readonly number[],
  entries: number,
): StrataLayout {
  const order = dims.length
  const blocks = strataBlocks(order, entries)
  const cellCount = blocks ** order
  return {
    descriptor: take('cells', STRATA_FACTORS + 4 * order),
    blocks,
    cellCount,
    cells: take('cells', 4 * (cellCount + 1)),
    records: take('cells', 4 * (order + 1) * entries),
    turns: take('cells', STRATA_TURN_BYTES * order * blocks),
    places: dims.map((rows) => take('cells', 4 * rows)),
  }
}

/** Puts the rows in a random order, cut where a block has its share of the entries. Returns each row's block. */
export function divideIntoBlocks(
  lengths: Uint32Array,
  blocks: number,
  key: number,
  places: Uint32Array,
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
  const blockOf = uint32Array(rows)
  let before = 0
  for (let place = 0; place < rows; place++) {
    const row = order[place]
    places[row] = place
    blockOf[row] = Math.min(blocks - 1, Math.floor((before * blocks) / entries))
    before += lengths[row]
  }
  return blockOf
}
