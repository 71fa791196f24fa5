/**
 * The search of `--best`: successive halving (Jamieson and Talwalkar 2016) over reshapings, lags and links at
 * a small rank on two folds; the best of them are fitted with growing ranks on all folds; noise models and
 * other single changes follow at the best. The order of the trials is fixed; only with a time limit does it depend on the
 * clock which of them are made, and at which rank the first large one.
 */
import { InputError } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import type { RunOptions } from '../settings/options.ts'
import { proposeAxis } from '../time/proposeLags.ts'
import { proposeAutoregression, proposeLinks, proposeShapes } from './proposals.ts'
import { type AttemptOptions, type FoldSearch, squaresOnFirst } from './search/index.ts'
import {
  alternativeChanges,
  criterionOf,
  type FoldTrial,
  searchAlternatives,
  type TrialChanges,
} from './trials.ts'

/** The result of the search. */
export interface FoundBest {
  /** The trial with the smallest error; undefined if there is none. */
  chosen?: FoldTrial
  /** Descriptions of what was left out because the time was up. */
  leftOut: string[]
}

/** The space of settings that is searched. */
export interface BestOptions {
  /** Ranks to try, ascending; 2, 4, 8 … 64 by default. */
  ranks?: readonly number[]
  /** Whether reshapings, lags, links and noise models are tried, too; else ranks alone. */
  choose: boolean
}

/** Ranks that are tried by default. */
export const RANKS: readonly number[] = [2, 4, 8, 16, 32, 64]
/** Shapes and links are compared at this rank, or the largest one of `ranks` below it. */
export const SCREENING_RANK = 8
/** Folds on which shapes and links are compared. */
export const SCREENING_FOLDS = 2
/** Most reshapings, beside the modes as given, whose models are fitted with growing ranks. */
export const MOST_GROWN = 4
/** Reshapings are grown if their error is above the smallest by at most this fraction. */
const NEAR = 0.5
/** Ranks grow while the error falls by this fraction; lags and links that gain less are not taken. */
const LEAST_GAIN = 0.005
/**
 * A trial is given up if it is worse than the best by this fraction on two folds: less good ones may still
 * add something to a combination.
 */
const TOLERANCE = 0.15
/** A large rank is tried before reshapings if this many times its seconds are left for models, beside those of refitting. */
const LARGE_FIRST = 2

/**
 * Tries reshapings, lags, links, ranks and noise models by cross-fitting. The options as given are always among the trials,
 * and also at the largest rank if there is time.
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
  search.reserveRefit()
  const tryRank = async (rank: number): Promise<boolean> => {
    const trial = await attemptInTime(search, { rank })
    if (typeof trial === 'object') search.pin(trial)
    return trial !== undefined
  }
  // A large rank often gains more than all that follows: the largest one that takes a small part of the time comes first.
  const largest = ranks[ranks.length - 1]
  const mostFolds = LARGE_FIRST * search.folds + search.foldsOfRefit
  const early = ranks.findLast((rank) => search.isKnown({ rank }) || search.hasTimeFor({ rank }, mostFolds))
  if (early !== undefined && (early === largest || early > first.rank)) await tryRank(early)
  if (search.isInterrupted) return { leftOut: [] }
  const start = Math.max(
    0,
    ranks.findLastIndex((rank) => rank <= SCREENING_RANK),
  )
  const { given, near, isCut } = choose
    ? await screen(search, tensor, options, ranks[start])
    : { given: { changes: {} }, near: [], isCut: false }
  if (isCut) leftOut.add('some of the reshapings and links')
  // Reshapings that are better at a small rank than all that was tried so far come before the modes as given.
  const isBetter = ({ error }: Screened): boolean => error < criterionOf(search.best)
  const order = [near.filter(isBetter), given, near.filter((one) => !isBetter(one))].flat()
  for (const { changes, trial } of order) {
    const best = await growRank(search, changes, ranks, start, trial)
    if (search.isInterrupted) return { leftOut: [] }
    const isGiven = changes === given.changes
    if (!best) leftOut.add(isGiven ? describeRanks(search, largest) : 'ranks of some reshapings and links')
    // The options as given are tried with the largest rank, too, even if other settings are better.
    if (isGiven && !(await tryRank(largest))) leftOut.add(`rank ${largest}`)
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
  const { noise } = found.changes
  if (noise !== changes.noise && !(await tryNoise(search, noise)))
    leftOut.add('the noise model with some reshapings')
  return { chosen: search.best, leftOut: [...leftOut] }
}

/**
 * Tries a noise model that was better at the best trial also at the best trials of other modes, which are combined with it.
 * @returns whether there was time for all
 */
async function tryNoise(search: FoldSearch, noise: RunOptions['noise']): Promise<boolean> {
  const shapes = new Set([shapeOf(search.changesOf(search.best))])
  const most = (1 + NEAR) * criterionOf(search.best)
  for (const trial of search.finished) {
    const changes = search.changesOf(trial)
    if (shapes.has(shapeOf(changes)) || criterionOf(trial) > most || shapes.size > MOST_GROWN) continue
    shapes.add(shapeOf(changes))
    if (!(await attemptInTime(search, { ...changes, noise }))) return false
  }
  return true
}

/** The merged and split modes of changes, as text. */
const shapeOf = ({ mergeModes = [], split = [] }: TrialChanges): string => JSON.stringify([mergeModes, split])

/** A proposal that does not go with the data, such as a split of labels that are not evenly spaced. */
export const REFUSED = 'refused'

/**
 * Makes a trial if there is time for it.
 * @returns the trial; undefined if there is no time, or it was interrupted; REFUSED if the settings do not go
 * with the data, or need more memory than there is
 */
export async function attemptInTime(
  search: FoldSearch,
  changes: TrialChanges,
  { folds, tolerance = TOLERANCE }: AttemptOptions = {},
): Promise<FoldTrial | typeof REFUSED | undefined> {
  try {
    const isPossible = search.isKnown(changes) || search.hasTimeFor(changes, folds)
    return isPossible ? await search.attempt(changes, { folds, tolerance }) : undefined
  } catch (error) {
    if (error instanceof InputError && (error.code === 'option' || error.code === 'memory')) return REFUSED
    throw error
  }
}

/** Proposes the link log(1 + x) if the square root was chosen. */
const logarithm = ({ link }: TrialChanges): TrialChanges[] => (link === 'sqrt' ? [{ link: 'log1p' }] : [])

/** Changes of the options, with their trial at a small rank on the first folds, and its error. */
interface Screened {
  changes: TrialChanges
  trial: FoldTrial
  error: number
}

/**
 * Compares shapes and links at a small rank on the first folds.
 * @returns `given`: the best changes for the modes as given; `near`: those for each of the best reshapings, the
 * best one first; isCut if there was no time for all
 */
async function screen(
  search: FoldSearch,
  tensor: SparseTensor,
  options: RunOptions,
  rank: number,
): Promise<{ given: Pick<Screened, 'changes'> & Partial<Screened>; near: Screened[]; isCut: boolean }> {
  const shapes = proposeShapes(tensor, options, search.by, proposeAxis(tensor))
  const links = [{}, ...proposeLinks(tensor, options)]
  const combinations = shapes.flatMap((shape) => links.map((link) => ({ ...shape, ...link })))
  const screened: Screened[] = []
  let isCut = false
  for (const changes of combinations.length > 1 ? combinations : []) {
    const trial = await attemptInTime(search, { ...changes, rank }, { folds: SCREENING_FOLDS })
    if (!trial) {
      isCut = true
      break
    }
    if (trial !== REFUSED) screened.push({ changes, trial, error: criterionOf(trial) })
  }
  // The best of each shape: lags and links of one shape give models that are much alike. Of those that are about as
  // good, the first is the plainest: lags that gain nothing cost time at every rank.
  const bestOfShape = [...new Set(screened.map(({ changes }) => shapeOf(changes)))].map((shape) => {
    const same = screened.filter(({ changes }) => shapeOf(changes) === shape)
    const least = Math.min(...same.map(({ error }) => error))
    return same.find(({ error }) => error <= (1 + LEAST_GAIN) * least)!
  })
  bestOfShape.sort((a, b) => a.error - b.error)
  const given = bestOfShape.find(({ changes }) => shapeOf(changes) === shapeOf({}))
  const near = bestOfShape
    .filter((one) => one !== given && one.error <= (1 + NEAR) * bestOfShape[0].error)
    .slice(0, MOST_GROWN)
  return { given: given ?? { changes: {} }, near, isCut }
}

/**
 * Fits models on all folds, of growing rank while the error falls, or of falling rank if the first step up does not help, or
 * if the rank at which shapes were compared was as good on the first folds.
 * @param start that rank, by its number; the first one here is the next
 * @param screening the trial at that rank on the first folds; none by default
 * @returns the best trial; undefined if there was no time for all; REFUSED if no rank can be fitted
 */
export async function growRank(
  search: FoldSearch,
  changes: TrialChanges,
  ranks: readonly number[],
  start: number,
  screening?: FoldTrial,
): Promise<FoldTrial | typeof REFUSED | undefined> {
  const attempt = async (at: number): Promise<FoldTrial | typeof REFUSED | undefined> =>
    ranks[at] === undefined ? REFUSED : attemptInTime(search, { ...changes, rank: ranks[at] })
  const middle = Math.min(start + 1, ranks.length - 1)
  let best = await climb((step) => attempt(middle + step))
  if (!best || best === REFUSED || !screening || best.rank <= screening.rank) return best
  const { folds } = screening
  if (squaresOnFirst(screening, folds) > squaresOnFirst(best, folds)) return best
  for (let at = start; at >= 0; at--) {
    const next = await attempt(at)
    if (!next) return undefined
    if (next === REFUSED || criterionOf(next) >= (1 - LEAST_GAIN) * criterionOf(best)) break
    best = next
  }
  return best
}

/**
 * Makes trials 0, 1, 2 … while the error falls by LEAST_GAIN, or else −1, −2 … if trial 1 does not help.
 * @param attempt makes a trial; REFUSED ends the direction
 * @returns the best trial; undefined if there was no time for all; REFUSED if trial 0 cannot be made
 */
export async function climb(
  attempt: (step: number) => Promise<FoldTrial | typeof REFUSED | undefined>,
): Promise<FoldTrial | typeof REFUSED | undefined> {
  const first = await attempt(0)
  if (!first || first === REFUSED) return first
  let best = first
  for (const direction of [1, -1]) {
    // The other direction is tried only where the first one was no better.
    if (direction < 0 && best !== first) break
    for (let step = direction; ; step += direction) {
      const next = await attempt(step)
      if (!next) return undefined
      if (next === REFUSED) break
      const isBetter = criterionOf(next) < (1 - LEAST_GAIN) * criterionOf(best)
      if (criterionOf(next) < criterionOf(best)) best = next
      if (!isBetter) break
    }
  }
  return best
}

/** The ranks of the modes as given that were left out. @param largest the largest rank to try */
function describeRanks(search: FoldSearch, largest: number): string {
  const tried = largestRank(search)
  return tried < largest ? `ranks above ${tried}` : 'some ranks'
}

/** The largest rank that was tried. */
export const largestRank = ({ trials }: FoldSearch): number => Math.max(...trials.map(({ rank }) => rank))
