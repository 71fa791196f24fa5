/** The options of `lacuna forecast`, as parsed; the command's help describes each (forecast.ts). */
import type { DuplicatePolicy, Lags, LinkName, NegativePolicy, Noise, TimePrior } from 'lacuna/internal'
import type { TableOptions } from 'lacuna/tables'
import type { Assignment } from '../../options/rowNames.ts'
import type { ReshapingOptions } from '../complete/reshape.ts'

/** Options as parsed from the command line. */
export interface ForecastCommandOptions extends TableOptions, ReshapingOptions {
  horizon?: number
  step?: string
  time?: string
  for?: Assignment[]
  backtest?: number
  interval?: number
  rank?: number
  link?: LinkName
  noise?: Noise
  lags?: Lags
  timePrior?: TimePrior
  choose: boolean
  seconds?: number
  seed: number
  threads: number
  dims?: number[]
  negative?: NegativePolicy
  duplicates?: DuplicatePolicy
  output?: string
  json?: boolean
  quiet?: boolean
}
