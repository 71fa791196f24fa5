/** Reports of a run, and errors in data units. */
import { InputError } from '../../base/inputError.ts'
import type { ErrorSums, SetStatistics, Statistics } from '../../engine/engine.ts'
import { type ErrorSummary, summarizeError } from '../../model/index.ts'

/** The errors of a run after an epoch, or, with the fast solver, after a fraction of one. */
export interface EpochReport {
  /** Passes over the training entries so far; the fast solver also reports within epochs: 0.25, 0.5 … */
  epoch: number
  /** Seconds of the run so far, errors included; pauses do not count. */
  seconds: number
  /** Seconds of the run so far in steps alone, without measuring errors. */
  updateSeconds: number
  /**
   * Error on the training entries, as all errors of a report on the scale of the link if there is one; with the fast solver on the probe, a fixed sample of them.
   */
  train: ErrorSummary
  /** Error on the validation entries, if there are any. */
  validation?: ErrorSummary
  /** Errors on the watched sets, by name. */
  watch?: Record<string, ErrorSummary>
  /** c in this epoch. */
  sample: number
  /** λ in this epoch. */
  lambda: number
}

/**
 * The error by which a run selects the best factors: on the validation entries if there are any, else on the
 * training entries.
 */
export const scoreOf = ({ train, validation }: EpochReport): number => (validation ?? train).relative

/** Whether the errors on training and validation entries are finite; not so after factors have overflowed. */
export const hasFiniteErrors = ({ train, validation }: EpochReport): boolean =>
  Number.isFinite(train.rmse) && Number.isFinite(validation?.rmse ?? 0)

/** The error of a run whose first errors are not finite: squares of values leave the range of float32. */
export const notFiniteAtStart = (): InputError =>
  new InputError(
    'value',
    'The first error is not finite, since the values are too small or too large for sums in float32; scale them, so that they lie nearer to 1.',
  )

/**
 * Converts an engine's error sums, in scaled units, to the relative error, RMSE and MAE in data units.
 * @param set statistics of the set that the sums are over
 */
export function errorInDataUnits(
  { squares, absolutes }: ErrorSums,
  set: SetStatistics,
  { valueScale }: Statistics,
): ErrorSummary {
  const summary = summarizeError({
    squares: squares / valueScale ** 2,
    absolutes: absolutes / valueScale,
    norm2: set.squares / valueScale ** 2,
    // Means are over weights; `entries` below is the number of entries.
    entries: set.weight,
  })
  return { ...summary, entries: set.entries }
}
