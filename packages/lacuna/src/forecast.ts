/**
 * lacuna/forecast: forecasts of rows after the last one of a mode of time, with backtests and intervals. In Node and
 * in browsers.
 */
export type { ForecastIntervals, ForecastModelOptions } from './model/index.ts'
export {
  type Backtest,
  type ComparedErrors,
  type Forecast,
  type ForecastErrors,
  type ForecastOptions,
  type ForecastTrial,
  forecast,
} from './solver/index.ts'
