/** Trials of a search as the page shows them. */
import { type FoldTrial, trialName } from 'lacuna/internal'
import type { TrialSummary } from '../../protocol.ts'

/** Summarizes a trial. */
export const trialSummary = (trial: FoldTrial): TrialSummary => ({
  name: trialName(trial),
  rmse: trial.rmse,
  spread: trial.spread,
  folds: trial.folds,
})
