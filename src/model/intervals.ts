/**
 * Intervals that hold what they promise: from residuals of entries that the models had not seen, sorted by how much is
 * predicted and how many entries the cell's rows have had. Among the residuals of such cells the ends are quantiles, so that
 * the promise is kept in each group (conformal prediction, Mondrian).
 *
 * An entry was predicted by one model, and the answer is the mean of all, which is nearer to the truth: of the squared error
 * of one it lacks (K − 1)/K of what the K models differ by at cells that none has seen.
 */
import type { SparseTensor } from '../tensor/index.ts'

/** Plain data. */
export interface Intervals {
  /** Borders of the groups by entries of the row that has fewest … */
  support: readonly number[]
  /** … and in each of these, borders by what is predicted. */
  sizes: readonly (readonly number[])[]
  /** For each of these groups in turn, residuals at equal steps of rank, and by how much the mean's are smaller. */
  residuals: readonly (readonly number[])[]
  shares: readonly number[]
}

const SUPPORTS = 3
const SIZES = 8
/** A group has at least so many residuals. */
const LEAST_GROUP = 250
const STEPS = 400

export interface Judged {
  /** What each entry was predicted to be by models that had not seen it. */
  predictions: Float32Array
  /** Of each entry, the entries of that of its rows that has fewest, itself apart. */
  support: Uint32Array
}

/** unseen: cells that no model has seen, what is predicted of them, the variance of the models' predictions, and support. */
export function learnIntervals(
  { values }: Pick<SparseTensor, 'values'>,
  { predictions, support }: Judged,
  unseen: { predictions: Float32Array; variances: Float32Array; support: Uint32Array },
  models: number,
): Intervals {
  const entries = values.length
  const supports = Math.max(1, Math.min(SUPPORTS, Math.floor(entries / (LEAST_GROUP * SIZES))))
  const borders = bordersOf(support, supports)
  const sizes: number[][] = []
  const residuals: number[][] = []
  const shares: number[] = []
  for (let s = 0; s <= borders.length; s++) {
    const isHere = (n: number): boolean => groupOf(borders, n) === s
    const own = Uint32Array.from(values.keys()).filter((e) => isHere(support[e]))
    const others = Uint32Array.from(unseen.support.keys()).filter((c) => isHere(unseen.support[c]))
    const groups = Math.max(1, Math.min(SIZES, Math.floor(own.length / LEAST_GROUP)))
    sizes[s] = bordersOf(
      own.map((e) => e),
      groups,
      (e) => predictions[e],
    )
    for (let g = 0; g <= sizes[s].length; g++) {
      const some = [...own]
        .filter((e) => groupOf(sizes[s], predictions[e]) === g)
        .map((e) => values[e] - predictions[e])
      const cells = others.filter((c) => groupOf(sizes[s], unseen.predictions[c]) === g)
      residuals.push(steps(some))
      shares.push(shareOf(some, cells, unseen.variances, models))
    }
  }
  return { support: borders, sizes, residuals, shares }
}

/** The ends of the interval that holds this share of cells for which y is predicted, relative to y. */
export function intervalAt(
  { support, sizes, residuals, shares }: Intervals,
  y: number,
  entries: number,
  level: number,
): [number, number] {
  const s = groupOf(support, entries)
  let group = groupOf(sizes[s], y)
  for (let before = 0; before < s; before++) group += sizes[before].length + 1
  const out = (1 - level) / 2
  return [
    shares[group] * quantile(residuals[group], out),
    shares[group] * quantile(residuals[group], 1 - out),
  ]
}

/** Borders that cut numbers into about equally large groups; equal numbers stay together. */
function bordersOf(numbers: Uint32Array, groups: number, of: (x: number) => number = (x) => x): number[] {
  const sorted = Float64Array.from(numbers, of).sort()
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
function steps(numbers: readonly number[]): number[] {
  const sorted = Float64Array.from(numbers).sort()
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

/** By how much residuals of the mean are smaller than those of one model. */
function shareOf(
  residuals: readonly number[],
  cells: Uint32Array,
  variances: Float32Array,
  models: number,
): number {
  if (cells.length === 0 || residuals.length === 0) return 1
  const squares = residuals.reduce((sum, r) => sum + r * r, 0) / residuals.length
  const apart = cells.reduce((sum, c) => sum + variances[c], 0) / cells.length
  return Math.sqrt(Math.max(0.25, 1 - (((models - 1) / models) * apart) / Math.max(squares, 1e-30)))
}
