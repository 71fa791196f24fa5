/**
 * The search of `--best`: successive halving (Jamieson and Talwalkar 2016) over reshapings, lags and links at
 * a small rank on two folds; the best of them are fitted with growing ranks on all folds; noise models and
 * other single changes follow at the best. The order of the trials is fixed: it does not depend on the clock.
 */
import { InputError } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import type { RunOptions } from '../settings/options.ts'
import { proposeAxis } from '../time/proposeLags.ts'
import type { AttemptOptions, FoldSearch } from './foldSearch.ts'
import { proposeAutoregression, proposeLinks, proposeShapes } from './proposals.ts'
import {
  alternativeChanges,
  criterionOf,
  type FoldTrial,
  searchAlternatives,
  type TrialChanges,
} from './trials.ts'

/** What the search found. */
export interface FoundBest {
  /** The trial with the smallest error; undefined if there is none. */
  chosen?: FoldTrial
  /** What was left out because the time was up, in words. */
  leftOut: string[]
}

/** What is searched. */
export interface BestOptions {
  /** Ranks to try, ascending; 2, 4, 8 … 64 by default. */
  ranks?: readonly number[]
  /** Whether reshapings, lags, links and noise models are tried, too; else ranks alone. */
  choose: boolean
}

const RANKS: readonly number[] = [2, 4, 8, 16, 32, 64]
/** Shapes and links are compared at this rank, or the largest one of `ranks` below it. */
const SCREENING_RANK = 8
/** Folds on which shapes and links are compared. */
const SCREENING_FOLDS = 2
/** Most reshapings, beside the modes as given, whose models are fitted with growing ranks. */
const MOST_GROWN = 3
/** Reshapings are grown if their error is above the smallest by at most this fraction. */
const NEAR = 0.5
/** Ranks grow while the error falls by this fraction. */
const LEAST_GAIN = 0.005
/**
 * A trial is given up if it is worse than the best by this fraction on two folds: less good ones may still
 * add something to a combination.
 */
const TOLERANCE = 0.15
/** A large rank is tried before reshapings if this many times its seconds are left for models. */
const LARGE_FIRST = 2

/**
 * Tries reshapings, lags, links, ranks and noise models by cross-fitting. The options as given, at their own
 * rank and at the largest one, are always among the trials.
 * @param options the settings that are changed
 */
export async function searchBest(
  search: FoldSearch,
  tensor: SparseTensor,
  options: RunOptions,
  { ranks = RANKS, choose }: BestOptions,
): Promise<FoundBest> {
  const leftOut = new Set<string>()
  const first = await search.attempt({})
  if (!first) return { leftOut: ['all ranks'] }
  search.pin(first)
  const tryRank = async (rank: number): Promise<boolean> => {
    const trial = await attemptInTime(search, { rank })
    if (typeof trial === 'object') search.pin(trial)
    return trial !== undefined
  }
  // A large rank often gains more than all that follows: the largest one that takes a small part of the time comes first.
  const largest = ranks[ranks.length - 1]
  const early = ranks.findLast((rank) => search.hasTimeFor({ rank }, LARGE_FIRST * search.folds))
  if (early !== undefined && (early === largest || early > first.rank)) await tryRank(early)
  if (search.isInterrupted) return { leftOut: [] }
  const start = Math.max(
    0,
    ranks.findLastIndex((rank) => rank <= SCREENING_RANK),
  )
  const { lineages, isCut } = choose
    ? await screen(search, tensor, options, ranks[start])
    : { lineages: [{}], isCut: false }
  if (isCut) leftOut.add('some of the reshapings and links')
  for (const [at, changes] of lineages.entries()) {
    const best = await growRank(search, changes, ranks, start)
    if (search.isInterrupted) return { leftOut: [] }
    if (!best)
      leftOut.add(at === 0 ? `ranks above ${largestRank(search)}` : 'ranks of some reshapings and links')
    // The options as given are tried with the largest rank, too, whatever others are worth.
    if (at === 0 && !(await tryRank(largest))) leftOut.add(`rank ${largest}`)
    if (typeof best !== 'object') continue
    for (const autoregression of proposeAutoregression(changes))
      if (!(await attemptInTime(search, { ...changes, ...autoregression, rank: best.rank })))
        leftOut.add('autoregressive priors')
  }
  if (!choose) return { chosen: search.best, leftOut: [...leftOut] }
  const { best } = search
  const changes = search.changesOf(best)
  // Reshapings that the data suggest have been compared with the modes as given already.
  const isReshapedByOptions = (options.mergeModes ?? []).length + (options.split ?? []).length > 0
  const single = alternativeChanges({ ...options, ...changes }, true)
  const alternatives = [
    ...single.filter(({ mergeModes }) => mergeModes === undefined || isReshapedByOptions),
    ...logarithm(changes),
  ]
  const found = await searchAlternatives(best, changes, alternatives, async (changes) => {
    const trial = await attemptInTime(search, changes)
    return trial === REFUSED ? best : trial
  })
  if (found.isCut) leftOut.add('some of the other settings')
  return { chosen: search.best, leftOut: [...leftOut] }
}

/** A proposal that does not go with the data, such as a split of labels that are not evenly spaced. */
const REFUSED = 'refused'

/**
 * Makes a trial if there is time for it.
 * @returns the trial; undefined if there is no time, or it was interrupted; REFUSED if the settings do not go
 * with the data, or need more memory than there is
 */
async function attemptInTime(
  search: FoldSearch,
  changes: TrialChanges,
  { folds, tolerance = TOLERANCE }: AttemptOptions = {},
): Promise<FoldTrial | typeof REFUSED | undefined> {
  try {
    return search.hasTimeFor(changes, folds) ? await search.attempt(changes, { folds, tolerance }) : undefined
  } catch (error) {
    if (error instanceof InputError && (error.code === 'option' || error.code === 'memory')) return REFUSED
    throw error
  }
}

/** The logarithm in place of the square root, where that was chosen. */
const logarithm = ({ link }: TrialChanges): TrialChanges[] => (link === 'sqrt' ? [{ link: 'log1p' }] : [])

/**
 * Compares shapes and links at a small rank on the first folds.
 * @returns the best changes for the modes as given, and for each of the best reshapings, the best one first;
 * isCut if there was no time for all
 */
async function screen(
  search: FoldSearch,
  tensor: SparseTensor,
  options: RunOptions,
  rank: number,
): Promise<{ lineages: TrialChanges[]; isCut: boolean }> {
  const shapes = proposeShapes(tensor, options, search.by, proposeAxis(tensor))
  const links = [{}, ...proposeLinks(tensor, options)]
  const combinations = shapes.flatMap((shape) => links.map((link) => ({ ...shape, ...link })))
  const screened: { changes: TrialChanges; error: number }[] = []
  let isCut = false
  for (const changes of combinations.length > 1 ? combinations : []) {
    const trial = await attemptInTime(search, { ...changes, rank }, { folds: SCREENING_FOLDS })
    if (!trial) {
      isCut = true
      break
    }
    if (trial !== REFUSED) screened.push({ changes, error: criterionOf(trial) })
  }
  screened.sort((a, b) => a.error - b.error)
  const shapeOf = ({ mergeModes = [], split = [] }: TrialChanges): string =>
    JSON.stringify([mergeModes, split])
  // The best of each shape: lags and links of one shape give models that are much alike.
  const bestOfShape = screened.filter(
    ({ changes }, at) => screened.findIndex((other) => shapeOf(other.changes) === shapeOf(changes)) === at,
  )
  const given = bestOfShape.find(({ changes }) => shapeOf(changes) === shapeOf({}))
  const near = bestOfShape
    .filter((one) => one !== given && one.error <= (1 + NEAR) * screened[0].error)
    .slice(0, MOST_GROWN)
  return { lineages: [given?.changes ?? {}, ...near.map(({ changes }) => changes)], isCut }
}

/**
 * Fits models on all folds, of growing rank while the error falls, or of falling rank if the first step up
 * does not help.
 * @param start the rank, by its number, at which shapes were compared; the first one here is the next
 * @returns the best trial; undefined if there was no time for all; REFUSED if no rank can be fitted
 */
async function growRank(
  search: FoldSearch,
  changes: TrialChanges,
  ranks: readonly number[],
  start: number,
): Promise<FoldTrial | typeof REFUSED | undefined> {
  const attempt = (at: number) => attemptInTime(search, { ...changes, rank: ranks[at] })
  const largest = ranks.length - 1
  const middle = Math.min(start + 1, largest)
  const first = await attempt(middle)
  if (!first || first === REFUSED) return first
  let best = first
  for (const step of [1, -1]) {
    // Smaller ranks are tried only where no larger one was better.
    if (step < 0 && best !== first) break
    for (let at = middle + step; at >= 0 && at <= largest; at += step) {
      const next = await attempt(at)
      if (!next) return undefined
      if (next === REFUSED) break
      const isBetter = criterionOf(next) < (1 - LEAST_GAIN) * criterionOf(best)
      if (criterionOf(next) < criterionOf(best)) best = next
      if (!isBetter) break
    }
  }
  return best
}

/** The largest rank that was tried. */
export const largestRank = ({ trials }: FoldSearch): number => Math.max(...trials.map(({ rank }) => rank))
