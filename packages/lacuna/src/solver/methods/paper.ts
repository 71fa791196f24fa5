/** The paper's method: Algorithm 2, exactly. */
import { type EpochReport, hasFiniteErrors, notFiniteAtStart, scoreOf } from '../run/report.ts'
import type { StopReason } from '../run/stopping.ts'
import type { Settings } from '../settings/settings.ts'
import type { Method } from './method.ts'

/** State of the paper's method; plain data, saved as JSON under these names. */
export interface PaperState {
  /** Relative training error of the last epoch. */
  before?: number
  /** The smallest validation error, and its epoch. */
  best?: { error: number; epoch: number }
}

/** Makes the paper's method, Algorithm 2: rounds are epochs of 1/c AO iterations. */
export function paperMethod(settings: Settings): Method<PaperState> {
  const { maxInner, lambda, sample } = settings
  return {
    balances: false,
    errorSet: 'train',
    begin: () => ({}),
    next(_, { iterations, reports }) {
      // An epoch is 1/c AO iterations; the total is rounded, so that rounding errors do not add up.
      const epoch = reports.length + 1
      return {
        iterations: Math.max(1, Math.round(epoch / Number(sample)) - iterations),
        sample: Number(sample),
        lambda: Number(lambda),
        step: { kind: 'paper', maxInner },
      }
    },
    judge(state, { best, reports }, _, report) {
      if (!hasFiniteErrors(report))
        throw reports.length === 0 ? notFiniteAtStart() : new Error('The error is no longer finite.')
      report.epoch = reports.length + 1
      // With validation entries the best factors count, without them the last.
      const isBest = !report.validation || reports.length === 0 || scoreOf(report) < scoreOf(best)
      return { isReported: true, isBest, stop: whyStop(state, report, settings) }
    },
  }
}

/** Why the run ends after an epoch; undefined if it continues. Updates the errors in `state`. */
function whyStop(state: PaperState, report: EpochReport, settings: Settings): StopReason | undefined {
  const { epoch, train, validation } = report
  const before = state.before ?? Number.NaN
  const isSettled = Math.abs(before - train.relative) <= settings.tolerance * before
  state.before = train.relative
  if (validation && !(validation.relative >= (state.best?.error ?? Infinity)))
    state.best = { error: validation.relative, epoch }
  if (settings.tolerance > 0 && isSettled) return 'tolerance'
  if (validation && epoch - (state.best?.epoch ?? 0) >= settings.patience) return 'patience'
  return epoch >= settings.epochs ? 'epochs' : undefined
}
