/** Predictions for the rows of a table, in batches. */
import { InputError } from '../../base/inputError.ts'
import { type ErrorSummary, summarizeError } from '../evaluate/errorSummary.ts'
import { clipToRange, type Predictor } from '../factored.ts'
import { partialPredictor } from './partialPredictor.ts'

/** A batch of table rows that a model is to predict, with the observed values. */
export interface AskedRows {
  /** Rows in the batch. */
  rowCount: number
  /** Per mode, the index of each row, from 0; -1 for labels that the model does not know. */
  indices: readonly Float64Array[]
  /** Observed value of each row; NaN where there is none. */
  observed: Float64Array
}

/** Predicts rows batch by batch, counts unknown labels and sums the errors where values were observed. */
export class RowPredictor {
  /** Rows predicted so far. */
  rows = 0
  /** Rows with an unknown label so far. */
  unknown = 0
  readonly #predictPartial: ReturnType<typeof partialPredictor>
  readonly #range: Pick<Predictor, 'observed'>
  readonly #fallback: number | 'mean' | undefined
  readonly #sums = { squares: 0, absolutes: 0, norm2: 0, entries: 0 }

  /**
   * @param fallback prediction for rows with an unknown label: a number, or 'mean' over the modes with
   * unknown labels; none by default
   * @param options clip: whether predictions are limited to the range of the training values, true by default
   */
  constructor(
    model: Pick<Predictor, 'members' | 'weights' | 'observed' | 'refine'>,
    fallback?: number | 'mean',
    { clip = true }: { clip?: boolean } = {},
  ) {
    this.#predictPartial = partialPredictor(model)
    this.#range = clip ? model : {}
    this.#fallback = fallback
  }

  /**
   * The prediction of each row of a batch; NaN where there is none. Adds to `rows`, `unknown` and the error.
   * Throws if a prediction is infinite.
   */
  predict({ rowCount, indices, observed }: AskedRows): Float64Array {
    const predictions = new Float64Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      const coordinate = indices.map((column) => (column[row] < 0 ? null : column[row]))
      const isKnown = !coordinate.includes(null)
      if (!isKnown) this.unknown++
      const y =
        isKnown || this.#fallback === 'mean'
          ? clipToRange(this.#range, this.#predictPartial(coordinate))
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

  /** The error over all rows with an observed value and a prediction; undefined if there are none. */
  error(): ErrorSummary | undefined {
    return this.#sums.entries > 0 ? summarizeError(this.#sums) : undefined
  }
}
