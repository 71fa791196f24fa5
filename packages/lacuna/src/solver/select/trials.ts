/**
 * Trials: settings that help on some data and hurt on other are tried on held-out entries, one change at a
 * time, and used where these entries are predicted better. choose.ts holds out a tenth of the entries,
 * chooseByFolds.ts cross-fits.
 */
import type { Shape } from '../../base/jsonShape.ts'
import type { Noise } from '../../engine/engine.ts'
import type { FoldError, LinkName } from '../../model/index.ts'
import type { FoldBy } from '../../tensor/index.ts'
import { mayLearnPrior } from '../settings/checkSettings.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import type { TimePrior } from '../settings/sideInformation.ts'

/** Settings that were tried, and their error on held-out entries; plain data. */
export interface Trial {
  /** Noise model. */
  noise: Noise
  /** Whether lags were used; in a cross-fit the lags as typed, '' for none. */
  lags: boolean | string
  /** Whether attributes of rows were used. */
  features: boolean
  /** Root mean square error on the held-out entries; of one run with a link, on its scale. */
  rmse: number
}

/** Trials on held-out entries of one run, and the settings that they chose; plain data. */
export interface Choice {
  /** Description of what was held out together; undefined where validation entries were given. */
  by?: string
  /** Number of held-out entries. */
  entries: number
  /** All trials, in the order in which they were made. */
  trials: Trial[]
  /** The trial whose settings are used. */
  chosen: Trial
}

/** The settings of a trial of a cross-fit, which identify it. */
export interface TrialSettings extends Pick<Trial, 'noise' | 'features'> {
  /** R, the number of components. */
  rank: number
  /** λ, where unlisted cells are zeros; undefined for the automatic one, which is 0. */
  lambda?: number
  /** The link; undefined for 'identity'. */
  link?: Exclude<LinkName, 'identity'>
  /** Lags as typed, such as `hour=1,24`; '' for none. */
  lags: string
  /** The prior of rows with lags; undefined for 'coupled'. */
  timePrior?: Exclude<TimePrior, 'coupled'>
  /** Merged modes as typed, such as `1,2`; '' for none. */
  merged: string
  /** Split modes as typed, such as `3:24`; '' for none. */
  split: string
}

/** Settings that were tried by cross-fitting, and their out-of-fold error; plain data. */
export interface FoldTrial extends TrialSettings, Pick<Trial, 'rmse'> {
  /**
   * RMSE in which no single block has more than a small part, by which trials are compared; undefined where
   * it is `rmse`.
   */
  criterion?: number
  /** Standard error of `rmse`, from the differences between folds. */
  spread: number
  /** Folds that were fitted; fewer than all where the trial was given up, or made on the first folds only. */
  folds: number
  /** Whether the trial was meant to be made on the first folds only. */
  isScreening?: boolean
  /** The error on each fold that was fitted. */
  foldErrors: FoldError[]
}

/** The trials of a search by cross-fitting and the one that was chosen; plain data. */
export interface FoldChoice {
  /** All trials, by rank. */
  trials: FoldTrial[]
  /** The trial whose settings are used; where several are combined, that of the largest weight. */
  chosen: FoldTrial
  /** The trials whose models are combined, with their weights, the largest first; undefined for one. */
  combined?: { trial: FoldTrial; weight: number }[]
  /** Whether the time was up before everything had been tried. */
  isCut: boolean
}

/** The trials by which settings were chosen before a run; plain data. */
export interface Selection {
  /** Trials of noise, lags and features. */
  choice?: Choice
  /** Trials of ranks. */
  ranks?: FoldChoice
  /** What stayed together in the folds of these; undefined in checkpoints of earlier versions. */
  foldBy?: FoldBy
}

/** The shape of a FoldTrial in JSON. */
export const foldTrialShape: Shape = {
  rank: 'number',
  noise: 'string',
  'lambda?': 'number',
  'link?': 'string',
  lags: 'string',
  'timePrior?': 'string',
  features: 'boolean',
  merged: 'string',
  split: 'string',
  rmse: 'number',
  'criterion?': 'number',
  spread: 'number',
  folds: 'number',
  'isScreening?': 'boolean',
  foldErrors: [{ squares: 'number', entries: 'number', 'capped?': 'number' }],
}

const trialShape: Shape = { noise: 'string', lags: 'boolean', features: 'boolean', rmse: 'number' }

/** The shape of a FoldBy in JSON. */
export const foldByShape: Shape = [{ mode: 'number', length: 'number', 'divided?': 'number' }]

/** The shape of a Selection in JSON. */
export const selectionShape: Shape = {
  'choice?': { 'by?': 'string', entries: 'number', trials: [trialShape], chosen: trialShape },
  'ranks?': { trials: [foldTrialShape], chosen: foldTrialShape, isCut: 'boolean' },
  'foldBy?': foldByShape,
}

/** The options that a trial can change. */
export type TrialChanges = Pick<
  RunOptions,
  'rank' | 'lambda' | 'noise' | 'link' | 'lags' | 'timePrior' | 'features' | 'mergeModes' | 'split'
>

/** The error by which trials are compared. */
export const criterionOf = ({ criterion, rmse }: Pick<FoldTrial, 'criterion' | 'rmse'>): number =>
  criterion ?? rmse

/** A trial replaces the best one so far if its RMSE is smaller by more than this fraction. */
const LEAST_CHANGE = 1e-3

/**
 * The settings of a trial in words: `rank 8, noise row, lags hour=1,24`. `noise auto` is left out if there is
 * a rank, so that the text is never empty.
 */
export function trialName(
  trial: Omit<Trial, 'rmse'> &
    Partial<Pick<TrialSettings, 'rank' | 'lambda' | 'link' | 'timePrior' | 'merged' | 'split'>>,
): string {
  const { rank, lambda, noise, link, lags, timePrior, features, merged, split } = trial
  return [
    ...(rank === undefined ? [] : [`rank ${rank}`]),
    ...(rank !== undefined && noise === 'auto' ? [] : [`noise ${noise}`]),
    ...(lambda === undefined ? [] : [`λ ${Number(lambda.toPrecision(3))}`]),
    ...(link ? [`link ${link}`] : []),
    ...(lags ? [lags === true ? 'lags' : `lags ${lags}`] : []),
    ...(lags && timePrior ? [timePrior] : []),
    ...(features ? ['features'] : []),
    ...(merged ? [`merged ${merged}`] : []),
    ...(split ? [`split ${split}`] : []),
  ].join(', ')
}

/**
 * Single changes of the options that are worth a trial: without lags, with autoregressive ones, without
 * features, another noise model instead of `auto`. These are left out where a setting excludes a learned prior.
 * @param byFolds whether trials are cross-fits: then also autoregressive lags, and modes that are neither
 * merged nor split
 */
export function alternativeChanges(options: RunOptions, byFolds: boolean): TrialChanges[] {
  const settings = settingsOf(options)
  const { noise, lags, timePrior, mergeModes, split } = settings
  const isReshaped = mergeModes.length > 0 || split.length > 0
  const priorChanges: TrialChanges[] = [
    ...(Object.keys(lags).length > 0 ? [{ lags: {} }, ...(byFolds ? autoregression(timePrior) : [])] : []),
    ...(options.features ? [{ features: undefined }] : []),
    ...(noise === 'auto' ? [{ noise: 'gaussian' as const }, { noise: 'row' as const }] : []),
  ]
  return [
    ...(mayLearnPrior(settings) ? priorChanges : []),
    ...(byFolds && isReshaped ? [{ mergeModes: [], split: [] }] : []),
  ]
}

/** The autoregressive prior in place of the coupled one. */
const autoregression = (timePrior: TimePrior): TrialChanges[] =>
  timePrior === 'coupled' ? [{ timePrior: 'autoregressive' }] : []

/**
 * Greedy search: tries each alternative together with the best changes so far, and adds it to them if the
 * error (`criterionOf`) falls by more than 0.1%.
 * @param first the trial of `changes`
 * @param attempt runs a trial; undefined if it was interrupted or there is no time left for it
 * @returns the best trial with its changes; isCut if not everything could be tried
 */
export async function searchAlternatives<T extends Trial>(
  first: T,
  changes: TrialChanges,
  alternatives: readonly TrialChanges[],
  attempt: (changes: TrialChanges, best: T) => Promise<T | undefined>,
): Promise<{ chosen: T; changes: TrialChanges; isCut: boolean }> {
  let best = { chosen: first, changes }
  for (const alternative of alternatives) {
    const combined = { ...best.changes, ...alternative }
    const trial = await attempt(combined, best.chosen)
    if (!trial) return { ...best, isCut: true }
    if (criterionOf(trial) < (1 - LEAST_CHANGE) * criterionOf(best.chosen))
      best = { chosen: trial, changes: combined }
  }
  return { ...best, isCut: false }
}
