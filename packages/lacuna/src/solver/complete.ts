/** `complete`: a whole run, or a cross-fit, in one call. */
import type { SparseTensor } from '../tensor/index.ts'
import { Run } from './run/run.ts'
import type { Completion } from './run/runState.ts'
import { type Chosen, chooseSettings, choosesByDefault } from './select/choose.ts'
import type { FoldedCompletion } from './select/completeByFolds.ts'
import { type CompleteOptions, type FoldedOptions, settingsOf } from './settings/options.ts'

/**
 * Fits several models by cross-fitting and combines them; `completeByFolds` of lacuna/folds has more options.
 * @param tensor the observed entries
 * @param options `folds`, and settings of the runs; each other has a default
 * @returns undefined if it was interrupted
 */
export function complete(tensor: SparseTensor, options: FoldedOptions): Promise<FoldedCompletion | undefined>
/**
 * Fits a nonnegative CP model of rank R to the observed entries.
 * @param tensor the observed entries
 * @param options settings of the run; each has a default
 * @returns the model with its errors; where settings were chosen by trials, also the trials
 */
export function complete(tensor: SparseTensor, options?: CompleteOptions): Promise<Completion>
export async function complete(
  tensor: SparseTensor,
  given: CompleteOptions | FoldedOptions = {},
): Promise<Completion | FoldedCompletion | undefined> {
  settingsOf(given)
  if ('folds' in given && given.folds !== undefined) return completeFolds(tensor, given)
  const { choose = choosesByDefault(given), onEpoch, ...asked } = given as CompleteOptions
  const { options, choice, state }: Chosen = choose ? await chooseSettings(tensor, asked) : { options: asked }
  const run = await (state ? Run.resume(state, tensor, options) : Run.start(tensor, options))
  try {
    for await (const report of run) onEpoch?.(report)
    const result = await run.result()
    if (!choice) return result
    result.model.training.choice = choice
    return { ...result, choice }
  } finally {
    await run.close()
  }
}

/**
 * Cross-fits as `completeByFolds` does, with the options of `complete`. Its code is loaded when it is first
 * needed: pages that fit one model do without.
 */
async function completeFolds(
  tensor: SparseTensor,
  { choose, folds, onEpoch, seconds, ...options }: FoldedOptions,
): Promise<FoldedCompletion | undefined> {
  const { completeByFolds } = await import('./select/completeByFolds.ts')
  return completeByFolds(tensor, options, {
    folds,
    seconds,
    choose: choose ?? choosesByDefault(options),
    onEpoch: (fold, report) => onEpoch?.(report, fold),
  })
}
