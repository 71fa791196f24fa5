/**
 * What the residuals at neighbouring places say of a prediction: where modes are ordered, those at some distances along them
 * and in a window around the cell; and in every mode, the mean of those in its other rows. A ridge regression of residuals of
 * entries that the models had not seen, on such residuals, says how much each counts.
 */
import type { SparseTensor } from '../tensor/index.ts'
import { inverted } from './solveRow.ts'

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

/** Cells around in each ordered mode, for the mean of a window. */
const WINDOW = 2
/** As if so many more residuals of 0 were in the mean over a mode's rows. */
const SHRINKAGE = 3
/** Ridge, as a share of the entries, over features of deviation 1. */
const RIDGE = 1e-3
/** Predictions below this share of their mean do not make a residual any larger in proportion. */
const LEAST = 0.05
/** What is found must lower the squared error by this share. */
const LEAST_GAIN = 2e-3
/** Residuals are alike from this correlation on, if it is not by chance. */
const LEAST_ALIKE = 0.02
/** Of fewer rows nobody can say whether they are ordered. */
const FEWEST_ROWS = 5
const MOST_LAGS = 4
const FARTHEST = 400
/** Cells up to which residuals lie in an array; beyond, in a map. */
const MOST_CELLS = 2 ** 26
/** Entries by which distances are judged. */
const MOST_LEARNED = 200_000

/** Residuals by cell, and features made of them. */
export class ResidualField {
  readonly #dims: readonly number[]
  readonly #strides: readonly number[]
  readonly #at: (place: number) => number | undefined
  /** Per mode, sums and counts over its rows, by the place in the others. */
  readonly #fibers: readonly (readonly [
    Map<number, number> | Float32Array,
    Map<number, number> | Float32Array,
  ])[]
  readonly #lags: readonly (readonly number[])[]
  readonly #window: readonly (readonly number[])[]

  constructor(
    dims: readonly number[],
    indices: readonly Uint32Array[],
    residuals: Float32Array,
    lags: readonly (readonly number[])[],
  ) {
    this.#dims = dims
    this.#lags = lags
    const strides: number[] = []
    dims.reduceRight((stride, dim, mode) => {
      strides[mode] = stride
      return stride * dim
    }, 1)
    this.#strides = strides
    const cells = strides[0] * dims[0]
    const places = Float64Array.from(residuals, (_, e) => placeOf(strides, indices, e))
    this.#at = lookup(cells, places, residuals)
    this.#fibers = dims.map((_, mode) => {
      const table = (): Map<number, number> | Float32Array =>
        cells <= MOST_CELLS ? new Float32Array(cells) : new Map<number, number>()
      const [sums, counts] = [table(), table()]
      for (let e = 0; e < residuals.length; e++) {
        const place = places[e] - strides[mode] * indices[mode][e]
        increase(sums, place, residuals[e])
        increase(counts, place, 1)
      }
      return [sums, counts] as const
    })
    this.#window = windowOf(lags)
  }

  /** How many features a cell has. */
  get size(): number {
    const lags = this.#lags.reduce((sum, some) => sum + some.length, 0)
    return lags + this.#dims.length + (this.#window.length > 0 ? 1 : 0)
  }

  /** The features of a cell, its own residual apart. */
  read(cell: ArrayLike<number>, features: Float64Array): void {
    const dims = this.#dims
    let place = 0
    for (let mode = 0; mode < dims.length; mode++) place += this.#strides[mode] * cell[mode]
    let f = 0
    this.#lags.forEach((lags, mode) => {
      for (const lag of lags) {
        let [sum, count] = [0, 0]
        for (const step of [-lag, lag]) {
          const index = cell[mode] + step
          const residual =
            index < 0 || index >= dims[mode] ? undefined : this.#at(place + step * this.#strides[mode])
          if (residual === undefined) continue
          sum += residual
          count++
        }
        features[f++] = count > 0 ? sum / count : 0
      }
    })
    const own = this.#at(place)
    this.#fibers.forEach(([sums, counts], mode) => {
      const fiber = place - this.#strides[mode] * cell[mode]
      const sum = valueAt(sums, fiber) - (own ?? 0)
      const count = valueAt(counts, fiber) - (own === undefined ? 0 : 1)
      features[f++] = sum / (Math.max(0, count) + SHRINKAGE)
    })
    if (this.#window.length > 0) features[f] = this.#meanAround(cell, place)
  }

  #meanAround(cell: ArrayLike<number>, place: number): number {
    let [sum, count] = [0, 0]
    for (const steps of this.#window) {
      let at = place
      let isInside = true
      for (let mode = 0; mode < steps.length && isInside; mode++) {
        const index = cell[mode] + steps[mode]
        isInside = index >= 0 && index < this.#dims[mode]
        at += steps[mode] * this.#strides[mode]
      }
      const residual = isInside ? this.#at(at) : undefined
      if (residual === undefined) continue
      sum += residual
      count++
    }
    return sum / (count + SHRINKAGE)
  }
}

function placeOf(strides: readonly number[], indices: readonly Uint32Array[], e: number): number {
  let place = 0
  for (let mode = 0; mode < strides.length; mode++) place += strides[mode] * indices[mode][e]
  return place
}

function lookup(
  cells: number,
  places: Float64Array,
  residuals: Float32Array,
): (place: number) => number | undefined {
  if (cells <= MOST_CELLS) {
    const all = new Float32Array(cells).fill(Number.NaN)
    for (let e = 0; e < places.length; e++) all[places[e]] = residuals[e]
    return (place) => (Number.isNaN(all[place]) ? undefined : all[place])
  }
  const all = new Map<number, number>()
  for (let e = 0; e < places.length; e++) all.set(places[e], residuals[e])
  return (place) => all.get(place)
}

function increase(table: Map<number, number> | Float32Array, place: number, by: number): void {
  if (table instanceof Map) table.set(place, (table.get(place) ?? 0) + by)
  else table[place] += by
}

const valueAt = (table: Map<number, number> | Float32Array, place: number): number =>
  (table instanceof Map ? table.get(place) : table[place]) ?? 0

/** Steps to the cells around, in the ordered modes; none if no mode is ordered. */
function windowOf(lags: readonly (readonly number[])[]): number[][] {
  let steps: number[][] = [[]]
  for (const some of lags) {
    const range = some.length > 0 ? Array.from({ length: 2 * WINDOW + 1 }, (_, i) => i - WINDOW) : [0]
    steps = steps.flatMap((step) => range.map((by) => [...step, by]))
  }
  return steps.filter((step) => step.some((by) => by !== 0))
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

/**
 * From what each fold's model, which has not seen it, predicts of all entries; undefined if the residuals of neighbours do not
 * help. Of an entry that model has not seen, and its neighbours' residuals by the same model: those by others, which have seen
 * the entry, would tell of it.
 */
export function learnNeighbours(
  tensor: SparseTensor,
  predictions: readonly Float32Array[],
  folds: Uint8Array,
  ordered?: readonly Ordered[],
): LearnedNeighbours | undefined {
  const before = tensor.values.reduce((sum, x, e) => sum + (x - predictions[folds[e]][e]) ** 2, 0)
  let best: (LearnedNeighbours & { squares: number }) | undefined
  for (const isRelative of [false, true]) {
    const found = learnOne(tensor, predictions, folds, ordered, isRelative)
    if (found.squares < (best?.squares ?? (1 - LEAST_GAIN) * before)) best = found
  }
  return best && { neighbours: best.neighbours, predictions: best.predictions }
}

function learnOne(
  tensor: SparseTensor,
  predictions: readonly Float32Array[],
  folds: Uint8Array,
  ordered: readonly Ordered[] | undefined,
  isRelative: boolean,
): LearnedNeighbours & { squares: number } {
  const { dims, indices, values } = tensor
  const mean = predictions[0].map(
    (_, e) => predictions.reduce((sum, y) => sum + y[e], 0) / predictions.length,
  )
  const residuals = residualsOf(values, mean, isRelative)
  const lags: number[][] = dims.map(() => [])
  for (const { mode, lags: given } of ordered ?? dims.map((_, mode) => ({ mode, lags: undefined })))
    lags[mode] = given ? [...given] : likeLags(dims, indices, residuals, mode, ordered !== undefined)
  // Of each entry, what its neighbours say by the model that has not seen it.
  const size = new ResidualField(dims, [], new Float32Array(0), lags).size
  const features = new Float32Array(values.length * size)
  const own = new Float64Array(size)
  const sums = predictions.map((ofFold, fold) => {
    const field = new ResidualField(dims, indices, residualsOf(values, ofFold, isRelative), lags)
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
    lags,
    isRelative,
    least: leastOf(mean),
    weights: [...solved(sums, size)],
    indices,
    residuals,
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
  const inverse = inverted(XX, size)
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

/**
 * The distances along a mode at which residuals are most alike, nearest first. A mode that is known to be ordered has always the
 * next one; any other has none, unless residuals of rows that follow one another are alike.
 */
function likeLags(
  dims: readonly number[],
  indices: readonly Uint32Array[],
  residuals: Float32Array,
  mode: number,
  isOrdered: boolean,
): number[] {
  const fibers = new Map<number, Map<number, number>>()
  const strides: number[] = []
  dims.reduceRight((stride, dim, m) => {
    strides[m] = m === mode ? 0 : stride
    return m === mode ? stride : stride * dim
  }, 1)
  for (let e = 0; e < residuals.length; e++) {
    const place = placeOf(strides, indices, e)
    const fiber = fibers.get(place) ?? new Map<number, number>()
    fibers.set(place, fiber)
    fiber.set(indices[mode][e], residuals[e])
  }
  const farthest = Math.min(dims[mode] - 1, FARTHEST)
  const products = new Float64Array(farthest + 1)
  const pairs = new Float64Array(farthest + 1)
  let [squares, looked] = [0, 0]
  for (const fiber of fibers.values()) {
    if (looked > MOST_LEARNED) break
    for (const [index, r] of fiber) {
      looked++
      squares += r * r
      for (let lag = 1; lag <= farthest; lag++) {
        const other = fiber.get(index + lag)
        if (other === undefined) continue
        products[lag] += r * other
        pairs[lag]++
      }
    }
  }
  const variance = squares / Math.max(1, looked)
  const alikeAt = (lag: number): boolean => alike[lag] > Math.max(LEAST_ALIKE, 4 / Math.sqrt(pairs[lag]))
  const alike = Array.from(products, (sum, lag) => (pairs[lag] > 0 ? sum / pairs[lag] / variance : 0))
  if (!isOrdered && (dims[mode] < FEWEST_ROWS || !alikeAt(1))) return []
  return alike
    .map((correlation, lag) => ({ correlation, lag }))
    .filter(({ lag }) => lag > 1 && alikeAt(lag))
    .sort((a, b) => b.correlation - a.correlation || a.lag - b.lag)
    .slice(0, MOST_LAGS - 1)
    .map(({ lag }) => lag)
    .concat(1)
    .sort((a, b) => a - b)
}

/** Adds what neighbours say to a prediction. */
export function corrector(
  dims: readonly number[],
  { lags, isRelative, least, weights, indices, residuals }: Neighbours,
): (cell: ArrayLike<number>, y: number) => number {
  const field = new ResidualField(dims, indices, residuals, lags)
  const features = new Float64Array(field.size)
  return (cell, y) => {
    field.read(cell, features)
    let sum = 0
    for (let f = 0; f < features.length; f++) sum += weights[f] * features[f]
    return Math.max(0, y + (isRelative ? Math.max(y, least) : 1) * sum)
  }
}
