/** How far a model can be trusted, in words, for its report. */
import { formatCount, formatNumber } from 'lacuna-figures/numbers'
import type { Validation } from '../answers.ts'
import type { ModelSummary } from '../protocol.ts'

/** Sentences about how far the model can be trusted. */
export function describeTrust(summary: ModelSummary, checks: Validation | undefined): string[] {
  const { outOfFold, verdict } = summary
  return [
    ...(verdict && !outOfFold ? [verdict.text] : []),
    ...(outOfFold
      ? [
          `Each model has not seen some entries (${outOfFold.by}), and predicts them with an error of ${formatNumber(outOfFold.rmse)} (RMSE): ${outOfFold.verdict}.`,
        ]
      : []),
    ...(checks
      ? [
          `On ${formatCount(checks.entries)} ${checks.of === 'held-out' ? 'held-out entries' : 'entries that it was learned from'} the error is ${formatNumber(checks.rmse)} (RMSE).`,
        ]
      : []),
    ...(checks?.coreConsistency === undefined
      ? []
      : [
          `Core consistency: ${Math.round(100 * Math.max(0, checks.coreConsistency))}%. Near 100% the data have the form of the model; near 0 components are too many, and share between them what is one.`,
        ]),
  ]
}
