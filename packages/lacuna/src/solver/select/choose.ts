/**
 * Noise, lags and attributes by trials on entries that are held out of one run. All trials continue from the
 * factors that λ alone leads to, and differ in the sweeps under a learned prior that follow.
 */
import { defaultEngine } from '../../engine/defaultEngine.ts'
import {
  describeFoldBy,
  type FoldBy,
  foldsOf,
  gapsOf,
  type SparseTensor,
  splitFold,
} from '../../tensor/index.ts'
import { Run } from '../run/run.ts'
import type { RunState } from '../run/runState.ts'
import { choosesByDefault, type RunOptions, settingsOf } from '../settings/options.ts'
import { featuresDigest } from '../settings/sideInformation.ts'
import {
  alternativeChanges,
  type Choice,
  searchAlternatives,
  type Trial,
  type TrialChanges,
} from './trials.ts'

/** Number of folds of which one is held out: a tenth of the entries. */
const HELD_OUT_FOLDS = 10

/** The settings that trials chose, and a run to continue with. */
export interface Chosen {
  /** The options with the chosen settings; as given if no prior is learned, or after an interruption. */
  options: RunOptions
  /** The trials; undefined where none were made, or after an interruption. */
  choice?: Choice
  /**
   * State to continue the run from; only where the trials were trained on the same entries, with validation
   * entries.
   */
  state?: RunState
}

/**
 * Chooses noise model, lags and attributes by trials on held-out entries: the validation entries if there are
 * any, else a tenth of the entries. Returns the options as given where there is nothing to try, a set would
 * be empty, no prior is learned, or the trials were interrupted.
 * @param by what is held out together; by default as cells are missing
 * @param onTrial called after every trial
 */
export async function chooseSettings(
  tensor: SparseTensor,
  options: RunOptions,
  { by, onTrial }: { by?: FoldBy; onTrial?: (trial: Trial) => void } = {},
): Promise<Chosen> {
  const { seed, noise } = settingsOf(options)
  if (noise !== 'auto' && !choosesByDefault(options)) return { options }
  const groups = by ?? gapsOf(tensor)
  const held = options.validation
    ? { train: tensor, out: options.validation }
    : splitFold(tensor, foldsOf(tensor, groups, HELD_OUT_FOLDS, seed), 0)
  if (held.out.values.length === 0 || held.train.values.length === 0) return { options }
  const engine = options.engine ?? defaultEngine(options.threads)
  const isSame = held.train === tensor
  const { watch, ...rest } = options
  // A run that continues from here must have loaded the watched sets, too.
  const trialOptions = { ...rest, watch: isSame ? watch : undefined, engine, validation: held.out }
  try {
    const start = await runUntilPrior(held.train, trialOptions)
    if (!start) return { options }
    const trials: Trial[] = []
    const attempt = async (changes: TrialChanges): Promise<Trial | undefined> => {
      const trial = await runTrial(start, held.train, { ...trialOptions, ...changes })
      if (trial) {
        trials.push(trial)
        onTrial?.(trial)
      }
      return trial
    }
    const first = await attempt({})
    if (!first) return { options }
    const found = await searchAlternatives(first, {}, alternativeChanges(options, false), attempt)
    if (found.isCut) return { options }
    const choice: Choice = {
      by: isSame ? undefined : describeFoldBy(groups, tensor),
      entries: held.out.values.length,
      trials,
      chosen: found.chosen,
    }
    const chosen = { ...options, ...found.changes }
    return { options: chosen, choice, state: isSame ? withTrialSettings(start, chosen) : undefined }
  } finally {
    if (!options.engine) await engine.close()
  }
}

/**
 * Runs until the first sweep under a learned prior is next, and returns the state of the run; undefined if
 * the run ends without such sweeps or was interrupted.
 */
async function runUntilPrior(train: SparseTensor, options: RunOptions): Promise<RunState | undefined> {
  const run = await Run.start(train, options)
  try {
    while (!run.isBeforePrior) if (!(await run.advance())) return undefined
    return await run.state()
  } finally {
    await run.close()
  }
}

/**
 * Makes a trial: continues a run from its state with other noise, lags and attributes until it ends.
 * @param start the state before the first sweep under a learned prior
 * @returns the trial with the RMSE of the last sweep on the validation entries; undefined if it was
 * interrupted
 */
async function runTrial(
  start: RunState,
  train: SparseTensor,
  options: RunOptions,
): Promise<Trial | undefined> {
  const { noise = 'auto', lags = {}, features } = options
  const run = await Run.resume(withTrialSettings(start, options), train, options)
  try {
    while (await run.advance());
    if (!run.stopped) return undefined
    // A run without validation entries ends with its last sweep, even if an earlier one was better.
    const { validation } = run.reports[run.reports.length - 1]
    return {
      noise,
      lags: Object.keys(lags).length > 0,
      features: features !== undefined,
      rmse: validation!.rmse,
    }
  } finally {
    await run.close()
  }
}

/** A copy of the state as if the run had been started with the noise, lags and attributes of the options. */
function withTrialSettings(start: RunState, { noise = 'auto', lags = {}, features }: RunOptions): RunState {
  const [entries] = start.digest.split('|')
  return {
    ...start,
    settings: { ...start.settings, noise, lags },
    digest: entries + featuresDigest(features),
  }
}
