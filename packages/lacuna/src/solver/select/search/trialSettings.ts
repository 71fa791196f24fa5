/** The settings that identify a trial, by which a saved search finds the trials that it has made. */
import { type RunOptions, settingsOf } from '../../settings/options.ts'
import { settingText } from '../../settings/settingText.ts'
import type { FoldTrial, TrialSettings } from '../trials.ts'

/** The settings that identify a trial with these options, defaults filled in. */
export function trialSettings(options: RunOptions): TrialSettings {
  const settings = settingsOf(options)
  const { lambda, link, missing, timePrior } = settings
  const lags = String(settingText('lags', settings))
  return {
    rank: settings.rank,
    noise: settings.noise,
    ...(missing === 'zero' && lambda !== 'auto' && { lambda }),
    ...(link !== 'identity' && { link }),
    lags,
    ...(lags !== '' && timePrior !== 'coupled' && { timePrior }),
    features: options.features !== undefined,
    merged: String(settingText('mergeModes', settings)),
    split: String(settingText('split', settings)),
  }
}

/** Identifies a trial by its settings, as JSON. */
export const trialKey = (trial: FoldTrial): string => {
  const { rank, noise, lambda, link, lags, timePrior, features, merged, split } = trial
  return JSON.stringify({
    ...{ rank, noise, lambda, link, lags, timePrior, features, merged, split },
  } satisfies TrialSettings)
}
