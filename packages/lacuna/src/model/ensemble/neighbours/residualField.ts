/**
 * Residuals by cell, and features of a cell from the residuals around it: at lags, in a window, and along
 * each mode. kernels/folds/features.ts computes the same features of many entries.
 */
import { type CellIndex, type EntryNumbers, fiberOf } from './cellIndex.ts'

/** Half width of the window in each ordered mode, in cells. */
export const WINDOW = 2
/** Shrinkage of means, as this many additional residuals of 0. */
const SHRINKAGE = 3
/** Sums by number: where cells are numbered by position, in float32. */
type Table = Float32Array | Float64Array

/**
 * Number of features of a cell: one per lag, one per mode, and one for the window if a mode is ordered.
 * @param lags per mode, its lags; none where it is not ordered
 */
export const featureCount = (lags: readonly (readonly number[])[]): number =>
  lags.reduce((sum, some) => sum + some.length + 1, 0) + (lags.some((some) => some.length > 0) ? 1 : 0)

/** The cells of the window around a cell. */
export interface Window {
  /** Steps along each mode: `order` numbers per cell. */
  steps: Int32Array
  /** The difference of positions, one per cell; whole numbers of 32 bits where positions are. */
  offsets: Int32Array | Float64Array
}

/** Residuals of entries by cell. */
export class ResidualField {
  readonly #index: CellIndex
  /** Residuals by number of the cell; 0 where there is none. */
  readonly #residuals: Float32Array
  /** 1 for each cell that has a residual, else 0, by number of the cell. */
  readonly #isKnown: Uint8Array
  /** Per mode, sums of residuals by number of the fiber. */
  readonly #sums: readonly Table[]
  /** Per mode, numbers of residuals by number of the fiber. */
  readonly #counts: readonly Table[]
  readonly #lags: readonly (readonly number[])[]
  readonly #window: Window
  /** Per mode, the number of the fiber of the cell whose features are written. */
  readonly #fiber: Float64Array

  /**
   * Makes a field without residuals.
   * @param index numbers of the cells and fibers of all entries
   * @param lags per mode, its lags; none where it is not ordered
   */
  constructor(index: CellIndex, lags: readonly (readonly number[])[]) {
    const { isDense, cells, fibers, strides } = index
    this.#index = index
    this.#lags = lags
    this.#window = windowOf(lags, index)
    this.#fiber = new Float64Array(strides.length)
    const table = (count: number): Table => (isDense ? new Float32Array(count) : new Float64Array(count))
    this.#residuals = new Float32Array(cells.count)
    this.#isKnown = new Uint8Array(cells.count)
    this.#sums = fibers.map(({ count }) => table(count))
    this.#counts = fibers.map(({ count }) => table(count))
  }

  /**
   * Adds the residuals of entries to a field that has none.
   * @param numbers of the cells and fibers of the entries
   * @param residuals of each entry
   * @param isAdded whether an entry is added; all are by default
   */
  addResiduals(
    numbers: EntryNumbers,
    residuals: Float32Array,
    isAdded: (e: number) => boolean = () => true,
  ): void {
    for (let e = 0; e < residuals.length; e++) {
      if (!isAdded(e)) continue
      this.#residuals[numbers.cells[e]] = residuals[e]
      this.#isKnown[numbers.cells[e]] = 1
    }
    numbers.fibers.forEach((fibers, mode) => {
      const sums = this.#sums[mode]
      const counts = this.#counts[mode]
      for (let e = 0; e < residuals.length; e++) {
        if (!isAdded(e)) continue
        sums[fibers[e]] += residuals[e]
        counts[fibers[e]]++
      }
    })
  }

  /** The position of a cell in row-major order. */
  #positionOf(cell: ArrayLike<number>): number {
    const { strides } = this.#index
    let position = 0
    for (let mode = 0; mode < strides.length; mode++) position += strides[mode] * cell[mode]
    return position
  }

  /** The number of the cell at a position; -1 if it has none. */
  #numberOf(position: number): number {
    const { isDense, cells } = this.#index
    return isDense ? position : cells.numberOf(position)
  }

  /**
   * Writes the features of a cell, without its own residual: per mode and lag the mean residual at both
   * sides; per mode the shrunk mean of its fiber; and the shrunk mean of the window, if any.
   * @param features receives `featureCount` numbers
   */
  readFeatures(cell: ArrayLike<number>, features: Float64Array): void {
    const { dims, strides, fibers } = this.#index
    const position = this.#positionOf(cell)
    for (let mode = 0; mode < dims.length; mode++)
      this.#fiber[mode] = fibers[mode].numberOf(fiberOf(position, strides[mode], dims[mode]))
    this.#writeFeatures(cell, position, this.#numberOf(position), features)
  }

  /** Writes the features of a cell whose fibers are in #fiber. @param number its number; -1 without one */
  #writeFeatures(cell: ArrayLike<number>, position: number, number: number, features: Float64Array): void {
    const { dims, strides } = this.#index
    let f = 0
    for (let mode = 0; mode < dims.length; mode++)
      for (const lag of this.#lags[mode])
        features[f++] = this.#meanAtLag(position, cell[mode], dims[mode], strides[mode], lag)
    const ownCount = number < 0 ? 0 : this.#isKnown[number]
    const ownSum = number < 0 ? 0 : this.#residuals[number]
    for (let mode = 0; mode < dims.length; mode++) {
      // A fiber without entries has no number.
      const fiber = this.#fiber[mode]
      const sum = (fiber < 0 ? 0 : this.#sums[mode][fiber]) - ownSum
      const count = (fiber < 0 ? 0 : this.#counts[mode][fiber]) - ownCount
      features[f++] = sum / (Math.max(0, count) + SHRINKAGE)
    }
    if (this.#window.offsets.length > 0) features[f] = this.#meanAround(cell, position)
  }

  /** The mean residual at a lag before and behind a cell; 0 if there is none. @param row of the cell */
  #meanAtLag(position: number, row: number, dim: number, stride: number, lag: number): number {
    const before = row >= lag ? this.#numberOf(position - lag * stride) : -1
    const behind = row + lag < dim ? this.#numberOf(position + lag * stride) : -1
    let sum = 0
    let count = 0
    if (before >= 0) {
      sum += this.#residuals[before]
      count += this.#isKnown[before]
    }
    if (behind >= 0) {
      sum += this.#residuals[behind]
      count += this.#isKnown[behind]
    }
    return sum / Math.max(1, count)
  }

  /** The mean residual in the window around a cell, shrunk towards 0. */
  #meanAround(cell: ArrayLike<number>, position: number): number {
    const { dims, isDense } = this.#index
    const { steps, offsets } = this.#window
    const residuals = this.#residuals
    const isKnown = this.#isKnown
    let sum = 0
    let count = 0
    if (isDense && this.#isInner(cell)) {
      for (let at = 0; at < offsets.length; at++) {
        const number = position + offsets[at]
        sum += residuals[number]
        count += isKnown[number]
      }
      return sum / (count + SHRINKAGE)
    }
    const order = dims.length
    for (let at = 0; at < offsets.length; at++) {
      let isInside = true
      for (let mode = 0; mode < order && isInside; mode++) {
        const row = cell[mode] + steps[at * order + mode]
        isInside = row >= 0 && row < dims[mode]
      }
      const number = isInside ? this.#numberOf(position + offsets[at]) : -1
      if (number < 0) continue
      sum += residuals[number]
      count += isKnown[number]
    }
    return sum / (count + SHRINKAGE)
  }

  /** Whether the whole window around a cell lies in the tensor. */
  #isInner(cell: ArrayLike<number>): boolean {
    const { dims } = this.#index
    for (let mode = 0; mode < dims.length; mode++)
      if (this.#lags[mode].length > 0 && (cell[mode] < WINDOW || cell[mode] + WINDOW >= dims[mode]))
        return false
    return true
  }
}

/** The cells within WINDOW along the ordered modes; none if no mode is ordered. */
export function windowOf(
  lags: readonly (readonly number[])[],
  { strides, isDense }: Pick<CellIndex, 'strides' | 'isDense'>,
): Window {
  let steps: number[][] = [[]]
  for (const some of lags) {
    const range = some.length > 0 ? Array.from({ length: 2 * WINDOW + 1 }, (_, i) => i - WINDOW) : [0]
    steps = steps.flatMap((step) => range.map((by) => [...step, by]))
  }
  const others = steps.filter((step) => step.some((by) => by !== 0))
  const offsets = others.map((step) => step.reduce((sum, by, mode) => sum + by * strides[mode], 0))
  return {
    steps: Int32Array.from(others.flat()),
    offsets: isDense ? Int32Array.from(offsets) : Float64Array.from(offsets),
  }
}
