/**
 * What the residuals at neighbouring places say of a prediction: where modes are ordered, those at some distances along them
 * and in a window around the cell; and in every mode, the mean of those in its other rows. A ridge regression of residuals of
 * entries that the models had not seen, on such residuals, says how much each counts.
 */
import type { SparseTensor } from '../../tensor/index.ts'
import { invertSymmetric } from '../foldIn/solveRow.ts'
import { alikeLags } from './alikeLags.ts'
import { featureCount, ResidualField } from './residualField.ts'

/** Plain data, but for the entries. */
export interface Neighbours {
  /** Per mode, the distances that count; none where it is not ordered. */
  lags: readonly (readonly number[])[]
  /** Whether residuals count in proportion to what is predicted, or to this where less is. */
  isRelative: boolean
  least: number
  /** How much each feature counts. */
  weights: readonly number[]
  /** Where residuals are known, and what they are: as they are, or in proportion to predictions. */
  indices: readonly Uint32Array[]
  residuals: Float32Array
}

/** A mode whose rows are ordered, and the distances that count; those at which residuals are alike by default. */
export interface Ordered {
  mode: number
  lags?: readonly number[]
}

export interface LearnedNeighbours {
  neighbours: Neighbours
  /** What the entries are predicted to be with it, each by models and a regression that have not seen its fold. */
  predictions: Float32Array
}

/** Ridge, as a share of what the features are by themselves. */
const RIDGE = 1e-3
/** Predictions below this share of their mean do not make a residual any larger in proportion. */
const LEAST = 0.05
/** What is found must lower the squared error by this share. */
const LEAST_GAIN = 2e-3
/** More entries than this would take long, and more than a map can hold. */
const MOST_ENTRIES = 8_000_000

/**
 * From what each fold's model, which has not seen it, predicts of all entries; undefined if the residuals of neighbours do not
 * help. Of an entry that model has not seen, and its neighbours' residuals by the same model: those by others, which have seen
 * the entry, would tell of it. `isByEntry`: entries were left out one by one; if they were in groups, those of a group are no
 * neighbours, as in a gap there are none.
 */
export function learnNeighbours(
  tensor: SparseTensor,
  predictions: readonly Float32Array[],
  folds: Uint8Array,
  isByEntry: boolean,
  ordered?: readonly Ordered[],
): LearnedNeighbours | undefined {
  const { dims, values } = tensor
  const cells = dims.reduce((product, dim) => product * dim, 1)
  if (values.length > MOST_ENTRIES || cells > Number.MAX_SAFE_INTEGER) return undefined
  const before = values.reduce((sum, x, e) => sum + (x - predictions[folds[e]][e]) ** 2, 0)
  let best: (LearnedNeighbours & { squares: number }) | undefined
  for (const isRelative of [false, true]) {
    const found = learnOne(tensor, predictions, folds, isByEntry, ordered, isRelative)
    if (found && found.squares < (best?.squares ?? (1 - LEAST_GAIN) * before)) best = found
  }
  return best && { neighbours: best.neighbours, predictions: best.predictions }
}

function learnOne(
  { dims, indices, values }: SparseTensor,
  predictions: readonly Float32Array[],
  folds: Uint8Array,
  isByEntry: boolean,
  ordered: readonly Ordered[] | undefined,
  isRelative: boolean,
): (LearnedNeighbours & { squares: number }) | undefined {
  const mean = predictions[0].map(
    (_, e) => predictions.reduce((sum, y) => sum + y[e], 0) / predictions.length,
  )
  const residuals = residualsOf(values, mean, isRelative)
  // Of predictions that are next to nothing, a residual may be beyond float32.
  if (!residuals.every(Number.isFinite)) return undefined
  const lags: number[][] = dims.map(() => [])
  const apart = isByEntry ? undefined : folds
  for (const { mode, lags: given } of ordered ?? dims.map((_, mode) => ({ mode, lags: undefined })))
    lags[mode] = given ? [...given] : alikeLags(dims, indices, residuals, apart, mode, ordered !== undefined)
  const size = featureCount(lags)
  const features = new Float32Array(values.length * size)
  const own = new Float64Array(size)
  const sums = predictions.map((ofFold, fold) => {
    const isTaken = isByEntry ? undefined : (e: number): boolean => folds[e] !== fold
    const field = new ResidualField(dims, indices, residualsOf(values, ofFold, isRelative), lags, isTaken)
    const unit = unitOf(ofFold, isRelative)
    const sum = { XX: new Float64Array(size * size), Xr: new Float64Array(size) }
    for (let e = 0; e < values.length; e++) {
      if (folds[e] !== fold) continue
      field.read(
        indices.map((column) => column[e]),
        own,
      )
      const y = ofFold[e]
      for (let f = 0; f < size; f++) {
        own[f] *= unit(y)
        features[e * size + f] = own[f]
        sum.Xr[f] += own[f] * (values[e] - y)
      }
      for (let f = 0; f < size; f++) for (let g = 0; g < size; g++) sum.XX[f * size + g] += own[f] * own[g]
    }
    return sum
  })
  const isSound = sums.every(({ XX, Xr }) => XX.every(Number.isFinite) && Xr.every(Number.isFinite))
  if (!isSound) return undefined
  const weights = sums.map((_, fold) => solved(sums, size, fold))
  const corrected = new Float32Array(values.length)
  let squares = 0
  for (let e = 0; e < values.length; e++) {
    const by = weights[folds[e]]
    let sum = predictions[folds[e]][e]
    for (let f = 0; f < size; f++) sum += by[f] * features[e * size + f]
    corrected[e] = Math.max(0, sum)
    squares += (values[e] - corrected[e]) ** 2
  }
  const neighbours = {
    ...{ lags, isRelative, least: leastOf(mean), weights: [...solved(sums, size)] },
    ...{ indices, residuals },
  }
  return { neighbours, predictions: corrected, squares }
}

/** The regression over all folds but one. */
function solved(
  sums: readonly { XX: Float64Array; Xr: Float64Array }[],
  size: number,
  without?: number,
): Float64Array {
  const XX = new Float64Array(size * size)
  const Xr = new Float64Array(size)
  sums.forEach((sum, fold) => {
    if (fold === without) return
    for (let at = 0; at < XX.length; at++) XX[at] += sum.XX[at]
    for (let f = 0; f < size; f++) Xr[f] += sum.Xr[f]
  })
  for (let f = 0; f < size; f++) XX[f * size + f] *= 1 + RIDGE
  const inverse = invertSymmetric(XX, size)
  return Xr.map((_, f) => Xr.reduce((sum, x, g) => sum + inverse[f * size + g] * x, 0))
}

function residualsOf(values: Float32Array, predictions: Float32Array, isRelative: boolean): Float32Array {
  const unit = unitOf(predictions, isRelative)
  return values.map((x, e) => (x - predictions[e]) / unit(predictions[e]))
}

/** What a residual of 1 is, where so much is predicted. */
function unitOf(predictions: Float32Array, isRelative: boolean): (y: number) => number {
  const least = leastOf(predictions)
  return isRelative ? (y) => Math.max(y, least) : () => 1
}

function leastOf(predictions: Float32Array): number {
  let mean = 0
  for (const y of predictions) mean += y / predictions.length
  return Math.max(LEAST * mean, 1e-30)
}

/** Adds what neighbours say to a prediction. */
export function corrector(
  dims: readonly number[],
  { lags, isRelative, least, weights, indices, residuals }: Neighbours,
): (cell: ArrayLike<number>, y: number) => number {
  const field = new ResidualField(dims, indices, residuals, lags)
  const features = new Float64Array(featureCount(lags))
  return (cell, y) => {
    field.read(cell, features)
    let sum = 0
    for (let f = 0; f < features.length; f++) sum += weights[f] * features[f]
    const corrected = y + (isRelative ? Math.max(y, least) : 1) * sum
    // Whoever wrote the file may have written anything.
    return Math.abs(corrected) < 3e38 ? Math.max(0, corrected) : y
  }
}
