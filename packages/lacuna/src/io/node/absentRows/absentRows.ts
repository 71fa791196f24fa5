/** The absent rows of a long table, predicted, and returned before the rows of the table that they precede. */
import type { AskedRows } from '../../../model/index.ts'
import type { AbsentCells } from './absentCells.ts'
import type { RowOrder } from './rowOrder.ts'

/** A row that a table does not have, of a cell of the model. */
export interface AbsentRow {
  /** A label per mode. */
  labels: readonly string[]
  /** The prediction, then the numbers that are added to it, such as low and high. */
  answers: readonly number[]
  /** The position in the order of the table; Infinity if it has none. */
  key: number
}

/** The most rows that are sorted in memory; more of them come after the table's own. */
const MOST_SORTED = 2 ** 22

/** Returns the absent rows of a table piece by piece, in the order of the table. */
export class AbsentRows {
  readonly #keyOf: ((cell: readonly number[]) => number) | undefined
  readonly #batches: Generator<AbsentRow[]>
  #batch: AbsentRow[] = []
  #at = 0

  /** @param predict returns the predictions for the rows of a batch, then a column per added number, such as low */
  constructor(cells: AbsentCells, order: RowOrder, predict: (batch: AskedRows) => readonly Float64Array[]) {
    const keyOf = cells.count <= MOST_SORTED ? order.key : undefined
    this.#keyOf = keyOf
    this.#batches = (function* () {
      for (const batch of cells.batches(keyOf)) {
        const answers = predict(batch)
        yield Array.from({ length: batch.rowCount }, (_, row) => ({
          labels: batch.labels(row),
          answers: answers.map((column) => column[row]),
          key: keyOf?.(batch.indices.map((column) => column[row])) ?? Infinity,
        }))
      }
    })()
  }

  /** Returns the rows that come before a row of the table, given by its indices, and have not been returned. */
  before(cell: readonly number[]): AbsentRow[] {
    if (!this.#keyOf || cell.some((index) => index < 0)) return []
    const key = this.#keyOf(cell)
    const rows: AbsentRow[] = []
    for (let row = this.#peek(); row && row.key < key; row = this.#peek()) {
      rows.push(row)
      this.#at++
    }
    return rows
  }

  /** Yields the rows that come after the last one of the table, some thousands at a time. */
  *rest(): Generator<AbsentRow[]> {
    while (this.#peek()) {
      yield this.#batch.slice(this.#at)
      this.#at = this.#batch.length
    }
  }

  /** The next row that has not been returned; undefined if there is none. */
  #peek(): AbsentRow | undefined {
    if (this.#at === this.#batch.length) {
      this.#batch = this.#batches.next().value ?? []
      this.#at = 0
    }
    return this.#batch[this.#at]
  }
}
