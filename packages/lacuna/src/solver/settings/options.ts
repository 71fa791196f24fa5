import { InputError, oneOf, option, sentence } from '../../base/inputError.ts'
import type { Engine, Loss, Noise } from '../../engine/engine.ts'
import { CpModel } from '../../model/index.ts'
import type { ModeReshaping, SparseTensor } from '../../tensor/index.ts'
import type { EpochReport } from '../run/report.ts'
import { checkSettings, refuseWithoutPrior } from './checkSettings.ts'
import {
  defaults,
  type Missing,
  type Prior,
  type Settings,
  type SolverName,
  solverNames,
} from './settings.ts'
import type { FeatureSets, Lags } from './sideInformation.ts'

/**
 * Settings of a run; each has a default. `mergeModes` and `split` say which modes are learned as one, and which as several:
 * the model still speaks of those of the tensor.
 */
export interface RunOptions extends ModeReshaping {
  /** R, the number of components; that of `initial` where it is a model, else 10. */
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
  /**
   * What a cell is that no entry is about: 'unknown' (default), or 'zero', as for counts of events of which those that
   * did not happen are not listed. Then all cells but those of `validation` and `watch` are learned from, at no more cost.
   */
  missing?: Missing
  /**
   * What is known of rows beforehand. 'isotropic': they lie around their mean, as far apart in all directions as λ says.
   * 'learned': how far in which is learned from them, in sweeps that follow when λ has led as far as it can. 'auto'
   * (default): learned, unless that would take long; isotropic where λ or c are given.
   */
  prior?: Prior
  /**
   * How the noise grows with the values, for a prior that is learned: 'gaussian', not at all; 'poisson', its variance in
   * proportion; 'auto' (default), as the data say; 'row': not, but the rows of one mode differ in it (sensors).
   */
  noise?: Noise
  /** What a residual costs: its square (default), or 'huber': beyond two deviations in proportion to its size (outliers). */
  loss?: Loss
  /** Modes whose rows are ordered, and which of them are alike: { hour: [1, 24] }, by names or numbers from 1. */
  lags?: Lags
  /** Attributes of the rows of modes, as numbers: { film: { columns, values } }. */
  features?: FeatureSets
  /** MAX_INNER, steps per mode and AO iteration, of the paper's solver. */
  maxInner?: number
  /** Stop after this many epochs, each of 1/c AO iterations. */
  epochs?: number
  /** Stop after this many seconds of solving; pauses do not count. */
  seconds?: number
  /**
   * Stop when an epoch changes the training error by less than this share of it; 'fast' judges five epochs together,
   * and an error below 0.1 as if it were 0.1.
   */
  tolerance?: number
  /** Held-out entries: their error is reported, and the factors with the smallest one are returned. */
  validation?: SparseTensor
  /** Further entries whose errors are reported, by names of one's own; they influence nothing. */
  watch?: Readonly<Record<string, SparseTensor>>
  /** Stop when the validation error has not improved for this many epochs. */
  patience?: number
  /** Decides the initial factors and the samples: the same seed gives the same bits. */
  seed?: number
  /** Worker threads; all cores by default. They do not change the result. */
  threads?: number
  /** Factors to start from, each (I_i × R) row-major, or a model; random ones by default. */
  initial?: CpModel | readonly Float32Array[]
  /** Pauses the run after the AO iteration it is in. */
  signal?: AbortSignal
  /** Where to run, which stays open; by default threads of its own, which end with the run. */
  engine?: Engine
}

/** What `complete` can be told beside the settings of a run. */
export interface CompleteOptions extends RunOptions {
  /**
   * Whether noise, lags and features are tried on held-out entries first, and used where these are predicted better: by
   * default where lags or features are given.
   */
  choose?: boolean
  /** Told after every epoch. */
  onEpoch?: (report: EpochReport) => void
}

/** What `complete` can be told where several models are wanted. */
export interface FoldedOptions extends Omit<CompleteOptions, 'onEpoch'> {
  /** How many, each learned without some of the entries: together a better answer, with an honest error and intervals. */
  folds: number
  /** Told after every epoch, of which model. */
  onEpoch?: (report: EpochReport, fold: number) => void
}

const known: readonly (keyof FoldedOptions)[] = [
  'rank',
  'solver',
  'lambda',
  'sample',
  'missing',
  'prior',
  'noise',
  'mergeModes',
  'split',
  'loss',
  'lags',
  'features',
  'maxInner',
  'epochs',
  'seconds',
  'tolerance',
  'validation',
  'watch',
  'patience',
  'seed',
  'threads',
  'initial',
  'signal',
  'engine',
  'choose',
  'folds',
  'onEpoch',
]

/** Checks what TypeScript lets through: options nobody knows, and values that make no sense. */
export function settingsOf(options: RunOptions): Settings {
  if (typeof options !== 'object' || options === null)
    throw new InputError('option', `The options are ${options}; they must be an object.`)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [name] of given)
    if (!known.includes(name as keyof FoldedOptions))
      throw new InputError('option', `There is no option ${name}; there are ${known.join(', ')}.`)
  const { engine, initial } = options
  if (engine !== undefined && typeof engine?.load !== 'function')
    throw new InputError(
      'option',
      sentence`${option('engine')} is no engine; give what cpuEngine() or gpuEngine() makes.`,
    )
  const isInitial = initial instanceof CpModel || Array.isArray(initial)
  if (initial !== undefined && !isInitial)
    throw new InputError('option', sentence`${option('initial')} is neither a model nor a list of factors.`)
  const solver = options.solver ?? 'fast'
  if (!solverNames.includes(solver))
    throw new InputError(
      'option',
      sentence`${option('solver')} is '${String(solver)}'; there are ${oneOf(solverNames.map((name) => `'${name}'`))}.`,
    )
  const settings = {
    ...defaults[solver],
    ...(initial instanceof CpModel && { rank: initial.rank, ...reshapingOf(initial, options) }),
    ...Object.fromEntries(given.filter(([name]) => name in defaults[solver])),
  }
  if (options.patience !== undefined && !options.validation)
    throw new InputError(
      'option',
      sentence`${option('patience')} counts epochs without a better validation error; give ${option('validation')} too.`,
    )
  const checked = checkSettings(settings)
  if (options.features && Object.keys(options.features).length > 0)
    refuseWithoutPrior(option('features'), checked)
  return checked
}

/** That of a model to start from, unless another is given. */
const reshapingOf = ({ reshaping }: CpModel, { mergeModes, split }: RunOptions): ModeReshaping =>
  mergeModes === undefined && split === undefined ? { ...reshaping } : {}

/** What may be changed on the way. */
export type Changes = Partial<
  Pick<Settings, 'lambda' | 'sample' | 'epochs' | 'seconds' | 'tolerance' | 'patience'>
>
const changeable: readonly (keyof Changes)[] = [
  'lambda',
  'sample',
  'epochs',
  'seconds',
  'tolerance',
  'patience',
]

/** The settings with some of them changed, and checked again. */
export function changedSettings(settings: Settings, changes: Changes): Settings {
  for (const name of Object.keys(changes))
    if (!changeable.includes(name as keyof Changes))
      throw new InputError(
        'option',
        sentence`${option(name)} cannot be changed on the way; ${changeable.join(', ')} can.`,
      )
  return checkSettings({ ...settings, ...changes })
}
