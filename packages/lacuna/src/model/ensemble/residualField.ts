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

type Table = Map<number, number> | Float32Array

/** Number of features of a cell. */
export const featureCount = (lags: readonly (readonly number[])[]): number =>
  lags.reduce((sum, some) => sum + some.length + 1, 0) + (lags.some((some) => some.length > 0) ? 1 : 0)

/** Residuals of distinct entries by cell; the tensor must have fewer than 2⁵³ cells. */
export class ResidualField {
  readonly #dims: readonly number[]
  readonly #strides: readonly number[]
  readonly #residuals: Table
  /** Per mode, sums and counts of residuals by fiber. */
  readonly #fibers: readonly (readonly [Table, Table])[]
  readonly #lags: readonly (readonly number[])[]
  readonly #window: readonly (readonly number[])[]

  constructor(
    dims: readonly number[],
    indices: readonly Uint32Array[],
    residuals: Float32Array,
    lags: readonly (readonly number[])[],
    isTaken: (entry: number) => boolean = () => true,
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
      if (!isTaken(e)) continue
      let place = 0
      for (let mode = 0; mode < dims.length; mode++) place += this.#strides[mode] * indices[mode][e]
      put(this.#residuals, place, residuals[e])
      this.#fibers.forEach(([sums, counts], mode) => {
        const fiber = this.#fiber(place, mode)
        put(sums, fiber, valueAt(sums, fiber) + residuals[e])
        put(counts, fiber, valueAt(counts, fiber) + 1)
      })
    }
  }

  /** The place among the cells of the other modes. */
  #fiber(place: number, mode: number): number {
    const stride = this.#strides[mode]
    return Math.floor(place / (stride * this.#dims[mode])) * stride + (place % stride)
  }

  at(cell: ArrayLike<number>, mode: number, step: number): number | undefined {
    const index = cell[mode] + step
    if (index < 0 || index >= this.#dims[mode]) return undefined
    return this.#known(this.#place(cell) + step * this.#strides[mode])
  }

  #place(cell: ArrayLike<number>): number {
    let place = 0
    for (let mode = 0; mode < this.#dims.length; mode++) place += this.#strides[mode] * cell[mode]
    return place
  }

  #known(place: number): number | undefined {
    const table = this.#residuals
    if (table instanceof Map) return table.get(place)
    return Number.isNaN(table[place]) ? undefined : table[place]
  }

  /** Writes the features of a cell, without its own residual. */
  read(cell: ArrayLike<number>, features: Float64Array): void {
    const place = this.#place(cell)
    let f = 0
    this.#lags.forEach((lags, mode) => {
      for (const lag of lags) {
        let [sum, count] = [0, 0]
        for (const step of [-lag, lag]) {
          const residual = this.at(cell, mode, step)
          if (residual === undefined) continue
          sum += residual
          count++
        }
        features[f++] = count > 0 ? sum / count : 0
      }
    })
    const own = this.#known(place)
    this.#fibers.forEach(([sums, counts], mode) => {
      const fiber = this.#fiber(place, mode)
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
      const residual = isInside ? this.#known(at) : undefined
      if (residual === undefined) continue
      sum += residual
      count++
    }
    return sum / (count + SHRINKAGE)
  }
}

function stridesOf(dims: readonly number[]): number[] {
  const strides: number[] = []
  dims.reduceRight((stride, dim, mode) => {
    strides[mode] = stride
    return stride * dim
  }, 1)
  return strides
}

function put(table: Table, place: number, value: number): void {
  if (table instanceof Map) table.set(place, value)
  else table[place] = value
}

const valueAt = (table: Table, place: number): number =>
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
