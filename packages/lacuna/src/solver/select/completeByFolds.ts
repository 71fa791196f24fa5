/** Cross-fitting from entries to an ensemble: models, an honest error beside baselines, neighbours' residuals, and intervals. */
import { InputError } from '../../base/inputError.ts'
import {
  assembleEnsemble,
  type CpEnsemble,
  type EnsembleStability,
  type Ordered,
  type OutOfFold,
} from '../../model/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import { type ChooseByFoldsOptions, chooseByFolds, type FoldChoice } from './chooseByFolds.ts'

/** How folds are made, what is chosen by them, and what is known of the modes. */
export interface ByFoldsOptions extends ChooseByFoldsOptions {
  /** Modes whose rows are ordered; found from the residuals by default. */
  ordered?: readonly Ordered[]
}

/** What came of folds. */
export interface FoldedCompletion {
  model: CpEnsemble
  outOfFold: OutOfFold
  /** Where there was more than one thing to try, or would have been with more time. */
  choice?: FoldChoice
  stability: EnsembleStability
  seconds: number
}

/**
 * Learns as many models as there are folds, each without one, and puts them together: a better answer, an honest error, and
 * intervals. Undefined if it was interrupted.
 */
export async function completeByFolds(
  tensor: SparseTensor,
  options: RunOptions,
  folding: ByFoldsOptions = {},
): Promise<FoldedCompletion | undefined> {
  const start = performance.now()
  const { ordered, ...choosing } = folding
  checkModes(tensor, folding)
  const found = await chooseByFolds(tensor, options, choosing)
  if (!found) return undefined
  const { candidates } = found
  const { seed } = settingsOf(options)
  const assembled = candidates.map(({ trial, fit }) => ({
    trial,
    ...assembleEnsemble(tensor, fit, seed, ordered),
  }))
  const { trial, model, outOfFold, stability } = assembled.reduce((best, other) =>
    other.outOfFold.error.rmse < best.outOfFold.error.rmse ? other : best,
  )
  const before = folding.keeping?.saved?.seconds ?? 0
  const seconds = before + (performance.now() - start) / 1000
  const { trials, isCut } = found.choice
  const choice = (trials.length > 1 || isCut) && { choice: { ...found.choice, chosen: trial } }
  Object.assign(model.training, { seconds, ...choice })
  return { model, outOfFold, stability, ...choice, seconds }
}

/** What TypeScript lets through. */
function checkModes({ dims }: SparseTensor, { by = [], ordered = [] }: ByFoldsOptions): void {
  for (const { mode, lags = [] } of ordered)
    for (const lag of lags)
      if (!(Number.isInteger(lag) && lag >= 1))
        throw new InputError(
          'option',
          `Rows of mode ${mode} cannot be ${lag} apart; give whole numbers from 1.`,
        )
  for (const { mode } of [...by, ...ordered])
    if (!(Number.isInteger(mode) && mode >= 0 && mode < dims.length))
      throw new InputError('option', `There is no mode ${mode}; there are 0 to ${dims.length - 1}.`)
}
