/** Comparison of an error with those of baselines: whether a model is worth using. */
import { type SparseTensor, splitFold } from '../../tensor/index.ts'
import { baselinesOf, predictByBaseline } from './baselines.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { tallyMany } from './tallyMany.ts'

/** The error of a baseline. */
export interface BaselineError {
  /** Name in reports: the mean, say. */
  name: string
  /** Its error on the same entries as that of the model. */
  error: ErrorSummary
}

/** Fraction by which the RMSE must be below that of the best baseline for a model to be worth using. */
const LEAST_GAIN = 0.01

/** The baseline with the smallest RMSE; the first of equal ones. */
const bestOf = (baselines: readonly BaselineError[]): BaselineError =>
  baselines.reduce((best, other) => (other.error.rmse < best.error.rmse ? other : best))

/** Whether an RMSE is below that of the best baseline by enough for a model to be worth using. */
export const isWorthUsing = (rmse: number, baselines: readonly BaselineError[]): boolean =>
  1 - rmse / bestOf(baselines).error.rmse >= LEAST_GAIN

/** A clause that compares an RMSE with that of the best baseline, to follow "the error is". */
export function compareWithBaselines(rmse: number, baselines: readonly BaselineError[]): string {
  const best = bestOf(baselines)
  if (!isWorthUsing(rmse, baselines)) return `no better than ${best.name}: do not use this model`
  return `${formatGain(1 - rmse / best.error.rmse)} below the best baseline, ${best.name}`
}

/** A gain as a percentage; one of 100% would claim that there is no error left. */
const formatGain = (gain: number): string =>
  gain > 0.99 && gain < 1 ? 'more than 99%' : `${Math.round(100 * gain)}%`

/** The errors on test entries of the baselines that are fitted to training entries. */
export const baselinesOnTest = (train: SparseTensor, test: SparseTensor): BaselineError[] =>
  baselinesOf(train).map((baseline) => {
    const tally = new ErrorTally()
    tallyMany(tally, test.values, predictByBaseline(baseline, test))
    return { name: baseline.name, error: tally.summary }
  })

/**
 * Errors of the baselines on all entries; each entry is predicted by a baseline that was fitted without its
 * fold.
 * @param folds the fold of each entry
 * @param count number of folds
 */
export function baselinesByFolds(tensor: SparseTensor, folds: Uint8Array, count: number): BaselineError[] {
  const tallies = new Map<string, ErrorTally>()
  for (let fold = 0; fold < count; fold++) {
    const { train, out } = splitFold(tensor, folds, fold)
    for (const baseline of baselinesOf(train)) {
      const tally = tallies.get(baseline.name) ?? new ErrorTally()
      tallies.set(baseline.name, tally)
      tallyMany(tally, out.values, predictByBaseline(baseline, out))
    }
  }
  return [...tallies].map(([name, tally]) => ({ name, error: tally.summary }))
}
