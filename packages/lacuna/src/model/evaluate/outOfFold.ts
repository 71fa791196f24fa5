/**
 * Out-of-fold errors of a cross-fit: every entry is predicted by the model that was fitted without it, and
 * compared with baselines that were fitted without it, too.
 */
import { entriesWhere, type Observed, pickEntries, type SparseTensor } from '../../tensor/index.ts'
import { baselinesOf } from './baselines.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { type ModeErrors, modeErrors } from './modeErrors.ts'
import { errorsBySupport, type SupportErrors } from './supportErrors.ts'

/** Errors on the training entries, each predicted by the model that was fitted without it; plain data. */
export interface OutOfFold {
  /** Number of folds, and of models. */
  folds: number
  /** What was held out together, in words. */
  by: string
  /** Error of the predictions, with the correction by neighbours if there is one. */
  error: ErrorSummary
  /** Error without the correction by neighbours; undefined where none is used. */
  withoutNeighbours?: ErrorSummary
  /** Errors of predictions without a model, each likewise fitted without the fold that it predicts. */
  baselines: { name: string; error: ErrorSummary }[]
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
  /** What was held out together, in words. */
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
/** Fraction by which the RMSE must be below that of the best baseline for a model to be worth using. */
const LEAST_GAIN = 0.01

/** Evaluates the out-of-fold predictions of all entries of a tensor. */
export function evaluateOutOfFold(tensor: SparseTensor, fit: OutOfFoldPredictions): OutOfFold {
  const { folds, count, by, predictions, withoutNeighbours, observed, support } = fit
  const error = errorOf(tensor, predictions)
  const baselines = baselineErrors(tensor, folds, count)
  const squares = new Float64Array(predictions.length)
  for (let e = 0; e < squares.length; e++) squares[e] = (tensor.values[e] - predictions[e]) ** 2
  return {
    folds: count,
    by,
    error,
    ...(withoutNeighbours && { withoutNeighbours: errorOf(tensor, withoutNeighbours) }),
    baselines,
    verdict: verdictOf(error, baselines),
    byMode: tensor.dims.map((_, mode) =>
      modeErrors({ ...tensor, observed }, tensor, predictions, mode, WORST_ROWS),
    ),
    bySupport: errorsBySupport(support, squares, () => 1),
  }
}

/** The error of predictions of all entries of a tensor. */
function errorOf({ values }: SparseTensor, predictions: Float32Array): ErrorSummary {
  const tally = new ErrorTally()
  for (let e = 0; e < values.length; e++) tally.add(values[e], predictions[e])
  return tally.summary
}

/**
 * Errors of the baselines; each entry is predicted by a baseline that was fitted without its fold.
 * @param folds the fold of each entry
 * @param count number of folds
 */
function baselineErrors(tensor: SparseTensor, folds: Uint8Array, count: number): OutOfFold['baselines'] {
  const tallies = new Map<string, ErrorTally>()
  for (let fold = 0; fold < count; fold++) {
    const train = pickEntries(
      tensor,
      entriesWhere(folds, (other) => other !== fold),
    )
    const out = entriesWhere(folds, (other) => other === fold)
    for (const { name, predict } of baselinesOf(train)) {
      const tally = tallies.get(name) ?? new ErrorTally()
      tallies.set(name, tally)
      for (let i = 0; i < out.length; i++) tally.add(tensor.values[out[i]], predict(tensor, out[i]))
    }
  }
  return [...tallies].map(([name, tally]) => ({ name, error: tally.summary }))
}

/** A sentence that compares an error with that of the best baseline. */
function verdictOf({ rmse }: ErrorSummary, baselines: OutOfFold['baselines']): string {
  const best = baselines.reduce((best, other) => (other.error.rmse < best.error.rmse ? other : best))
  const gain = 1 - rmse / best.error.rmse
  if (!(gain >= LEAST_GAIN)) return `no better than ${best.name}: do not use this model`
  return `${Math.round(100 * gain)}% below the best baseline, ${best.name}`
}
