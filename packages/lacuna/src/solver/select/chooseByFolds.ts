/**
 * Rank and other settings by cross-fitting: entries are predicted by models that were fitted without them, at
 * one rank after another until more components no longer help, and then with other settings, one at a time.
 */
import { InputError, option, sentence } from '../../base/inputError.ts'
import type { CpModel } from '../../model/index.ts'
import type { FoldBy, SampledCells, SparseTensor } from '../../tensor/index.ts'
import type { RunOptions } from '../settings/options.ts'
import type { CrossFit, Deadline, Unfinished } from './crossFit/index.ts'
import { FoldSearch, type SearchOptions } from './search/index.ts'
import { type FoundBest, largestRank, searchBest } from './searchBest.ts'
import { searchZeros } from './searchZeros.ts'
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
  /**
   * Whether noise, lags, features and reshaping as given are tried, too; with `findRank: 'best'` also links,
   * and reshapings and lags that the data suggest, and the best trials are combined. False by default.
   */
  choose?: boolean
  /** Ranks that 'best' tries, ascending; 2, 4, 8 … 64 by default. */
  ranks?: readonly number[]
  /** Whether the models are returned, or only the choice; true by default. */
  withModels?: boolean
}

/** The result of a search by cross-fitting. */
export interface ChosenByFolds {
  /** All trials and the chosen one. */
  choice: FoldChoice
  /** The chosen settings with their models, and with `findRank: 'best'` those of the other good trials. */
  candidates: Candidate[]
  /** What stays together in a fold. */
  by: FoldBy
  /** The sampled cells that folds are made of, where unlisted cells are zeros. */
  sampled?: SampledCells
  /** Weights of the entries in the criterion of trials, in the order of the tensor; all 1 by default. */
  weights?: Float32Array
  /** Descriptions of what was left out because the time was up; empty without a time limit. */
  leftOut: string[]
  /** The time limit of the search and of what follows. */
  deadline: Deadline
  /** Saves the search, which continues with all its trials known by their errors; does nothing without checkpointing. */
  save: () => Promise<void>
}

/** The models of a trial of which the time limit left out some, where no trial has all of them. */
export interface UnfinishedSearch extends Pick<ChosenByFolds, 'leftOut'> {
  /** The models that there are, at least one. */
  unfinished: readonly CpModel[]
}

/** Description of what an ensemble of unfinished models lacks. */
export const WITHOUT_ERRORS = 'out-of-fold errors, intervals and neighbours'

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
/**
 * One-standard-error rule: a trial is as good as the best if its RMSE is larger by at most one standard error
 * of the best, and by at most this fraction.
 */
const AS_GOOD = 0.005
/** The rank that is tried first where the time is limited, so that a search that is cut has more than the smallest ranks. */
const FIRST_IN_TIME = 8
/** Ranks are raised until the last two together reduce the RMSE by less than this fraction. */
const LEAST_GAIN = 0.005

/**
 * Searches settings by cross-fitting: everything with `findRank: 'best'`; the rank with 'smallest'; then
 * other settings if `choose` is true; else it makes the one trial of the options.
 * @returns the choice and, unless `withModels` is false, the models; the models alone where the time was up
 * before those of the first trial were there; undefined if it was interrupted
 */
export async function chooseByFolds(
  tensor: SparseTensor,
  options: RunOptions,
  { findRank, choose = false, ranks, withModels = true, ...searchOptions }: ChooseByFoldsOptions = {},
): Promise<ChosenByFolds | UnfinishedSearch | undefined> {
  checkSearch({ findRank, ranks })
  const search = new FoldSearch(tensor, options, searchOptions, withModels)
  const found =
    findRank === 'best'
      ? await (search.sampled ? searchZeros : searchBest)(search, tensor, options, { ranks, choose })
      : await searchOne(search, options, findRank, choose)
  const leftOut = [...found.leftOut]
  const isCut = leftOut.length > 0
  if (search.isInterrupted) return undefined
  if (search.unfinished) return unfinishedSearch(search, search.unfinished, findRank)
  if (!found.chosen) return undefined
  const candidates: Candidate[] = []
  const wanted = findRank === 'best' ? search.candidates : []
  if (withModels)
    for (const trial of new Set([found.chosen, ...wanted])) {
      // A candidate without models is fitted again only if there is time for it.
      const isAffordable = search.hasModels(trial) || (!isCut && search.hasTimeFor(search.changesOf(trial)))
      if (trial !== found.chosen && !isAffordable) continue
      const fit = await search.models(trial)
      if (!fit && search.isInterrupted) return undefined
      if (!fit) continue // the time was up: other trials may have their models
      if (fit.cut > 0) leftOut.push(describeCut(fit.cut, search.folds))
      candidates.push({ trial, options: { ...options, ...search.changesOf(trial) }, fit })
    }
  if (withModels && candidates.length === 0)
    return search.unfinished && unfinishedSearch(search, search.unfinished, findRank)
  const chosen = withModels ? candidates[0].trial : found.chosen
  if (chosen !== found.chosen) leftOut.push('the models of the best trial')
  const trials = search.trials.toSorted((a, b) => a.rank - b.rank)
  const { deadline, weights, sampled, by } = search
  const save = (): Promise<void> => search.save()
  return { choice: { trials, chosen, isCut }, candidates, by, sampled, weights, leftOut, deadline, save }
}

/** Throws unless the search and the ranks to try are possible. */
function checkSearch({ findRank, ranks = [] }: Pick<ChooseByFoldsOptions, 'findRank' | 'ranks'>): void {
  if (findRank !== undefined && findRank !== 'smallest' && findRank !== 'best')
    throw new InputError(
      'option',
      sentence`${option('findRank')} is ${String(findRank)}; it must be smallest or best.`,
    )
  const wrong = ranks.find((rank) => !Number.isInteger(rank) || rank < 1)
  if (wrong !== undefined)
    throw new InputError(
      'option',
      sentence`${option('ranks')} has ${wrong}; they must be whole numbers from 1.`,
    )
}

/** Searches for the smallest good rank if that is wanted, and then for other settings if `choose` is true. */
async function searchOne(
  search: FoldSearch,
  options: RunOptions,
  findRank: 'smallest' | undefined,
  choose: boolean,
): Promise<FoundBest> {
  const leftOut: string[] = []
  const { chosen, isCut } = findRank
    ? await searchRanks(search)
    : { chosen: await search.attempt({}), isCut: false }
  if (isCut) leftOut.push(search.trials.length > 0 ? `ranks above ${largestRank(search)}` : 'all ranks')
  if (choose && chosen && isCut) leftOut.push('other settings')
  if (!choose || !chosen || isCut) return { chosen, leftOut }
  const changes = findRank ? { rank: chosen.rank } : {}
  const attempt = async (changes: TrialChanges): Promise<FoldTrial | undefined> =>
    search.hasTimeFor(changes) ? search.attempt(changes) : undefined
  const found = await searchAlternatives(chosen, changes, alternativeChanges(options, true), attempt)
  if (found.isCut) leftOut.push('some of the other settings')
  return { chosen: found.chosen, leftOut }
}

/** Describes models that the time limit has cut off. */
const describeCut = (cut: number, folds: number): string => `the last epochs of ${cut} of ${folds} models`

/** The result where the first trial has no models of all folds. */
const unfinishedSearch = (
  { folds }: FoldSearch,
  { models }: Unfinished,
  findRank: ChooseByFoldsOptions['findRank'],
): UnfinishedSearch => ({
  unfinished: models,
  leftOut: [
    ...(findRank ? ['ranks other than the first'] : []),
    models.length < folds ? `${folds - models.length} of ${folds} models` : describeCut(folds, folds),
    WITHOUT_ERRORS,
  ],
})

/**
 * Tries growing ranks until they no longer help, and then bisects below the first rank that is as good as the
 * best. Where the time is limited, FIRST_IN_TIME comes before them.
 * @returns the chosen trial, undefined if there is none; isCut if there was no time for all ranks
 */
async function searchRanks(search: FoldSearch): Promise<{ chosen?: FoldTrial; isCut: boolean }> {
  const tried: FoldTrial[] = []
  let isCut = search.deadline.secondsLeft < Infinity && !(await search.attempt({ rank: FIRST_IN_TIME }))
  const isAsGood = ({ rmse }: FoldTrial): boolean =>
    rmse <= search.best.rmse + Math.min(search.best.spread, AS_GOOD * search.best.rmse)
  for (const rank of isCut ? [] : FINE_RANKS) {
    const trial = search.hasTimeFor({ rank }) ? await search.attempt({ rank }) : undefined
    if (trial) tried.push(trial)
    else isCut = true
    if (isCut || (hasLevelledOff(tried) && tried.some(isAsGood))) break
  }
  if (search.trials.length === 0 || search.isInterrupted) return { isCut }
  if (isCut) return { chosen: search.best, isCut }
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
