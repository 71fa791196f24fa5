/** The absent cells of a long table: those of a model that have no row in it, found while the rows are read. */
import { type AskedRows, labelOf } from '../../../model/index.ts'
import { cellsOf } from '../../../tensor/index.ts'
import type { Labelled } from '../../table/index.ts'

/** The most cells that are examined; their bits take 32 MiB. */
const MOST_CELLS = 2 ** 28
/** Cells that are predicted at a time. */
const CELLS_AT_ONCE = 4096

/** Absent cells as rows to be predicted, with the labels of each. */
type AbsentBatch = AskedRows & { labels: (row: number) => string[] }

/** Marks the cells that have a row in the table, and lists the absent ones. */
export class AbsentCells {
  readonly #model: Labelled
  readonly #cells: number
  readonly #isPresent: Uint8Array
  #present = 0

  /** @param model whose cells are examined; use AbsentCells.of, which refuses too many */
  private constructor(model: Labelled, cells: number) {
    this.#model = model
    this.#cells = cells
    this.#isPresent = new Uint8Array(Math.ceil(cells / 8))
  }

  /** The collector for a model; undefined if it has too many cells. */
  static of(model: Labelled): AbsentCells | undefined {
    const cells = cellsOf(model.dims)
    return cells <= MOST_CELLS ? new AbsentCells(model, cells) : undefined
  }

  /** Notes the cells of a batch of rows; those with unknown labels are none. */
  note({ rowCount, indices }: AskedRows): void {
    const { dims } = this.#model
    for (let row = 0; row < rowCount; row++) {
      let cell = 0
      for (let mode = 0; mode < dims.length; mode++) {
        const index = indices[mode][row]
        cell = index < 0 ? NaN : cell * dims[mode] + index
      }
      if (Number.isNaN(cell)) continue
      const bit = 1 << (cell & 7)
      if ((this.#isPresent[cell >> 3] & bit) !== 0) continue
      this.#isPresent[cell >> 3] |= bit
      this.#present++
    }
  }

  /** The number of absent cells. */
  get count(): number {
    return this.#cells - this.#present
  }

  /**
   * Yields the absent cells, some thousands at a time, with their labels by mode.
   * @param key by which cells are sorted, those of equal keys in C order; by default all come in C order
   */
  *batches(key?: (cell: readonly number[]) => number): Generator<AbsentBatch> {
    let found: number[] = []
    for (const cell of key ? this.#sorted(key) : this.#absent()) {
      found.push(cell)
      if (found.length < CELLS_AT_ONCE) continue
      yield this.#batch(found)
      found = []
    }
    if (found.length > 0) yield this.#batch(found)
  }

  /** Yields the numbers of the absent cells, in C order. */
  *#absent(): Generator<number> {
    for (let cell = 0; cell < this.#cells; cell++)
      if ((this.#isPresent[cell >> 3] & (1 << (cell & 7))) === 0) yield cell
  }

  /** The numbers of the absent cells, sorted by their keys. */
  #sorted(key: (cell: readonly number[]) => number): number[] {
    const cells = Array.from(this.#absent(), (cell) => ({ cell, key: key(this.#coordinate(cell)) }))
    return cells.sort((a, b) => a.key - b.key || a.cell - b.cell).map(({ cell }) => cell)
  }

  /** The indices of a cell by its number. */
  #coordinate(cell: number): number[] {
    const { dims } = this.#model
    const indices = dims.map(() => 0)
    for (let mode = dims.length - 1, rest = cell; mode >= 0; mode--) {
      indices[mode] = rest % dims[mode]
      rest = Math.floor(rest / dims[mode])
    }
    return indices
  }

  /** The cells of these numbers as rows. */
  #batch(cells: readonly number[]): AbsentBatch {
    const coordinates = cells.map((cell) => this.#coordinate(cell))
    const { dims } = this.#model
    return {
      rowCount: cells.length,
      indices: dims.map((_, mode) => Float64Array.from(coordinates, (indices) => indices[mode])),
      observed: new Float64Array(cells.length).fill(NaN),
      labels: (row) => coordinates[row].map((index, mode) => labelOf(this.#model, mode, index)),
    }
  }
}
