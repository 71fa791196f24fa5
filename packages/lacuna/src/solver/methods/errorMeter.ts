/** Errors of a run's sets in data units, as its reports have them. */
import type { LoadedProblem, Timed } from '../../engine/engine.ts'
import type { ErrorSummary } from '../../model/index.ts'
import { type EpochReport, errorInDataUnits } from '../run/report.ts'
import type { RunMethod } from './methodOf.ts'

/** Measures the errors of all sets of a run with the current factors, and how many seconds that took. */
export type ErrorMeter = () => Promise<Pick<EpochReport, 'train' | 'validation' | 'watch'> & Timed>

/**
 * Makes the function that measures the errors of a run.
 * @param method names the set that stands for the training entries: all of them or the probe
 * @param sets the held-out sets: whether there are validation entries, and watched sets by name
 */
export function errorMeter(
  problem: LoadedProblem,
  { errorSet, balances }: RunMethod,
  { validation, watch = {} }: { validation?: unknown; watch?: Readonly<Record<string, unknown>> },
): ErrorMeter {
  const watched = Object.keys(watch)
  const names = [errorSet, ...(validation ? ['validation'] : []), ...watched]
  return async () => {
    const { statistics } = problem
    // Balancing has filled the empty rows already.
    const filled = balances ? { seconds: 0 } : await problem.fillEmptyRows()
    const { sums, seconds } = await problem.errors(names)
    const errors = new Map(
      names.map((name, i) => [name, errorInDataUnits(sums[i], statistics.sets[name], statistics)]),
    )
    return {
      train: errors.get(errorSet)!,
      ...(validation ? { validation: errors.get('validation')! } : {}),
      ...(watched.length > 0 && {
        watch: Object.fromEntries(watched.map((name) => [name, errors.get(name)!])),
      }),
      seconds: filled.seconds + seconds,
    }
  }
}

/** The errors of a report on validation entries and watched sets, without keys for those that are absent. */
export const heldOutErrors = ({
  validation,
  watch,
}: EpochReport): Pick<EpochReport, 'validation' | 'watch'> => ({
  ...(validation && { validation }),
  ...(watch && { watch }),
})

/**
 * Returns a copy of the report whose relative errors on the training and validation entries are
 * Number.MAX_VALUE, so that every later report with smaller errors counts as better. RMSE, MAE and the errors
 * of watched sets are as they were.
 */
export function withWorstErrors(report: EpochReport): EpochReport {
  const { train, validation } = report
  const worst = (error: ErrorSummary): ErrorSummary => ({ ...error, relative: Number.MAX_VALUE })
  return { ...report, train: worst(train), ...(validation && { validation: worst(validation) }) }
}
