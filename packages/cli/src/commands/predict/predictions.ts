/** Intervals of predictions, and notices about them, for `predict`, `fill` and `convert`. */
import { type ErrorSummary, InputError } from 'lacuna'
import { CpEnsemble } from 'lacuna/folds'
import { RowIntervals, type TensorModel } from 'lacuna/internal'
import type { RowPredictor } from 'lacuna/tables'
import { formatCount, formatCounted, formatNumber } from '../../print/format.ts'
import type { Progress } from '../../print/terminal.ts'

/** Returns the model as an ensemble; throws if it is not one, because only ensembles have intervals. */
export function requireEnsemble(model: TensorModel): CpEnsemble {
  if (model instanceof CpEnsemble) return model
  throw new InputError('option', '--interval needs models of folds; learn them by lacuna complete --folds 5.')
}

/**
 * Intervals of a model at a level; undefined without a level. Throws if the model is not an ensemble.
 * @param fallback prediction for labels that the model does not know
 */
export const intervalsOf = (
  model: TensorModel,
  level: number | undefined,
  fallback?: number | 'mean',
): RowIntervals | undefined =>
  level === undefined ? undefined : new RowIntervals(requireEnsemble(model), level, fallback)

/** Reports how many cells have no interval, and why; prints nothing if all have one. */
export function reportWithoutInterval(
  model: TensorModel,
  intervals: RowIntervals | undefined,
  progress: Progress,
): void {
  if (!intervals || intervals.withoutInterval === 0) return
  const { withoutInterval: count } = intervals
  const ensemble = requireEnsemble(model)
  const which = ensemble.intervals?.lost ? ', or the group of rows that it is in, has' : ' has'
  const whichOfSeveral = ensemble.intervals?.lost ? ', or the groups of rows that they are in, have' : ' have'
  progress.say(
    `${formatCounted(count, 'value')} ${count === 1 ? 'has' : 'have'} no interval (low and high are empty): ${count === 1 ? `its row${which}` : `their rows${whichOfSeveral}`} no entries, or fewer than any row in training, and ${ensemble.reasonWithoutInterval}.`,
  )
}

/** Describes the range to which predictions were limited, to follow a file's size; empty without a range. */
export const describeClipping = ({ range }: TensorModel, clip: boolean): string =>
  clip && range
    ? `, limited to the range of the training values, ${range.map(formatNumber).join(' to ')}`
    : ''

/** Prints errors and the coverage of intervals, if the rows have observed values. */
export function reportQuality(
  predictor: RowPredictor,
  intervals: RowIntervals | undefined,
  progress: Progress,
): void {
  const error = predictor.error()
  if (error) progress.say(formatErrors(error))
  if (!intervals || intervals.coverage.rows === 0) return
  const { rows, inside } = intervals.coverage
  progress.say(
    `Intervals of ${formatNumber(100 * intervals.level)}% hold ${((100 * inside) / rows).toFixed(1)}% of ${formatCount(rows)} values.`,
  )
}

/** Formats the errors of predictions as a sentence. */
const formatErrors = ({ relative, rmse, mae }: ErrorSummary): string =>
  `Against the values given: relative error ${formatNumber(relative)}, RMSE ${formatNumber(rmse)}, MAE ${formatNumber(mae)}`
