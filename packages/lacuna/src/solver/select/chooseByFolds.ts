/**
 * The rank, and whatever else helps on some data and hurts on other, by cross-fitting: entries are predicted by models that have
 * not seen them, at one rank after another until more components no longer help, and then with other settings, one at a time.
 */
import type { SparseTensor } from '../../tensor/index.ts'
import { mayLearnPrior } from '../settings/checkSettings.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import { alternatives } from './choose.ts'
import type { CrossFit } from './crossFit.ts'
import { FoldSearch, type FoldTrial, type SearchOptions, type TrialChanges } from './foldSearch.ts'

/** What is chosen by folds. */
export interface ChooseByFoldsOptions extends SearchOptions {
  /**
   * Which rank: 'smallest', of those that are as good as the best; 'best', that of the smallest error. By default, the one that
   * is given.
   */
  findRank?: 'smallest' | 'best'
  /** Whether noise, lags, features and reshaping are tried, too. */
  choose?: boolean
  /** Whether the models are wanted, or only what is to be chosen. */
  withModels?: boolean
}

/** What was tried and chosen; plain data. */
export interface FoldChoice {
  trials: FoldTrial[]
  chosen: FoldTrial
  /** Whether the time was up before everything had been tried. */
  isCut: boolean
}

export interface ChosenByFolds {
  choice: FoldChoice
  /** What was chosen, and what is nearly as good. */
  candidates: Candidate[]
}

export interface Candidate {
  trial: FoldTrial
  /** The options with what was tried in them. */
  options: RunOptions
  fit: CrossFit
}

const FINE = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
/** Where the smallest rank is not wanted, since a rank that is too large does not hurt. */
const COARSE = [2, 4, 8, 16, 32, 64]
/** As good as the best is what has an RMSE above it by less than a standard error, and by no more than this share. */
const AS_GOOD = 0.005
/** Two ranks in a row that gain less than this share together are the last. */
const LEAST_GAIN = 0.005
/** Other settings than those given must be better by this share. */
const LEAST_CHANGE = 1e-3
/** What is above the chosen by no more than this share may still be better with what neighbours say. */
const NEAR = 0.01

/** Undefined if it was interrupted. */
export async function chooseByFolds(
  tensor: SparseTensor,
  options: RunOptions,
  { findRank, choose = false, withModels = true, ...search }: ChooseByFoldsOptions = {},
): Promise<ChosenByFolds | undefined> {
  const trying = new FoldSearch(tensor, options, search)
  let isCut = false
  let changes: TrialChanges = {}
  let chosen: FoldTrial | undefined
  if (findRank) {
    const found = await tryRanks(trying, findRank)
    chosen = found.chosen
    isCut = found.isCut
    changes = { rank: chosen?.rank }
  } else chosen = await trying.attempt(changes)
  if (choose && chosen && !isCut)
    for (const other of othersOf(options)) {
      const isTime = trying.hasTimeFor(chosen.rank)
      const trial = isTime ? await trying.attempt({ ...changes, ...other }) : undefined
      if (!trial) {
        isCut = true
        break
      }
      if (trial.rmse >= (1 - LEAST_CHANGE) * chosen.rmse) continue
      chosen = trial
      changes = { ...changes, ...other }
    }
  if (!chosen || trying.isInterrupted) return undefined
  const { rmse } = chosen
  const isNear = (trial: FoldTrial): boolean =>
    findRank !== 'smallest' &&
    trial.folds === trying.folds &&
    trial.rmse <= (1 + NEAR) * rmse &&
    // When the time is up nothing is learned again.
    (!isCut || trying.hasModels(trial))
  const candidates: Candidate[] = []
  if (withModels)
    for (const trial of new Set([chosen, ...trying.trials.filter(isNear)])) {
      const fit = await trying.models(trial)
      if (!fit) return undefined
      candidates.push({ trial, options: { ...options, ...trying.changesOf(trial) }, fit })
    }
  const trials = trying.trials.toSorted((a, b) => a.rank - b.rank)
  return { choice: { trials, chosen, isCut }, candidates }
}

/** What may be better than what was given, one at a time. */
function othersOf(options: RunOptions): TrialChanges[] {
  const { mergeModes = [], split = [] } = options
  const isReshaped = mergeModes.length > 0 || split.length > 0
  const ofPrior = mayLearnPrior(settingsOf(options)) ? alternatives(options) : []
  return [...ofPrior, ...(isReshaped ? [{ mergeModes: [], split: [] }] : [])]
}

async function tryRanks(
  trying: FoldSearch,
  which: 'smallest' | 'best',
): Promise<{ chosen?: FoldTrial; isCut: boolean }> {
  const tried: FoldTrial[] = []
  let isCut = false
  for (const rank of which === 'best' ? COARSE : FINE) {
    const trial = trying.hasTimeFor(rank) ? await trying.attempt({ rank }) : undefined
    if (trial) tried.push(trial)
    else isCut = true
    if (isCut || isOver(tried)) break
  }
  if (tried.length === 0 || trying.isInterrupted) return { isCut }
  const { best } = trying
  if (which === 'best' || isCut) return { chosen: best, isCut }
  const isAsGood = ({ rmse }: FoldTrial): boolean =>
    rmse <= best.rmse + Math.min(best.spread, AS_GOOD * best.rmse)
  const at = tried.findIndex(isAsGood)
  let chosen = tried[at]
  let low = tried[at - 1]?.rank ?? 0
  while (chosen.rank - low > 1) {
    const trial = await trying.attempt({ rank: Math.floor((low + chosen.rank) / 2) })
    if (!trial) return { chosen, isCut: true }
    if (isAsGood(trial)) chosen = trial
    else low = trial.rank
  }
  return { chosen, isCut }
}

function isOver(trials: readonly FoldTrial[]): boolean {
  if (trials.length < 3) return false
  const before = Math.min(...trials.slice(0, -2).map(({ rmse }) => rmse))
  const last = Math.min(...trials.slice(-2).map(({ rmse }) => rmse))
  return last > (1 - LEAST_GAIN) * before
}
