import { type EpochReport, hasFiniteErrors, scoreOf } from '../run/report.ts'
import type { StopReason } from '../run/stopping.ts'
import type { Settings } from '../settings/settings.ts'
import type { Method } from './method.ts'

export interface PaperState {
  /** The last epoch's training error. */
  before?: number
  /** The smallest validation error, and when it was. */
  best?: { error: number; epoch: number }
}

/** Algorithm 2 as the paper has it. */
export function paperMethod(settings: Settings): Method<PaperState> {
  const { maxInner, lambda, sample } = settings
  return {
    balances: false,
    errorSet: 'train',
    begin: () => ({}),
    next(_, { iterations, reports }) {
      // An epoch accesses as many entries as there are: 1/c AO iterations, rounded so that rounding never adds up.
      const epoch = reports.length + 1
      return {
        iterations: Math.max(1, Math.round(epoch / Number(sample)) - iterations),
        sample: Number(sample),
        lambda: Number(lambda),
        step: { kind: 'paper', maxInner },
      }
    },
    judge(state, { best, reports }, _, report) {
      if (!hasFiniteErrors(report)) throw new Error('The error is no longer finite.')
      report.epoch = reports.length + 1
      // With validation entries the best factors count, without them the last.
      const isBest = !report.validation || reports.length === 0 || scoreOf(report) < scoreOf(best)
      return { isReported: true, isBest, stop: whyStop(state, report, settings) }
    },
  }
}

/** Decides after each epoch whether to go on, and says why not. */
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
