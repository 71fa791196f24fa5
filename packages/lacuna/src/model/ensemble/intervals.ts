/**
 * Conformal prediction intervals by cross-validation (CV+; Barber, Candès, Ramdas, Tibshirani 2021),
 * normalized and Mondrian: their ends are quantiles of the out-of-fold residuals, each relative to the size
 * of residuals at its cell (residualScale.ts), within groups of cells of similar support and scale, so that
 * the coverage holds in each group.
 *
 * An out-of-fold residual is that of one model, but the prediction is the mean of all K, whose squared error
 * is smaller by (K − 1)/K of the models' variance at cells without entries. Intervals are shrunk accordingly.
 */
import type { SparseTensor } from '../../tensor/index.ts'
import type { EmptyRowGroup } from './emptyRows/learnEmptyRows.ts'
import { quantile, quantilesOf } from './quantiles.ts'
import { learnScale, type ResidualScale, scaleAt } from './residualScale.ts'

/** What intervals are computed from; plain data, but for the rows of the scale. Files have these names. */
export interface Intervals {
  /** The size of residuals at a cell. */
  scale: ResidualScale
  /** Borders between the groups by support: the least support of each but the first. */
  support: readonly number[]
  /** Per group by support, borders between its groups by scale. */
  scales: readonly (readonly number[])[]
  /** For each group by support and scale in turn, quantiles of the relative residuals at equal steps. */
  residuals: readonly (readonly number[])[]
  /** For each group by support and scale, the shrinkage of residuals from one model to the mean of all. */
  shares: readonly number[]
  /**
   * Groups of cells in rows without entries; undefined in files of older versions, or where there was no time
   * for them, and then there are no intervals.
   */
  emptyRows?: readonly EmptyRowGroup[]
  /** Per mode, the fewest entries of a row in training; rows of fewer are in a group of `emptyRows`. */
  leastEntries?: readonly number[]
}

/** Most groups by support. */
const SUPPORTS = 5
/** Most groups by scale, in each group by support. */
const SCALES = 3
/** Least number of residuals in a group. */
const LEAST_GROUP = 250

/** Out-of-fold predictions of all entries. */
export interface OutOfFoldEntries {
  /** Prediction of each entry by the model that was fitted without it. */
  predictions: Float32Array
  /** Support of each entry, not counting itself. */
  support: Uint32Array
}

/** Predictions at random cells, which hardly ever have an entry. */
export interface UnseenCells {
  /** Coordinates, one column per mode. */
  indices: readonly Uint32Array[]
  /** Mean of the models' predictions. */
  predictions: Float32Array
  /** Variance of the models' predictions. */
  variances: Float32Array
  /** Support of each cell. */
  support: Uint32Array
}

/**
 * Learns intervals from out-of-fold residuals and the models' disagreement.
 * @param models number of models
 */
export function learnIntervals(
  tensor: Pick<SparseTensor, 'dims' | 'indices' | 'values'>,
  { predictions, support }: OutOfFoldEntries,
  unseen: UnseenCells,
  models: number,
): Intervals {
  const { values } = tensor
  const { scale, ofEntries: scaleOfEntries } = learnScale(tensor, predictions)
  const relative = new Float64Array(values.length)
  const squaredErrors = new Float64Array(values.length)
  for (let e = 0; e < values.length; e++) {
    const residual = values[e] - predictions[e]
    relative[e] = residual / scaleOfEntries[e]
    squaredErrors[e] = residual * residual
  }
  const scaleOfUnseen = new Float64Array(unseen.predictions.length)
  const cell = new Uint32Array(unseen.indices.length)
  for (let c = 0; c < scaleOfUnseen.length; c++) {
    for (let mode = 0; mode < cell.length; mode++) cell[mode] = unseen.indices[mode][c]
    scaleOfUnseen[c] = scaleAt(scale, cell, unseen.predictions[c])
  }
  const supports = Math.max(1, Math.min(SUPPORTS, Math.floor(values.length / (LEAST_GROUP * SCALES))))
  const borders = bordersOf(support, supports)
  const scales: number[][] = []
  const residuals: number[][] = []
  const shares: number[] = []
  const entriesBySupport = groupItems(numbersUpTo(values.length), borders, support)
  const cellsBySupport = groupItems(numbersUpTo(scaleOfUnseen.length), borders, unseen.support)
  for (let s = 0; s <= borders.length; s++) {
    const count = entriesBySupport[s].length
    const groups = Math.max(1, Math.min(SCALES, Math.floor(count / LEAST_GROUP)))
    scales[s] = bordersOf(pick(entriesBySupport[s], scaleOfEntries), groups)
    const entriesByScale = groupItems(entriesBySupport[s], scales[s], scaleOfEntries)
    const cellsByScale = groupItems(cellsBySupport[s], scales[s], scaleOfUnseen)
    for (let g = 0; g <= scales[s].length; g++) {
      residuals.push(quantilesOf(pick(entriesByScale[g], relative)))
      const squares = meanOf(entriesByScale[g], squaredErrors)
      const variance = meanOf(cellsByScale[g], unseen.variances)
      shares.push(shrinkage(squares, variance, models))
    }
  }
  return { scale, support: borders, scales, residuals, shares }
}

/**
 * The lower and the upper end of an interval, relative to the prediction.
 * @param y the prediction
 * @param entries the support of the cell
 * @param level probability that the interval contains the value
 */
export function intervalAt(
  { scale, support, scales, residuals, shares }: Intervals,
  cell: ArrayLike<number>,
  y: number,
  entries: number,
  level: number,
): [number, number] {
  const s = groupOf(support, entries)
  const size = scaleAt(scale, cell, y)
  let group = groupOf(scales[s], size)
  for (let earlier = 0; earlier < s; earlier++) group += scales[earlier].length + 1
  const out = (1 - level) / 2
  const unit = shares[group] * size
  return [unit * quantile(residuals[group], out), unit * quantile(residuals[group], 1 - out)]
}

/**
 * Borders, ascending, that cut numbers into at most this many about equally large groups; equal numbers stay
 * in one group.
 */
function bordersOf(numbers: Float64Array | Uint32Array, groups: number): number[] {
  const sorted = numbers.slice().sort()
  const borders: number[] = []
  for (let g = 1; g < groups; g++) {
    const border = sorted[Math.floor((g * sorted.length) / groups)]
    if (border > (borders[borders.length - 1] ?? sorted[0])) borders.push(border)
  }
  return borders
}

/** The group of x, from 0: the number of borders that it reaches. */
function groupOf(borders: readonly number[], x: number): number {
  let group = 0
  while (group < borders.length && x >= borders[group]) group++
  return group
}

/** The whole numbers from 0 to below `end`. */
function numbersUpTo(end: number): Uint32Array {
  const numbers = new Uint32Array(end)
  for (let i = 0; i < end; i++) numbers[i] = i
  return numbers
}

/**
 * Divides items into the groups between borders, in their order.
 * @param measures the number of each item that is compared with the borders
 */
function groupItems(
  items: Uint32Array,
  borders: readonly number[],
  measures: ArrayLike<number>,
): Uint32Array[] {
  const groupOfItem = new Uint8Array(items.length)
  const counts = new Uint32Array(borders.length + 1)
  for (let i = 0; i < items.length; i++) {
    groupOfItem[i] = groupOf(borders, measures[items[i]])
    counts[groupOfItem[i]]++
  }
  const groups = Array.from(counts, (count) => new Uint32Array(count))
  counts.fill(0)
  for (let i = 0; i < items.length; i++) groups[groupOfItem[i]][counts[groupOfItem[i]]++] = items[i]
  return groups
}

/** The numbers of some items, in their order. */
function pick(items: Uint32Array, numbers: Float64Array): Float64Array {
  const picked = new Float64Array(items.length)
  for (let i = 0; i < items.length; i++) picked[i] = numbers[items[i]]
  return picked
}

/** The mean of the numbers of some items; 0 if there are none. */
function meanOf(items: Uint32Array, numbers: Float64Array | Float32Array): number {
  let sum = 0
  for (let i = 0; i < items.length; i++) sum += numbers[items[i]] / items.length
  return sum
}

/**
 * Ratio, at least ½, of the residuals of the models' mean to those of one model.
 * @param squares mean squared out-of-fold residual
 * @param variance of the models' predictions at unseen cells
 */
const shrinkage = (squares: number, variance: number, models: number): number =>
  Math.sqrt(Math.max(0.25, 1 - (((models - 1) / models) * variance) / Math.max(squares, 1e-30)))
