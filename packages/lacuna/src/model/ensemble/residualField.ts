/**
 * Residuals by cell, and features of a cell from the residuals around it: at lags, in a window, and along
 * each mode.
 */

/** Half width of the window in each ordered mode, in cells. */
const WINDOW = 2
/** Shrinkage of means, as this many additional residuals of 0. */
const SHRINKAGE = 3
/** Most cells of a dense array of residuals; above, a Map is used. */
const MOST_CELLS = 2 ** 26
/** Most cells per entry of a dense array of residuals; above, a Map is used. */
const CELLS_PER_ENTRY = 32

/** Numbers by position: sparse or dense. */
type Table = Map<number, number> | Float32Array

/**
 * Number of features of a cell: one per lag, one per mode, and one for the window if a mode is ordered.
 * @param lags per mode, its lags; none where it is not ordered
 */
export const featureCount = (lags: readonly (readonly number[])[]): number =>
  lags.reduce((sum, some) => sum + some.length + 1, 0) + (lags.some((some) => some.length > 0) ? 1 : 0)

/** Residuals of distinct entries by cell; the tensor must have fewer than 2⁵³ cells. */
export class ResidualField {
  readonly #dims: readonly number[]
  readonly #strides: readonly number[]
  /** Residuals by position of the cell; NaN or absent where there is none. */
  readonly #residuals: Table
  /** Per mode, sums and counts of residuals by fiber, the cells that differ in this mode alone. */
  readonly #fibers: readonly (readonly [Table, Table])[]
  readonly #lags: readonly (readonly number[])[]
  /** Steps to the cells of the window, one number per mode. */
  readonly #window: readonly (readonly number[])[]

  /**
   * @param residuals of each entry
   * @param lags per mode, its lags; none where it is not ordered
   * @param isIncluded which entries are used; all by default
   */
  constructor(
    dims: readonly number[],
    indices: readonly Uint32Array[],
    residuals: Float32Array,
    lags: readonly (readonly number[])[],
    isIncluded: (entry: number) => boolean = () => true,
  ) {
    this.#dims = dims
    this.#lags = lags
    this.#strides = stridesOf(dims)
    this.#window = windowOf(lags)
    const cells = this.#strides[0] * dims[0]
    const isDense = cells <= MOST_CELLS && cells <= CELLS_PER_ENTRY * Math.max(1, residuals.length)
    const table = (size: number, fill: number): Table =>
      isDense ? new Float32Array(size).fill(fill) : new Map<number, number>()
    this.#residuals = table(cells, Number.NaN)
    this.#fibers = dims.map((dim) => [table(cells / dim, 0), table(cells / dim, 0)] as const)
    for (let e = 0; e < residuals.length; e++) {
      if (!isIncluded(e)) continue
      let position = 0
      for (let mode = 0; mode < dims.length; mode++) position += this.#strides[mode] * indices[mode][e]
      setValue(this.#residuals, position, residuals[e])
      this.#fibers.forEach(([sums, counts], mode) => {
        const fiber = this.#fiber(position, mode)
        setValue(sums, fiber, valueAt(sums, fiber) + residuals[e])
        setValue(counts, fiber, valueAt(counts, fiber) + 1)
      })
    }
  }

  /** The number of the fiber along a mode that contains a cell. @param position of the cell */
  #fiber(position: number, mode: number): number {
    const stride = this.#strides[mode]
    return Math.floor(position / (stride * this.#dims[mode])) * stride + (position % stride)
  }

  /** The residual a step away from a cell along a mode; undefined if there is none. */
  residualAt(cell: ArrayLike<number>, mode: number, step: number): number | undefined {
    const index = cell[mode] + step
    if (index < 0 || index >= this.#dims[mode]) return undefined
    return this.#residual(this.#positionOf(cell) + step * this.#strides[mode])
  }

  /** The position of a cell in row-major order. */
  #positionOf(cell: ArrayLike<number>): number {
    let position = 0
    for (let mode = 0; mode < this.#dims.length; mode++) position += this.#strides[mode] * cell[mode]
    return position
  }

  /** The residual at a position; undefined if there is none. */
  #residual(position: number): number | undefined {
    const table = this.#residuals
    if (table instanceof Map) return table.get(position)
    return Number.isNaN(table[position]) ? undefined : table[position]
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
    this.#fibers.forEach(([sums, counts], mode) => {
      const fiber = this.#fiber(position, mode)
      const sum = valueAt(sums, fiber) - (ownResidual ?? 0)
      const count = valueAt(counts, fiber) - (ownResidual === undefined ? 0 : 1)
      features[f++] = sum / (Math.max(0, count) + SHRINKAGE)
    })
    if (this.#window.length > 0) features[f] = this.#meanAround(cell, position)
  }

  /** The mean residual in the window around a cell, shrunk towards 0. */
  #meanAround(cell: ArrayLike<number>, position: number): number {
    let [sum, count] = [0, 0]
    for (const steps of this.#window) {
      let at = position
      let isInside = true
      for (let mode = 0; mode < steps.length && isInside; mode++) {
        const index = cell[mode] + steps[mode]
        isInside = index >= 0 && index < this.#dims[mode]
        at += steps[mode] * this.#strides[mode]
      }
      const residual = isInside ? this.#residual(at) : undefined
      if (residual === undefined) continue
      sum += residual
      count++
    }
    return sum / (count + SHRINKAGE)
  }
}

/** Strides of the modes in row-major order. */
function stridesOf(dims: readonly number[]): number[] {
  const strides: number[] = []
  dims.reduceRight((stride, dim, mode) => {
    strides[mode] = stride
    return stride * dim
  }, 1)
  return strides
}

/** Sets the number at a position. */
function setValue(table: Table, position: number, value: number): void {
  if (table instanceof Map) table.set(position, value)
  else table[position] = value
}

/** The number at a position; 0 if absent. */
const valueAt = (table: Table, position: number): number =>
  (table instanceof Map ? table.get(position) : table[position]) ?? 0

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
