import type { Engine } from '../engine/engine.ts'
import { InputError } from '../inputError.ts'
import type { CpModel } from '../model/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import type { EpochReport } from './course.ts'

export interface CompleteOptions {
  /** R, the number of components. */
  rank?: number
  /** 'fast' (default), or 'paper': the paper's Algorithm 2, exactly. */
  solver?: SolverName
  /**
   * λ: the paper's solver weighs the squared norms of the rows by it, 'fast' their squared distances from the mean row of
   * their mode. 'auto' (default of 'fast') follows the noise.
   */
  lambda?: number | 'auto'
  /** c, the share of each row's entries that a step uses, in (0, 1]; 'auto' (default of 'fast') starts small. */
  sample?: number | 'auto'
  /** MAX_INNER, steps per mode and AO iteration, of the paper's solver. */
  maxInner?: number
  /** Stop after this many epochs, each of 1/c AO iterations. */
  epochs?: number
  /** Stop after this many seconds of solving. */
  seconds?: number
  /**
   * Stop when an epoch changes the training error by less than this share of it; 'fast' judges five epochs together,
   * and an error below 0.1 as if it were 0.1.
   */
  tolerance?: number
  /** Held-out entries: their error is reported, and the factors with the smallest one are returned. */
  validation?: SparseTensor
  /** Stop when the validation error has not improved for this many epochs. */
  patience?: number
  /** Decides the initial factors and the samples: the same seed gives the same bits. */
  seed?: number
  /** Worker threads; all cores by default. They do not change the result. */
  threads?: number
  /** Factors to start from, each (I_i × R) row-major, or a model; random ones by default. */
  initial?: CpModel | readonly Float32Array[]
  /** Told after every epoch. */
  onEpoch?: (report: EpochReport) => void
  /** Ends the work after the AO iteration it is in; what was learned so far is returned. */
  signal?: AbortSignal
  /** Where to run; by default the CPU's threads. It is closed at the end. */
  engine?: Engine
}

export type SolverName = 'fast' | 'paper'
export const solverNames: readonly SolverName[] = ['fast', 'paper']

/** The options that decide the result, complete and checked. */
export interface Settings {
  solver: SolverName
  rank: number
  lambda: number | 'auto'
  sample: number | 'auto'
  maxInner: number
  epochs: number
  seconds: number
  tolerance: number
  patience: number
  seed: number
}

const common = { rank: 10, maxInner: 1, seconds: Infinity, seed: 1 }

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

export function settingsOf(options: CompleteOptions): Settings {
  const solver = options.solver ?? 'fast'
  if (!solverNames.includes(solver))
    throw new InputError(
      'option',
      `There is no solver '${solver}'; there are '${solverNames.join("' and '")}'.`,
    )
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const all: Settings & CompleteOptions = { ...defaults[solver], ...given }

  const whole = (name: 'rank' | 'maxInner' | 'epochs' | 'patience'): number => {
    const value = all[name]
    if (!(Number.isInteger(value) || value === Infinity) || value < 1)
      throw new InputError('option', `${name} is ${value}; it must be a whole number from 1.`)
    return value
  }
  const number = <T extends number | 'auto'>(
    name: string,
    value: T,
    ok: (x: number) => boolean,
    must: string,
  ): T => {
    if (value === 'auto' && solver === 'paper')
      throw new InputError(
        'option',
        `${name} is 'auto', which the paper's solver does not know; give a number.`,
      )
    if (value !== 'auto' && !(typeof value === 'number' && ok(value)))
      throw new InputError('option', `${name} is ${value}; it must be ${must}.`)
    return value
  }
  if (!Number.isSafeInteger(all.seed) || all.seed < 0)
    throw new InputError('option', `seed is ${all.seed}; it must be a whole number from 0 to 2^53 - 1.`)
  if (options.patience !== undefined && !all.validation)
    throw new InputError(
      'option',
      'patience counts epochs without a better validation error; give validation entries too.',
    )
  if (solver === 'fast' && all.maxInner !== 1)
    throw new InputError('option', `maxInner is ${all.maxInner}; only the paper's solver takes inner steps.`)
  return {
    ...{ solver, seed: all.seed },
    rank: whole('rank'),
    lambda: number('lambda', all.lambda, (x) => x >= 0 && x < Infinity, 'a finite number from 0'),
    sample: number('sample', all.sample, (x) => x > 0 && x <= 1, 'above 0 and at most 1'),
    maxInner: whole('maxInner'),
    epochs: whole('epochs'),
    seconds: number('seconds', all.seconds, (x) => x > 0, 'above 0'),
    tolerance: number('tolerance', all.tolerance, (x) => x >= 0 && x < 1, 'at least 0 and below 1'),
    patience: whole('patience'),
  }
}
