/**
 * The comparison of what a forecast may be made by: models with several settings, and the seasonal baselines. They are
 * judged by backtests.
 */
import type { CpModel } from '../../model/index.ts'
import { pickEntries, pickNumbers } from '../../tensor/index.ts'
import { complete } from '../complete.ts'
import type { RunOptions } from '../settings/options.ts'
import { type BacktestFrame, entriesAfter, errorsOf, forecastFrom, tensorAt } from './backtest.ts'
import { candidateName } from './candidates.ts'
import { maySeasonBeModel, seasonalModel } from './seasonalModel.ts'

/** Origins, the latest ones, on which settings are compared. */
const TRIAL_ORIGINS = 3
/** Settings whose errors are larger than the best by this factor are not tried on further origins. */
const GIVE_UP = 1.15
/** Most candidates whose mean is the forecast. */
const MOST_COMBINED = 3

/** Settings that were tried, and their errors. */
export interface ForecastTrial {
  /** The settings in words. */
  name: string
  /** Geometric mean over the origins of the root mean square error of the forecasts. */
  rmse: number
  /** Number of origins from which was forecast. */
  origins: number
}

/** A way to forecast: settings of a model, or a baseline. */
export interface Candidate {
  /** Description for notices. */
  name: string
  /** Whether the candidate is a baseline, which takes no time, and not a model that is fitted. */
  isBaseline: boolean
  /**
   * Forecasts the entries after an origin from those before it; undefined if it was interrupted.
   * @param seconds the time limit of the model; none by default
   */
  forecastFrom(origin: number, seconds?: number): Promise<Float32Array | undefined>
  /** Makes the model of all entries; undefined if it was interrupted. @param seconds the time limit of the model */
  learn(seconds?: number): Promise<CpModel | undefined>
  /** Forecasts from the latest origins, as far as they were made. */
  forecasts: Float32Array[]
}

/** A model with these settings as a candidate. */
export const learnedCandidate = (frame: BacktestFrame, settings: RunOptions): Candidate => ({
  name: candidateName(settings, frame.tensor),
  isBaseline: false,
  forecastFrom: (origin, seconds) => forecastFrom(frame, origin, { ...settings, seconds }),
  async learn(seconds) {
    const { model, stopped } = await complete(frame.tensor, { ...settings, seconds, choose: false })
    return stopped === 'aborted' ? undefined : model
  },
  forecasts: [],
})

/** The baselines of a season as candidates; none where they cannot be models. */
export function seasonalCandidates(frame: BacktestFrame, season: number): Candidate[] {
  const { tensor, mode } = frame
  if (!maySeasonBeModel(tensor, mode, season)) return []
  return (['mean', 'naive'] as const).map((rule) => ({
    isBaseline: true,
    name: rule === 'mean' ? `mean of the season (${season})` : `value one season before (${season})`,
    forecastFrom: async (origin) =>
      seasonalModel(tensorAt(frame, origin), mode, season, rule).predictMany(
        pickEntries(tensor, entriesAfter(frame, origin)).indices,
      ),
    learn: async () => seasonalModel(tensor, mode, season, rule),
    forecasts: [],
  }))
}

/** The settings whose mean is forecast, and all that were tried. */
export interface Compared {
  chosen: Candidate[]
  trials: ForecastTrial[]
}

/**
 * Compares settings by their errors after the latest origins: by the geometric mean of the RMSE of each, so that no
 * single origin decides. Those that are far behind the best are not tried on further origins. Of the best ones, the
 * mean of as many is taken as has the least errors.
 * @param fitAt forecasts from an origin; undefined if it was interrupted
 * @param hasTime whether there is time for one more model; where there is not, settings are compared on the origins
 * that all of them have
 */
export async function compareCandidates(
  frame: BacktestFrame,
  candidates: readonly Candidate[],
  origins: readonly number[],
  fitAt: (candidate: Candidate, origin: number) => Promise<Float32Array | undefined>,
  hasTime: () => boolean = () => true,
): Promise<Compared | undefined> {
  if (candidates.length === 1) return { chosen: [...candidates], trials: [] }
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
  let left = [...candidates]
  let isCut = false
  /** Origins from which all that are left have forecasts. */
  let common = values.length
  for (let k = 0; k < values.length; k++) {
    for (const candidate of left) {
      // The first model is fitted in any case, and baselines take no time.
      const isNeeded = candidate.isBaseline || (k === 0 && candidate === left[0])
      isCut ||= !isNeeded && !hasTime()
      if (isCut && !isNeeded) continue
      const predictions = await fitAt(candidate, origins[k])
      if (!predictions) return undefined
      candidate.forecasts.push(predictions)
    }
    if (isCut) {
      common = Math.max(1, k)
      left = left.filter(({ forecasts }) => forecasts.length >= common)
      break
    }
    const scores = left.map(({ forecasts }) => scoreOf(forecasts))
    const least = Math.min(...scores)
    left = left
      .map((candidate, at) => ({ candidate, score: scores[at] }))
      .filter(({ score }) => !(score - least > Math.log(GIVE_UP)))
      // The best are tried first: where time is short, they have more backtests.
      .sort((a, b) => a.score - b.score)
      .map(({ candidate }) => candidate)
  }
  const sorted = left
    .map((candidate) => ({ candidate, score: scoreOf(candidate.forecasts.slice(0, common)) }))
    .sort((a, b) => a.score - b.score)
    .map(({ candidate }) => candidate)
  const means = sorted.slice(0, MOST_COMBINED).map((_, last) => {
    const first = sorted.slice(0, last + 1)
    const means = values.slice(0, common).map((_, k) => meanOf(first.map(({ forecasts }) => forecasts[k])))
    return { first, score: scoreOf(means) }
  })
  return {
    chosen: means.reduce((a, b) => (b.score < a.score ? b : a)).first,
    trials: candidates
      .filter(({ forecasts }) => forecasts.length > 0)
      .map(({ name, forecasts }) => ({
        name,
        rmse: Math.exp(scoreOf(forecasts)),
        origins: forecasts.length,
      })),
  }
}

/** The mean of several forecasts of the same entries. */
export function meanOf(forecasts: readonly Float32Array[]): Float32Array {
  if (forecasts.length === 1) return forecasts[0]
  return forecasts[0].map((_, e) => forecasts.reduce((sum, one) => sum + one[e], 0) / forecasts.length)
}
