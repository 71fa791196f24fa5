/** Reasons why a run ended, and their explanation. */
import type { Settings } from '../settings/settings.ts'

/**
 * Why a run ended: a limit was reached ('epochs', 'seconds'), the training error settled ('tolerance'), the
 * validation error no longer improves ('patience'), the entries are matched exactly ('exact'), the sweeps
 * under a learned prior are done ('learned'); or 'aborted': it was interrupted and can continue.
 */
export type StopReason = 'epochs' | 'seconds' | 'tolerance' | 'patience' | 'exact' | 'learned' | 'aborted'

/** Why a run ended, as a clause in words: `all 500 epochs are done`. */
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
