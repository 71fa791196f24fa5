/**
 * Conformal prediction intervals by cross-validation (CV+; Barber, Candès, Ramdas, Tibshirani 2021),
 * normalized and Mondrian: their ends are quantiles of the out-of-fold residuals, each relative to the size
 * of residuals at its cell (residualScale.ts), within groups of cells of similar support and scale, so that
 * the coverage holds in each group.
 *
 * An out-of-fold residual is that of one model, but the prediction is the mean of all K, whose squared error
 * is smaller by (K − 1)/K of the models' variance at cells without entries. Intervals are shrunk accordingly. Where
 * predictions are corrected by neighbours, the variance is that of corrected predictions, each by the residuals of its
 * own model: most of what models differ in at a cell they differ in at its neighbours, too.
 *
 * Where whole groups of cells were lost beside single ones (lostGroups.ts), cells in such groups have residuals of
 * their own.
 */
import type { SparseTensor } from '../../tensor/index.ts'
import { type EmptyRowGroup, independentResiduals } from './emptyRows/learnEmptyRows.ts'
import { groupOfCell, isLostCell, type LostCells, type LostGroups } from './lostGroups.ts'
import { quantile, quantileOfIndependent, quantilesOf } from './quantiles.ts'
import { learnScale, type ResidualScale, scaleAt } from './residualScale.ts'

/** Groups of cells of similar support and scale, with the quantiles of their residuals; plain data. */
export interface ResidualGroups {
  /** Borders between the groups by support: the least support of each but the first. */
  support: readonly number[]
  /** Per group by support, borders between its groups by scale. */
  scales: readonly (readonly number[])[]
  /** For each group by support and scale in turn, quantiles of the relative residuals at equal steps. */
  residuals: readonly (readonly number[])[]
  /** For each group by support and scale, the shrinkage of residuals from one model to the mean of all. */
  shares: readonly number[]
}

/**
 * Scale and quantiles of residuals, from which intervals are computed; plain data, but for the rows of the
 * scale. Files have these names.
 */
export interface Intervals extends ResidualGroups {
  /** The size of residuals at a cell. */
  scale: ResidualScale
  /**
   * Groups of cells in rows without entries; undefined in files of older versions, or where there was no time
   * for them, and then there are no intervals.
   */
  emptyRows?: readonly EmptyRowGroup[]
  /** Per mode, the fewest entries of a row in training; rows of fewer are in a group of `emptyRows`. */
  leastEntries?: readonly number[]
  /**
   * Whether the least and the greatest training value are the ends of a scale, as of ratings, beyond which no interval
   * reaches; undefined in files of older versions, whose intervals lie within the range of the training values.
   */
  scaleEnds?: readonly boolean[]
  /** Cells in whole groups that were lost beside single cells; undefined where cells are missing in one way. */
  lost?: LostIntervals
}

/** Quantiles of residuals in groups of cells without entries, beside cells that are missing one by one. */
export interface LostIntervals extends LostCells, ResidualGroups {
  /** The number of independent residuals (emptyRows/learnEmptyRows.ts). */
  independent: number
}

/** Most groups by support. */
const SUPPORTS = 5
/** Most groups by scale, in each group by support. */
const SCALES = 3
/** Least number of residuals in a group. */
const LEAST_GROUP = 250

/** The fraction of the entries, and their number, from which on a value that they attain is the end of a scale. */
const SCALE_END_FRACTION = 0.01
const SCALE_END_ENTRIES = 5

/**
 * Whether the least and the greatest value are the ends of a scale: many entries attain them exactly, as the most stars
 * of a rating. The record of a thermometer is attained once or twice, and is no limit.
 */
export function findScaleEnds(values: Float32Array): boolean[] {
  let [min, max] = [Infinity, -Infinity]
  for (const x of values) {
    min = Math.min(min, x)
    max = Math.max(max, x)
  }
  const least = Math.max(SCALE_END_ENTRIES, SCALE_END_FRACTION * values.length)
  return [min, max].map((end) => values.reduce((count, x) => count + (x === end ? 1 : 0), 0) >= least)
}

/** The least and the greatest end of any interval. @param range of the training values */
export function intervalLimits(
  { scaleEnds }: Pick<Intervals, 'scaleEnds'>,
  { min, max }: { min: number; max: number },
): [number, number] {
  if (!scaleEnds) return [min, max]
  // Values that were never negative are amounts, for which no interval reaches below zero.
  return [scaleEnds[0] ? min : min >= 0 ? 0 : -Infinity, scaleEnds[1] ? max : Infinity]
}

/** Out-of-fold predictions of all entries. */
export interface OutOfFoldEntries {
  /** Prediction of each entry by the model that was fitted without it. */
  predictions: Float32Array
  /** Support of each entry, not counting itself. */
  support: Uint32Array
}

/** Predictions at random cells without entries. */
export interface UnseenCells {
  /** Coordinates, one column per mode. */
  indices: readonly Uint32Array[]
  /** Mean of the models' predictions. */
  predictions: Float32Array
  /** Variance of the models' predictions, corrected by neighbours if the ensemble's are. */
  variances: Float32Array
  /** Support of each cell. */
  support: Uint32Array
}

/**
 * Learns intervals from out-of-fold residuals and the models' disagreement.
 * @param models number of models
 * @param lost groups of cells that were lost beside single cells, if there are any
 */
export function learnIntervals(
  tensor: Pick<SparseTensor, 'dims' | 'indices' | 'values'>,
  { predictions, support }: OutOfFoldEntries,
  unseen: UnseenCells,
  models: number,
  lost?: LostGroups,
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
  // 1 in groups without entries; 0 in those of which every model was fitted to some entries; 2 in others, which are not used.
  const kinds = new Uint8Array(unseen.predictions.length)
  const cell = new Uint32Array(unseen.indices.length)
  for (let c = 0; c < scaleOfUnseen.length; c++) {
    for (let mode = 0; mode < cell.length; mode++) cell[mode] = unseen.indices[mode][c]
    scaleOfUnseen[c] = scaleAt(scale, cell, unseen.predictions[c])
    const group = lost ? groupOfCell(lost, cell) : 0
    if (lost) kinds[c] = lost.isEmpty[group] ? 1 : lost.isDivided[group] ? 0 : 2
  }
  const entries = { support, scales: scaleOfEntries, relative, squaredErrors }
  const cells = { support: unseen.support, scales: scaleOfUnseen, variances: unseen.variances }
  const learn = (side: 0 | 1): ResidualGroups =>
    learnGroups(
      entries,
      numbersUpTo(values.length).filter((e) => (lost?.ofEntries[e] ?? 0) === side),
      cells,
      numbersUpTo(kinds.length).filter((c) => kinds[c] === side),
      models,
    )
  if (!lost) return { scale, ...learn(0) }
  const { modes, sizes, isEmpty, groups, ofEntries } = lost
  const members = Array.from(numbersUpTo(values.length).filter((e) => ofEntries[e] === 1))
  const independent = independentResiduals(
    members.map((e) => groups[e]),
    'any',
    Float64Array.from(members, (e) => relative[e]),
  )
  return { scale, ...learn(0), lost: { modes, sizes, isEmpty, ...learn(1), independent } }
}

/** Entries with their residuals, from which groups are learned: by number, all entries of the tensor. */
interface GroupedEntries {
  support: Uint32Array
  /** Scale of each entry without itself. */
  scales: Float64Array
  /** Residuals relative to the scale. */
  relative: Float64Array
  squaredErrors: Float64Array
}

/**
 * Learns groups by support and scale.
 * @param members the entries that count @param cells unseen cells @param cellMembers those of them that count
 * @param models number of models
 */
function learnGroups(
  entries: GroupedEntries,
  members: Uint32Array,
  cells: Pick<GroupedEntries, 'support' | 'scales'> & { variances: Float32Array },
  cellMembers: Uint32Array,
  models: number,
): ResidualGroups {
  const supports = Math.max(1, Math.min(SUPPORTS, Math.floor(members.length / (LEAST_GROUP * SCALES))))
  const support = bordersOf(pick(members, entries.support), supports)
  const scales: number[][] = []
  const residuals: number[][] = []
  const shares: number[] = []
  const entriesBySupport = groupItems(members, support, entries.support)
  const cellsBySupport = groupItems(cellMembers, support, cells.support)
  for (let s = 0; s <= support.length; s++) {
    const count = entriesBySupport[s].length
    const groups = Math.max(1, Math.min(SCALES, Math.floor(count / LEAST_GROUP)))
    scales[s] = bordersOf(pick(entriesBySupport[s], entries.scales), groups)
    const entriesByScale = groupItems(entriesBySupport[s], scales[s], entries.scales)
    const cellsByScale = groupItems(cellsBySupport[s], scales[s], cells.scales)
    for (let g = 0; g <= scales[s].length; g++) {
      residuals.push(quantilesOf(pick(entriesByScale[g], entries.relative)))
      const squares = meanOf(entriesByScale[g], entries.squaredErrors)
      const variance = meanOf(cellsByScale[g], cells.variances)
      shares.push(shrinkage(squares, variance, models))
    }
  }
  return { support, scales, residuals, shares }
}

/**
 * The lower and the upper end of an interval, relative to the prediction; NaN in groups without entries, if there are
 * too few independent residuals for the level.
 * @param y the prediction
 * @param entries the support of the cell
 * @param level probability that the interval contains the value
 */
export function intervalAt(
  intervals: Intervals,
  cell: ArrayLike<number>,
  y: number,
  entries: number,
  level: number,
): [number, number] {
  const { scale, lost } = intervals
  const isLost = lost !== undefined && isLostCell(lost, cell)
  const { support, scales, residuals, shares } = isLost ? lost : intervals
  const s = groupOf(support, entries)
  const size = scaleAt(scale, cell, y)
  let group = groupOf(scales[s], size)
  for (let earlier = 0; earlier < s; earlier++) group += scales[earlier].length + 1
  const half = (1 - level) / 2
  const out = isLost ? quantileOfIndependent(half, lost.independent) : half
  if (!(out >= 0)) return [NaN, NaN]
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
function pick(items: Uint32Array, numbers: Float64Array | Uint32Array): Float64Array {
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
