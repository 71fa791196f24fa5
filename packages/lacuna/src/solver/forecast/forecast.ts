/**
 * Forecasts: a model of the entries with rows after the last one of a mode of time, which the learned prior of rows
 * in time predicts. Settings are chosen by backtests, which also give its errors beside those of seasonal baselines,
 * and intervals.
 */
import { InputError, option, sentence } from '../../base/inputError.ts'
import {
  type BacktestEntries,
  CpEnsemble,
  type CpModel,
  checkHorizon,
  type ExtendedTime,
  extendTime,
  type ForecastIntervals,
  forecastIntervals,
  modeName,
} from '../../model/index.ts'
import { checkDeferred, largestPlusOne, pickNumbers, type SparseTensor } from '../../tensor/index.ts'
import { complete } from '../complete.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import {
  type Backtest,
  type BacktestFrame,
  chooseOrigins,
  entriesAfter,
  errorsOf,
  forecastFrom,
  summarizeBacktest,
} from './backtest.ts'
import { candidateName, forecastAxis, forecastCandidates } from './candidates.ts'

/** Origins of backtests by default. */
const DEFAULT_ORIGINS = 5
/** Origins, the latest ones, on which settings are compared. */
const TRIAL_ORIGINS = 3
/** Settings whose errors are larger than the best by this factor are not tried on further origins. */
const GIVE_UP = 1.15
/** Most candidates whose mean is the forecast. */
const MOST_COMBINED = 3

/** Options of `forecast`: settings of the runs, of which those that are not given are tried, and the forecast's own. */
export interface ForecastOptions
  extends Omit<RunOptions, 'validation' | 'watch' | 'patience' | 'initial' | 'features' | 'missing'> {
  /**
   * Steps ahead: rows after the last one with entries of the slowest mode of time. By default the rows without
   * entries at its end.
   */
  horizon?: number
  /** The modes of time, from the slowest to the fastest and joined by +, as in 'day+slot'; found by default. */
  time?: string
  /**
   * The step from one label of time to the next: 'hour', 'day', '15 minutes', 'month' … or a number; by default the
   * most frequent one.
   */
  step?: string
  /** Origins of backtests; 0 for none, and then settings are the first candidate's. 5 by default. */
  backtest?: number
  /** Whether settings that are not given are tried by backtests; true by default. */
  choose?: boolean
  /** Called before each model is fitted, with the number of models so far and what it is; none by default. */
  onFit?: (fits: number, what: string) => void
}

/** Settings that were tried, and their errors. */
export interface ForecastTrial {
  /** The settings in words. */
  name: string
  /** Geometric mean over the origins of the root mean square error of the forecasts. */
  rmse: number
  /** Number of origins from which was forecast. */
  origins: number
}

/** A forecast. */
export interface Forecast {
  /** A model with rows for all steps ahead, or an ensemble whose members have different settings. */
  model: CpModel | CpEnsemble
  /** The mode that was extended, from 0. */
  mode: number
  /** Its first row in the future. */
  first: number
  /** Labels of rows without entries that were inserted where steps of time were missing. */
  inserted: readonly string[]
  /** The settings that were used, in words; the forecast is the mean of the models with each of them. */
  settings: string[]
  /** Settings that were tried, in the order in which they were tried. */
  trials: ForecastTrial[]
  /** Errors of forecasts of known entries; undefined without backtests. */
  backtest?: Backtest
  /**
   * Computes intervals at a level between 0 and 1. Throws if there are too few backtests, or they differ too
   * much.
   */
  intervals(level?: number): ForecastIntervals
}

/**
 * Forecasts rows after the last one of a mode of time.
 * @param tensor the observed entries; rows without entries at the end of the mode of time are steps ahead
 * @returns undefined if it was interrupted by `signal`
 */
export async function forecast(
  tensor: SparseTensor,
  options: ForecastOptions,
): Promise<Forecast | undefined> {
  const { horizon: asked, time, step, backtest = DEFAULT_ORIGINS, choose = true, onFit, ...given } = options
  settingsOf(given)
  if (!Number.isSafeInteger(backtest) || backtest < 0)
    throw new InputError(
      'option',
      sentence`${option('backtest')} is ${backtest}; it must be a whole number from 0.`,
    )
  const axis = forecastAxis(tensor, time, given.lags)
  if (!axis)
    throw new InputError(
      'option',
      sentence`No mode of the data is known to be time; name it by ${option('time')}, as in day, or day+slot.`,
    )
  const [mode] = axis.modes
  const { tensor: extended, inserted } = addFutureRows(checkDeferred(tensor), mode, asked, step)
  const first = largestPlusOne(extended.indices[mode])
  const horizon = extended.dims[mode] - first
  const name = modeName(tensor, mode)
  const distances = axis.distances.filter((distance) => distance < first)
  const lags = given.lags ?? { [Object.keys(axis.lags)[0]]: distances }
  const frame: BacktestFrame = { tensor: extended, mode, rows: first, horizon }
  const all = forecastCandidates(extended, { ...axis, lags }, given)
  const candidates = choose && backtest > 0 ? all : all.slice(0, 1)
  const origins = chooseOrigins(frame, backtest, Math.max(...distances))
  if (backtest > 0 && origins.length === 0)
    throw new InputError(
      'option',
      sentence`There are ${first} rows of ${name}, too few for a backtest ${horizon} steps ahead with lags up to ${Math.max(...distances)}; give a smaller ${option('horizon')} or ${option('lags')}, or ${option('backtest', 0)}.`,
    )
  let fits = 0
  const fitAt = async (settings: RunOptions, origin: number): Promise<Float32Array | undefined> => {
    onFit?.(
      fits++,
      `${candidateName(settings)}, from ${extended.labels?.[mode]?.[origin] ?? `row ${origin + 1}`}`,
    )
    return forecastFrom(frame, origin, settings)
  }
  const compared = await compareCandidates(frame, candidates, origins, fitAt)
  if (!compared) return undefined
  const { chosen, trials } = compared
  for (const { settings, forecasts } of chosen)
    for (const origin of origins.slice(forecasts.length)) {
      const next = await fitAt(settings, origin)
      if (!next) return undefined
      forecasts.push(next)
    }
  const members: CpModel[] = []
  for (const { settings } of chosen) {
    onFit?.(fits++, `${candidateName(settings)}, all entries`)
    const { model, stopped } = await complete(extended, { ...settings, choose: false })
    if (stopped === 'aborted') return undefined
    members.push(model)
  }
  const model = combineModels(members)
  model.training.forecast = { mode: name, horizon, ...(inserted.length > 0 && { inserted: inserted.length }) }
  const forecasts = origins.map((_, k) => meanOf(chosen.map((one) => one.forecasts[k])))
  const seasons = distances.filter((distance) => distance > 1)
  const summary =
    origins.length > 0
      ? summarizeBacktest(frame, origins, forecasts, seasons.length > 0 ? seasons : [1])
      : undefined
  return {
    ...{
      model,
      mode,
      first,
      inserted,
      settings: chosen.map(({ settings }) => candidateName(settings)),
      trials,
    },
    ...(summary && { backtest: summary.backtest }),
    intervals: (level) => forecastIntervals(summary?.entries ?? noEntries(extended, mode), level),
  }
}

/** Adds rows without entries at the end of a mode of time, so that there are as many as asked for. */
function addFutureRows(
  tensor: SparseTensor,
  mode: number,
  asked: number | undefined,
  step: string | undefined,
): ExtendedTime {
  if (tensor.values.length === 0) throw new InputError('empty', 'There is no entry to forecast from.')
  const there = tensor.dims[mode] - largestPlusOne(tensor.indices[mode])
  if (asked === undefined && there === 0)
    throw new InputError(
      'option',
      sentence`Say by ${option('horizon')} how many rows of ${modeName(tensor, mode)} are to be forecast.`,
    )
  if (asked !== undefined) checkHorizon(asked)
  return extendTime(tensor, mode, Math.max(0, (asked ?? there) - there), step)
}

/** Settings with their forecasts from the origins on which they were compared. */
interface Candidate {
  settings: RunOptions
  forecasts: Float32Array[]
}

/** The settings whose mean is forecast, and all that were tried. */
interface Compared {
  chosen: Candidate[]
  trials: ForecastTrial[]
}

/**
 * Compares settings by their errors after the latest origins: by the geometric mean of the RMSE of each, so that no
 * single origin decides. Those that are far behind the best are not tried on further origins. Of the best ones, the
 * mean of as many is taken as has the least errors.
 */
async function compareCandidates(
  frame: BacktestFrame,
  settings: readonly RunOptions[],
  origins: readonly number[],
  fitAt: (settings: RunOptions, origin: number) => Promise<Float32Array | undefined>,
): Promise<Compared | undefined> {
  const candidates = settings.map((one): Candidate => ({ settings: one, forecasts: [] }))
  if (candidates.length === 1) return { chosen: candidates, trials: [] }
  const values = origins.slice(0, TRIAL_ORIGINS).map((origin) => {
    const after = entriesAfter(frame, origin)
    return pickNumbers(frame.tensor.values, after, new Float32Array(after.length))
  })
  /** Mean logarithm of the RMSE over the origins from which was forecast. */
  const scoreOf = (forecasts: readonly Float32Array[]): number =>
    forecasts.reduce(
      (sum, predictions, k) => sum + Math.log(Math.max(1e-30, errorsOf(values[k], predictions).rmse)),
      0,
    ) / forecasts.length
  let left = candidates
  for (let k = 0; k < values.length; k++) {
    for (const { settings: own, forecasts } of left) {
      const predictions = await fitAt(own, origins[k])
      if (!predictions) return undefined
      forecasts.push(predictions)
    }
    const scores = left.map(({ forecasts }) => scoreOf(forecasts))
    const least = Math.min(...scores)
    left = left.filter((_, at) => !(scores[at] - least > Math.log(GIVE_UP)))
  }
  const sorted = left
    .map((candidate) => ({ candidate, score: scoreOf(candidate.forecasts) }))
    .sort((a, b) => a.score - b.score)
    .map(({ candidate }) => candidate)
  const means = sorted.slice(0, MOST_COMBINED).map((_, last) => {
    const first = sorted.slice(0, last + 1)
    return { first, score: scoreOf(values.map((_, k) => meanOf(first.map(({ forecasts }) => forecasts[k])))) }
  })
  return {
    chosen: means.reduce((a, b) => (b.score < a.score ? b : a)).first,
    trials: candidates.map(({ settings: own, forecasts }) => ({
      name: candidateName(own),
      rmse: Math.exp(scoreOf(forecasts)),
      origins: forecasts.length,
    })),
  }
}

/** The mean of several forecasts of the same entries. */
function meanOf(forecasts: readonly Float32Array[]): Float32Array {
  if (forecasts.length === 1) return forecasts[0]
  return forecasts[0].map((_, e) => forecasts.reduce((sum, one) => sum + one[e], 0) / forecasts.length)
}

/** The model whose prediction is the mean of others' of the same data. */
function combineModels(members: readonly CpModel[]): CpModel | CpEnsemble {
  const [{ dims, labels, modes, observed, training }] = members
  if (members.length === 1) return members[0]
  const weights = members.map(() => 1 / members.length)
  return new CpEnsemble({ dims, labels, modes, observed, weights, members, training: { ...training } })
}

/** Backtests without entries, from which no interval can be computed. */
const noEntries = ({ dims, indices }: SparseTensor, mode: number): BacktestEntries => ({
  cells: { dims, indices: indices.map(() => new Uint32Array(0)), values: new Float32Array(0) },
  ...{ mode, predictions: new Float32Array(0), origins: new Uint32Array(0) },
})
