/** Autocorrelation of the entries along an axis of time, with cells missing. */
import { correlationsAlong, sortAlongMode } from '../../model/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'

/** Fewest entries of a fiber whose mean and deviation are known well enough. */
const FEWEST_ENTRIES = 5

/** Most pairs of entries that are compared. */
const MOST_PAIRS = 2e7

/** Correlations by lag. */
export interface Autocorrelation {
  /** The correlation of entries at each lag, from 0. */
  correlations: Float64Array
  /** The number of pairs of entries at each lag. */
  pairs: Float64Array
}

/**
 * The autocorrelation of entries along the axis, by lag up to a largest one. Entries of a fiber along the axis
 * are centred by their mean and divided by their standard deviation, so that all fibers count alike.
 * @param axis the modes of the axis by number, from the slowest to the fastest
 */
export function autocorrelation(
  { dims, indices, values }: Pick<SparseTensor, 'dims' | 'indices' | 'values'>,
  axis: readonly number[],
  largestLag: number,
): Autocorrelation {
  const others = dims.flatMap((_, mode) => (axis.includes(mode) ? [] : [mode]))
  const size = axis.reduce((steps, mode) => steps * dims[mode], 1)
  const steps = new Uint32Array(values.length)
  for (const mode of axis)
    for (let e = 0; e < steps.length; e++) steps[e] = steps[e] * dims[mode] + indices[mode][e]
  const sorted = sortAlongMode(
    [...others.map((mode) => dims[mode]), size],
    [...others.map((mode) => indices[mode]), steps],
    others.length,
  )
  const residuals = new Float32Array(values.length)
  const { entries, positions } = sorted
  for (let start = 0, end = 0; start < entries.length; start = end) {
    const fiber = Math.floor(positions[start] / size)
    while (end < entries.length && Math.floor(positions[end] / size) === fiber) end++
    standardize(values, entries.subarray(start, end), residuals)
  }
  const largest = Math.min(largestLag, size - 1)
  return correlationsAlong(size, sorted, residuals, undefined, largest, MOST_PAIRS / largest)
}

/** Writes the residuals of these entries: centred, of variance 1, or 0 if they are few or equal. */
function standardize(values: Float32Array, entries: Uint32Array, residuals: Float32Array): void {
  if (entries.length < FEWEST_ENTRIES) return
  let [sum, squares] = [0, 0]
  for (const e of entries) sum += values[e]
  const mean = sum / entries.length
  for (const e of entries) squares += (values[e] - mean) ** 2
  const deviation = Math.sqrt(squares / entries.length)
  if (deviation > 0) for (const e of entries) residuals[e] = (values[e] - mean) / deviation
}
