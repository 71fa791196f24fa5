/**
 * Rank and other settings by cross-fitting: entries are predicted by models that were fitted without them, at
 * one rank after another until more components no longer help, and then with other settings, one at a time.
 */
import type { SparseTensor } from '../../tensor/index.ts'
import type { RunOptions } from '../settings/options.ts'
import type { CrossFit } from './crossFit.ts'
import { FoldSearch, type SearchOptions } from './foldSearch.ts'
import {
  alternativeChanges,
  type FoldChoice,
  type FoldTrial,
  searchAlternatives,
  type TrialChanges,
} from './trials.ts'

/** Options of a search by cross-fitting: which settings are searched, and how. */
export interface ChooseByFoldsOptions extends SearchOptions {
  /**
   * Rank to search for: 'smallest' of the ranks that are as good as the best, or 'best', that of the smallest
   * error; by default the rank that is given.
   */
  findRank?: 'smallest' | 'best'
  /** Whether noise, lags, features and reshaping are tried, too; false by default. */
  choose?: boolean
  /** Whether the models are returned, or only the choice; true by default. */
  withModels?: boolean
}

/** The result of a search by cross-fitting. */
export interface ChosenByFolds {
  /** All trials and the chosen one. */
  choice: FoldChoice
  /** The chosen settings with their models, and those that are nearly as good. */
  candidates: Candidate[]
}

/** Settings with the models of all folds. */
export interface Candidate {
  /** The trial. */
  trial: FoldTrial
  /** The options with the settings of the trial. */
  options: RunOptions
  /** Its models. */
  fit: CrossFit
}

/** Ranks that are tried, in this order, where the smallest good one is wanted. */
const FINE_RANKS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
/** Ranks that are tried where the best one is wanted: a rank that is too large does not hurt. */
const COARSE_RANKS = [2, 4, 8, 16, 32, 64]
/**
 * One-standard-error rule: a trial is as good as the best if its RMSE is larger by at most one standard error
 * of the best, and by at most this fraction.
 */
const AS_GOOD = 0.005
/** Ranks are raised until the last two together reduce the RMSE by less than this fraction. */
const LEAST_GAIN = 0.005
/**
 * Trials whose RMSE is above that of the chosen one by at most this fraction are candidates, too: the
 * correction by neighbours may make them better.
 */
const NEAR = 0.01

/**
 * Searches settings by cross-fitting: the rank if `findRank` is given, then other settings if `choose` is
 * true; else it makes the one trial of the options.
 * @returns the choice and, unless `withModels` is false, the models; undefined if it was interrupted
 */
export async function chooseByFolds(
  tensor: SparseTensor,
  options: RunOptions,
  { findRank, choose = false, withModels = true, ...searchOptions }: ChooseByFoldsOptions = {},
): Promise<ChosenByFolds | undefined> {
  const search = new FoldSearch(tensor, options, searchOptions)
  let { chosen, isCut } = findRank
    ? await searchRanks(search, findRank)
    : { chosen: await search.attempt({}), isCut: false }
  if (choose && chosen && !isCut) {
    const changes = findRank ? { rank: chosen.rank } : {}
    const attempt = async (changes: TrialChanges, { rank }: FoldTrial): Promise<FoldTrial | undefined> =>
      search.hasTimeFor(rank) ? search.attempt(changes) : undefined
    const found = await searchAlternatives(chosen, changes, alternativeChanges(options, true), attempt)
    chosen = found.chosen
    isCut = found.isCut
  }
  if (!chosen || search.isInterrupted) return undefined
  const { rmse } = chosen
  const isNear = (trial: FoldTrial): boolean =>
    findRank !== 'smallest' &&
    trial.folds === search.folds &&
    trial.rmse <= (1 + NEAR) * rmse &&
    // When the time is up no model is fitted again.
    (!isCut || search.hasModels(trial))
  const candidates: Candidate[] = []
  if (withModels)
    for (const trial of new Set([chosen, ...search.trials.filter(isNear)])) {
      const fit = await search.models(trial)
      if (!fit) return undefined
      candidates.push({ trial, options: { ...options, ...search.changesOf(trial) }, fit })
    }
  const trials = search.trials.toSorted((a, b) => a.rank - b.rank)
  return { choice: { trials, chosen, isCut }, candidates }
}

/**
 * Tries growing ranks until they no longer help; with the goal 'smallest' it then bisects below the first
 * rank that is as good as the best.
 * @returns the chosen trial, undefined if there is none; isCut if there was no time for all ranks
 */
async function searchRanks(
  search: FoldSearch,
  goal: 'smallest' | 'best',
): Promise<{ chosen?: FoldTrial; isCut: boolean }> {
  const tried: FoldTrial[] = []
  let isCut = false
  for (const rank of goal === 'best' ? COARSE_RANKS : FINE_RANKS) {
    const trial = search.hasTimeFor(rank) ? await search.attempt({ rank }) : undefined
    if (trial) tried.push(trial)
    else isCut = true
    if (isCut || hasLevelledOff(tried)) break
  }
  if (tried.length === 0 || search.isInterrupted) return { isCut }
  const { best } = search
  if (goal === 'best' || isCut) return { chosen: best, isCut }
  const isAsGood = ({ rmse }: FoldTrial): boolean =>
    rmse <= best.rmse + Math.min(best.spread, AS_GOOD * best.rmse)
  const firstGood = tried.findIndex(isAsGood)
  let chosen = tried[firstGood]
  let low = tried[firstGood - 1]?.rank ?? 0
  while (chosen.rank - low > 1) {
    const trial = await search.attempt({ rank: Math.floor((low + chosen.rank) / 2) })
    if (!trial) return { chosen, isCut: true }
    if (isAsGood(trial)) chosen = trial
    else low = trial.rank
  }
  return { chosen, isCut }
}

/** Whether the best RMSE of the last two trials is less than 0.5% below the best of those before. */
function hasLevelledOff(trials: readonly FoldTrial[]): boolean {
  if (trials.length < 3) return false
  const before = Math.min(...trials.slice(0, -2).map(({ rmse }) => rmse))
  const last = Math.min(...trials.slice(-2).map(({ rmse }) => rmse))
  return last > (1 - LEAST_GAIN) * before
}
