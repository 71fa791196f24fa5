/** The fraction of hidden values in their 90% intervals: random cells, blocks, rows without entries, steps ahead. */
import type { SparseTensor } from 'lacuna'
import { type ByFoldsOptions, completeByFolds } from 'lacuna/folds'
import { forecast } from 'lacuna/forecast'
import { hideEntries, hideGroups, type MaskedProblem, maskEntries } from '../best/masks.ts'
import { type CoverageProblem, drawEntries } from './problems.ts'

/** The level of the intervals. */
const LEVEL = 0.9
/** Fractions of the cells and of the rows that are hidden. */
const [CELLS, ROWS] = [0.2, 0.15]

/** Hidden values of one draw. */
export interface Covered {
  /** Values that have an interval, and those of them that lie in it. */
  values: number
  inside: number
  /** Values whose interval was refused. */
  refused: number
}

/** The folder of the data, and the settings of the cross-fit. */
export interface CoverageOptions {
  folder: string
  seed: number
  rank: number
  folds: number
  threads: number
}

/** Hides parts of a problem: random cells, blocks, or rows of a mode. @param what cells, blocks, or a mode from 0 */
export async function hideFor(
  problem: CoverageProblem,
  what: 'cells' | 'blocks' | number,
  { folder, seed }: Pick<CoverageOptions, 'folder' | 'seed'>,
): Promise<MaskedProblem> {
  if (what === 'blocks') return problem.hideBlocks(await problem.read(folder, seed), folder, seed)
  const entries = await drawEntries(problem, folder, seed)
  if (what === 'cells') return hideEntries(entries, CELLS, seed + 1000)
  return hideGroups(entries, [what], ROWS, seed)
}

/** Learns an ensemble from the known entries, and counts hidden values in their intervals. */
export async function measureCoverage(
  { train, test }: MaskedProblem,
  options: CoverageOptions,
): Promise<Covered> {
  const [covered] = await coverEach(train, [test], options)
  return covered
}

/** Values in intervals, with the mean width of these and the RMSE of the predictions. */
export interface CoveredSet extends Covered {
  width: number
  rmse: number
}

/**
 * Learns an ensemble from entries, and counts the values of several hidden sets in their intervals.
 * @param by what stays together in a fold; by default as cells are missing
 */
export async function coverEach(
  train: SparseTensor,
  hidden: readonly SparseTensor[],
  { rank, folds, seed, threads }: CoverageOptions,
  by?: ByFoldsOptions['by'],
): Promise<CoveredSet[]> {
  const { model } = (await completeByFolds(train, { rank, seed, threads }, { folds, by }))!
  return hidden.map((set) => {
    const { values, low, high } = model.intervalMany(set.indices, LEVEL)
    const covered = { values: 0, inside: 0, refused: 0, width: 0, rmse: 0 }
    set.values.forEach((value, e) => {
      covered.rmse += (value - values[e]) ** 2 / set.values.length
      if (Number.isNaN(low[e])) covered.refused++
      else covered.values++
      if (!Number.isNaN(low[e])) covered.width += high[e] - low[e]
      if (value >= low[e] && value <= high[e]) covered.inside++
    })
    return { ...covered, width: covered.width / covered.values, rmse: Math.sqrt(covered.rmse) }
  })
}

/** A forecast of the steps after an origin. */
export interface ForecastCovered {
  /** Coverage of the intervals at each step ahead. */
  steps: Covered[]
  /** RMSE of the forecast, of the value one season before, and of the mean of the season. */
  rmse: number
  naive: number
  seasonMean: number
  settings: string[]
}

/**
 * Forecasts the steps after an origin with nothing set, and counts values in their intervals.
 * @param back steps from the last row of time to the last one that is forecast
 */
export async function measureForecast(
  problem: CoverageProblem,
  back: number,
  { folder, seed, threads }: CoverageOptions,
): Promise<ForecastCovered> {
  const { mode, option, horizon } = problem.time!
  const tensor = await problem.read(folder, seed)
  const end = tensor.dims[mode] - back
  const column = tensor.indices[mode]
  const all = maskEntries(tensor, column, (e) => column[e] >= end).train
  const { train, test } = maskEntries(all, all.indices[mode], (e) => all.indices[mode][e] >= end - horizon)
  const past = { ...train, dims: train.dims.with(mode, end - horizon) }
  const result = (await forecast(past, { horizon, time: option, threads }))!
  const { season } = result.backtest!
  const steps = Array.from({ length: horizon }, (): Covered => ({ values: 0, inside: 0, refused: 0 }))
  const predictions = result.model.predictMany(test.indices)
  const intervals = (() => {
    try {
      return result.intervals(LEVEL)
    } catch {
      return undefined
    }
  })()
  const rules = seasonalRules(past, mode, season)
  const squares = { model: 0, naive: 0, seasonMean: 0 }
  test.values.forEach((value, e) => {
    const cell = test.indices.map((indices) => indices[e])
    const { naive, seasonMean } = rules(cell)
    squares.model += (value - predictions[e]) ** 2
    squares.naive += (value - naive) ** 2
    squares.seasonMean += (value - seasonMean) ** 2
    const step = cell[mode] - (end - horizon)
    if (!intervals) {
      steps[step].refused++
      return
    }
    const [low, high] = intervals.around(cell.with(mode, step), predictions[e])
    steps[step].values++
    if (value >= low && value <= high) steps[step].inside++
  })
  const rmse = (sum: number): number => Math.sqrt(sum / test.values.length)
  return {
    steps,
    rmse: rmse(squares.model),
    naive: rmse(squares.naive),
    seasonMean: rmse(squares.seasonMean),
    settings: result.settings,
  }
}

/**
 * Returns a function that gives the latest known value whole seasons before a cell of the future, and the mean of all
 * of them; where there are none, the mean of the cell's earlier values, or of all.
 */
export function seasonalRules(
  { dims, indices, values }: MaskedProblem['train'],
  mode: number,
  season: number,
): (cell: readonly number[]) => { naive: number; seasonMean: number } {
  const keyOf = (cell: readonly number[]): number =>
    cell.reduce((key, row, m) => (m === mode ? key : key * dims[m] + row), 0)
  const known = new Map<number, Map<number, number>>()
  values.forEach((value, e) => {
    const key = keyOf(indices.map((column) => column[e]))
    const rows = known.get(key) ?? new Map<number, number>()
    known.set(key, rows.set(indices[mode][e], value))
  })
  const all = meanOf(values)
  return (cell) => {
    const rows = known.get(keyOf(cell))
    const same: number[] = []
    for (let row = cell[mode] - season; row >= 0; row -= season) if (rows?.has(row)) same.push(rows.get(row)!)
    const fallback = rows ? meanOf([...rows.values()]) : all
    return { naive: same[0] ?? fallback, seasonMean: same.length > 0 ? meanOf(same) : fallback }
  }
}

/** The mean of numbers. */
const meanOf = (numbers: ArrayLike<number>): number =>
  Array.from(numbers).reduce((sum, x) => sum + x, 0) / numbers.length
