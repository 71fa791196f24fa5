/** Summaries of a tensor's entries: counts and means by row, exact in any order of the entries. */
import { HALF_UNITS } from '../kernels/solve/layout.ts'
import type { SparseTensor } from './sparseTensor.ts'

/** A summary of the training entries. */
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

/** The smallest and the largest value. */
export interface Extremes {
  min: number
  max: number
}

/** Counts and sums of values by row. */
export interface RowTotals {
  /** Per mode, the number of entries of each row. */
  counts: readonly Uint32Array[]
  /**
   * Per mode and row, two numbers: the sum of the values' multiples of HALF units, and the sum of their
   * remaining units. Both sums are exact, hence the same in any order of the entries.
   */
  sums: readonly Float64Array[]
}

/** Returns the smallest and the largest value; Infinity and -Infinity if there are no entries. */
export function extremesOf({ values }: Pick<SparseTensor, 'values'>): Extremes {
  let [min, max] = [Infinity, -Infinity]
  for (let e = 0; e < values.length; e++) {
    if (values[e] < min) min = values[e]
    if (values[e] > max) max = values[e]
  }
  return { min, max }
}

/**
 * Values are split at multiples of this many units, so that sums of 2²⁸ upper halves are exact; the kernel
 * kernels/solve/setup/totals.ts has the same constant.
 */
const HALF = HALF_UNITS

/**
 * Returns the unit in which `rowTotals` sums: a power of two such that every value is less than 2⁵⁰ units. A
 * billionth of the largest value still has six digits.
 */
export function unitOf({ min, max }: Extremes): number {
  const largest = Math.max(Math.abs(min), Math.abs(max))
  return largest > 0 && largest < Infinity ? 2 ** Math.max(-1000, Math.floor(Math.log2(largest)) - 49) : 1
}

/**
 * Counts the entries and sums the values of each row of every mode.
 * @param unit the unit of the sums, by `unitOf`
 */
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

/**
 * Returns the summary that follows from extremes, counts and sums; zeros if there are no entries.
 * @param unit the unit of the sums, by `unitOf`
 */
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

/** Summarizes the entries of a tensor: their number, range and mean, and counts and means by row. */
export function observe(tensor: SparseTensor): Observed {
  const extremes = extremesOf(tensor)
  const unit = unitOf(extremes)
  return observedOf(extremes, rowTotals(tensor, unit), unit)
}

/**
 * Returns the summary of all cells, where unlisted cells are zeros, given that of the listed entries. Range
 * and means change; `entries` and `counts` stay those of the listed entries.
 */
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
