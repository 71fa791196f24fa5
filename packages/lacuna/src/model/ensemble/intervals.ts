/**
 * Conformal prediction intervals by cross-validation (CV+; Barber, Candès, Ramdas, Tibshirani 2021), normalized and Mondrian: their
 * ends are quantiles of the out-of-fold residuals, each relative to the size of residuals at its cell (residualScale.ts), within
 * groups of cells of similar support and scale, so that the coverage holds in each group.
 *
 * An out-of-fold residual is that of one model, but the prediction is the mean of all K, whose squared error is smaller by
 * (K − 1)/K of the models' variance at cells without entries. Intervals are shrunk accordingly.
 */
import type { SparseTensor } from '../../tensor/index.ts'
import { learnScale, type ResidualScale, scaleAt } from './residualScale.ts'

/** What intervals are computed from; plain data, but for the rows of the scale. Files have these names. */
export interface Intervals {
  /** The size of residuals at a cell. */
  scale: ResidualScale
  /** Borders of the groups by support. */
  support: readonly number[]
  /** Per group by support, borders of its groups by scale. */
  scales: readonly (readonly number[])[]
  /** For each of these groups in turn, quantiles of the relative residuals at equal steps. */
  residuals: readonly (readonly number[])[]
  /** For each of these groups, the shrinkage of residuals from one model to the mean of all. */
  shares: readonly number[]
}

/** Most groups by support. */
const SUPPORTS = 5
/** Most groups by scale, in each group by support. */
const SCALES = 3
/** Least number of residuals in a group. */
const LEAST_GROUP = 250
/** Most steps between quantiles. */
const STEPS = 400

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
  const { scale, ofEntries } = learnScale(tensor, predictions)
  const relative = ofEntries.map((size, e) => (values[e] - predictions[e]) / size)
  const ofUnseen = Float64Array.from(unseen.predictions, (y, c) =>
    scaleAt(
      scale,
      unseen.indices.map((column) => column[c]),
      y,
    ),
  )
  const supports = Math.max(1, Math.min(SUPPORTS, Math.floor(values.length / (LEAST_GROUP * SCALES))))
  const borders = bordersOf(support, supports)
  const scales: number[][] = []
  const residuals: number[][] = []
  const shares: number[] = []
  for (let s = 0; s <= borders.length; s++) {
    const own = Uint32Array.from(values.keys()).filter((e) => groupOf(borders, support[e]) === s)
    const others = Uint32Array.from(ofUnseen.keys()).filter((c) => groupOf(borders, unseen.support[c]) === s)
    const groups = Math.max(1, Math.min(SCALES, Math.floor(own.length / LEAST_GROUP)))
    scales[s] = bordersOf(
      Float64Array.from(own, (e) => ofEntries[e]),
      groups,
    )
    for (let g = 0; g <= scales[s].length; g++) {
      const some = own.filter((e) => groupOf(scales[s], ofEntries[e]) === g)
      const cells = others.filter((c) => groupOf(scales[s], ofUnseen[c]) === g)
      residuals.push(quantilesOf(Float64Array.from(some, (e) => relative[e])))
      const squares = mean(some, (e) => (values[e] - predictions[e]) ** 2)
      const variance = mean(cells, (c) => unseen.variances[c])
      shares.push(shrinkage(squares, variance, models))
    }
  }
  return { scale, support: borders, scales, residuals, shares }
}

/**
 * The ends of an interval, relative to the prediction.
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
  for (let before = 0; before < s; before++) group += scales[before].length + 1
  const out = (1 - level) / 2
  const unit = shares[group] * size
  return [unit * quantile(residuals[group], out), unit * quantile(residuals[group], 1 - out)]
}

/** Borders that cut numbers into about equally large groups; equal numbers stay together. */
function bordersOf(numbers: ArrayLike<number>, groups: number): number[] {
  const sorted = Float64Array.from(numbers).sort()
  const borders: number[] = []
  for (let g = 1; g < groups; g++) {
    const border = sorted[Math.floor((g * sorted.length) / groups)]
    if (border > (borders[borders.length - 1] ?? sorted[0])) borders.push(border)
  }
  return borders
}

function groupOf(borders: readonly number[], x: number): number {
  let group = 0
  while (group < borders.length && x >= borders[group]) group++
  return group
}

/** Quantiles at equal steps. A new number exceeds the k-th largest of n with probability k/(n + 1), as conformal prediction has it. */
function quantilesOf(numbers: Float64Array): number[] {
  const sorted = numbers.sort()
  const n = sorted.length
  const count = Math.min(STEPS, n + 1)
  return Array.from({ length: count + 1 }, (_, i) => {
    const rank = (i / count) * (n + 1) - 1
    return at(sorted, Math.min(n - 1, Math.max(0, rank)))
  })
}

const quantile = (numbers: readonly number[], probability: number): number =>
  at(numbers, probability * (numbers.length - 1))

/** Interpolates linearly between sorted numbers. */
function at(sorted: ArrayLike<number>, position: number): number {
  const below = Math.floor(position)
  const above = Math.min(sorted.length - 1, below + 1)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}

function mean(of: Uint32Array, value: (at: number) => number): number {
  let sum = 0
  for (const at of of) sum += value(at) / of.length
  return sum
}

/** Ratio of the residuals of the mean to those of one model, from its mean squared residual and the models' variance. */
const shrinkage = (squares: number, variance: number, models: number): number =>
  Math.sqrt(Math.max(0.25, 1 - (((models - 1) / models) * variance) / Math.max(squares, 1e-30)))
