/**
 * Correction by neighbours: a ridge regression of out-of-fold residuals on the residuals at neighbouring
 * cells. Features are, where modes are ordered, the residuals at some lags and in a window around the cell;
 * and in every mode the mean residual of the cells that differ in this mode alone.
 */
import type { SparseTensor } from '../../tensor/index.ts'
import { invertSymmetric } from '../foldIn/solveRow.ts'
import { type CellIndex, type EntryNumbers, indexBytes, indexCells, numberEntries } from './cellIndex.ts'
import { featureCount, ResidualField } from './residualField.ts'
import { similarLags, sortAlongMode } from './similarLags.ts'

/** The fitted correction by neighbours; plain data, but for the entries. */
export interface Neighbours {
  /** Per mode, the lags whose residuals are features; none where it is not ordered. */
  lags: readonly (readonly number[])[]
  /** Whether residuals are relative to predictions. */
  isRelative: boolean
  /** Least prediction that residuals are relative to. */
  least: number
  /** Coefficient of each feature. */
  weights: readonly number[]
  /** Coordinates of the entries, one column per mode. */
  indices: readonly Uint32Array[]
  /** Residual of each entry, absolute or relative. */
  residuals: Float32Array
}

/** A mode whose rows are ordered. */
export interface Ordered {
  /** Mode, from 0. */
  mode: number
  /** Distances at which residuals are similar; by default found by their correlation. */
  lags?: readonly number[]
}

/** A fitted correction, and the out-of-fold predictions that it gives. */
export interface LearnedNeighbours {
  /** The correction, fitted on all folds. */
  neighbours: Neighbours
  /** Prediction of each entry by a model and a regression that were fitted without its fold. */
  predictions: Float32Array
}

/** Ridge, as a fraction of the diagonal of XᵀX. */
const RIDGE = 1e-3
/** Least prediction that residuals are relative to, as a fraction of the mean prediction. */
const LEAST = 0.05
/** The correction is used if it lowers the squared error by this fraction. */
const LEAST_GAIN = 2e-3
/** Above this many entries there is no correction: it would take long. */
const MOST_ENTRIES = 8_000_000

/**
 * Fits the correction by neighbours. The features of an entry are residuals by the model that was fitted
 * without its fold: those by other models, which were fitted to the entry, would leak its value.
 * @param predictions per fold, the predictions of all entries by the model that was fitted without it
 * @param folds the fold of each entry
 * @param isByEntry whether single entries were held out; else entries of the same fold are no neighbours, as
 * in a gap there are none
 * @param ordered modes whose rows are ordered; found from the residuals if undefined
 * @returns undefined if the correction does not lower the error
 */
export function learnNeighbours(
  tensor: SparseTensor,
  predictions: readonly Float32Array[],
  folds: Uint8Array,
  isByEntry: boolean,
  ordered?: readonly Ordered[],
): LearnedNeighbours | undefined {
  const { dims, indices, values } = tensor
  if (!mayHaveNeighbours(dims, values.length)) return undefined
  let squaresBefore = 0
  for (let e = 0; e < values.length; e++) squaresBefore += (values[e] - predictions[folds[e]][e]) ** 2
  const mean = meanOf(predictions)
  const kinds = [false, true].flatMap((isRelative): ResidualKind[] => {
    const residuals = residualsOf(values, mean, isRelative)
    // Relative to a tiny prediction, a residual may be beyond float32.
    return residuals.every(Number.isFinite) ? [{ isRelative, residuals, lags: dims.map(() => []) }] : []
  })
  for (const { mode, lags } of ordered ?? dims.map((_, mode) => ({ mode, lags: undefined }))) {
    const sorted = lags ? undefined : sortAlongMode(dims, indices, mode)
    for (const kind of kinds)
      kind.lags[mode] = sorted
        ? similarLags(
            dims,
            sorted,
            kind.residuals,
            isByEntry ? undefined : folds,
            mode,
            ordered !== undefined,
          )
        : [...lags!]
  }
  const index = indexCells(dims, indices)
  const numbers = numberEntries(index, indices)
  const entries = { dims, indices, values, predictions, mean, folds, isByEntry, index, numbers }
  let best: (LearnedNeighbours & { squares: number }) | undefined
  for (const kind of kinds) {
    const fit = fitCorrection(entries, kind)
    if (fit && fit.squares < (best?.squares ?? (1 - LEAST_GAIN) * squaresBefore)) best = fit
  }
  return best && { neighbours: best.neighbours, predictions: best.predictions }
}

/** Residuals of the models' mean, absolute or relative, and the lags at which they are similar. */
interface ResidualKind {
  isRelative: boolean
  /** Of each entry. */
  residuals: Float32Array
  /** Per mode; none where it is not ordered. */
  lags: number[][]
}

/** What the corrections with absolute and with relative residuals have in common. */
interface CorrectedEntries extends Pick<SparseTensor, 'dims' | 'indices' | 'values'> {
  /** Per fold, the predictions of all entries by the model that was fitted without it. */
  predictions: readonly Float32Array[]
  /** Mean of the models' predictions of each entry. */
  mean: Float32Array
  /** The fold of each entry. */
  folds: Uint8Array
  /** Whether single entries were held out. */
  isByEntry: boolean
  /** Numbers of the entries' cells and fibers. */
  index: CellIndex
  /** The numbers of each entry's cell and fibers. */
  numbers: EntryNumbers
}

/** Sums of a ridge regression over the entries of a fold. */
interface RidgeSums {
  /** XᵀX (size × size), the lower triangle. */
  XX: Float64Array
  /** Xᵀr (size). */
  Xr: Float64Array
}

/**
 * Fits the correction with absolute or relative residuals. Returns it with its out-of-fold predictions and
 * their squared error, or undefined if numbers are out of the range of float32.
 */
function fitCorrection(
  entries: CorrectedEntries,
  { isRelative, residuals, lags }: ResidualKind,
): (LearnedNeighbours & { squares: number }) | undefined {
  const { indices, values, predictions, mean, folds } = entries
  const size = featureCount(lags)
  const features = new Float32Array(values.length * size)
  const sums = sumFolds(entries, lags, isRelative, features)
  const isSound = sums.every(({ XX, Xr }) => XX.every(Number.isFinite) && Xr.every(Number.isFinite))
  if (!isSound) return undefined
  const weights = sums.map((_, fold) => solveRidge(sums, size, fold))
  const corrected = new Float32Array(values.length)
  let squares = 0
  for (let e = 0; e < values.length; e++) {
    const foldWeights = weights[folds[e]]
    let sum = predictions[folds[e]][e]
    for (let f = 0; f < size; f++) sum += foldWeights[f] * features[e * size + f]
    corrected[e] = Math.max(0, sum)
    squares += (values[e] - corrected[e]) ** 2
  }
  const neighbours = {
    ...{ lags, isRelative, least: leastOf(mean), weights: [...solveRidge(sums, size)] },
    ...{ indices, residuals },
  }
  return { neighbours, predictions: corrected, squares }
}

/**
 * Computes the features of all entries, each from the residuals of the model that was fitted without its
 * fold, and the sums of the regression over each fold.
 * @param features receives the features (entries × size)
 */
function sumFolds(
  { dims, indices, values, predictions, folds, isByEntry, index, numbers }: CorrectedEntries,
  lags: readonly (readonly number[])[],
  isRelative: boolean,
  features: Float32Array,
): RidgeSums[] {
  const size = featureCount(lags)
  const row = new Float64Array(size)
  const cell = new Uint32Array(dims.length)
  const field = new ResidualField(index, lags)
  return predictions.map((ofFold, fold) => {
    const isIncluded = isByEntry ? undefined : folds.map((other) => (other === fold ? 0 : 1))
    field.setResiduals(numbers, residualsOf(values, ofFold, isRelative), isIncluded)
    const least = leastOf(ofFold)
    const XX = new Float64Array(size * size)
    const Xr = new Float64Array(size)
    for (let e = 0; e < values.length; e++) {
      if (folds[e] !== fold) continue
      for (let mode = 0; mode < cell.length; mode++) cell[mode] = indices[mode][e]
      field.readEntryFeatures(cell, e, numbers, row)
      const unit = isRelative ? Math.max(ofFold[e], least) : 1
      const residual = values[e] - ofFold[e]
      for (let f = 0; f < size; f++) {
        row[f] *= unit
        features[e * size + f] = row[f]
        Xr[f] += row[f] * residual
        for (let g = 0; g <= f; g++) XX[f * size + g] += row[f] * row[g]
      }
    }
    return { XX, Xr }
  })
}

/**
 * Coefficients (size) of the ridge regression over all folds, or all except one.
 * @param sums XᵀX and Xᵀr of each fold, where r are its out-of-fold residuals
 * @param size number of features
 */
function solveRidge(sums: readonly RidgeSums[], size: number, without?: number): Float64Array {
  const XX = new Float64Array(size * size)
  const Xr = new Float64Array(size)
  sums.forEach((sum, fold) => {
    if (fold === without) return
    for (let at = 0; at < XX.length; at++) XX[at] += sum.XX[at]
    for (let f = 0; f < size; f++) Xr[f] += sum.Xr[f]
  })
  for (let f = 0; f < size; f++) {
    XX[f * size + f] *= 1 + RIDGE
    for (let g = 0; g < f; g++) XX[g * size + f] = XX[f * size + g]
  }
  const inverse = invertSymmetric(XX, size)
  return Xr.map((_, f) => Xr.reduce((sum, x, g) => sum + inverse[f * size + g] * x, 0))
}

/** The mean of the models' predictions of each entry. @param predictions per model */
function meanOf(predictions: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(predictions[0].length)
  for (let e = 0; e < mean.length; e++) {
    let sum = 0
    for (let k = 0; k < predictions.length; k++) sum += predictions[k][e]
    mean[e] = sum / predictions.length
  }
  return mean
}

/** Residuals of all entries, absolute or relative to the predictions, but at least to `leastOf` them. */
function residualsOf(values: Float32Array, predictions: Float32Array, isRelative: boolean): Float32Array {
  const least = leastOf(predictions)
  const residuals = new Float32Array(values.length)
  for (let e = 0; e < values.length; e++) {
    const residual = values[e] - predictions[e]
    residuals[e] = isRelative ? residual / Math.max(predictions[e], least) : residual
  }
  return residuals
}

/** The least prediction that residuals are relative to: a fraction of the mean prediction. */
function leastOf(predictions: Float32Array): number {
  let mean = 0
  for (const y of predictions) mean += y / predictions.length
  return Math.max(LEAST * mean, 1e-30)
}

/**
 * Makes a function that corrects the prediction y of a cell, given by its indices; the result is at least 0,
 * and y itself if the correction is beyond float32.
 */
export function corrector(
  dims: readonly number[],
  { lags, isRelative, least, weights, indices, residuals }: Neighbours,
): (cell: ArrayLike<number>, y: number) => number {
  const index = indexCells(dims, indices)
  const field = new ResidualField(index, lags)
  field.setResiduals(numberEntries(index, indices), residuals)
  const features = new Float64Array(featureCount(lags))
  return (cell, y) => {
    field.readFeatures(cell, features)
    let sum = 0
    for (let f = 0; f < features.length; f++) sum += weights[f] * features[f]
    const corrected = y + (isRelative ? Math.max(y, least) : 1) * sum
    // A file may contain any numbers.
    return Math.abs(corrected) < 3e38 ? Math.max(0, corrected) : y
  }
}

/** Whether the correction by neighbours can be fitted to a tensor of this size. */
export const mayHaveNeighbours = (dims: readonly number[], entries: number): boolean =>
  entries <= MOST_ENTRIES && dims.reduce((product, dim) => product * dim, 1) <= Number.MAX_SAFE_INTEGER

/** About how many bytes per entry fitting the correction takes: the index, the field, features and sorting. */
export function neighbourBytes(dims: readonly number[], entries: number): number {
  const features = 4 * (2 * dims.length + 1)
  const numbers = 4 * (dims.length + 1)
  const residuals = 12
  return indexBytes(dims, entries) + features + numbers + residuals
}
