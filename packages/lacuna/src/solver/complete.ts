/** `complete`: a whole run, or a cross-fit, in one call. */
import type { SparseTensor } from '../tensor/index.ts'
import { Run } from './run/run.ts'
import type { Completion } from './run/runState.ts'
import type { Chosen } from './select/choose.ts'
import type { FoldedCompletion } from './select/completeByFolds.ts'
import type { RankByFolds } from './select/rankByFolds.ts'
import {
  type AutoRankOptions,
  choosesByDefault,
  type FoldedOptions,
  type RunOptions,
  settingsOf,
} from './settings/options.ts'

/**
 * Fits several models by cross-fitting and combines them; `completeByFolds` of lacuna/folds has more options.
 * @param tensor the observed entries
 * @param options `folds`, and settings of the runs, but no signal; each other has a default
 */
export function complete<M extends string = string>(
  tensor: SparseTensor,
  options: Omit<FoldedOptions, 'signal'> & { signal?: never },
): Promise<FoldedCompletion<M>>
/**
 * Fits several models by cross-fitting, which a signal may interrupt, and combines them.
 * @param tensor the observed entries
 * @param options `folds`, and settings of the runs; each other has a default
 * @returns undefined if it was interrupted
 */
export function complete<M extends string = string>(
  tensor: SparseTensor,
  options: FoldedOptions,
): Promise<FoldedCompletion<M> | undefined>
/**
 * Fits a nonnegative CP model of rank R to the observed entries. The names of the modes may be given as a type:
 * with `complete<'user' | 'film'>` a misspelt mode in `model.predict` does not compile.
 * @param tensor the observed entries
 * @param options settings of the run; each has a default
 * @returns the model with its errors; where settings were chosen by trials, also the trials
 */
export function complete<M extends string = string>(
  tensor: SparseTensor,
  options?: AutoRankOptions,
): Promise<Completion<M>>
export async function complete(
  tensor: SparseTensor,
  given: AutoRankOptions | FoldedOptions = {},
): Promise<Completion | FoldedCompletion | undefined> {
  const isRankToFind = given?.rank === 'auto'
  settingsOf(isRankToFind ? { ...given, rank: undefined } : (given as RunOptions))
  const { rank, ...others } = given
  if ('folds' in given && given.folds !== undefined) return completeFolds(tensor, given)
  const { choose = choosesByDefault(others), onEpoch, ...rest } = others as Omit<AutoRankOptions, 'rank'>
  const found = isRankToFind ? await findRank(tensor, rest) : {}
  const { ranks, ...limits } = found
  const asked: RunOptions = rank === undefined || rank === 'auto' ? { ...rest, ...limits } : { ...rest, rank }
  const { options, choice, state }: Chosen = choose ? await chooseByTrials(tensor, asked) : { options: asked }
  const run = await (state ? Run.resume(state, tensor, options) : Run.start(tensor, options))
  try {
    for await (const report of run) onEpoch?.(report)
    const result = await run.result()
    if (choice) result.model.training.choice = choice
    if (ranks) result.model.training.ranks = ranks.trials
    return { ...result, ...(choice && { choice }), ...(ranks && { ranks }) }
  } finally {
    await run.close()
  }
}

/** Finds the rank by cross-validation. Its code is loaded when it is first needed. */
async function findRank(tensor: SparseTensor, options: RunOptions): Promise<RankByFolds> {
  const { rankByFolds } = await import('./onDemand/crossFitting.ts')
  return rankByFolds(tensor, options)
}

/** Chooses settings by trials. Its code is loaded when it is first needed. */
async function chooseByTrials(tensor: SparseTensor, options: RunOptions): Promise<Chosen> {
  const { chooseSettings } = await import('./onDemand/settingsSearch.ts')
  return chooseSettings(tensor, options)
}

/**
 * Cross-fits as `completeByFolds` does, with the options of `complete`. Its code is loaded when it is first
 * needed: pages that fit one model do without.
 */
async function completeFolds(
  tensor: SparseTensor,
  { choose, folds, onEpoch, seconds, rank, ...options }: FoldedOptions,
): Promise<FoldedCompletion | undefined> {
  const { completeByFolds } = await import('./onDemand/crossFitting.ts')
  return completeByFolds(tensor, typeof rank === 'number' ? { ...options, rank } : options, {
    folds,
    seconds,
    choose: choose ?? choosesByDefault(options),
    ...(rank === 'auto' && { findRank: 'smallest' }),
    onEpoch: (fold, report) => onEpoch?.(report, fold),
  })
}
