/** Settings as text, as they are typed. */
import { option, type Sentence, sentence, setting } from '../../base/inputError.ts'
import { mergeText, type ResolvedReshaping, splitText } from '../../tensor/index.ts'
import type { Settings } from './settings.ts'
import { lagsText } from './sideInformation.ts'

/** The value of a setting as typed on the command line: `hour=1,24`; '' for empty lags, merges and splits. */
export function settingText(name: keyof Settings, settings: Partial<Settings>): string | number {
  const { mergeModes = [], split = [] } = settings as Partial<ResolvedReshaping>
  if (name === 'lags') return lagsText(settings.lags)
  if (name === 'mergeModes') return mergeModes.map(mergeText).join(' ')
  if (name === 'split') return split.map(splitText).join(' ')
  return settings[name] as string | number
}

/** A setting and its value for a sentence: `with --split 3:24`, or `without --split` where it is empty. */
export function mentionSetting(name: keyof Settings, settings: Partial<Settings>): Sentence {
  const value = settingText(name, settings)
  return value === '' ? sentence`without ${option(name)}` : sentence`with ${setting(name, value)}`
}
