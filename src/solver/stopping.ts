import type { EpochReport } from './course.ts'
import type { Settings } from './options.ts'

export type StopReason = 'epochs' | 'seconds' | 'tolerance' | 'patience' | 'exact' | 'aborted'

/** Decides after each epoch whether to go on, and says why not. */
export function stopRule(settings: Settings): (report: EpochReport) => StopReason | undefined {
  let before = Number.NaN // the last epoch's training error
  let best = Infinity // the smallest validation error …
  let bestEpoch = 0 // … and when it was
  return (report) => {
    const { epoch, seconds, train, validation } = report
    const change = Math.abs(before - train.relative)
    const settled = change <= settings.tolerance * before
    before = train.relative
    if (validation && validation.relative < best) {
      best = validation.relative
      bestEpoch = epoch
    }
    if (settings.tolerance > 0 && settled) return 'tolerance'
    if (validation && epoch - bestEpoch >= settings.patience) return 'patience'
    if (epoch >= settings.epochs) return 'epochs'
    if (seconds >= settings.seconds) return 'seconds'
    return undefined
  }
}

/** The reason as a person would say it. */
export function explainStop(reason: StopReason, settings: Settings): string {
  switch (reason) {
    case 'epochs':
      return `all ${settings.epochs} epochs are done`
    case 'seconds':
      return `${settings.seconds} seconds are over`
    case 'tolerance':
      return `an epoch changed the training error by less than ${settings.tolerance} of itself`
    case 'patience':
      return `the validation error has not improved for ${settings.patience} epochs`
    case 'exact':
      return 'the training entries are matched as exactly as float32 allows'
    case 'aborted':
      return 'it was interrupted'
  }
}
