/** Why a run ended. */
import type { Settings } from '../settings/settings.ts'

/** Why a run ended; 'aborted' is a run that was interrupted and can continue. */
export type StopReason = 'epochs' | 'seconds' | 'tolerance' | 'patience' | 'exact' | 'learned' | 'aborted'

/** The reason in words, for `run.stopped` and its settings. */
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
    case 'learned':
      return 'the prior has been learned'
    case 'aborted':
      return 'it was interrupted'
  }
}
