/** Prediction intervals of any model that has them. */
import { CpModel } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import type { Interval } from '../../answers.ts'

/** The probability with which an interval contains the value. */
export const INTERVAL_LEVEL = 0.9
/** The quantile of the normal distribution at the upper end of an interval of INTERVAL_LEVEL. */
const QUANTILE = 1.6449

/** Returns the interval of a cell, given by its indices and its prediction. */
export type IntervalAt = (cell: readonly number[], predicted: number) => Interval | undefined

/**
 * Makes a function that returns intervals: conformal ones of an ensemble, or those of the learned prior of a
 * single model, as if residuals were normal. Undefined where the model has neither.
 */
export function intervalFinder(model: CpModel | CpEnsemble): IntervalAt | undefined {
  if (!(model instanceof CpModel)) {
    if (!model.intervals) return undefined
    const intervalAt = model.intervalsAt(INTERVAL_LEVEL)
    return (cell, predicted) => {
      const { low, high } = intervalAt(cell, predicted)
      return Number.isNaN(low) ? undefined : { low, high, level: INTERVAL_LEVEL }
    }
  }
  if (model.prior?.kind !== 'learned' || !model.observed || model.reshaping) return undefined
  const { min, max } = model.observed
  return (cell, predicted) => {
    const { model: ofMean, noise } = model.variance(cell)
    const half = QUANTILE * Math.sqrt(ofMean + noise)
    if (!Number.isFinite(half)) return undefined
    return {
      low: Math.min(predicted, Math.max(min, predicted - half)),
      high: Math.max(predicted, Math.min(max, predicted + half)),
      level: INTERVAL_LEVEL,
    }
  }
}
