/** What a run sees of itself: errors of the sets that it looks at, in data units. */
import type { LoadedProblem, Timed } from '../../engine/engine.ts'
import type { ErrorSummary } from '../../model/index.ts'
import { type EpochReport, inDataUnits } from '../run/report.ts'
import type { FastState } from './fast.ts'
import type { Method } from './method.ts'
import type { PaperState } from './paper.ts'

/** Errors of the training entries, or the probe, and of the other sets. */
export function lookingAt(
  problem: LoadedProblem,
  { looksAt, balances }: Method<FastState | PaperState>,
  { validation, watch = {} }: { validation?: unknown; watch?: Readonly<Record<string, unknown>> },
): () => Promise<Pick<EpochReport, 'train' | 'validation' | 'watch'> & Timed> {
  const watched = Object.keys(watch)
  const names = [looksAt, ...(validation ? ['validation'] : []), ...watched]
  return async () => {
    const { statistics } = problem
    // Those who balance have filled them.
    const filled = balances ? { seconds: 0 } : await problem.fillEmptyRows()
    const { sums, seconds } = await problem.errors(names)
    const errors = new Map(
      names.map((name, i) => [name, inDataUnits(sums[i], statistics.sets[name], statistics)]),
    )
    return {
      train: errors.get(looksAt)!,
      ...(validation ? { validation: errors.get('validation')! } : {}),
      ...(watched.length > 0 && {
        watch: Object.fromEntries(watched.map((name) => [name, errors.get(name)!])),
      }),
      seconds: filled.seconds + seconds,
    }
  }
}

/** Of a report, the errors on what is not trained on. */
export const heldOut = ({ validation, watch }: EpochReport): Pick<EpochReport, 'validation' | 'watch'> => ({
  ...(validation && { validation }),
  ...(watch && { watch }),
})

/** The same with errors that any others are better than. */
export function useless(report: EpochReport): EpochReport {
  const { train, validation } = report
  const worst = (error: ErrorSummary): ErrorSummary => ({ ...error, relative: Number.MAX_VALUE })
  return { ...report, train: worst(train), ...(validation && { validation: worst(validation) }) }
}
