/**
 * Holds out cells of a tensor whose cells are zero where they are not listed, as `splitCells` does in one process. Every process
 * draws all cells, and keeps those that their hash says are its own; its entries it gets by the same hash, so that a cell and
 * its value meet.
 */

import { grow, trim, uint32Array } from '../../base/sharedArrays.ts'
import type { Communicator } from '../../comm/index.ts'
import { coordinateTable } from '../order/coordinateTable.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import { areDealt, cellDraws, walkCells } from '../split/pickCells.ts'
import type { Split, SplitFractions } from '../split/split.ts'
import { cellStream, checkLeft, heldOutSizes, holdOut } from '../split/splitCells.ts'
import { countEntries } from './countEntries.ts'
import { dealByHash, hashOwners } from './mergeShards.ts'

/** Cells that are drawn at a time, between one agreement on which of them are new and the next. */
const DRAWN_AT_A_TIME = 2 ** 20

export async function splitCellShares(
  communicator: Communicator,
  share: SparseTensor,
  shares: SplitFractions,
  seed: number,
): Promise<Split> {
  const { dims } = share
  const sizes = heldOutSizes(dims, await countEntries(communicator, share), shares, seed)
  const pick = areDealt(dims, sizes[0] + sizes[1]) ? dealtCells : drawnCells
  const groups = await pick(communicator, dims, sizes, cellStream(seed))
  const { indices, values, weights } = await dealByHash(communicator, share)
  const split = holdOut({ ...share, indices, values, ...(weights && { weights }) }, groups)
  checkLeft(await countEntries(communicator, split.train), sizes, dims)
  return split
}

type Sizes = readonly [number, number]

/** The own ones of cells that are dense: who walks over all of them needs no memory for the others. */
async function dealtCells(
  { rank: process, size: processes }: Communicator,
  dims: readonly number[],
  sizes: Sizes,
  seed: number,
): Promise<Uint32Array[][]> {
  const groups = sizes.map(() => new CellList(dims.length))
  const column = dims.map(() => new Uint32Array(1))
  const ownerOf = hashOwners(column, processes)
  const owner = new Uint32Array(1)
  walkCells(dims, sizes, seed, (cell, group) => {
    for (let mode = 0; mode < dims.length; mode++) column[mode][0] = cell[mode]
    ownerOf(0, 1, owner)
    if (owner[0] === process) groups[group].add(cell)
  })
  return groups.map((group) => group.finish())
}

/** The own ones of cells that are drawn until enough have been new: whether one is new its owner knows. */
async function drawnCells(
  communicator: Communicator,
  dims: readonly number[],
  sizes: Sizes,
  seed: number,
): Promise<Uint32Array[][]> {
  const wanted = sizes[0] + sizes[1]
  const draws = cellDraws(dims, seed)
  const perRound = Math.min(DRAWN_AT_A_TIME, Math.max(1024, wanted))
  const columns = dims.map(() => new Uint32Array(perRound))
  const ownerOf = hashOwners(columns, communicator.size)
  const owners = new Uint32Array(perRound)
  const groups = sizes.map(() => new CellList(dims.length))
  const seen = new CellList(dims.length)
  const cell = new Uint32Array(dims.length)
  let picked = 0
  for (let first = 0; picked < wanted; first += perRound) {
    dims.forEach((_, mode) => {
      for (let i = 0; i < perRound; i++) columns[mode][i] = draws[mode](first + i)
    })
    ownerOf(0, perRound, owners)
    const cellAt = (i: number): Uint32Array => {
      for (let mode = 0; mode < dims.length; mode++) cell[mode] = columns[mode][i]
      return cell
    }
    // A bit for every cell that is new. No two processes set the same, so that their sum has them all.
    const isNew = uint32Array(Math.ceil(perRound / 32))
    for (let i = 0; i < perRound; i++)
      if (owners[i] === communicator.rank && seen.addNew(cellAt(i))) isNew[i >>> 5] |= 1 << (i & 31)
    await communicator.allReduce(isNew)
    for (let i = 0; i < perRound && picked < wanted; i++) {
      if ((isNew[i >>> 5] & (1 << (i & 31))) === 0) continue
      const group = picked++ < sizes[0] ? 0 : 1
      if (owners[i] === communicator.rank) groups[group].add(cellAt(i))
    }
  }
  return groups.map((group) => group.finish())
}

/** Cells in columns that grow. */
class CellList {
  #columns: Uint32Array[]
  #count = 0
  #table: ReturnType<typeof coordinateTable> | undefined

  constructor(order: number) {
    this.#columns = Array.from({ length: order }, () => uint32Array(1024))
  }

  add(cell: Uint32Array): void {
    this.#put(cell)
    this.#count++
  }

  /** Whether the cell was not there before; all must be added in this way, then. */
  addNew(cell: Uint32Array): boolean {
    this.#put(cell)
    this.#table ??= this.#tableOfAll()
    const isNew = this.#table.add(this.#count) === this.#count
    if (isNew) this.#count++
    return isNew
  }

  finish(): Uint32Array[] {
    return this.#columns.map((column) => trim(column, this.#count))
  }

  #put(cell: Uint32Array): void {
    if (this.#count === this.#columns[0].length) {
      this.#columns = this.#columns.map((column) => grow(column, 2 * column.length))
      this.#table = undefined
    }
    for (let mode = 0; mode < cell.length; mode++) this.#columns[mode][this.#count] = cell[mode]
  }

  #tableOfAll(): ReturnType<typeof coordinateTable> {
    const table = coordinateTable(this.#columns, this.#columns[0].length)
    for (let e = 0; e < this.#count; e++) table.add(e)
    return table
  }
}
