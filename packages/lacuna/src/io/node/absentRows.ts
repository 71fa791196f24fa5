/** The cells of a model that no row of a long table has: they are found while the rows are read. */
import { type AskedRows, labelOf } from '../../model/index.ts'
import { cellsOf } from '../../tensor/index.ts'
import type { Labelled } from '../table/index.ts'

/** More cells than this are not looked at: their bits would take 32 MiB. */
const MOST_CELLS = 2 ** 28
/** Cells that are predicted at a time. */
const CELLS_AT_ONCE = 4096

/** Collects the cells that rows have, and lists the others. */
export class AbsentRows {
  readonly #model: Labelled
  readonly #cells: number
  readonly #isPresent: Uint8Array
  #present = 0

  /** @param model whose cells are looked at; use AbsentRows.of, which refuses too many */
  private constructor(model: Labelled, cells: number) {
    this.#model = model
    this.#cells = cells
    this.#isPresent = new Uint8Array(Math.ceil(cells / 8))
  }

  /** The collector for a model; undefined if it has too many cells. */
  static of(model: Labelled): AbsentRows | undefined {
    const cells = cellsOf(model.dims)
    return cells <= MOST_CELLS ? new AbsentRows(model, cells) : undefined
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

  /** The number of cells that no row has. */
  get count(): number {
    return this.#cells - this.#present
  }

  /** Yields the cells that no row has, in C order, some thousands at a time, with their labels by mode. */
  *batches(): Generator<AskedRows & { labels: (row: number) => string[] }> {
    const { dims } = this.#model
    let found: number[] = []
    for (let cell = 0; cell <= this.#cells; cell++) {
      const isLast = cell === this.#cells
      if (!isLast && (this.#isPresent[cell >> 3] & (1 << (cell & 7))) === 0) found.push(cell)
      if (found.length < CELLS_AT_ONCE && !(isLast && found.length > 0)) continue
      const cells = found
      const indices = dims.map((_, mode) => {
        const below = dims.slice(mode + 1).reduce((product, dim) => product * dim, 1)
        return Float64Array.from(cells, (each) => Math.floor(each / below) % dims[mode])
      })
      yield {
        rowCount: cells.length,
        indices,
        observed: new Float64Array(cells.length).fill(NaN),
        labels: (row) => dims.map((_, mode) => labelOf(this.#model, mode, indices[mode][row])),
      }
      found = []
    }
  }
}
