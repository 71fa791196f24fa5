/**
 * From the models of a cross-fit to an ensemble: correction by neighbours, conformal intervals, out-of-fold
 * errors, stability.
 */
import { purpose, stream } from '../../base/random.ts'
import { version } from '../../base/version.ts'
import {
  cOrderOf,
  describeFoldBy,
  type FoldBy,
  isByEntry,
  observe,
  pickEntries,
  pickNumbers,
  type SparseTensor,
  withZeros,
} from '../../tensor/index.ts'
import type { CpModel } from '../cpModel.ts'
import { evaluateOutOfFold, type OutOfFold } from '../evaluate/outOfFold.ts'
import { predictByKernel } from '../foldKernel.ts'
import { CpEnsemble } from './cpEnsemble.ts'
import type { Attributes } from './emptyRows/attributes.ts'
import { learnEmptyRows } from './emptyRows/learnEmptyRows.ts'
import { learnFewEntries, leastEntriesOf } from './emptyRows/learnFewEntries.ts'
import { blankPredictor } from './emptyRows/predictBlank.ts'
import { type EnsembleStability, ensembleStability } from './ensembleStability.ts'
import { findScaleEnds, type Intervals, learnIntervals } from './intervals.ts'
import { findLostGroups } from './lostGroups.ts'
import {
  learnNeighbours,
  mayHaveNeighbours,
  type Neighbours,
  neighbourBytes,
  type Ordered,
} from './neighbours/neighbours.ts'
import { type Stack, type StackedEntries, stackCandidates } from './stack.ts'
import { predictUnseenCells, supportOfCells } from './unseenCells.ts'

/** The models of a cross-fit, and their predictions of the entries that they were fitted without. */
export interface FoldModels {
  /** One model per fold, fitted without it. */
  models: readonly CpModel[]
  /** The fold of each entry. */
  folds: Uint8Array
  /** What stays together in a fold. */
  by: FoldBy
  /** Prediction of each entry by the model that was fitted without it. */
  predictions: Float32Array
  /** Attributes of rows that the models were learned with; none by default. */
  attributes?: readonly Attributes[]
}

/** The candidates, entries and options from which an ensemble is assembled. */
export interface Assembly {
  /** The candidates: cross-fits on the same folds; the best one first. */
  fits: readonly FoldModels[]
  /** Seed of the random cells at which the models' disagreement is measured. */
  seed: number
  /** Modes whose rows are ordered; found from the residuals if undefined. */
  ordered?: readonly Ordered[]
  /**
   * Where unlisted cells are zeros: the listed entries, by which the support of cells is counted. Folds are then
   * made of sampled cells. Predictions are not corrected by neighbours; rows without entries are zero, and have
   * no intervals.
   */
  listed?: SparseTensor
  /** Weights of the entries in the error by which candidates are combined; all 1 by default. */
  weights?: Float32Array
  /**
   * Called before each stage that can be left out, with the ranks of the candidates that are combined; none is
   * left out by default.
   */
  hasTimeFor?: (stage: WholeStage, ranks: readonly number[]) => boolean
  /** Whether a number of seconds are left for one part of a stage that takes long; they always are by default. */
  hasSeconds?: (seconds: number) => boolean
}

/** An ensemble with its out-of-fold errors and the stability of its components. */
export interface AssembledEnsemble {
  model: CpEnsemble
  outOfFold: OutOfFold
  /** Per candidate, its weight in the predictions; one candidate has weight 1. */
  weights: number[]
  /** Stability of the components; undefined where this stage was left out. */
  stability?: EnsembleStability
  /** Seconds of each stage. */
  took: AssemblySeconds
  /** The stages that were left out. */
  leftOut: OptionalStage[]
}

/** A stage that is left out as a whole. */
export type WholeStage = 'neighbours' | 'emptyRows' | 'stability'

/** A stage that can be left out, or of which the last part can. */
export type OptionalStage = WholeStage | 'fewEntries'

/** Seconds that the stages of assembling an ensemble took; plain data. */
export interface AssemblySeconds {
  /** The correction by neighbours, with the models' predictions of all entries. */
  neighbours: number
  /** Conformal intervals. */
  intervals: number
  /** Out-of-fold errors, and those of baselines. */
  errors: number
  /** Stability of the components, and core consistency. */
  stability: number
}

/**
 * Combines the models of cross-fits into an ensemble, with its correction, intervals, errors and stability.
 * Several candidates are stacked. Entries are taken in C order, so that the result does not depend on the
 * order of the input.
 * @param given the entries that the folds were made of
 */
export function assembleEnsemble(given: SparseTensor, assembly: Assembly): AssembledEnsemble {
  const { fits, seed, ordered, listed, hasTimeFor = () => true } = assembly
  const secondsSinceLast = stopwatch()
  const leftOut: OptionalStage[] = []
  const isWanted = (stage: WholeStage): boolean => {
    const isTime = hasTimeFor(
      stage,
      stacked.map(({ models: [{ rank }] }) => rank),
    )
    if (!isTime) leftOut.push(stage)
    return isTime
  }
  const order = cOrderOf(given)
  const tensor = order ? pickEntries(given, order) : given
  const [{ by, models }] = fits
  const count = models.length
  const folds = order ? pickNumbers(fits[0].folds, order, new Uint8Array(order.length)) : fits[0].folds
  const inOrder = (numbers: Float32Array): Float32Array =>
    order ? pickNumbers(numbers, order, new Float32Array(order.length)) : numbers
  const stack = stackFits(
    tensor,
    fits.map((fit) => inOrder(fit.predictions)),
    {
      values: tensor.values,
      folds,
      count,
      weights: assembly.weights && inOrder(assembly.weights),
    },
  )
  const uncorrected = stack.predictions
  const stacked = fits.flatMap(({ models, attributes }, c) =>
    stack.weights[c] > 0 ? [{ models, attributes, c }] : [],
  )
  // The candidate with the largest weight is the one whose components are shown.
  stacked.sort((a, b) => stack.weights[b.c] - stack.weights[a.c])
  /** The prediction of cells by the models that were fitted without a fold, combined. */
  const predictWithout = (fold: number, indices: readonly Uint32Array[]): Float32Array =>
    combine(
      stacked.map(({ models }) => predictByKernel(models[fold], indices)),
      stacked.map(({ c }) => stack.foldWeights[fold][c]),
    )
  const observed = listed ? withZeros(observe(listed), listed.dims) : observe(tensor)
  const predictAll = (): Float32Array[] => models.map((_, fold) => predictWithout(fold, tensor.indices))
  const corrected =
    !listed && mayHaveNeighbours(tensor.dims, tensor.values.length) && isWanted('neighbours')
      ? learnNeighbours(tensor, predictAll(), folds, isByEntry(by, tensor), ordered)
      : undefined
  /** The prediction of cells by the models that were fitted without a fold, corrected by their own residuals. */
  const correctWithout = (fold: number, indices: readonly Uint32Array[]): Float32Array => {
    const predictions = predictWithout(fold, indices)
    return corrected ? corrected.correctWithout(fold, indices, predictions) : predictions
  }
  const predictions = corrected?.predictions ?? uncorrected
  const neighbours = secondsSinceLast()
  const support = supportOfCells(observed, tensor.indices)
  // Without the entry itself; a sampled cell of value zero is not listed.
  for (let e = 0; e < support.length; e++)
    if (!listed || tensor.values[e] !== 0) support[e] = Math.max(0, support[e] - 1)
  const learned = learnIntervals(
    tensor,
    { predictions, support },
    predictUnseenCells(tensor, { count, predictWithout: correctWithout }, observed, seed),
    count,
    findLostGroups(tensor, by, folds),
  )
  const combined = {
    folds,
    models: models.map((_, fold) => stacked.map(({ models }) => models[fold])),
    attributes: stacked.map(({ attributes }) => attributes),
    weights: stack.foldWeights.map((own) => stacked.map(({ c }) => own[c])),
    neighbours: corrected?.neighbours,
  }
  const blanks = {
    ...{ tensor, observed, scale: learned.scale },
    isOrdered: tensor.dims.map((_, mode) => isOrdered(mode, stacked, corrected?.neighbours)),
    hasAttributes: tensor.dims.map((_, mode) =>
      stacked.some(({ attributes }) => attributes?.some((some) => some.mode === mode)),
    ),
    key: stream(seed, purpose.folds, tensor.dims.length + 1),
    predictBlank: blankPredictor(tensor, combined),
  }
  const learnRows = (): Pick<Intervals, 'emptyRows' | 'leastEntries'> => {
    const empty = learnEmptyRows(blanks)
    const few = learnFewEntries(blanks, combined, assembly.hasSeconds)
    if (few.isCut) leftOut.push('fewEntries')
    return { emptyRows: [...empty, ...few.groups], leastEntries: leastEntriesOf(observed) }
  }
  const intervals = {
    ...learned,
    scaleEnds: findScaleEnds(tensor.values),
    ...(!listed && isWanted('emptyRows') && learnRows()),
  }
  const intervalSeconds = secondsSinceLast()
  const outOfFold = evaluateOutOfFold(tensor, {
    folds,
    count,
    by: listed ? 'single cells, zeros included' : describeFoldBy(by, tensor),
    predictions,
    withoutNeighbours: corrected && uncorrected,
    observed,
    support,
  })
  const errors = secondsSinceLast()
  const { dims, labels, modes, valueName } = tensor
  const members = stacked.flatMap(({ models }) => models)
  const model = new CpEnsemble({
    dims,
    labels,
    modes,
    members,
    ...(stacked.length > 1 && {
      weights: stacked.flatMap(({ models, c }) => models.map(() => stack.weights[c] / count)),
    }),
    observed,
    intervals,
    neighbours: corrected?.neighbours,
    training: {
      version,
      ...members[0].training,
      outOfFold,
      ...(corrected && { neighbours: { lags: corrected.neighbours.lags } }),
      ...(valueName !== undefined && { value: valueName }),
    },
  })
  const stability = isWanted('stability') ? ensembleStability(model, tensor) : undefined
  if (stability) model.training.stability = stability
  const took = { neighbours, intervals: intervalSeconds, errors, stability: secondsSinceLast() }
  return { model, outOfFold, weights: stack.weights, stability, took, leftOut }
}

/** Whether the rows of a mode are ordered in time, by the lags of a model's prior or of neighbours. */
const isOrdered = (
  mode: number,
  fits: readonly { models: readonly CpModel[] }[],
  neighbours: Neighbours | undefined,
): boolean =>
  (neighbours?.lags[mode].length ?? 0) > 0 ||
  fits.some(({ models: [{ prior }] }) => prior?.lags?.some(({ axis }) => axis.includes(mode)))

/** Stacks candidates; one alone has weight 1. @param predictions per candidate, out of fold */
function stackFits(
  { values }: SparseTensor,
  predictions: readonly Float32Array[],
  entries: StackedEntries,
): Pick<Stack, 'weights' | 'foldWeights' | 'predictions'> {
  if (predictions.length > 1) return stackCandidates(predictions, { ...entries, values })
  return {
    weights: [1],
    foldWeights: Array.from({ length: entries.count }, () => [1]),
    predictions: predictions[0],
  }
}

/** The weighted sum of predictions; the only one itself if its weight is 1. */
function combine(predictions: readonly Float32Array[], weights: readonly number[]): Float32Array {
  if (predictions.length === 1 && weights[0] === 1) return predictions[0]
  const sum = new Float64Array(predictions[0].length)
  predictions.forEach((some, k) => {
    for (let e = 0; e < sum.length; e++) sum[e] += weights[k] * some[e]
  })
  return Float32Array.from(sum)
}

/**
 * Combines models of some folds into an ensemble without errors and intervals, for which entries must be
 * predicted by models of all folds.
 * @param tensor the entries that the folds were made of
 */
export function assembleUnfinished(tensor: SparseTensor, models: readonly CpModel[]): CpEnsemble {
  const { dims, labels, modes } = tensor
  const { training } = models[0]
  const observed = training.missing === 'zero' ? withZeros(observe(tensor), dims) : observe(tensor)
  return new CpEnsemble({ dims, labels, modes, members: models, observed, training })
}

/** Makes a function that returns the seconds since it was last called, or made. */
function stopwatch(): () => number {
  let last = performance.now()
  return () => {
    const before = last
    last = performance.now()
    return (last - before) / 1000
  }
}

/**
 * About how many bytes assembling an ensemble takes beside the entries and the models: the entries in C order,
 * predictions by all models, numbered cells and fibers, sums of residuals, features and sorted positions.
 * @param models number of models
 */
export function assemblyBytes(dims: readonly number[], entries: number, models: number): number {
  const order = dims.length
  const sorted = 4 * (order + 2) + 5
  // Predictions and entries are also in the memory of the kernel.
  const predictions = 8 * models + 24
  if (!mayHaveNeighbours(dims, entries)) return entries * (sorted + predictions + 4 * order + 72)
  return entries * (sorted + predictions + neighbourBytes(dims, entries))
}
