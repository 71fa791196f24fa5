/** Errors by the rows of a mode: by their support, and the rows that contribute most. */
import type { SparseTensor } from '../../tensor/index.ts'
import { largest } from '../answer/largest.ts'
import { labelOf, modeName, type Predictor } from '../factored.ts'
import { errorsBySupport, type SupportErrors } from './supportErrors.ts'

/** Errors by the rows of a mode. */
export interface ModeErrors {
  /** Name of the mode. */
  name: string
  /** Errors by the number of training entries of a row; empty where that is not known. */
  bySupport: SupportErrors[]
  /** The rows that contribute most to the squared error; `share` is the fraction of it. */
  worst: { row: number; label: string; entries: number; rmse: number; share: number }[]
}

/**
 * Errors of predictions by the rows of a mode.
 * @param predictions the prediction of each entry
 * @param most rows at most that are listed as those that contribute most
 */
export function modeErrors(
  model: Pick<Predictor, 'dims' | 'labels' | 'modes' | 'observed'>,
  { indices, values }: Pick<SparseTensor, 'indices' | 'values'>,
  predictions: ArrayLike<number>,
  mode: number,
  most: number,
): ModeErrors {
  const size = model.dims[mode]
  const counts = model.observed?.counts[mode]
  const entries = new Uint32Array(size)
  const squares = new Float64Array(size)
  let total = 0
  for (let e = 0; e < values.length; e++) {
    const row = indices[mode][e]
    const square = (values[e] - predictions[e]) ** 2
    entries[row]++
    squares[row] += square
    total += square
  }
  return {
    name: modeName(model, mode),
    bySupport: counts ? errorsBySupport(counts, squares, (row) => entries[row]) : [],
    worst: largest(squares, most, (row) => squares[row] > 0).map((row) => ({
      row,
      label: labelOf(model, mode, row),
      entries: entries[row],
      rmse: Math.sqrt(squares[row] / entries[row]),
      share: squares[row] / total,
    })),
  }
}
