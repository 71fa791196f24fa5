/** Cross-fitting from entries to an ensemble: models, an honest error beside baselines, neighbours' residuals, and intervals. */
import { InputError } from '../../base/inputError.ts'
import { below, draw, purpose, stream } from '../../base/random.ts'
import { version } from '../../base/version.ts'
import {
  baselinesOf,
  CpEnsemble,
  type CpModel,
  type EnsembleStability,
  type ErrorSummary,
  ErrorTally,
  ensembleStability,
  learnIntervals,
  learnNeighbours,
  type ModeErrors,
  modeErrors,
  type Ordered,
  supportOf,
} from '../../model/index.ts'
import { describeFoldBy, observe, pickEntries, type SparseTensor } from '../../tensor/index.ts'
import type { RunOptions } from '../settings/options.ts'
import { type ChooseByFoldsOptions, chooseByFolds, type FoldChoice } from './chooseByFolds.ts'
import type { CrossFit } from './crossFit.ts'

/** How folds are made, what is chosen by them, and what is known of the modes. */
export interface ByFoldsOptions extends ChooseByFoldsOptions {
  /** Modes whose rows are ordered; found from the residuals by default. */
  ordered?: readonly Ordered[]
}

/** Errors of entries that the models had not seen; plain data. */
export interface OutOfFold {
  folds: number
  /** In words, what was held out together. */
  by: string
  error: ErrorSummary
  /** Without what neighbours say. */
  withoutNeighbours?: ErrorSummary
  /** Without a model, likewise of entries that were not looked at. */
  baselines: { name: string; error: ErrorSummary }[]
  verdict: string
  /** By the rows of each mode, and those that add most. */
  byMode: ModeErrors[]
  /** By how many entries that of a cell's rows has that has fewest. */
  bySupport: { from: number; to: number; entries: number; rmse: number }[]
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

/** Cells that nobody has seen, by which it is judged how much the models differ. */
const UNSEEN = 20_000
/** Rows of each mode that are named. */
const WORST = 3
const SUPPORT = [0, 1, 5, 20, 100, 1000]

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
  const assembled = candidates.map(({ trial, fit }) => ({
    trial,
    ...assemble(tensor, fit, options, ordered),
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

function assemble(
  tensor: SparseTensor,
  fit: CrossFit,
  { seed = 1 }: RunOptions,
  ordered: readonly Ordered[] | undefined,
): Pick<FoldedCompletion, 'model' | 'outOfFold' | 'stability'> {
  const { models, folds } = fit
  const observed = observe(tensor)
  const ofAll = models.map((model) => model.predictMany(tensor.indices))
  const isByEntry = fit.by.length === tensor.dims.length && fit.by.every(({ length }) => length === 1)
  const learned = learnNeighbours(tensor, ofAll, folds, isByEntry, ordered)
  const predictions = learned?.predictions ?? fit.predictions
  const support = Uint32Array.from(tensor.values, (_, e) =>
    Math.max(0, supportOf(observed.counts, cellOf(tensor.indices, e)) - 1),
  )
  const unseen = unseenCells(tensor, seed)
  const intervals = learnIntervals(
    tensor,
    { predictions, support },
    {
      indices: unseen,
      ...spreadOf(models, unseen),
      support: Uint32Array.from(unseen[0], (_, c) => supportOf(observed.counts, cellOf(unseen, c))),
    },
    models.length,
  )
  const error = errorOf(tensor, predictions)
  const baselines = baselineErrors(tensor, folds, models.length)
  const outOfFold: OutOfFold = {
    folds: models.length,
    by: describeFoldBy(fit.by, tensor),
    error,
    ...(learned && { withoutNeighbours: errorOf(tensor, fit.predictions) }),
    baselines,
    verdict: verdictOf(error, baselines),
    byMode: tensor.dims.map((_, mode) =>
      modeErrors({ ...tensor, observed }, tensor, predictions, mode, WORST),
    ),
    bySupport: bySupport(tensor, predictions, support),
  }
  const { dims, labels, modes, valueName } = tensor
  const model = new CpEnsemble({
    dims,
    labels,
    modes,
    members: models,
    observed,
    intervals,
    ...(learned && { neighbours: learned.neighbours }),
    training: {
      version,
      ...models[0].training,
      outOfFold,
      ...(learned && { neighbours: { lags: learned.neighbours.lags } }),
      ...(valueName !== undefined && { value: valueName }),
    },
  })
  const stability = ensembleStability(model, tensor)
  model.training.stability = stability
  return { model, outOfFold, stability }
}

const cellOf = (indices: readonly Uint32Array[], e: number): number[] => indices.map((column) => column[e])

function errorOf({ values }: SparseTensor, predictions: Float32Array): ErrorSummary {
  const tally = new ErrorTally()
  for (let e = 0; e < values.length; e++) tally.add(values[e], predictions[e])
  return tally.summary
}

/** Each entry by what is learned without its fold. */
function baselineErrors(tensor: SparseTensor, folds: Uint8Array, count: number): OutOfFold['baselines'] {
  const tallies = new Map<string, ErrorTally>()
  for (let fold = 0; fold < count; fold++) {
    const train = pickEntries(
      tensor,
      Uint32Array.from(folds.keys()).filter((e) => folds[e] !== fold),
    )
    for (const { name, predict } of baselinesOf(train)) {
      const tally = tallies.get(name) ?? new ErrorTally()
      tallies.set(name, tally)
      for (let e = 0; e < folds.length; e++)
        if (folds[e] === fold) tally.add(tensor.values[e], predict(tensor, e))
    }
  }
  return [...tallies].map(([name, tally]) => ({ name, error: tally.summary }))
}

/** What a model must be better by to be worth anything. */
const LEAST_GAIN = 0.01

function verdictOf({ rmse }: ErrorSummary, baselines: OutOfFold['baselines']): string {
  const best = baselines.reduce((best, other) => (other.error.rmse < best.error.rmse ? other : best))
  const gain = 1 - rmse / best.error.rmse
  if (!(gain >= LEAST_GAIN)) return `no better than ${best.name}: do not use this model`
  return `${Math.round(100 * gain)}% below the best baseline, ${best.name}`
}

/** Rows as frequent as they are, put together by chance: cells like those that will be asked for. */
function unseenCells({ indices, values }: SparseTensor, seed: number): Uint32Array[] {
  const count = Math.min(UNSEEN, values.length)
  return indices.map((column, mode) => {
    const key = stream(seed, purpose.folds, mode + 1)
    return Uint32Array.from({ length: count }, (_, c) => column[below(draw(key, c), values.length)])
  })
}

function spreadOf(
  models: readonly CpModel[],
  cells: readonly Uint32Array[],
): { predictions: Float32Array; variances: Float32Array } {
  const all = models.map((model) => model.predictMany(cells))
  const predictions = all[0].map((_, c) => all.reduce((sum, y) => sum + y[c], 0) / all.length)
  const variances = predictions.map(
    (mean, c) => all.reduce((sum, y) => sum + (y[c] - mean) ** 2, 0) / (all.length - 1),
  )
  return { predictions, variances }
}

function bySupport(
  { values }: SparseTensor,
  predictions: Float32Array,
  support: Uint32Array,
): OutOfFold['bySupport'] {
  const groups = SUPPORT.map((from, i) => ({
    from,
    to: (SUPPORT[i + 1] ?? Infinity) - 1,
    entries: 0,
    squares: 0,
  }))
  values.forEach((x, e) => {
    const group = groups.findLast(({ from }) => support[e] >= from)!
    group.entries++
    group.squares += (x - predictions[e]) ** 2
  })
  return groups
    .filter(({ entries }) => entries > 0)
    .map(({ from, to, entries, squares }) => ({ from, to, entries, rmse: Math.sqrt(squares / entries) }))
}
