import { InputError } from '../../base/inputError.ts'
import { type ErrorSummary, summarizeError } from '../evaluate/errorSummary.ts'
import { clipped, type Predictor } from '../factored.ts'
import { predictKnown } from './predictKnown.ts'

/** Rows that a model is asked about, and what was observed there. */
export interface AskedRows {
  rowCount: number
  /** Per mode, the index from 0 of each row, or -1 where it is not known. */
  indices: readonly Float64Array[]
  /** NaN where nothing was observed. */
  observed: Float64Array
}

/**
 * Predicts rows batch by batch, and keeps account of what was not known and how far off the predictions were.
 */
export class RowPredictor {
  rows = 0
  /** Rows of which some index is not known. */
  unknown = 0
  readonly #partly: ReturnType<typeof predictKnown>
  readonly #range: Pick<Predictor, 'observed'>
  readonly #fallback: number | 'mean' | undefined
  readonly #sums = { squares: 0, absolutes: 0, norm2: 0, entries: 0 }

  /**
   * `fallback`: what to predict where an index is not known; nothing, a number, or the mean over the modes
   * not known. `clip`: predictions stay within the values that were seen.
   */
  constructor(
    model: Pick<Predictor, 'members' | 'observed' | 'refine'>,
    fallback?: number | 'mean',
    { clip = true }: { clip?: boolean } = {},
  ) {
    this.#partly = predictKnown(model)
    this.#range = clip ? model : {}
    this.#fallback = fallback
  }

  /** NaN where there is no prediction. */
  predict({ rowCount, indices, observed }: AskedRows): Float64Array {
    const predictions = new Float64Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      const coordinate = indices.map((column) => (column[row] < 0 ? null : column[row]))
      const known = !coordinate.includes(null)
      if (!known) this.unknown++
      const y =
        known || this.#fallback === 'mean'
          ? clipped(this.#range, this.#partly(coordinate))
          : (this.#fallback ?? NaN)
      if (y === Infinity)
        throw new InputError(
          'value',
          `Row ${this.rows + row + 1}: the prediction is larger than any number that can be written; scale the values down and train again.`,
        )
      predictions[row] = y
      const x = observed[row]
      if (!Number.isFinite(x) || Number.isNaN(y)) continue
      this.#sums.squares += (x - y) ** 2
      this.#sums.absolutes += Math.abs(x - y)
      this.#sums.norm2 += x * x
      this.#sums.entries++
    }
    this.rows += rowCount
    return predictions
  }

  /** Over the rows with a value and a prediction; undefined if there are none. */
  error(): ErrorSummary | undefined {
    return this.#sums.entries > 0 ? summarizeError(this.#sums) : undefined
  }
}
