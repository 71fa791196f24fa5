/**
 * Backtests: rolling-origin evaluation of forecasts (Tashman 2000). A model is fitted to the entries before an
 * origin, and forecasts those of the steps after it, which are known; then the origin moves.
 */
import { concatenate } from '../../base/bytes.ts'
import { InputError, option, sentence } from '../../base/inputError.ts'
import type { BacktestEntries } from '../../model/index.ts'
import { pickEntries, pickNumbers, type SparseTensor } from '../../tensor/index.ts'
import { complete } from '../complete.ts'
import type { RunOptions } from '../settings/options.ts'
import { seasonalForecaster } from './seasonalBaselines.ts'

/** The part of time of a backtest. */
export interface BacktestFrame {
  /** The tensor, of which rows of the mode of time from `rows` on have no entries. */
  tensor: SparseTensor
  /** The mode of time that is forecast, from 0. */
  mode: number
  /** The number of its rows that are not in the future. */
  rows: number
  /** Steps ahead. */
  horizon: number
}

/** Root mean square error and mean absolute error of forecasts. */
export interface ForecastErrors {
  /** Root mean square error. */
  rmse: number
  /** Mean absolute error. */
  mae: number
}

/** Errors of the model and of both baselines on the same entries. */
export interface ComparedErrors {
  /** Number of entries. */
  entries: number
  /** Errors of the model. */
  model: ForecastErrors
  /** Errors of the seasonal naive forecast: the value one season before. */
  naive: ForecastErrors
  /** Errors of the mean of all earlier values at the same phase of the season. */
  seasonMean: ForecastErrors
}

/** Errors of forecasts from several origins. */
export interface Backtest extends ComparedErrors {
  /** Rows of the mode of time, from 0, from which steps ahead were forecast; the latest first. */
  origins: number[]
  /** Rows of the season that the baselines repeat. */
  season: number
  /** Errors at each step ahead; undefined where no entry is known. */
  steps: (ComparedErrors | undefined)[]
}

/**
 * The rows of the mode of time to forecast from, the latest first. They are `horizon` apart, or less where rows
 * are few: at least half of the rows, and more than the largest lag, come before each.
 * @param count how many at most
 */
export function chooseOrigins(
  { rows, horizon }: Pick<BacktestFrame, 'rows' | 'horizon'>,
  count: number,
  largestLag: number,
): number[] {
  const latest = rows - horizon
  const room = latest - Math.max(largestLag + 1, Math.ceil(rows / 2))
  if (room < 0) return []
  const origins = Math.min(count, room + 1)
  const stride = origins > 1 ? Math.max(1, Math.min(horizon, Math.floor(room / (origins - 1)))) : 1
  return Array.from({ length: origins }, (_, k) => latest - k * stride)
}

/** The tensor as it was at an origin: entries before it, and rows without entries for the steps ahead. */
export function tensorAt({ tensor, mode, horizon }: BacktestFrame, origin: number): SparseTensor {
  const rows = tensor.indices[mode]
  const before = Uint32Array.from(rows.keys()).filter((e) => rows[e] < origin)
  const labels = tensor.labels?.with(mode, tensor.labels[mode]?.slice(0, origin + horizon))
  return {
    ...pickEntries(tensor, before),
    dims: tensor.dims.with(mode, origin + horizon),
    ...(labels && { labels }),
  }
}

/** The numbers of the entries that are forecast from an origin. */
export function entriesAfter({ tensor, mode, horizon }: BacktestFrame, origin: number): Uint32Array {
  const rows = tensor.indices[mode]
  return Uint32Array.from(rows.keys()).filter((e) => rows[e] >= origin && rows[e] < origin + horizon)
}

/**
 * Fits a model to the entries before an origin and forecasts those after it; undefined if it was interrupted.
 * Values are limited to the range of the training values.
 */
export async function forecastFrom(
  frame: BacktestFrame,
  origin: number,
  settings: RunOptions,
): Promise<Float32Array | undefined> {
  const past = tensorAt(frame, origin)
  if (past.values.length === 0)
    throw new InputError(
      'empty',
      sentence`No entry lies before row ${origin + 1}, from which a backtest forecasts; give a smaller ${option('backtest')}.`,
    )
  const { model, stopped } = await complete(past, { ...settings, choose: false })
  if (stopped === 'aborted') return undefined
  const { indices } = pickEntries(frame.tensor, entriesAfter(frame, origin))
  return model.predictMany(indices)
}

/** RMSE and MAE of predictions of some entries; zeros if there are none. */
export function errorsOf(values: Float32Array, predictions: Float32Array): ForecastErrors {
  if (values.length === 0) return { rmse: 0, mae: 0 }
  let [squares, sizes] = [0, 0]
  for (let e = 0; e < values.length; e++) {
    const residual = values[e] - predictions[e]
    squares += residual ** 2
    sizes += Math.abs(residual)
  }
  return { rmse: Math.sqrt(squares / values.length), mae: sizes / values.length }
}

/**
 * The errors of forecasts from several origins, beside those of the baselines with the season that serves the better
 * of them best.
 * @param forecasts per origin, of the entries after it
 * @param seasons rows of the mode of time after which values may repeat
 */
export function summarizeBacktest(
  frame: BacktestFrame,
  origins: readonly number[],
  forecasts: readonly Float32Array[],
  seasons: readonly number[],
): { backtest: Backtest; entries: BacktestEntries } {
  const { tensor, mode, horizon } = frame
  const after = origins.map((origin) => entriesAfter(frame, origin))
  const count = after.reduce((sum, { length }) => sum + length, 0)
  const [all, originOf] = [new Uint32Array(count), new Uint32Array(count)]
  let at = 0
  after.forEach((entries, origin) => {
    all.set(entries, at)
    originOf.fill(origin, at, at + entries.length)
    at += entries.length
  })
  const values = pickNumbers(tensor.values, all, new Float32Array(all.length))
  const predictions = concatenate(Float32Array, forecasts)
  const forecaster = seasonalForecaster(tensor, mode)
  const baselines = seasons.map((season) => {
    const each = origins.map((origin, k) => forecaster(after[k], origin, season))
    const naive = concatenate(
      Float32Array,
      each.map((one) => one.naive),
    )
    const mean = concatenate(
      Float32Array,
      each.map((one) => one.mean),
    )
    const least = Math.min(errorsOf(values, naive).rmse, errorsOf(values, mean).rmse)
    return { season, naive, mean, least }
  })
  const best = baselines.reduce((a, b) => (b.least < a.least ? b : a))
  const steps = Uint32Array.from(all, (e, i) => tensor.indices[mode][e] - origins[originOf[i]])
  const compare = (which: Uint32Array): ComparedErrors => {
    const pick = (from: Float32Array): Float32Array =>
      pickNumbers(from, which, new Float32Array(which.length))
    const own = pick(values)
    return {
      entries: which.length,
      model: errorsOf(own, pick(predictions)),
      naive: errorsOf(own, pick(best.naive)),
      seasonMean: errorsOf(own, pick(best.mean)),
    }
  }
  const numbers = Uint32Array.from(all.keys())
  const indices = tensor.indices.map((column, m) =>
    m === mode ? steps : pickNumbers(column, all, new Uint32Array(all.length)),
  )
  return {
    backtest: {
      ...compare(numbers),
      origins: [...origins],
      season: best.season,
      steps: Array.from({ length: horizon }, (_, step) => {
        const which = numbers.filter((i) => steps[i] === step)
        return which.length > 0 ? compare(which) : undefined
      }),
    },
    entries: {
      cells: { dims: tensor.dims.with(mode, horizon), indices, values },
      ...{ mode, predictions, origins: originOf },
    },
  }
}
