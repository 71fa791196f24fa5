import type { ErrorSums, SetStatistics, Statistics } from '../../engine/engine.ts'
import { type ErrorSummary, summarizeError } from '../../model/index.ts'

/** How a run stands after an epoch, or, with the fast solver, after a part of one. */
export interface EpochReport {
  /** How often each entry has been accessed on average. The fast solver reports within epochs too: 0.25, 0.5 … */
  epoch: number
  /** Spent on the run so far, errors included and pauses not. */
  seconds: number
  /** Spent in steps alone. */
  updateSeconds: number
  /** Of the training entries; of a fixed sample of them with the fast solver. */
  train: ErrorSummary
  validation?: ErrorSummary
  /** Of the sets that are watched, by their names. */
  watch?: Record<string, ErrorSummary>
  /** c in this epoch. */
  sample: number
  lambda: number
}

/** By what a run chooses the best factors: the validation error where there is one, else that of training. */
export const scoreOf = ({ train, validation }: EpochReport): number => (validation ?? train).relative

/** Whether the factors are still numbers that mean something. */
export const hasFiniteErrors = ({ train, validation }: EpochReport): boolean =>
  Number.isFinite(train.rmse) && Number.isFinite(validation?.rmse ?? 0)

/** An engine's sums, in scaled units, as errors in the data's units. */
export function inDataUnits(
  { squares, absolutes }: ErrorSums,
  set: SetStatistics,
  { valueScale }: Statistics,
): ErrorSummary {
  const summary = summarizeError({
    squares: squares / valueScale ** 2,
    absolutes: absolutes / valueScale,
    norm2: set.squares / valueScale ** 2,
    // So many they are by weight.
    entries: set.weight,
  })
  return { ...summary, entries: set.entries }
}
