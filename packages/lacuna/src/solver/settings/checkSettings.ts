/** Checks settings: each value, and which of them exclude each other. */
import { InputError, joinWithOr, type OptionMention, option, sentence } from '../../base/inputError.ts'
import { linkNames } from '../../model/index.ts'
import { checkReshaping } from '../../tensor/index.ts'
import { lossNames, missingNames, noiseNames, priorNames, type Settings, timePriorNames } from './settings.ts'
import { checkLags } from './sideInformation.ts'

/** Throws if a setting is out of range or excludes another; else returns the same settings. */
export function checkSettings(settings: Settings): Settings {
  const { solver } = settings
  const settingError = (name: keyof Settings, must: string): InputError =>
    new InputError('option', sentence`${option(name)} is ${String(settings[name])}; it must be ${must}.`)
  /** Throws unless it is a whole number from 1; limits may be Infinity. */
  const checkWhole = (name: 'rank' | 'maxInner' | 'epochs' | 'patience'): void => {
    const value = settings[name]
    const isWhole = Number.isInteger(value) || (value === Infinity && name !== 'rank' && name !== 'maxInner')
    if (!isWhole || value < 1) throw settingError(name, 'a whole number from 1')
  }
  /** Throws unless it is a number that `ok` accepts; λ and c may be 'auto' with the fast solver. */
  const checkNumber = (name: keyof Settings, ok: (x: number) => boolean, must: string): void => {
    const value = settings[name]
    if (value === 'auto' && (name === 'lambda' || name === 'sample')) {
      if (solver === 'paper')
        throw new InputError(
          'option',
          sentence`${option(name)} is 'auto', which the paper's solver does not know; give a number.`,
        )
    } else if (!(typeof value === 'number' && ok(value))) throw settingError(name, must)
  }
  const checkName = (
    name: 'missing' | 'link' | 'prior' | 'noise' | 'loss' | 'timePrior',
    names: readonly string[],
  ): void => {
    if (!names.includes(settings[name])) throw unknownNameError(name, settings[name], names)
  }
  for (const name of ['rank', 'maxInner', 'epochs', 'patience'] as const) checkWhole(name)
  checkNumber('lambda', (x) => x >= 0 && x < Infinity, 'a finite number from 0')
  checkNumber('sample', (x) => x > 0 && x <= 1, 'above 0 and at most 1')
  checkNumber('seconds', (x) => x > 0, 'above 0')
  checkNumber('tolerance', (x) => x >= 0 && x < 1, 'at least 0 and below 1')
  checkNumber('seed', (x) => Number.isSafeInteger(x) && x >= 0, 'a whole number from 0 to 2^53 - 1')
  checkName('missing', missingNames)
  checkName('link', linkNames)
  checkName('prior', priorNames)
  checkName('noise', noiseNames)
  checkName('loss', lossNames)
  checkName('timePrior', timePriorNames)
  checkReshaping(settings)
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

/** Throws if zeros for missing cells do not go with the solver, the link or the sample. */
function checkMissing({ missing, solver, sample, link }: Settings): void {
  if (missing === 'unknown') return
  const mention = option('missing', 'zero')
  if (solver === 'paper')
    throw new InputError('option', sentence`${mention} is nothing that the paper's solver knows.`)
  if (link !== 'identity')
    throw new InputError(
      'option',
      sentence`${mention} does not go with ${option('link', link)}, under which cells without an entry would be predicted above zero; leave one of them out.`,
    )
  if (sample !== 'auto' && sample !== 1)
    throw new InputError(
      'option',
      sentence`${mention} uses all cells at every step, not a share of ${sample} of them; leave ${option('sample')} out.`,
    )
}

/** Error for a setting whose value is none of the names. */
const unknownNameError = (name: keyof Settings, value: unknown, names: readonly string[]): InputError =>
  new InputError(
    'option',
    sentence`${option(name)} is '${String(value)}'; there are ${joinWithOr(names.map((name) => `'${name}'`))}.`,
  )

/** Throws if a setting that needs a learned prior meets one that excludes it. */
function checkPrior(settings: Settings): void {
  const { prior, noise, loss, lags } = settings
  if (prior === 'learned') refuseWithoutPrior(option('prior', 'learned'), settings)
  if (noise !== 'auto' && noise !== 'gaussian') refuseWithoutPrior(option('noise', noise), settings)
  if (loss === 'huber') refuseWithoutPrior(option('loss', loss), settings)
  if (Object.keys(lags).length > 0) refuseWithoutPrior(option('lags'), settings)
}

/**
 * Throws if a setting excludes a learned prior.
 * @param dependent the option that needs the prior, for the message
 */
export function refuseWithoutPrior(dependent: OptionMention, settings: Settings): void {
  const why = priorExclusion(settings)
  if (why)
    throw new InputError('option', sentence`${dependent} does not go with ${why}; leave one of them out.`)
}

/** Whether no setting excludes a learned prior. */
export const mayLearnPrior = (settings: Settings): boolean => priorExclusion(settings) === undefined

/** The first setting that excludes a learned prior, for messages; undefined if none does. */
function priorExclusion({ prior, solver, lambda, sample, missing }: Settings): OptionMention | undefined {
  if (solver === 'paper') return option('solver', 'paper')
  if (missing === 'zero') return option('missing', 'zero')
  if (lambda !== 'auto') return option('lambda', lambda)
  if (sample !== 'auto' && sample !== 1) return option('sample', sample)
  if (prior === 'isotropic') return option('prior', 'isotropic')
  return undefined
}
