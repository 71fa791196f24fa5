/** What decides the result of a run, and its defaults. */
import type { Loss, Noise } from '../../engine/engine.ts'
import type { ModeReshaping } from '../../tensor/index.ts'
import type { Lags } from './sideInformation.ts'

export type Prior = 'auto' | 'learned' | 'isotropic'
export const priorNames: readonly Prior[] = ['auto', 'learned', 'isotropic']
export const noiseNames: readonly Noise[] = ['auto', 'gaussian', 'poisson', 'row']
export const lossNames: readonly Loss[] = ['squares', 'huber']

export type Missing = 'unknown' | 'zero'
export const missingNames: readonly Missing[] = ['unknown', 'zero']

export type SolverName = 'fast' | 'paper'
export const solverNames: readonly SolverName[] = ['fast', 'paper']

/** The options that decide the result, complete and checked. */
export interface Settings extends Required<ModeReshaping> {
  solver: SolverName
  rank: number
  lambda: number | 'auto'
  sample: number | 'auto'
  missing: Missing
  prior: Prior
  noise: Noise
  loss: Loss
  lags: Lags
  maxInner: number
  epochs: number
  seconds: number
  tolerance: number
  patience: number
  seed: number
}

const common = {
  rank: 10,
  mergeModes: [],
  split: [],
  missing: 'unknown' as const,
  prior: 'auto' as const,
  noise: 'auto' as const,
  loss: 'squares' as const,
  lags: {},
  maxInner: 1,
  seconds: Infinity,
  seed: 1,
}

/** What each solver does unless it is told otherwise. */
export const defaults: { [name in SolverName]: Settings } = {
  fast: {
    solver: 'fast',
    ...common,
    lambda: 'auto',
    sample: 'auto',
    epochs: 500,
    tolerance: 1e-4,
    patience: 10,
  },
  paper: {
    solver: 'paper',
    ...common,
    lambda: 0.01,
    sample: 0.5,
    epochs: 100,
    tolerance: 0,
    patience: Infinity,
  },
}
