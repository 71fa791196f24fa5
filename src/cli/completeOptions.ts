/** What `complete` can be told. */
import type { TableOptions } from '../io/node/index.ts'
import type { Lags, Loss, Missing, Noise, Prior, SolverName } from '../solver/index.ts'
import type { DuplicatePolicy, NegativePolicy } from '../tensor/index.ts'
import type { ArrangementOptions } from './arrangement.ts'
import type { EngineName } from './engines.ts'
import type { Assignment } from './named.ts'

export interface CompleteOptions extends TableOptions, ArrangementOptions {
  rank?: number | 'auto'
  solver: SolverName
  sample?: number | 'auto'
  missing?: Missing
  prior?: Prior
  noise?: Noise
  loss?: Loss
  lags?: Lags
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
  duplicates?: DuplicatePolicy
  mask?: string
  output?: string
  json?: boolean
  quiet?: boolean
}
