import type { Engine, Loss, Noise } from '../engine/engine.ts'
import {
  InputError,
  type OptionMention,
  oneOf,
  option,
  type Sentence,
  sentence,
  setting,
} from '../inputError.ts'
import { CpModel } from '../model/index.ts'
import {
  type Arrangement,
  checkArrangement,
  type FixedArrangement,
  mergeText,
  splitText,
} from '../tensor/arrangement.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { checkNotEmpty, checkShape } from '../tensor/sparseTensor.ts'
import type { EpochReport } from './report.ts'
import { checkLags, type FeatureSets, type Lags, lagsText } from './sides.ts'

/**
 * Settings of a run; each has a default. `mergeModes` and `split` say which modes are learned as one, and which as several:
 * the model still speaks of those of the tensor.
 */
export interface RunOptions extends Arrangement {
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

export type Prior = 'auto' | 'learned' | 'isotropic'
export const priorNames: readonly Prior[] = ['auto', 'learned', 'isotropic']
export const noiseNames: readonly Noise[] = ['auto', 'gaussian', 'poisson', 'row']
export const lossNames: readonly Loss[] = ['squares', 'huber']

export type Missing = 'unknown' | 'zero'
export const missingNames: readonly Missing[] = ['unknown', 'zero']

export type SolverName = 'fast' | 'paper'
export const solverNames: readonly SolverName[] = ['fast', 'paper']

/** The options that decide the result, complete and checked. */
export interface Settings extends Required<Arrangement> {
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

const known: readonly (keyof CompleteOptions)[] = [
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
  'onEpoch',
]

/** Checks what TypeScript lets through: options nobody knows, and values that make no sense. */
export function settingsOf(options: RunOptions): Settings {
  if (typeof options !== 'object' || options === null)
    throw new InputError('option', `The options are ${options}; they must be an object.`)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [name] of given)
    if (!known.includes(name as keyof CompleteOptions))
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
    ...(initial instanceof CpModel && { rank: initial.rank, ...arrangementOf(initial, options) }),
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
const arrangementOf = ({ arrangement }: CpModel, { mergeModes, split }: RunOptions): Arrangement =>
  mergeModes === undefined && split === undefined ? { ...arrangement } : {}

/** The value of an option as one types it; nothing where nothing is said of any mode. */
export function asTyped(name: keyof Settings, settings: Partial<Settings>): string | number {
  const { mergeModes = [], split = [] } = settings as Partial<FixedArrangement>
  if (name === 'lags') return lagsText(settings.lags)
  if (name === 'mergeModes') return mergeModes.map(mergeText).join(' ')
  if (name === 'split') return split.map(splitText).join(' ')
  return settings[name] as string | number
}

/** An option and its value, in a sentence: with --split 3:24, without --split. */
export function withOption(name: keyof Settings, settings: Partial<Settings>): Sentence {
  const value = asTyped(name, settings)
  return value === '' ? sentence`without ${option(name)}` : sentence`with ${setting(name, value)}`
}

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

export function checkSettings(settings: Settings): Settings {
  const { solver } = settings
  const wrong = (name: keyof Settings, must: string): InputError =>
    new InputError('option', sentence`${option(name)} is ${String(settings[name])}; it must be ${must}.`)
  const whole = (name: 'rank' | 'maxInner' | 'epochs' | 'patience'): void => {
    const value = settings[name]
    const isWhole = Number.isInteger(value) || (value === Infinity && name !== 'rank' && name !== 'maxInner')
    if (!isWhole || value < 1) throw wrong(name, 'a whole number from 1')
  }
  const number = (name: keyof Settings, ok: (x: number) => boolean, must: string): void => {
    const value = settings[name]
    if (value === 'auto' && (name === 'lambda' || name === 'sample')) {
      if (solver === 'paper')
        throw new InputError(
          'option',
          sentence`${option(name)} is 'auto', which the paper's solver does not know; give a number.`,
        )
    } else if (!(typeof value === 'number' && ok(value))) throw wrong(name, must)
  }
  const oneOfThese = (name: 'missing' | 'prior' | 'noise' | 'loss', names: readonly string[]): void => {
    if (!names.includes(settings[name])) throw wrongName(name, settings[name], names)
  }
  for (const name of ['rank', 'maxInner', 'epochs', 'patience'] as const) whole(name)
  number('lambda', (x) => x >= 0 && x < Infinity, 'a finite number from 0')
  number('sample', (x) => x > 0 && x <= 1, 'above 0 and at most 1')
  number('seconds', (x) => x > 0, 'above 0')
  number('tolerance', (x) => x >= 0 && x < 1, 'at least 0 and below 1')
  number('seed', (x) => Number.isSafeInteger(x) && x >= 0, 'a whole number from 0 to 2^53 - 1')
  oneOfThese('missing', missingNames)
  oneOfThese('prior', priorNames)
  oneOfThese('noise', noiseNames)
  oneOfThese('loss', lossNames)
  checkArrangement(settings)
  checkLags(settings.lags)
  checkMissing(settings)
  checkPrior(settings)
  if (solver === 'fast' && settings.maxInner !== 1)
    throw new InputError(
      'option',
      sentence`${option('maxInner')} is ${settings.maxInner}; only the paper's solver takes inner steps.`,
    )
  return settings
}

function checkMissing({ missing, solver, sample }: Settings): void {
  if (missing === 'unknown') return
  const mention = option('missing', 'zero')
  if (solver === 'paper')
    throw new InputError('option', sentence`${mention} is nothing that the paper's solver knows.`)
  if (sample !== 'auto' && sample !== 1)
    throw new InputError(
      'option',
      sentence`${mention} uses all cells at every step, not a share of ${sample} of them; leave ${option('sample')} out.`,
    )
}

const wrongName = (name: keyof Settings, value: unknown, names: readonly string[]): InputError =>
  new InputError(
    'option',
    sentence`${option(name)} is '${String(value)}'; there are ${oneOf(names.map((name) => `'${name}'`))}.`,
  )

function checkPrior(settings: Settings): void {
  const { prior, noise, loss, lags } = settings
  if (prior === 'learned') refuseWithoutPrior(option('prior', 'learned'), settings)
  if (noise !== 'auto' && noise !== 'gaussian') refuseWithoutPrior(option('noise', noise), settings)
  if (loss === 'huber') refuseWithoutPrior(option('loss', loss), settings)
  if (Object.keys(lags).length > 0) refuseWithoutPrior(option('lags'), settings)
}

/** What only a learned prior can use goes with nothing that rules it out. */
function refuseWithoutPrior(
  learned: OptionMention,
  { prior, solver, lambda, sample, missing }: Settings,
): void {
  const refused = (why: string | OptionMention): InputError =>
    new InputError('option', sentence`${learned} does not go with ${why}; leave one of them out.`)
  if (solver === 'paper') throw refused(option('solver', 'paper'))
  if (missing === 'zero') throw refused(option('missing', 'zero'))
  if (lambda !== 'auto') throw refused(option('lambda', lambda))
  if (sample !== 'auto' && sample !== 1) throw refused(option('sample', sample))
  if (prior === 'isotropic') throw refused(option('prior', 'isotropic'))
}

/** Names that sets of entries cannot have: the engine has them. */
const TAKEN = ['train', 'probe', 'validation']

/** The tensor and what belongs to it, as far as can be said without looking at the entries: the engine looks at them. */
/** `isShare`: these are the entries of one process of several, which may have none. */
export function checkEntries(
  tensor: SparseTensor,
  { validation, watch = {} }: RunOptions,
  isShare = false,
): void {
  checkTensor(tensor, 'The tensor', undefined, isShare)
  if (validation !== undefined) checkTensor(validation, option('validation'), tensor.dims, isShare)
  if (typeof watch !== 'object' || watch === null)
    throw new InputError(
      'option',
      sentence`${option('watch')} must be an object of sets of entries, by their names.`,
    )
  for (const [name, set] of Object.entries(watch)) {
    if (TAKEN.includes(name))
      throw new InputError('option', sentence`${option('watch')} has a set '${name}'; choose another name.`)
    checkTensor(set, `The watched set '${name}'`, tensor.dims, isShare)
  }
}

function checkTensor(
  set: SparseTensor,
  what: string | OptionMention,
  dims: readonly number[] | undefined,
  isShare: boolean,
): void {
  const isTensor =
    typeof set === 'object' && set !== null && Array.isArray(set.dims) && Array.isArray(set.indices)
  if (!isTensor)
    throw new InputError(
      'shape',
      sentence`${what} is ${set === undefined || set === null ? 'missing' : 'no tensor'}; give dims, indices and values, as sparseTensor makes them.`,
    )
  if (!(set.values instanceof Float32Array))
    throw new InputError('shape', sentence`${what} has values that are no Float32Array.`)
  set.indices.forEach((column, mode) => {
    if (!(column instanceof Uint32Array))
      throw new InputError(
        'shape',
        sentence`${what} has indices of mode ${mode + 1} that are no Uint32Array.`,
      )
  })
  if (dims && set.dims.join() !== dims.join())
    throw new InputError(
      'shape',
      sentence`${what} is of size ${set.dims.join('×')}, the training entries of ${dims.join('×')}.`,
    )
  checkShape(set)
  if (!isShare) checkNotEmpty(set.values.length)
}
