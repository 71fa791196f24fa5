/**
 * Intervals that hold what they promise: from residuals of entries that the models had not seen, each relative to how large
 * residuals are at such a cell, among cells whose rows have had about as many entries and where residuals are about as large.
 * Within these groups the ends are quantiles, so that the promise is kept in each (conformal prediction, normalised and
 * Mondrian).
 *
 * An entry was predicted by one model, and the answer is the mean of all, which is nearer to the truth: of the squared error
 * of one it lacks (K − 1)/K of what the K models differ by at cells that none has seen.
 */
import type { SparseTensor } from '../../tensor/index.ts'
import { learnScale, type ResidualScale, scaleAt } from './residualScale.ts'

/** Plain data, but for the rows of the scale. */
export interface Intervals {
  scale: ResidualScale
  /** Borders of the groups by entries of the row that has fewest … */
  support: readonly number[]
  /** … and in each of these, borders by the scale. */
  scales: readonly (readonly number[])[]
  /** For each of these groups in turn, relative residuals at equal steps of rank, and by how much the mean's are smaller. */
  residuals: readonly (readonly number[])[]
  shares: readonly number[]
}

const SUPPORTS = 5
const SCALES = 3
/** A group has at least so many residuals. */
const LEAST_GROUP = 250
const STEPS = 400

export interface OutOfFoldEntries {
  /** What each entry was predicted to be by models that had not seen it. */
  predictions: Float32Array
  /** Of each entry, the entries of that of its rows that has fewest, itself apart. */
  support: Uint32Array
}

/** Cells that no model has seen. */
export interface UnseenCells {
  indices: readonly Uint32Array[]
  predictions: Float32Array
  /** Of the models' predictions. */
  variances: Float32Array
  support: Uint32Array
}

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
      residuals.push(steps(Float64Array.from(some, (e) => relative[e])))
      const apart = mean(cells, (c) => unseen.variances[c])
      shares.push(
        shareOf(
          mean(some, (e) => (values[e] - predictions[e]) ** 2),
          apart,
          models,
        ),
      )
    }
  }
  return { scale, support: borders, scales, residuals, shares }
}

/** The ends of the interval that holds this share of cells like this one, for which y is predicted, relative to y. */
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

/** The sorted numbers at equal steps. With n of them, the k-th largest is exceeded with a chance of k/(n + 1). */
function steps(numbers: Float64Array): number[] {
  const sorted = numbers.sort()
  const n = sorted.length
  const count = Math.min(STEPS, n + 1)
  return Array.from({ length: count + 1 }, (_, i) => {
    const rank = (i / count) * (n + 1) - 1
    return at(sorted, Math.min(n - 1, Math.max(0, rank)))
  })
}

const quantile = (numbers: readonly number[], share: number): number =>
  at(numbers, share * (numbers.length - 1))

function at(sorted: ArrayLike<number>, place: number): number {
  const below = Math.floor(place)
  const above = Math.min(sorted.length - 1, below + 1)
  return sorted[below] + (place - below) * (sorted[above] - sorted[below])
}

function mean(of: Uint32Array, value: (at: number) => number): number {
  let sum = 0
  for (const at of of) sum += value(at) / of.length
  return sum
}

/** By how much residuals of the mean are smaller than those of one model, whose squares are so large, and that differ so much. */
const shareOf = (squares: number, apart: number, models: number): number =>
  Math.sqrt(Math.max(0.25, 1 - (((models - 1) / models) * apart) / Math.max(squares, 1e-30)))
