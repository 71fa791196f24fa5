/** Intervals around predictions, batch by batch, and an account of how many of the values that were observed they hold. */

import type { AskedRows } from '../predict/predictRows.ts'
import type { CpEnsemble } from './cpEnsemble.ts'

export class RowIntervals {
  readonly level: number
  /** Of the rows that have a value and an interval. */
  readonly held = { rows: 0, inside: 0 }
  readonly #around: ReturnType<CpEnsemble['intervalsAt']>

  constructor(model: CpEnsemble, level: number) {
    this.level = level
    this.#around = model.intervalsAt(level)
  }

  /** The lower and the upper ends; NaN where a row has no prediction, or some index of it is not known. */
  ends({ rowCount, indices, observed }: AskedRows, predictions: Float64Array): [Float64Array, Float64Array] {
    const lows = new Float64Array(rowCount).fill(NaN)
    const highs = new Float64Array(rowCount).fill(NaN)
    for (let row = 0; row < rowCount; row++) {
      const cell = indices.map((column) => column[row])
      if (Number.isNaN(predictions[row]) || cell.some((index) => index < 0)) continue
      const { low, high } = this.#around(cell, predictions[row])
      lows[row] = low
      highs[row] = high
      const x = observed[row]
      if (!Number.isFinite(x)) continue
      this.held.rows++
      if (x >= low && x <= high) this.held.inside++
    }
    return [lows, highs]
  }
}
