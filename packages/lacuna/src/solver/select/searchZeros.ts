/**
 * The search of `--best` where unlisted cells are zeros: rank, λ and merged modes by cross-fitting. No prior is
 * learned from zeros, so that λ is searched instead; noise models, lags and links do not apply.
 */
import { cellsOf, type SparseTensor } from '../../tensor/index.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import { proposeShapes } from './proposals.ts'
import type { FoldSearch } from './search/index.ts'
import {
  attemptInTime,
  type BestOptions,
  climb,
  type FoundBest,
  growRank,
  largestRank,
  MOST_GROWN,
  RANKS,
  REFUSED,
  SCREENING_FOLDS,
  SCREENING_RANK,
} from './searchBest.ts'
import { criterionOf, type FoldTrial, type TrialChanges } from './trials.ts'

/** λ is raised or lowered by this factor from one trial to the next. */
const LAMBDA_STEP = 4
/** Merged modes are grown if their error at a small rank is above the smallest by at most this fraction. */
const NEAR = 0.2

/**
 * Tries λ, ranks and merged modes. The options as given are always among the trials.
 * @param tensor the listed entries
 * @param options the settings that are changed
 */
export async function searchZeros(
  search: FoldSearch,
  tensor: SparseTensor,
  options: RunOptions,
  { ranks = RANKS, choose }: BestOptions,
): Promise<FoundBest> {
  const first = await search.attempt({})
  if (!first) return { leftOut: ['all ranks'] }
  search.pin(first)
  const leftOut = new Set<string>()
  const start = Math.max(
    0,
    ranks.findLastIndex((rank) => rank <= SCREENING_RANK),
  )
  const searchesLambda = choose && settingsOf(options).lambda === 'auto'
  const startLambda = searchesLambda ? expectedLambda(tensor, first) : undefined
  /** Finds λ at the rank of the first trial, then the rank with it, and λ again. */
  const searchShape = async (shape: TrialChanges): Promise<void> => {
    if (
      startLambda !== undefined &&
      !(await climbLambda(search, { ...shape, rank: first.rank }, startLambda))
    )
      leftOut.add('some values of λ')
    // Where all trials of λ were given up, the shape is far from the best one.
    const found = bestOf(search, shape)
    if (startLambda !== undefined && !found) return
    const lambda = found?.lambda
    if (!(await growRank(search, { ...shape, ...(lambda !== undefined && { lambda }) }, ranks, start)))
      leftOut.add(`ranks above ${largestRank(search)}`)
    const best = bestOf(search, shape)
    if (startLambda === undefined || !best || search.isInterrupted) return
    if (!(await climbLambda(search, { ...shape, rank: best.rank }, best.lambda ?? startLambda)))
      leftOut.add('some values of λ')
  }
  await searchShape({})
  if (search.isInterrupted) return { leftOut: [] }
  const shapes = choose ? proposeShapes(tensor, options, search.by).slice(1) : []
  const { near, isCut } = await screenShapes(search, shapes)
  if (isCut) leftOut.add('some of the merged modes')
  for (const shape of near) {
    if (search.isInterrupted) return { leftOut: [] }
    await searchShape(shape)
  }
  return { chosen: search.best, leftOut: [...leftOut] }
}

/**
 * λ of the most probable factors: σ²/τ², if cells have noise of variance σ², that of the first trial, and the
 * elements of factors the mean square τ² of random factors of the data's size (methods/lambda.ts).
 */
function expectedLambda({ dims, values }: SparseTensor, { rank, rmse }: FoldTrial): number {
  const order = dims.length
  const mean = values.reduce((sum, x) => sum + Math.abs(x), 0) / cellsOf(dims)
  const tau2 = (4 / 3) * (mean / rank) ** (2 / order)
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  return (rmse ** 2 / tau2) * (rows / (order * cellsOf(dims) ** (1 / order)))
}

/** The best trial on all folds with these modes. */
function bestOf(search: FoldSearch, { mergeModes = [] }: TrialChanges): FoldTrial | undefined {
  const key = JSON.stringify(mergeModes)
  return search.finished.find((trial) => JSON.stringify(search.changesOf(trial).mergeModes ?? []) === key)
}

/**
 * Raises λ while the error falls, or lowers it if the first step up does not help.
 * @returns whether there was time for all trials
 */
async function climbLambda(search: FoldSearch, changes: TrialChanges, from: number): Promise<boolean> {
  const best = await climb((step) =>
    attemptInTime(search, { ...changes, lambda: from * LAMBDA_STEP ** step }),
  )
  return best !== undefined
}

/**
 * Compares merged modes on the first folds, with the rank and λ that are best for the modes as given.
 * @returns those near the best trial, the best one first; isCut if there was no time for all
 */
async function screenShapes(
  search: FoldSearch,
  shapes: readonly TrialChanges[],
): Promise<{ near: TrialChanges[]; isCut: boolean }> {
  const { rank, lambda } = search.best
  const screened: { shape: TrialChanges; error: number }[] = []
  let isCut = false
  for (const shape of shapes) {
    const changes = { ...shape, rank, ...(lambda !== undefined && { lambda }) }
    const trial = await attemptInTime(search, changes, { folds: SCREENING_FOLDS })
    if (!trial) {
      isCut = true
      break
    }
    if (trial !== REFUSED) screened.push({ shape, error: criterionOf(trial) })
  }
  const most = (1 + NEAR) * criterionOf(search.best)
  const near = screened.filter(({ error }) => error <= most).sort((a, b) => a.error - b.error)
  return { near: near.slice(0, MOST_GROWN).map(({ shape }) => shape), isCut }
}
