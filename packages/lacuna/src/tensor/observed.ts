/** What the entries of a tensor say before anything is learned: how many each row has, and what they are like. */
import { HALF_UNITS } from '../kernels/solve/layout.ts'
import type { SparseTensor } from './sparseTensor.ts'

/** A summary of the entries that something was learned from. */
export interface Observed {
  /** Number of entries. */
  entries: number
  /** Smallest value. */
  min: number
  /** Largest value. */
  max: number
  /** Mean of the values. */
  mean: number
  /** Per mode, the number of entries of each row. */
  counts: readonly Uint32Array[]
  /** Per mode, the mean value of each row; 0 where it has no entries. */
  means: readonly Float32Array[]
}

export interface Extremes {
  min: number
  max: number
}

export interface RowTotals {
  counts: readonly Uint32Array[]
  /**
   * Per mode and row, two numbers: how often HALF units fit into the values, and the units that are left, summed
   * each. They are exact, hence the same in whatever order values come.
   */
  sums: readonly Float64Array[]
}

/** Of no entries, what is neutral to others. */
export function extremesOf({ values }: Pick<SparseTensor, 'values'>): Extremes {
  let [min, max] = [Infinity, -Infinity]
  for (let e = 0; e < values.length; e++) {
    if (values[e] < min) min = values[e]
    if (values[e] > max) max = values[e]
  }
  return { min, max }
}

/** Halves of a number of units: 2²⁸ of each add up exactly. kernels/solve/setup/totals.ts has the same. */
const HALF = HALF_UNITS

/** A power of two of which no value is 2⁵⁰ times: what is a billionth of the largest is still known to six digits. */
export function unitOf({ min, max }: Extremes): number {
  const largest = Math.max(Math.abs(min), Math.abs(max))
  return largest > 0 && largest < Infinity ? 2 ** Math.max(-1000, Math.floor(Math.log2(largest)) - 49) : 1
}

export function rowTotals({ dims, indices, values }: SparseTensor, unit: number): RowTotals {
  const counts = dims.map((dim) => new Uint32Array(dim))
  const sums = dims.map((dim) => new Float64Array(2 * dim))
  for (let mode = 0; mode < dims.length; mode++) {
    const [column, count, sum] = [indices[mode], counts[mode], sums[mode]]
    for (let e = 0; e < values.length; e++) {
      const row = column[e]
      const units = Math.floor(values[e] / unit + 0.5)
      const high = Math.floor(units / HALF)
      count[row]++
      sum[2 * row] += high
      sum[2 * row + 1] += units - high * HALF
    }
  }
  return { counts, sums }
}

export function observedOf({ min, max }: Extremes, { counts, sums }: RowTotals, unit: number): Observed {
  const entries = counts[0].reduce((total, count) => total + count, 0)
  const [high, low] = [0, 1].map((half) =>
    sums[0].reduce((total, part, at) => (at % 2 === half ? total + part : total), 0),
  )
  const sumOf = (high: number, low: number): number => (high * HALF + low) * unit
  return {
    entries,
    min: entries > 0 ? min : 0,
    max: entries > 0 ? max : 0,
    mean: entries > 0 ? sumOf(high, low) / entries : 0,
    counts,
    means: counts.map((rows, mode) =>
      Float32Array.from(rows, (count, p) =>
        count > 0 ? sumOf(sums[mode][2 * p], sums[mode][2 * p + 1]) / count : 0,
      ),
    ),
  }
}

/** Counts and means of a tensor's entries. */
export function observe(tensor: SparseTensor): Observed {
  const extremes = extremesOf(tensor)
  const unit = unitOf(extremes)
  return observedOf(extremes, rowTotals(tensor, unit), unit)
}

/** The same where cells that are not listed are zeros: means are over all cells. */
export function withZeros(observed: Observed, dims: readonly number[]): Observed {
  const cells = dims.reduce((product, dim) => product * dim, 1)
  return {
    ...observed,
    min: Math.min(0, observed.min),
    max: Math.max(0, observed.max),
    mean: (observed.mean * observed.entries) / cells,
    means: observed.means.map((means, mode) =>
      means.map((mean, p) => (mean * observed.counts[mode][p]) / (cells / dims[mode])),
    ),
  }
}
