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
import { checkDeferred, largestPlusOne, type SparseTensor } from '../../tensor/index.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import { axisModes } from '../time/axis.ts'
import { axisName } from '../time/proposeLags.ts'
import { timeAxis } from '../time/timeAxis.ts'
import { type Backtest, type BacktestFrame, chooseOrigins, summarizeBacktest } from './backtest.ts'
import { forecastAxis, forecastCandidates } from './candidates.ts'
import {
  type Candidate,
  compareCandidates,
  type ForecastTrial,
  learnedCandidate,
  meanOf,
  seasonalCandidates,
} from './compareCandidates.ts'
import { FitClock } from './fitClock.ts'

/** Origins of backtests by default. */
const DEFAULT_ORIGINS = 5
/** Models for which time is reserved while settings are tried. */
const RESERVED_MODELS = 3

/** Options of `forecast`: settings of the runs, of which those that are not given are tried, and the forecast's own. */
export interface ForecastOptions
  extends Omit<
    RunOptions,
    'validation' | 'watch' | 'patience' | 'initial' | 'features' | 'missing' | 'seconds'
  > {
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
  /**
   * Seconds for everything together: where they are short, fewer settings are tried, and fewer backtests made
   * (`leftOut`); one model is fitted to all entries in any case. No limit by default.
   */
  seconds?: number
  /** Called before each model is fitted, with the number of models so far and what it is; none by default. */
  onFit?: (fits: number, what: string) => void
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
  /** Descriptions of what was left out because the time was up; empty without `seconds`. */
  leftOut: string[]
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
  const { horizon: asked, time, step, backtest = DEFAULT_ORIGINS, choose = true, onFit, ...rest } = options
  settingsOf(rest)
  const { seconds = Infinity, ...given } = rest
  const clock = new FitClock(seconds)
  if (!Number.isSafeInteger(backtest) || backtest < 0)
    throw new InputError(
      'option',
      sentence`${option('backtest')} is ${backtest}; it must be a whole number from 0.`,
    )
  const found = forecastAxis(tensor, time, given.lags)
  if (!found) throw noAxis(tensor, time)
  const [mode] = found.modes
  const { tensor: extended, inserted } = addFutureRows(checkDeferred(tensor), mode, asked, step)
  // Distances are steps of time only where no step is missing.
  const axis = inserted.length > 0 ? (forecastAxis(extended, time, given.lags) ?? found) : found
  const first = largestPlusOne(extended.indices[mode])
  const horizon = extended.dims[mode] - first
  const name = modeName(tensor, mode)
  const distances = axis.distances.filter((distance) => distance < first)
  const lags = given.lags ?? { [Object.keys(axis.lags)[0]]: distances }
  const frame: BacktestFrame = { tensor: extended, mode, rows: first, horizon }
  const seasons = distances.filter((distance) => distance > 1)
  const all = forecastCandidates(extended, { ...axis, lags }, given).map((settings) =>
    learnedCandidate(frame, settings),
  )
  const isTried = choose && backtest > 0
  const candidates = isTried
    ? [...all, ...seasons.flatMap((season) => seasonalCandidates(frame, season))]
    : all.slice(0, 1)
  const allOrigins = chooseOrigins(frame, backtest, Math.max(...distances))
  if (backtest > 0 && allOrigins.length === 0)
    throw new InputError(
      'option',
      sentence`There are ${first} rows of ${name}, too few for a backtest ${horizon} steps ahead with lags up to ${Math.max(...distances)}; give a smaller ${option('horizon')} or ${option('lags')}, or ${option('backtest', 0)}.`,
    )
  let fits = 0
  const fitAt = async (candidate: Candidate, origin: number): Promise<Float32Array | undefined> => {
    const label = extended.labels?.[mode]?.[origin] ?? `row ${origin + 1}`
    onFit?.(fits++, `${candidate.name}, from ${label}`)
    // A model of all entries follows.
    const fit = (): Promise<Float32Array | undefined> => candidate.forecastFrom(origin, clock.limitOf(1))
    return candidate.isBaseline ? fit() : clock.time(fit)
  }
  // Time is reserved for a model of all entries and, for its intervals, some backtests.
  const hasTime = (): boolean => clock.hasTimeFor(1 + Math.min(RESERVED_MODELS, allOrigins.length))
  const compared = await compareCandidates(frame, candidates, allOrigins, fitAt, hasTime)
  if (!compared) return undefined
  const { trials } = compared
  const chosen = affordable(compared.chosen, clock)
  let origins = allOrigins
  for (const [k, origin] of allOrigins.entries())
    for (const candidate of chosen) {
      if (k < candidate.forecasts.length || k >= origins.length) continue
      const models = chosen.filter(({ isBaseline }) => !isBaseline).length
      if (k > 0 && !candidate.isBaseline && !clock.hasTimeFor(2 * models)) {
        origins = allOrigins.slice(0, k)
        continue
      }
      const next = await fitAt(candidate, origin)
      if (!next) return undefined
      candidate.forecasts.push(next)
    }
  const members: CpModel[] = []
  for (const [at, candidate] of chosen.entries()) {
    onFit?.(fits++, `${candidate.name}, all entries`)
    const member = await candidate.learn(clock.limitOf(chosen.length - 1 - at))
    if (!member) return undefined
    members.push(member)
  }
  const leftOut = describeLeftOut(isTried ? candidates.length - trials.length : 0, candidates.length, [
    allOrigins.length - origins.length,
    allOrigins.length,
  ])
  const model = combineModels(members)
  model.training.forecast = { mode: name, horizon, ...(inserted.length > 0 && { inserted: inserted.length }) }
  const forecasts = origins.map((_, k) => meanOf(chosen.map((one) => one.forecasts[k])))
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
      settings: chosen.map((one) => one.name),
      trials,
      leftOut,
    },
    ...(summary && { backtest: summary.backtest }),
    intervals: (level) => forecastIntervals(summary?.entries ?? noEntries(extended, mode), level),
  }
}

/**
 * Shortens the list of settings whose mean is the forecast to those that there is time to fit to all entries
 * and to backtests; at least one.
 */
function affordable(chosen: readonly Candidate[], clock: FitClock): Candidate[] {
  const modelsOf = ({ isBaseline, forecasts }: Candidate): number =>
    isBaseline ? 0 : 1 + Math.max(0, RESERVED_MODELS - forecasts.length)
  let count = chosen.length
  while (count > 1 && !clock.hasTimeFor(chosen.slice(0, count).reduce((sum, one) => sum + modelsOf(one), 0)))
    count--
  return chosen.slice(0, count)
}

/** Describes what was left out: settings that were not tried, and backtests that were not made. */
const describeLeftOut = (
  untried: number,
  candidates: number,
  [unmade, origins]: readonly [number, number],
): string[] => [
  ...(untried > 0 ? [`${untried} of ${candidates} settings`] : []),
  ...(unmade > 0 ? [`${unmade} of ${origins} backtests`] : []),
]

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

/** The error where no axis of time is found, or one of fewer than three rows. @param time as typed */
function noAxis(tensor: SparseTensor, time: string | undefined): InputError {
  const modes = time === undefined ? timeAxis(tensor) : axisModes(tensor, time, option('time'))
  if (!modes)
    return new InputError(
      'option',
      sentence`No mode of the data is known to be time; name it by ${option('time')}, as in day, or day+slot.`,
    )
  const rows = modes.reduce((product, mode) => product * tensor.dims[mode], 1)
  return new InputError(
    'shape',
    `${axisName(tensor, modes)} has ${rows === 1 ? 'one row' : `${rows} rows`}, too few for a forecast; at least three are needed.`,
  )
}
