/** The options of `lacuna complete`, as parsed; the command's help describes each (complete.ts). */
import type {
  Lags,
  LinkName,
  Loss,
  Missing,
  NegativePolicy,
  Noise,
  Prior,
  SolverName,
  TimePrior,
} from 'lacuna/internal'
import type { TableOptions } from 'lacuna/tables'
import type { Assignment } from '../../options/rowNames.ts'
import type { EngineName } from '../../process/engines.ts'
import type { ReshapingOptions } from './reshape.ts'

/** Options as parsed from the command line. */
export interface CompleteOptions extends TableOptions, ReshapingOptions {
  rank?: number | 'auto'
  solver: SolverName
  sample?: number | 'auto'
  missing?: Missing
  link?: LinkName
  prior?: Prior
  noise?: Noise
  loss?: Loss
  lags?: Lags
  timePrior?: TimePrior
  extend?: Assignment[]
  features?: Assignment[]
  choose?: boolean
  folds?: number
  best?: boolean
  foldBy?: string
  ordered?: string[]
  starts?: number
  plot?: string
  lambda?: number | 'auto'
  maxInner?: number
  epochs?: number
  seconds?: number
  tolerance?: number
  validation?: string | number
  test?: string | number
  patience?: number
  seed: number
  threads: number
  engine?: EngineName
  mpiLibrary?: string
  initial?: string
  resume?: boolean
  checkpointEvery: number
  dims?: number[]
  negative?: NegativePolicy
  mask?: string
  output?: string
  json?: boolean
  quiet?: boolean
}

/** Whether the result is an ensemble: with --folds or --best. */
export const isCrossFitted = ({ folds, best }: Pick<CompleteOptions, 'folds' | 'best'>): boolean =>
  folds !== undefined || best === true
