/** The settings that decide the result of a run, and their defaults. */
import type { Loss, Noise } from '../../engine/engine.ts'
import type { LinkName } from '../../model/index.ts'
import type { ModeReshaping } from '../../tensor/index.ts'
import type { Lags, TimePrior } from './sideInformation.ts'

/** How the prior of rows is found: see `RunOptions.prior`. */
export type Prior = 'auto' | 'learned' | 'isotropic'
/** All priors. */
export const priorNames: readonly Prior[] = ['auto', 'learned', 'isotropic']
/** All noise models. */
export const noiseNames: readonly Noise[] = ['auto', 'gaussian', 'poisson', 'row']
/** All losses. */
export const lossNames: readonly Loss[] = ['squares', 'huber']

/** All priors of rows with lags. */
export const timePriorNames: readonly TimePrior[] = ['coupled', 'autoregressive']

/** Meaning of a cell without an entry: see `RunOptions.missing`. */
export type Missing = 'unknown' | 'zero'
/** All meanings of cells without an entry. */
export const missingNames: readonly Missing[] = ['unknown', 'zero']

/** The solver: 'fast', or the paper's Algorithm 2. */
export type SolverName = 'fast' | 'paper'
/** All solvers. */
export const solverNames: readonly SolverName[] = ['fast', 'paper']

/** The options that decide the result of a run, complete and checked; `RunOptions` describes each. */
export interface Settings extends Required<ModeReshaping> {
  /** The solver. */
  solver: SolverName
  /** R, the number of components. */
  rank: number
  /** λ, the weight of the regularization, or 'auto'. */
  lambda: number | 'auto'
  /** c, the fraction of each row's entries that a step uses, or 'auto'. */
  sample: number | 'auto'
  /** The meaning of cells without an entry. */
  missing: Missing
  /** How the prior of rows is found. */
  prior: Prior
  /** The function of the values that is learned. */
  link: LinkName
  /** The noise model. */
  noise: Noise
  /** The loss of a residual. */
  loss: Loss
  /** Distances at which rows of ordered modes are coupled, by mode. */
  lags: Lags
  /** The prior of rows with lags. */
  timePrior: TimePrior
  /** MAX_INNER, steps per mode and AO iteration. */
  maxInner: number
  /** Most epochs; Infinity for no limit. */
  epochs: number
  /** Most seconds of solving; Infinity for no limit. */
  seconds: number
  /** Relative change of the training error per epoch below which the run ends. */
  tolerance: number
  /** Epochs without a smaller validation error after which the run ends; Infinity for no limit. */
  patience: number
  /** Seed of the random numbers. */
  seed: number
}

/** Defaults that both solvers have. */
const commonDefaults = {
  rank: 10,
  mergeModes: [],
  split: [],
  missing: 'unknown' as const,
  link: 'identity' as const,
  prior: 'auto' as const,
  noise: 'auto' as const,
  loss: 'squares' as const,
  lags: {},
  timePrior: 'coupled' as const,
  maxInner: 1,
  seconds: Infinity,
  seed: 1,
}

/** The settings of each solver unless others are given. */
export const defaults: { [name in SolverName]: Settings } = {
  fast: {
    solver: 'fast',
    ...commonDefaults,
    lambda: 'auto',
    sample: 'auto',
    epochs: 500,
    tolerance: 1e-4,
    patience: 10,
  },
  paper: {
    solver: 'paper',
    ...commonDefaults,
    lambda: 0.01,
    sample: 0.5,
    epochs: 100,
    tolerance: 0,
    patience: Infinity,
  },
}
