/**
 * Residuals by cell, and features of a cell from the residuals around it: at lags, in a window, and along
 * each mode.
 */
import { type CellIndex, fiberOf, positionOf } from './cellIndex.ts'

/** Half width of the window in each ordered mode, in cells. */
const WINDOW = 2
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

/** Residuals of entries by cell. */
export class ResidualField {
  readonly #index: CellIndex
  /** Residuals by number of the cell; NaN where there is none. */
  readonly #residuals: Float32Array
  /** Per mode, sums and counts of residuals by number of the fiber. */
  readonly #fibers: readonly (readonly [sums: Table, counts: Table])[]
  readonly #lags: readonly (readonly number[])[]
  /** Steps to the cells of the window, one number per mode. */
  readonly #window: readonly (readonly number[])[]

  /**
   * Makes a field without residuals.
   * @param index numbers of the cells and fibers of all entries
   * @param lags per mode, its lags; none where it is not ordered
   */
  constructor(index: CellIndex, lags: readonly (readonly number[])[]) {
    const { isDense, cells, fibers } = index
    this.#index = index
    this.#lags = lags
    this.#window = windowOf(lags)
    const table = (count: number): Table => (isDense ? new Float32Array(count) : new Float64Array(count))
    this.#residuals = new Float32Array(cells.count)
    this.#fibers = fibers.map(({ count }) => [table(count), table(count)])
  }

  /**
   * Replaces all residuals, in the memory of those before.
   * @param indices coordinates of the entries, one column per mode
   * @param residuals of each entry
   * @param isIncluded which entries are used; all by default
   */
  setResiduals(
    indices: readonly Uint32Array[],
    residuals: Float32Array,
    isIncluded: (entry: number) => boolean = () => true,
  ): void {
    const { dims, strides, cells, fibers } = this.#index
    this.#residuals.fill(Number.NaN)
    for (const tables of this.#fibers) for (const table of tables) table.fill(0)
    for (let e = 0; e < residuals.length; e++) {
      if (!isIncluded(e)) continue
      const position = positionOf(strides, indices, e)
      this.#residuals[cells.numberOf(position)] = residuals[e]
      for (let mode = 0; mode < dims.length; mode++) {
        const fiber = fibers[mode].numberOf(fiberOf(position, strides[mode], dims[mode]))
        const [sums, counts] = this.#fibers[mode]
        sums[fiber] += residuals[e]
        counts[fiber]++
      }
    }
  }

  /** The residual a step away from a cell along a mode; undefined if there is none. */
  residualAt(cell: ArrayLike<number>, mode: number, step: number): number | undefined {
    const { dims, strides } = this.#index
    const row = cell[mode] + step
    if (row < 0 || row >= dims[mode]) return undefined
    return this.#residual(this.#positionOf(cell) + step * strides[mode])
  }

  /** The position of a cell in row-major order. */
  #positionOf(cell: ArrayLike<number>): number {
    const { strides } = this.#index
    let position = 0
    for (let mode = 0; mode < strides.length; mode++) position += strides[mode] * cell[mode]
    return position
  }

  /** The residual at a position; undefined if there is none. */
  #residual(position: number): number | undefined {
    const cell = this.#index.cells.numberOf(position)
    if (cell < 0 || Number.isNaN(this.#residuals[cell])) return undefined
    return this.#residuals[cell]
  }

  /**
   * Writes the features of a cell, without its own residual: per mode and lag the mean residual at both
   * sides; per mode the shrunk mean of its fiber; and the shrunk mean of the window, if any.
   * @param features receives `featureCount` numbers
   */
  readFeatures(cell: ArrayLike<number>, features: Float64Array): void {
    const position = this.#positionOf(cell)
    let f = 0
    this.#lags.forEach((lags, mode) => {
      for (const lag of lags) {
        let [sum, count] = [0, 0]
        for (const step of [-lag, lag]) {
          const residual = this.residualAt(cell, mode, step)
          if (residual === undefined) continue
          sum += residual
          count++
        }
        features[f++] = count > 0 ? sum / count : 0
      }
    })
    const ownResidual = this.#residual(position)
    const { dims, strides, fibers } = this.#index
    this.#fibers.forEach(([sums, counts], mode) => {
      // A fiber without entries has no number.
      const fiber = fibers[mode].numberOf(fiberOf(position, strides[mode], dims[mode]))
      const sum = (sums[fiber] ?? 0) - (ownResidual ?? 0)
      const count = (counts[fiber] ?? 0) - (ownResidual === undefined ? 0 : 1)
      features[f++] = sum / (Math.max(0, count) + SHRINKAGE)
    })
    if (this.#window.length > 0) features[f] = this.#meanAround(cell, position)
  }

  /** The mean residual in the window around a cell, shrunk towards 0. */
  #meanAround(cell: ArrayLike<number>, position: number): number {
    const { dims, strides } = this.#index
    let [sum, count] = [0, 0]
    for (const steps of this.#window) {
      let at = position
      let isInside = true
      for (let mode = 0; mode < steps.length && isInside; mode++) {
        const row = cell[mode] + steps[mode]
        isInside = row >= 0 && row < dims[mode]
        at += steps[mode] * strides[mode]
      }
      const residual = isInside ? this.#residual(at) : undefined
      if (residual === undefined) continue
      sum += residual
      count++
    }
    return sum / (count + SHRINKAGE)
  }
}

/**
 * Steps, one number per mode, to all cells within WINDOW along the ordered modes; none if no mode is ordered.
 */
function windowOf(lags: readonly (readonly number[])[]): number[][] {
  let steps: number[][] = [[]]
  for (const some of lags) {
    const range = some.length > 0 ? Array.from({ length: 2 * WINDOW + 1 }, (_, i) => i - WINDOW) : [0]
    steps = steps.flatMap((step) => range.map((by) => [...step, by]))
  }
  return steps.filter((step) => step.some((by) => by !== 0))
}
