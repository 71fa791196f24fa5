/**
 * Out-of-fold errors of a cross-fit: every entry is predicted by the model that was fitted without it, and
 * compared with baselines that were fitted without it, too.
 */
import type { Observed, SparseTensor } from '../../tensor/index.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { type ModeErrors, modeErrors } from './modeErrors.ts'
import { errorsBySupport, type SupportErrors } from './supportErrors.ts'
import { tallyMany } from './tallyMany.ts'
import { type BaselineError, baselinesByFolds, compareWithBaselines } from './verdict.ts'

/** Errors on the training entries, each predicted by the model that was fitted without it; plain data. */
export interface OutOfFold {
  /** Number of folds, and of models. */
  folds: number
  /** Description of what was held out together. */
  by: string
  /** Error of the predictions, with the correction by neighbours if there is one. */
  error: ErrorSummary
  /** Error without the correction by neighbours; undefined where none is used. */
  withoutNeighbours?: ErrorSummary
  /**
   * Error of one model at single cells that it was fitted without, where folds are made of blocks: cells that
   * are missing one by one are predicted better than blocks.
   */
  atRandomCells?: ErrorSummary
  /** Errors of predictions without a model, each likewise fitted without the fold that it predicts. */
  baselines: BaselineError[]
  /** Sentence that compares the error with that of the best baseline. */
  verdict: string
  /** Errors by the rows of each mode, with the rows that contribute most. */
  byMode: ModeErrors[]
  /**
   * Errors by the support of an entry: the entries of that of its rows that has fewest, not counting itself.
   */
  bySupport: SupportErrors[]
}

/** Out-of-fold predictions and what is known of the entries that they are for. */
export interface OutOfFoldPredictions {
  /** The fold of each entry. */
  folds: Uint8Array
  /** Number of folds. */
  count: number
  /** Description of what was held out together. */
  by: string
  /** Prediction of each entry, with the correction by neighbours if there is one. */
  predictions: Float32Array
  /** Predictions without the correction by neighbours; undefined where none is used. */
  withoutNeighbours?: Float32Array
  /** Statistics of the training entries. */
  observed: Observed
  /** Support of each entry, not counting itself. */
  support: Uint32Array
}

/** Rows of each mode that are listed as those that contribute most to the error. */
const WORST_ROWS = 3

/** Evaluates the out-of-fold predictions of all entries of a tensor. */
export function evaluateOutOfFold(tensor: SparseTensor, fit: OutOfFoldPredictions): OutOfFold {
  const { folds, count, by, predictions, withoutNeighbours, observed, support } = fit
  const error = errorOf(tensor, predictions)
  const baselines = baselinesByFolds(tensor, folds, count)
  const squares = new Float64Array(predictions.length)
  for (let e = 0; e < squares.length; e++) squares[e] = (tensor.values[e] - predictions[e]) ** 2
  return {
    folds: count,
    by,
    error,
    ...(withoutNeighbours && { withoutNeighbours: errorOf(tensor, withoutNeighbours) }),
    baselines,
    verdict: compareWithBaselines(error.rmse, baselines),
    byMode: tensor.dims.map((_, mode) =>
      modeErrors({ ...tensor, observed }, tensor, predictions, mode, WORST_ROWS),
    ),
    bySupport: errorsBySupport(support, squares, () => 1),
  }
}

/** The error of predictions of all entries of a tensor. */
function errorOf({ values }: SparseTensor, predictions: Float32Array): ErrorSummary {
  const tally = new ErrorTally()
  tallyMany(tally, values, predictions)
  return tally.summary
}
