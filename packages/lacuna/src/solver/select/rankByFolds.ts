/** The rank of one model by cross-validation: `rank: 'auto'` of `complete`. */
import { InputError, option, sentence } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import type { RunOptions } from '../settings/options.ts'
import { chooseByFolds } from './chooseByFolds.ts'
import type { FoldChoice } from './trials.ts'

/** Fraction of a time limit that the search takes at most; the model has the rest. */
const SEARCH_FRACTION = 0.7

/** A rank that was found. */
export interface RankByFolds {
  /** The rank; undefined if the search was interrupted, and then the default is used. */
  rank?: number
  /** The ranks that were tried; undefined if the time was up before. */
  ranks?: FoldChoice
  /** Seconds that are left for the model; undefined without a time limit. */
  seconds?: number
}

/**
 * Finds the smallest rank whose out-of-fold error is within one standard error of the best. Throws if factors to
 * start from are given, which have a rank.
 * @param options settings of the model; its rank is ignored
 */
export async function rankByFolds(tensor: SparseTensor, options: RunOptions): Promise<RankByFolds> {
  const { rank: _, seconds, validation, patience, watch, initial, ...settings } = options
  if (initial !== undefined)
    throw new InputError(
      'option',
      sentence`${option('rank', 'auto')} does not go with ${option('initial')}, which has a rank; leave one of them out.`,
    )
  const start = performance.now()
  // Where unlisted cells are zeros, held-out cells must neither be taken for zeros nor drawn.
  const unknown = settings.missing === 'zero' && { watch: { ...watch, ...(validation && { validation }) } }
  const found = await chooseByFolds(
    tensor,
    { ...settings, ...unknown },
    {
      findRank: 'smallest',
      withModels: false,
      ...(seconds !== undefined && { seconds: SEARCH_FRACTION * seconds }),
    },
  )
  const left =
    seconds && Math.max((1 - SEARCH_FRACTION) * seconds, seconds - (performance.now() - start) / 1000)
  const time = left === undefined ? {} : { seconds: left }
  if (!found) return time
  if ('unfinished' in found) return { rank: found.unfinished[0].rank, ...time }
  return { rank: found.choice.chosen.rank, ranks: found.choice, ...time }
}
