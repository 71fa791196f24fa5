/**
 * Forecasts without a model, which a forecast must beat: the value one season before (seasonal naive), and the mean
 * of all earlier values at the same phase of the season (Hyndman and Athanasopoulos 2021, chapter 5).
 */
import { sortAlongMode } from '../../model/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'

/** Forecasts of entries by both baselines. */
export interface SeasonalForecasts {
  /** The latest known value a number of whole seasons before. */
  naive: Float32Array
  /** The mean of the known values whole seasons before. */
  mean: Float32Array
}

/** Returns forecasts of entries from those before an origin. */
export type SeasonalForecaster = (entries: Uint32Array, origin: number, season: number) => SeasonalForecasts

/**
 * Makes a function that forecasts entries of a tensor from those whose row of the mode of time lies before an
 * origin. A cell without values a number of seasons before gets the mean of its earlier values, or of all.
 * @param mode the mode of time, from 0
 */
export function seasonalForecaster(
  { dims, indices, values }: Pick<SparseTensor, 'dims' | 'indices' | 'values'>,
  mode: number,
): SeasonalForecaster {
  const { entries: sorted, positions } = sortAlongMode(dims, indices, mode)
  /** The position of each entry in the sorted list. */
  const sortedPositions = new Uint32Array(sorted.length)
  for (let i = 0; i < sorted.length; i++) sortedPositions[sorted[i]] = i
  return (entries, origin, season) => {
    const naive = new Float32Array(entries.length)
    const mean = new Float32Array(entries.length)
    const all = meanBefore(indices[mode], values, origin)
    entries.forEach((e, k) => {
      const at = sortedPositions[e]
      const row = indices[mode][e]
      const fiber = positions[at] - row
      let [sum, count, latest, total, known] = [0, 0, NaN, 0, 0]
      for (let i = at - 1; i >= 0 && positions[i] >= fiber; i--) {
        const other = positions[i] - fiber
        if (other >= origin) continue
        const value = values[sorted[i]]
        total += value
        known++
        if ((row - other) % season !== 0) continue
        if (count === 0) latest = value
        sum += value
        count++
      }
      const fallback = known > 0 ? total / known : all
      naive[k] = count > 0 ? latest : fallback
      mean[k] = count > 0 ? sum / count : fallback
    })
    return { naive, mean }
  }
}

/** The mean of the values before an origin. */
function meanBefore(rows: Uint32Array, numbers: Float32Array, origin: number): number {
  let [sum, count] = [0, 0]
  for (let e = 0; e < numbers.length; e++)
    if (rows[e] < origin) {
      sum += numbers[e]
      count++
    }
  return count > 0 ? sum / count : 0
}
