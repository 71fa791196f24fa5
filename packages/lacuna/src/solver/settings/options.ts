/** Options of a run: their types with defaults, and the check that turns them into settings. */
import { InputError, joinWithOr, option, sentence } from '../../base/inputError.ts'
import type { Engine, Loss, Noise } from '../../engine/engine.ts'
import { CpModel, type LinkName } from '../../model/index.ts'
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
import type { FeatureSets, Lags, TimePrior } from './sideInformation.ts'

/**
 * Settings of a run; each has a default. With `mergeModes` and `split` several modes are learned as one, or
 * one as several; models still use the modes of the tensor.
 */
export interface RunOptions extends ModeReshaping {
  /** R, the number of components; by default that of `initial` if it is a model, else 10. */
  rank?: number
  /** 'fast' (default), or 'paper': the paper's Algorithm 2, exactly. */
  solver?: SolverName
  /**
   * λ, the weight of the regularization: of the squared norms of the rows with 'paper', of their squared
   * distances from the mean row of their mode with 'fast'. 'auto' derives it from the noise.
   * @default 'auto' with 'fast', 0.01 with 'paper'
   */
  lambda?: number | 'auto'
  /**
   * c, the fraction of each row's entries that a step uses, in (0, 1]; 'auto' starts small and grows.
   * @default 'auto' with 'fast', 0.5 with 'paper'
   */
  sample?: number | 'auto'
  /**
   * What a cell without an entry is: 'unknown' (default), or 'zero', as for counts where events that did not
   * happen are not listed. With 'zero' all cells except those of `validation` and `watch` are trained on, at
   * no more cost.
   */
  missing?: Missing
  /**
   * The function of the values that is learned: 'sqrt', √x, and 'log1p', log(1 + x), make large values count
   * less, as for counts that vary by orders of magnitude. Predictions are means in data units; errors per
   * epoch, and the choice of factors by `validation`, are on the scale of the link. By default that of
   * `initial` if it is a model, else 'identity', the values themselves.
   */
  link?: LinkName
  /**
   * The prior of rows. 'isotropic': rows lie around their mean, equally far in all directions, by the strength of λ.
   * 'learned': mean and covariance of the rows are learned by variational EM, in sweeps that follow when λ
   * has led as far as it can. 'auto' (default): learned unless that would take long; isotropic if λ or c are
   * given.
   */
  prior?: Prior
  /**
   * Variance of the noise, for a learned prior: 'gaussian', constant; 'poisson', proportional to the value;
   * 'auto' (default), a function of the value that is learned; 'row', different for each row of one mode
   * (sensors).
   */
  noise?: Noise
  /**
   * Loss of a residual: 'squares' (default), its square; or 'huber', which grows linearly beyond two standard
   * deviations, for data with outliers.
   */
  loss?: Loss
  /**
   * Distances at which rows of ordered modes are similar, by name or number of the mode: { hour: [1, 24] }, or
   * of several that are one axis of time: { 'day+hour': [1, 24] }; none by default.
   */
  lags?: Lags
  /**
   * The prior of rows with lags: 'coupled' (default), similar to the rows on both sides; or 'autoregressive',
   * regressed on the rows before them, so that rows after the last entry are forecast. Rows on a circle, as the
   * slots of a day, are coupled in any case.
   */
  timePrior?: TimePrior
  /**
   * Attributes of rows as numbers, by name or number of the mode: { film: { columns, values } }; none by
   * default.
   */
  features?: FeatureSets
  /** MAX_INNER, steps per mode and AO iteration, of the paper's solver; 1 by default. */
  maxInner?: number
  /**
   * Stop after this many epochs, each of 1/c AO iterations.
   * @default 500 with 'fast', 100 with 'paper'
   */
  epochs?: number
  /** Stop after this many seconds of solving; pauses do not count; no limit by default. */
  seconds?: number
  /**
   * Stop when an epoch changes the training error by less than this fraction of it. 'fast' judges five epochs
   * together, and an error below 0.1 as if it were 0.1.
   * @default 1e-4 with 'fast', 0 (never) with 'paper'
   */
  tolerance?: number
  /**
   * Held-out entries: their error is reported, and the factors with the smallest one are returned; none by
   * default.
   */
  validation?: SparseTensor
  /**
   * Further entries whose errors are reported, by names of your choice; they influence nothing; none by
   * default.
   */
  watch?: Readonly<Record<string, SparseTensor>>
  /**
   * Stop when the validation error has not improved for this many epochs.
   * @default 10 with 'fast', no limit with 'paper'
   */
  patience?: number
  /**
   * Seed of the initial factors and the samples, a whole number from 0: the same seed gives the same bits; 1
   * by default.
   */
  seed?: number
  /** Worker threads; all cores by default. They do not change the result. */
  threads?: number
  /** Factors to start from, each (I_i × R) row-major, or a model; random ones by default. */
  initial?: CpModel | readonly Float32Array[]
  /** Pauses the run after the current AO iteration when it is aborted; none by default. */
  signal?: AbortSignal
  /** Engine to run on, which stays open; by default the run's own threads, which end with it. */
  engine?: Engine
}

/** Options of `complete`: settings of the run, trials of settings, and a callback. */
export interface CompleteOptions extends RunOptions {
  /**
   * Whether noise, lags and features are tried on held-out entries first, and used where these are predicted
   * better.
   * @default true where lags or features are given
   */
  choose?: boolean
  /** Called after every epoch; none by default. */
  onEpoch?: (report: EpochReport) => void
}

/** Options of `complete` in which the rank may be found by cross-validation. */
export interface AutoRankOptions extends Omit<CompleteOptions, 'rank'> {
  /**
   * R, the number of components, or 'auto': the smallest that cross-validation finds as good as the best; by
   * default that of `initial` if it is a model, else 10.
   */
  rank?: number | 'auto'
}

/** Options of `complete` for cross-fitting. */
export interface FoldedOptions extends Omit<AutoRankOptions, 'onEpoch'> {
  /**
   * Number of models, each fitted without some of the entries: together a better prediction, with an unbiased
   * error.
   */
  folds: number
  /** Called after every epoch of a model, with the number of its fold from 0; none by default. */
  onEpoch?: (report: EpochReport, fold: number) => void
}

/** The names of all options of `complete`; `settingsOf` refuses others. */
const optionNames: readonly (keyof FoldedOptions)[] = [
  'rank',
  'solver',
  'lambda',
  'sample',
  'missing',
  'link',
  'prior',
  'noise',
  'mergeModes',
  'split',
  'loss',
  'lags',
  'timePrior',
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

/**
 * The settings of a run: the options that decide its result, with defaults filled in. Throws if an option is
 * unknown or out of range, or if two exclude each other.
 */
export function settingsOf(options: RunOptions): Settings {
  if (typeof options !== 'object' || options === null)
    throw new InputError('option', `The options are ${options}; they must be an object.`)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [name] of given)
    if (!optionNames.includes(name as keyof FoldedOptions))
      throw new InputError('option', `There is no option ${name}; there are ${optionNames.join(', ')}.`)
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
      sentence`${option('solver')} is '${String(solver)}'; there are ${joinWithOr(solverNames.map((name) => `'${name}'`))}.`,
    )
  const settings = {
    ...defaults[solver],
    ...(initial instanceof CpModel && {
      rank: initial.rank,
      link: initial.link?.name ?? ('identity' as const),
      ...reshapingOf(initial, options),
    }),
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

/** The merged and split modes of the initial model; none if the options give their own. */
const reshapingOf = ({ reshaping }: CpModel, { mergeModes, split }: RunOptions): ModeReshaping =>
  mergeModes === undefined && split === undefined ? { ...reshaping } : {}

/** Settings that can change during a run. */
export type Changes = Partial<
  Pick<Settings, 'lambda' | 'sample' | 'epochs' | 'seconds' | 'tolerance' | 'patience'>
>
/** Names of the settings that can change during a run. */
const changeable: readonly (keyof Changes)[] = [
  'lambda',
  'sample',
  'epochs',
  'seconds',
  'tolerance',
  'patience',
]

/** The settings with changes; throws if a setting cannot change during a run, or the result is invalid. */
export function changedSettings(settings: Settings, changes: Changes): Settings {
  for (const name of Object.keys(changes))
    if (!changeable.includes(name as keyof Changes))
      throw new InputError(
        'option',
        sentence`${option(name)} cannot be changed on the way; ${changeable.join(', ')} can.`,
      )
  return checkSettings({ ...settings, ...changes })
}

/**
 * Whether settings are chosen by trials where `choose` is not given: true if there are lags or attributes,
 * which help on some data and hurt on other.
 */
export const choosesByDefault = ({ lags = {}, features }: RunOptions): boolean =>
  Object.keys(lags).length > 0 || features !== undefined
