/**
 * Noise, neighbours and attributes help on some data and hurt on other: they are tried on entries that are held out, and kept
 * where these are predicted better. All trials go out from the factors that λ has led to.
 */
import { defaultEngine } from '../../engine/defaultEngine.ts'
import type { Noise } from '../../engine/engine.ts'
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
import { type RunOptions, settingsOf } from '../settings/options.ts'
import { featuresDigest } from '../settings/sideInformation.ts'

/** Settings that were tried, and the error of what was held out. */
export interface Trial {
  noise: Noise
  lags: boolean
  features: boolean
  rmse: number
}

/** How settings were chosen; plain data. */
export interface Choice {
  /** In words, what of the entries was held out together; undefined where they were given as validation entries. */
  by?: string
  /** How many entries were held out. */
  entries: number
  trials: Trial[]
  chosen: Trial
}

/** One in so many groups of entries is held out. */
const HELD_OUT = 10
/** What differs from the settings given must be better by this share. */
const LEAST_GAIN = 1e-3

/** Whether these options leave anything to choose. */
function hasChoice({ noise = 'auto', lags = {}, features }: RunOptions): boolean {
  return noise === 'auto' || Object.keys(lags).length > 0 || features !== undefined
}

/** Whether settings are tried without being asked to: where something was given that may hurt. */
export const choosesByDefault = ({ lags = {}, features }: RunOptions): boolean =>
  Object.keys(lags).length > 0 || features !== undefined

export interface Chosen {
  /** With what was chosen in them; as they were if no prior is learned, or at an interruption. */
  options: RunOptions
  choice?: Choice
  /** Where the run can go on from, if the trials learned from the same entries. */
  state?: RunState
}

export async function chooseSettings(
  tensor: SparseTensor,
  options: RunOptions,
  { by, onTrial }: { by?: FoldBy; onTrial?: (trial: Trial) => void } = {},
): Promise<Chosen> {
  const { seed } = settingsOf(options)
  if (!hasChoice(options)) return { options }
  const groups = by ?? gapsOf(tensor)
  const held = options.validation
    ? { train: tensor, out: options.validation }
    : splitFold(tensor, foldsOf(tensor, groups, HELD_OUT, seed), 0)
  if (held.out.values.length === 0 || held.train.values.length === 0) return { options }
  const engine = options.engine ?? defaultEngine(options.threads)
  const isSame = held.train === tensor
  // The sets that are watched are known by what goes on from here.
  const { watch, ...rest } = options
  const trying = { ...rest, ...(isSame && { watch }), engine, validation: held.out }
  try {
    const start = await startOfPrior(held.train, trying)
    if (!start) return { options }
    const trials: Trial[] = []
    const attempt = async (changes: Changes): Promise<Trial | undefined> => {
      const trial = await finish(start, held.train, { ...trying, ...changes })
      if (trial) {
        trials.push(trial)
        onTrial?.(trial)
      }
      return trial
    }
    let changes: Changes = {}
    let best = await attempt(changes)
    for (const other of alternatives(options)) {
      const trial = best && (await attempt({ ...changes, ...other }))
      if (!best || !trial) return { options }
      if (trial.rmse >= (1 - LEAST_GAIN) * best.rmse) continue
      best = trial
      changes = { ...changes, ...other }
    }
    if (!best) return { options }
    const choice = {
      by: isSame ? undefined : describeFoldBy(groups, tensor),
      entries: held.out.values.length,
      trials,
      chosen: best,
    }
    const chosen = { ...options, ...changes }
    return { options: chosen, choice, ...(isSame && { state: withSettings(start, chosen) }) }
  } finally {
    if (!options.engine) await engine.close()
  }
}

type Changes = Pick<RunOptions, 'noise' | 'lags' | 'features'>

/** What may be better than what was given, one at a time. */
export function alternatives({ noise = 'auto', lags = {}, features }: RunOptions): Changes[] {
  return [
    ...(Object.keys(lags).length > 0 ? [{ lags: {} }] : []),
    ...(features ? [{ features: undefined }] : []),
    ...(noise === 'auto' ? [{ noise: 'gaussian' as const }, { noise: 'row' as const }] : []),
  ]
}

/** The run where λ has led as far as it can; undefined if no prior follows. */
async function startOfPrior(train: SparseTensor, options: RunOptions): Promise<RunState | undefined> {
  const run = await Run.start(train, options)
  try {
    while (!run.isBeforePrior) if (!(await run.advance())) return undefined
    return await run.state()
  } finally {
    await run.close()
  }
}

/** The sweeps under a learned prior with these settings; undefined if they were interrupted. */
async function finish(start: RunState, train: SparseTensor, options: RunOptions): Promise<Trial | undefined> {
  const { noise = 'auto', lags = {}, features } = options
  const run = await Run.resume(withSettings(start, options), train, options)
  try {
    while (await run.advance());
    if (!run.stopped) return undefined
    // A run without validation entries ends with its last sweep, whatever was better on the way.
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

/** As if the run had begun with these. */
function withSettings(start: RunState, { noise = 'auto', lags = {}, features }: RunOptions): RunState {
  const [entries] = start.digest.split('|')
  return {
    ...start,
    settings: { ...start.settings, noise, lags },
    digest: entries + featuresDigest(features),
  }
}
