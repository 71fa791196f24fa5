/**
 * Cells that are drawn at random by several processes: the cells of `pickCells` in one process, each in the
 * process that the hash of its coordinates names.
 */

import { grow, trim, uint32Array } from '../../base/sharedArrays.ts'
import type { Communicator } from '../../comm/index.ts'
import { coordinateTable } from '../order/coordinateTable.ts'
import { hashOwners } from '../scatter.ts'
import { cellDraws, forEachPickedCell, isWalkingFaster } from './pickCells.ts'

/** Cells that are drawn in one round, after which the processes agree on which of them are new. */
const CELLS_PER_ROUND = 2 ** 20

/** Numbers of held-out cells. */
type Sizes = readonly [validation: number, test: number]

/**
 * Picks the cells that `pickCells` picks in one process.
 * @param sizes the numbers of cells of validation and test, of all processes together
 * @returns for validation and test, index columns of the cells that this process owns
 */
export async function pickShardCells(
  communicator: Communicator,
  dims: readonly number[],
  sizes: Sizes,
  seed: number,
): Promise<Uint32Array[][]> {
  return isWalkingFaster(dims, sizes[0] + sizes[1])
    ? pickOwnCellsByWalking(communicator, dims, sizes, seed)
    : pickOwnCellsByRejection(communicator, dims, sizes, seed)
}

/**
 * Picks cells in one pass over all cells, and keeps those that this process owns; faster when more than half
 * of all cells are wanted.
 */
function pickOwnCellsByWalking(
  { rank, size }: Communicator,
  dims: readonly number[],
  sizes: Sizes,
  seed: number,
): Uint32Array[][] {
  const groups = sizes.map(() => new CellList(dims.length))
  const column = dims.map(() => new Uint32Array(1))
  const findOwners = hashOwners(column, size)
  const owner = new Uint32Array(1)
  forEachPickedCell(dims, sizes, seed, (cell, group) => {
    for (let mode = 0; mode < dims.length; mode++) column[mode][0] = cell[mode]
    findOwners(0, 1, owner)
    if (owner[0] === rank) groups[group].add(cell)
  })
  return groups.map((group) => group.finish())
}

/**
 * Picks cells by drawing at random and rejecting repeats: all processes draw the same cells in rounds, and
 * the owner of a cell decides whether it is new. Fast while at most half of all cells are wanted.
 */
async function pickOwnCellsByRejection(
  communicator: Communicator,
  dims: readonly number[],
  sizes: Sizes,
  seed: number,
): Promise<Uint32Array[][]> {
  const wanted = sizes[0] + sizes[1]
  const draws = cellDraws(dims, seed)
  const perRound = Math.min(CELLS_PER_ROUND, Math.max(1024, wanted))
  const columns = dims.map(() => new Uint32Array(perRound))
  const findOwners = hashOwners(columns, communicator.size)
  const owners = new Uint32Array(perRound)
  const groups = sizes.map(() => new CellList(dims.length))
  const drawn = new CellList(dims.length)
  const cell = new Uint32Array(dims.length)
  let picked = 0
  for (let first = 0; picked < wanted; first += perRound) {
    dims.forEach((_, mode) => {
      for (let i = 0; i < perRound; i++) columns[mode][i] = draws[mode](first + i)
    })
    findOwners(0, perRound, owners)
    /** Copies drawn cell number i of this round into `cell`, which is reused. */
    const cellAt = (i: number): Uint32Array => {
      for (let mode = 0; mode < dims.length; mode++) cell[mode] = columns[mode][i]
      return cell
    }
    // One bit per cell: whether it is new. Only its owner sets it, so the sum over all processes has all
    // bits.
    const isNew = uint32Array(Math.ceil(perRound / 32))
    for (let i = 0; i < perRound; i++)
      if (owners[i] === communicator.rank && drawn.addNew(cellAt(i))) isNew[i >>> 5] |= 1 << (i & 31)
    await communicator.allReduce(isNew)
    for (let i = 0; i < perRound && picked < wanted; i++) {
      if ((isNew[i >>> 5] & (1 << (i & 31))) === 0) continue
      const group = picked++ < sizes[0] ? 0 : 1
      if (owners[i] === communicator.rank) groups[group].add(cellAt(i))
    }
  }
  return groups.map((group) => group.finish())
}

/** Growing index columns of cells, in memory that threads can share. */
class CellList {
  #columns: Uint32Array[]
  #count = 0
  #table: ReturnType<typeof coordinateTable> | undefined

  /** @param order the number of modes */
  constructor(order: number) {
    this.#columns = Array.from({ length: order }, () => uint32Array(1024))
  }

  /** Appends a cell, also one that is in the list. */
  add(cell: Uint32Array): void {
    this.#put(cell)
    this.#count++
  }

  /**
   * Adds a cell unless it is in the list, to which all others must have been added in this way.
   * @returns whether it is new
   */
  addNew(cell: Uint32Array): boolean {
    this.#put(cell)
    this.#table ??= this.#tableOfAll()
    const isNew = this.#table.add(this.#count) === this.#count
    if (isNew) this.#count++
    return isNew
  }

  /** Returns the index columns, without unused capacity. */
  finish(): Uint32Array[] {
    return this.#columns.map((column) => trim(column, this.#count))
  }

  /** Writes a cell behind the last one, with more capacity if needed, and does not count it. */
  #put(cell: Uint32Array): void {
    if (this.#count === this.#columns[0].length) {
      this.#columns = this.#columns.map((column) => grow(column, 2 * column.length))
      this.#table = undefined
    }
    for (let mode = 0; mode < cell.length; mode++) this.#columns[mode][this.#count] = cell[mode]
  }

  /** Returns a hash table of all cells of the list, as large as its capacity. */
  #tableOfAll(): ReturnType<typeof coordinateTable> {
    const table = coordinateTable(this.#columns, this.#columns[0].length)
    for (let e = 0; e < this.#count; e++) table.add(e)
    return table
  }
}
