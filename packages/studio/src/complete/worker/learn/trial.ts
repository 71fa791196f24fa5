/** Trials of a search as the page shows them. */
import type { ByFoldsOptions } from 'lacuna/folds'
import type { FoldTrial } from 'lacuna/internal'
import type { TrialSummary } from '../../protocol.ts'
import { describeTrial } from './describeTrial.ts'
import type { LearnTask } from './task.ts'

/** The shortest time between two messages about what is being done, in milliseconds. */
const MESSAGE_INTERVAL_MS = 250

/** Callbacks of a search that report its trials, and what is being done at most every MESSAGE_INTERVAL_MS. */
export function searchReports({
  tensor,
  onTrial,
  onActivity,
}: Pick<LearnTask, 'tensor' | 'onTrial' | 'onActivity'>): Pick<
  ByFoldsOptions,
  'onBegin' | 'onEpoch' | 'onTrial' | 'onRefit'
> {
  let current = ''
  let reportedAt = 0
  return {
    onBegin(trial) {
      current = describeTrial(trial, tensor)
      onActivity(`Trying ${current}`)
    },
    onEpoch(fold, { epoch }) {
      if (performance.now() - reportedAt < MESSAGE_INTERVAL_MS) return
      reportedAt = performance.now()
      onActivity(`Trying ${current}: model ${fold + 1}, epoch ${Math.round(epoch)}`)
    },
    onTrial: (trial) => onTrial(trialSummary(trial, tensor)),
    onRefit: (model, models) => onActivity(`Fitting model ${model + 1} of ${models} to all entries`),
  }
}

/** Summarizes a trial. */
export const trialSummary = (trial: FoldTrial, tensor: LearnTask['tensor']): TrialSummary => ({
  name: describeTrial(trial, tensor),
  rmse: trial.rmse,
  spread: trial.spread,
  folds: trial.folds,
})
