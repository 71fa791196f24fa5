/** Which values of settings make sense, alone and together. */
import { InputError, joinWithOr, type OptionMention, option, sentence } from '../../base/inputError.ts'
import { checkReshaping } from '../../tensor/index.ts'
import { lossNames, missingNames, noiseNames, priorNames, type Settings } from './settings.ts'
import { checkLags } from './sideInformation.ts'

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
    sentence`${option(name)} is '${String(value)}'; there are ${joinWithOr(names.map((name) => `'${name}'`))}.`,
  )

function checkPrior(settings: Settings): void {
  const { prior, noise, loss, lags } = settings
  if (prior === 'learned') refuseWithoutPrior(option('prior', 'learned'), settings)
  if (noise !== 'auto' && noise !== 'gaussian') refuseWithoutPrior(option('noise', noise), settings)
  if (loss === 'huber') refuseWithoutPrior(option('loss', loss), settings)
  if (Object.keys(lags).length > 0) refuseWithoutPrior(option('lags'), settings)
}

/** What only a learned prior can use goes with nothing that rules it out. */
export function refuseWithoutPrior(learned: OptionMention, settings: Settings): void {
  const why = withoutPrior(settings)
  if (why)
    throw new InputError('option', sentence`${learned} does not go with ${why}; leave one of them out.`)
}

/** Whether nothing rules a learned prior out. */
export const mayLearnPrior = (settings: Settings): boolean => withoutPrior(settings) === undefined

function withoutPrior({ prior, solver, lambda, sample, missing }: Settings): OptionMention | undefined {
  if (solver === 'paper') return option('solver', 'paper')
  if (missing === 'zero') return option('missing', 'zero')
  if (lambda !== 'auto') return option('lambda', lambda)
  if (sample !== 'auto' && sample !== 1) return option('sample', sample)
  if (prior === 'isotropic') return option('prior', 'isotropic')
  return undefined
}
