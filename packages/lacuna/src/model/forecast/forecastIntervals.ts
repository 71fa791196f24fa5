/**
 * Conformal intervals of forecasts, from the residuals of backtests: forecasts of known values from several
 * origins. Residuals are divided by their expected size, a function of the prediction times factors of the cell's
 * rows (residualScale.ts) and of the number of steps ahead; an interval is made of quantiles of these scores. Cells
 * of one origin err together, so that the quantiles of few origins would hold too rarely: their level is raised
 * until intervals from all other origins hold the requested fraction of the values after each origin.
 */
import { InputError, option, sentence } from '../../base/inputError.ts'
import { pickNumbers, type SparseTensor } from '../../tensor/index.ts'
import { learnScale, type ResidualScale, scaleAt } from '../ensemble/residualScale.ts'

/** Fewest origins that intervals are computed from. */
export const FEWEST_ORIGINS = 3
/** Fewest scores beyond each end of an interval, in expectation. */
const FEWEST_OUTSIDE = 4
/** The largest level of the quantiles. */
const LARGEST_LEVEL = 0.9998
/** Steps of the search for the level of the quantiles. */
const SEARCH_STEPS = 30
/** Rounds in which sizes of steps and the scale of residuals at any step are learned from each other. */
const STEP_ROUNDS = 2
/** How far below its level the measured coverage of an interval may lie; farther below, it is refused. */
const SLACK = 0.02

/** Forecasts of known values. */
export interface BacktestEntries {
  /**
   * The entries, once per origin that forecasts them; in place of the mode of time, `indices` has the number of
   * steps ahead, from 0.
   */
  cells: Pick<SparseTensor, 'dims' | 'indices' | 'values'>
  /** The mode of time, whose indices are steps ahead. */
  mode: number
  /** The forecast of each entry. */
  predictions: Float32Array
  /** The origin that each entry is forecast from, from 0. */
  origins: Uint32Array
}

/** Scores of forecasts: residuals by their expected size. */
interface Scores {
  scale: ResidualScale
  /** Ascending. */
  sorted: Float64Array
}

/** Intervals of forecasts at one level. */
export interface ForecastIntervals {
  /** The probability that an interval contains the value. */
  level: number
  /** The fraction of the backtests' values in intervals from the other origins. */
  coverage: number
  /** Coverage at each step ahead; NaN where no value is known. */
  coverageByStep: number[]
  /**
   * The ends of the interval of a cell.
   * @param cell its indices, with the steps ahead, from 0, in place of the mode of time
   * @param y its forecast
   */
  around(cell: ArrayLike<number>, y: number): readonly [low: number, high: number]
}

/**
 * Computes intervals from backtests. Throws if these are too few, or differ too much from one another.
 * @param level probability that an interval contains the value, between 0 and 1
 */
export function forecastIntervals(entries: BacktestEntries, level = 0.9): ForecastIntervals {
  if (!(level > 0 && level < 1))
    throw new InputError('option', sentence`${option('interval')} is ${level}; it must lie between 0 and 1.`)
  const count = entries.predictions.length
  const origins = entries.origins.reduce((most, origin) => Math.max(most, origin + 1), 0)
  const needed = Math.ceil((2 * FEWEST_OUTSIDE) / (1 - level) - 1e-9)
  if (origins < FEWEST_ORIGINS || count < needed)
    throw new InputError(
      'option',
      sentence`There are ${count} errors of ${origins} backtests, too few for intervals that hold ${100 * level}%: ${needed} errors of ${FEWEST_ORIGINS} backtests are needed; give a larger ${option('backtest')}, or leave out ${option('interval')}.`,
    )
  const leftOut = Array.from({ length: origins }, (_, origin) => leaveOut(entries, origin))
  const quantileLevel = findLevel(leftOut, level)
  const covered = leftOut.map((scores) => coveredEntries(scores, quantileLevel))
  const coverageByStep = Array.from({ length: entries.cells.dims[entries.mode] }, (_, step) =>
    fractionOf(covered, leftOut, step),
  )
  const coverage = fractionOf(covered, leftOut)
  if (coverage < level - SLACK)
    throw new InputError(
      'option',
      sentence`The errors of the ${origins} backtests differ so much that intervals from all but one hold ${Math.round(100 * coverage)}% of the values, not ${100 * level}%; give a larger ${option('backtest')}, or leave out ${option('interval')}.`,
    )
  const all = scoresOf(entries, () => true)
  const [low, high] = quantiles(all.sorted, quantileLevel)
  return {
    ...{ level, coverage, coverageByStep },
    around(cell, y) {
      const size = scaleAt(all.scale, cell, y)
      return [y + low * size, y + high * size]
    },
  }
}

/** The scores of all origins but one, and those of the entries of that one. */
interface LeftOut {
  sorted: Float64Array
  scores: Float64Array
  steps: Uint32Array
}

/** Computes the scores of the entries of one origin by the scale of the others. */
function leaveOut(entries: BacktestEntries, origin: number): LeftOut {
  const { cells, mode, predictions, origins } = entries
  const { scale, sorted } = scoresOf(entries, (other) => other !== origin)
  const own = Uint32Array.from(origins.keys()).filter((e) => origins[e] === origin)
  const cell = new Uint32Array(cells.dims.length)
  const scores = Float64Array.from(own, (e) => {
    for (let m = 0; m < cell.length; m++) cell[m] = cells.indices[m][e]
    return (cells.values[e] - predictions[e]) / scaleAt(scale, cell, predictions[e])
  })
  return { sorted, scores, steps: pickNumbers(cells.indices[mode], own, new Uint32Array(own.length)) }
}

/** The scale and the sorted scores of the entries of some origins. */
function scoresOf(
  { cells, mode, predictions, origins }: BacktestEntries,
  isUsed: (origin: number) => boolean,
): Scores {
  const used = Uint32Array.from(origins.keys()).filter((e) => isUsed(origins[e]))
  const pick = (numbers: Float32Array): Float32Array =>
    pickNumbers(numbers, used, new Float32Array(used.length))
  const values = pick(cells.values)
  const forecasts = pick(predictions)
  const indices = cells.indices.map((column) => pickNumbers(column, used, new Uint32Array(used.length)))
  const together = {
    dims: cells.dims.with(mode, 1),
    indices: indices.with(mode, new Uint32Array(used.length)),
  }
  let steps: Float32Array = new Float32Array(cells.dims[mode]).fill(1)
  /** Learns the scale from residuals that are as large at all steps. */
  const learn = (): { even: Float32Array } & ReturnType<typeof learnScale> => {
    const even = values.map((value, i) => forecasts[i] + (value - forecasts[i]) / steps[indices[mode][i]])
    return { even, ...learnScale({ ...together, values: even }, forecasts) }
  }
  // Sizes of steps are those of relative residuals: the largest values would decide them otherwise.
  for (let round = 0; round < STEP_ROUNDS; round++) {
    const sizes = learn().ofEntries
    const relative = sizes.map((size, i) => (values[i] - forecasts[i]) / size)
    steps = stepSizes(indices[mode], cells.dims[mode], relative)
  }
  const { even, scale, ofEntries } = learn()
  return {
    scale: { ...scale, rows: scale.rows.with(mode, steps) },
    sorted: Float64Array.from(ofEntries, (size, i) => (even[i] - forecasts[i]) / size).sort(),
  }
}

/**
 * The mean absolute relative residual of each number of steps ahead, by that of all. It is not shrunk towards 1 as
 * factors of other rows are: errors grow with the steps, and intervals would be too wide at the first steps and too
 * narrow at the last.
 * @param column the steps ahead of each entry @param count number of steps
 * @param relative residuals by their size at any number of steps
 */
function stepSizes(column: Uint32Array, count: number, relative: ArrayLike<number>): Float32Array {
  const sums = new Float64Array(count)
  const counts = new Uint32Array(count)
  for (let e = 0; e < column.length; e++) {
    sums[column[e]] += Math.abs(relative[e])
    counts[column[e]]++
  }
  const mean = sums.reduce((sum, x) => sum + x, 0) / Math.max(1, column.length)
  return Float32Array.from(sums, (sum, step) => (sum > 0 ? sum / counts[step] / mean : 1))
}

/** The quantiles of sorted scores between which a fraction of them lies, with equally many on either side. */
function quantiles(sorted: Float64Array, level: number): readonly [number, number] {
  const last = sorted.length - 1
  const beyond = Math.floor(((1 - level) / 2) * sorted.length)
  return [sorted[Math.min(last, beyond)], sorted[Math.max(0, last - beyond)]]
}

/** Per left-out entry, whether its score lies between the quantiles of the others. */
function coveredEntries({ sorted, scores }: LeftOut, level: number): Uint8Array {
  const [low, high] = quantiles(sorted, level)
  return Uint8Array.from(scores, (score) => (score >= low && score <= high ? 1 : 0))
}

/** The fraction of covered entries, of all or of those some steps ahead; NaN if there are none. */
function fractionOf(covered: readonly Uint8Array[], leftOut: readonly LeftOut[], step?: number): number {
  let [sum, count] = [0, 0]
  covered.forEach((flags, origin) => {
    for (let i = 0; i < flags.length; i++)
      if (step === undefined || leftOut[origin].steps[i] === step) {
        sum += flags[i]
        count++
      }
  })
  return count > 0 ? sum / count : NaN
}

/** The least level of quantiles, from the requested one on, at which left-out entries are covered as requested. */
function findLevel(leftOut: readonly LeftOut[], level: number): number {
  const coverageAt = (at: number): number =>
    fractionOf(
      leftOut.map((scores) => coveredEntries(scores, at)),
      leftOut,
    )
  if (coverageAt(level) >= level) return level
  let [low, high] = [level, LARGEST_LEVEL]
  for (let step = 0; step < SEARCH_STEPS; step++) {
    const middle = (low + high) / 2
    if (coverageAt(middle) >= level) high = middle
    else low = middle
  }
  return high
}
