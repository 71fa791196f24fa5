/** Intervals for the rows of a table, in batches, and their coverage of observed values. */

import type { AskedRows } from '../predict/predictRows.ts'
import type { CpEnsemble } from './cpEnsemble.ts'

/** Computes intervals batch by batch and counts the observed values that they contain. */
export class RowIntervals {
  /** Probability that an interval contains the value. */
  readonly level: number
  /** Rows with a value and an interval, and those whose interval contains the value. */
  readonly coverage = { rows: 0, inside: 0 }
  /** Rows with a prediction for which no interval can be given, since rows of theirs have no entries. */
  withoutInterval = 0
  /** Returns the interval of a cell, given by its indices and its prediction. */
  readonly #intervalOf: ReturnType<CpEnsemble['intervalsAt']>
  readonly #isMean: boolean

  /**
   * @param level probability that an interval contains the value, between 0 and 1
   * @param fallback prediction for rows with an unknown label; those that are the 'mean' have intervals
   */
  constructor(model: CpEnsemble, level: number, fallback?: number | 'mean') {
    this.level = level
    this.#intervalOf = model.intervalsAt(level)
    this.#isMean = fallback === 'mean'
  }

  /**
   * Returns the lower and the upper ends of the intervals of a batch; NaN for rows without a prediction or
   * an interval. Adds to `coverage` and `withoutInterval`.
   */
  ends({ rowCount, indices, observed }: AskedRows, predictions: Float64Array): [Float64Array, Float64Array] {
    const lows = new Float64Array(rowCount).fill(NaN)
    const highs = new Float64Array(rowCount).fill(NaN)
    for (let row = 0; row < rowCount; row++) {
      const cell = indices.map((column) => column[row])
      if (Number.isNaN(predictions[row])) continue
      if (!this.#isMean && cell.some((index) => index < 0)) continue
      const { low, high } = this.#intervalOf(cell, predictions[row])
      lows[row] = low
      highs[row] = high
      if (Number.isNaN(low)) {
        this.withoutInterval++
        continue
      }
      // As training values are kept: the largest of them is a frequent end.
      const x = Math.fround(observed[row])
      if (!Number.isFinite(x)) continue
      this.coverage.rows++
      if (x >= low && x <= high) this.coverage.inside++
    }
    return [lows, highs]
  }
}
