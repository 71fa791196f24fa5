import type { Engine } from '../engine/engine.ts'
import { InputError } from '../inputError.ts'
import type { CpModel } from '../model/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import type { EpochReport } from './complete.ts'

export interface CompleteOptions {
  /** R, the number of components. */
  rank?: number
  /** 'paper': the paper's Algorithm 2, exactly. */
  solver?: 'paper'
  /** λ, the weight of the squared norms of the factors. */
  lambda?: number
  /** c, the share of each row's entries that a step uses, in (0, 1]. */
  sample?: number
  /** MAX_INNER, steps per mode and AO iteration. */
  maxInner?: number
  /** Stop after this many epochs, each of 1/c AO iterations. */
  epochs?: number
  /** Stop after this many seconds of solving. */
  seconds?: number
  /** Stop when an epoch changes the training error by less than this share of it. */
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

/** The options that decide the result, complete and checked. */
export interface Settings {
  solver: 'paper'
  rank: number
  lambda: number
  sample: number
  maxInner: number
  epochs: number
  seconds: number
  tolerance: number
  patience: number
  seed: number
}

export const defaults: Settings = {
  solver: 'paper',
  rank: 10,
  lambda: 0.01,
  sample: 0.5,
  maxInner: 1,
  epochs: 100,
  seconds: Infinity,
  tolerance: 0,
  patience: Infinity,
  seed: 1,
}

export function settingsOf(options: CompleteOptions): Settings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const all: Settings & CompleteOptions = { ...defaults, ...given }
  if (all.solver !== 'paper') throw new InputError(`There is no solver '${all.solver}'; there is 'paper'.`)
  const whole = (name: 'rank' | 'maxInner' | 'epochs' | 'patience', most = Infinity): number => {
    const value = all[name]
    if (!(Number.isInteger(value) || value === Infinity) || value < 1 || value > most)
      throw new InputError(
        `${name} is ${value}; it must be a whole number from 1${most < Infinity ? ` to ${most}` : ''}.`,
      )
    return value
  }
  const number = (
    name: 'lambda' | 'sample' | 'seconds' | 'tolerance',
    ok: (x: number) => boolean,
    must: string,
  ): number => {
    if (typeof all[name] !== 'number' || !ok(all[name]))
      throw new InputError(`${name} is ${all[name]}; it must be ${must}.`)
    return all[name]
  }
  if (!Number.isSafeInteger(all.seed) || all.seed < 0)
    throw new InputError(`seed is ${all.seed}; it must be a whole number from 0 to 2^53 - 1.`)
  if (all.patience < Infinity && !all.validation)
    throw new InputError(
      'patience counts epochs without a better validation error; give validation entries too.',
    )
  return {
    solver: all.solver,
    rank: whole('rank'),
    lambda: number('lambda', (x) => x >= 0 && x < Infinity, 'a finite number from 0'),
    sample: number('sample', (x) => x > 0 && x <= 1, 'above 0 and at most 1'),
    maxInner: whole('maxInner', 1_000_000),
    epochs: whole('epochs'),
    seconds: number('seconds', (x) => x > 0, 'above 0'),
    tolerance: number('tolerance', (x) => x >= 0 && x < 1, 'at least 0 and below 1'),
    patience: whole('patience'),
    seed: all.seed,
  }
}
