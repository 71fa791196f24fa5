/** Settings as text, as they are typed. */
import { option, type Sentence, sentence, setting } from '../../base/inputError.ts'
import { mergeText, type ResolvedReshaping, splitText } from '../../tensor/index.ts'
import type { Settings } from './settings.ts'
import { lagsText } from './sideInformation.ts'

/** The value of an option as typed; '' where no mode is named. */
export function asTyped(name: keyof Settings, settings: Partial<Settings>): string | number {
  const { mergeModes = [], split = [] } = settings as Partial<ResolvedReshaping>
  if (name === 'lags') return lagsText(settings.lags)
  if (name === 'mergeModes') return mergeModes.map(mergeText).join(' ')
  if (name === 'split') return split.map(splitText).join(' ')
  return settings[name] as string | number
}

/** An option and its value in a sentence: with --split 3:24, without --split. */
export function withOption(name: keyof Settings, settings: Partial<Settings>): Sentence {
  const value = asTyped(name, settings)
  return value === '' ? sentence`without ${option(name)}` : sentence`with ${setting(name, value)}`
}
