/**
 * Correction by neighbours: a ridge regression of out-of-fold residuals on the residuals at neighbouring
 * cells. Features are, where modes are ordered, the residuals at some lags and in a window around the cell;
 * and in every mode the mean residual of the cells that differ in this mode alone.
 */
import type { SparseTensor } from '../../../tensor/index.ts'
import { invertSymmetric } from '../../foldIn/solveRow.ts'
import { indexBytes, indexCells, numberEntries } from './cellIndex.ts'
import { EntryFeatures, leastOf, type RidgeSums } from './entryFeatures.ts'
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
  /**
   * Corrects predictions of cells by the model that was fitted without a fold, by the residuals that it leaves itself.
   * @param indices one column of indices per mode
   */
  correctWithout(fold: number, indices: readonly Uint32Array[], predictions: Float32Array): Float32Array
}

/** Ridge, as a fraction of the diagonal of XᵀX. */
const RIDGE = 1e-3
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
  const entries = new EntryFeatures(tensor, predictions, folds, isByEntry)
  const mean = entries.meanPredictions()
  const least = leastOf(mean)
  const kinds = [false, true].flatMap((isRelative): ResidualKind[] => {
    const residuals = residualsOf(values, mean, isRelative ? least : 0)
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
  let best: { kind: ResidualKind; sums: RidgeSums[]; predictions: Float32Array; squares: number } | undefined
  for (const kind of kinds) {
    const sums = entries.sumFolds(kind.lags, kind.isRelative)
    // Numbers may be out of the range of float32.
    if (!sums.every(({ XX, Xr }) => XX.every(Number.isFinite) && Xr.every(Number.isFinite))) continue
    const fit = entries.correct(sums.map((_, fold) => solveRidge(sums, fold)))
    if (fit.squares < (best?.squares ?? (1 - LEAST_GAIN) * squaresBefore)) best = { kind, sums, ...fit }
  }
  if (!best) return undefined
  const { isRelative, lags, residuals } = best.kind
  const weights = [...solveRidge(best.sums)]
  const neighbours = { lags, isRelative, least, weights, indices, residuals }
  const index = indexCells(dims, indices)
  const numbers = numberEntries(index, indices)
  return {
    neighbours,
    predictions: best.predictions,
    correctWithout(fold, cells, before) {
      const field = new ResidualField(index, lags)
      const ofModel = residualsOf(values, predictions[fold], isRelative ? least : 0)
      field.addResiduals(numbers, ofModel, isByEntry ? undefined : (e) => folds[e] !== fold)
      const correct = correctorBy(field, neighbours)
      const cell = new Uint32Array(dims.length)
      return before.map((y, c) => {
        for (let mode = 0; mode < cell.length; mode++) cell[mode] = cells[mode][c]
        return correct(cell, y)
      })
    },
  }
}

/** Residuals of the models' mean, absolute or relative, and the lags at which they are similar. */
interface ResidualKind {
  isRelative: boolean
  /** The residual of each entry. */
  residuals: Float32Array
  /** The lags of each mode; none where it is not ordered. */
  lags: number[][]
}

/**
 * Coefficients (size) of the ridge regression over all folds, or all except one.
 * @param sums XᵀX and Xᵀr of each fold, where r are its out-of-fold residuals
 */
function solveRidge(sums: readonly RidgeSums[], without?: number): Float64Array {
  const size = sums[0].Xr.length
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

/**
 * Residuals of all entries.
 * @param least 0 for absolute ones; else they are relative to the predictions, but at least to this
 */
export function residualsOf(values: Float32Array, predictions: Float32Array, least: number): Float32Array {
  const residuals = new Float32Array(values.length)
  for (let e = 0; e < values.length; e++) {
    const residual = values[e] - predictions[e]
    residuals[e] = least > 0 ? residual / Math.max(predictions[e], least) : residual
  }
  return residuals
}

/**
 * Makes a function that corrects the prediction y of a cell, given by its indices; the result is at least 0,
 * and y itself if the correction is beyond float32.
 */
export function corrector(
  dims: readonly number[],
  neighbours: Neighbours,
): (cell: ArrayLike<number>, y: number) => number {
  const { lags, indices, residuals } = neighbours
  const index = indexCells(dims, indices)
  const field = new ResidualField(index, lags)
  field.addResiduals(numberEntries(index, indices), residuals)
  return correctorBy(field, neighbours)
}

/** Makes a function that corrects the prediction y of a cell by a field of residuals. */
function correctorBy(
  field: ResidualField,
  { lags, isRelative, least, weights }: Neighbours,
): (cell: ArrayLike<number>, y: number) => number {
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

/**
 * About how many bytes per entry fitting the correction takes: the index, the field, features, sorting, and the
 * entries in the kernel's memory.
 */
export function neighbourBytes(dims: readonly number[], entries: number): number {
  const features = 4 * (2 * dims.length + 1)
  const numbers = 4 * (2 * dims.length + 1) + 24
  const residuals = 20
  return indexBytes(dims, entries) + features + numbers + residuals
}
