/** From entries and settings to a problem on an engine, and what it needs there. */
import { defaultEngine } from '../../engine/defaultEngine.ts'
import type { Engine, LoadedProblem, ProblemSize } from '../../engine/engine.ts'
import {
  isReshaped,
  type ResolvedReshaping,
  refuseGaps,
  reshapedModes,
  reshapeTensor,
  resolveReshaping,
  type SparseTensor,
} from '../../tensor/index.ts'
import { probeSize } from '../methods/fast.ts'
import { learnsPrior } from '../methods/prior.ts'
import { usesStrata } from '../methods/strata.ts'
import type { RunOptions } from '../settings/options.ts'
import { defaults, type Settings } from '../settings/settings.ts'
import { featuresDigest, reshapeSideInformation, sideInformationOf } from '../settings/sideInformation.ts'

export interface Loaded {
  tensor: SparseTensor
  problem: LoadedProblem
  ownEngine: Engine | undefined
  settings: Settings
  options: RunOptions
  /** How long the engine took to make itself at home with the entries. */
  setUpSeconds: number
}

/** The settings that decide what a run needs. */
type Needy = Pick<
  Settings,
  | 'solver'
  | 'rank'
  | 'maxInner'
  | 'missing'
  | 'prior'
  | 'lambda'
  | 'sample'
  | 'lags'
  | 'mergeModes'
  | 'split'
  | 'loss'
>

/** What a run needs beside the entries. */
function needsOf(
  settings: Needy,
  dims: readonly number[],
  hasFeatures = false,
): Pick<ProblemSize, 'rank' | 'momentumFactors' | 'zeros'> & {
  probe?: (entries: number) => number
  posterior?: (entries: number) => boolean
  strata?: (entries: number) => boolean
} {
  const { solver, rank, maxInner, missing } = settings
  if (missing === 'zero') return { rank, momentumFactors: true, zeros: true }
  if (solver === 'paper') return { rank, momentumFactors: maxInner > 1 }
  const posterior = (entries: number): boolean => learnsPrior(settings, { dims, entries, hasFeatures })
  const strata = (entries: number): boolean => usesStrata(settings, { dims, entries })
  return { rank, momentumFactors: true, probe: probeSize, posterior, strata }
}

/** The size of the problem that a run would be, for an engine's plan: before there is a tensor, even. */
export function sizeOfRun(
  tensor: Pick<ProblemSize, 'dims' | 'entries' | 'sets' | 'weighted'>,
  options: Partial<Needy> & Pick<RunOptions, 'features'> = {},
): ProblemSize {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const settings = { ...defaults[options.solver ?? 'fast'], ...given }
  const { dims } = reshapedModes(resolveReshaping(settings, tensor), tensor.dims)
  const { probe, posterior, strata, ...needs } = needsOf(settings, dims, options.features !== undefined)
  const { entries } = tensor
  return {
    ...tensor,
    dims,
    ...needs,
    probe: probe?.(entries),
    posterior: posterior?.(entries),
    strata: strata?.(entries),
  }
}

export async function load(
  tensor: SparseTensor,
  options: RunOptions,
  settings: ReshapedSettings,
): Promise<Loaded> {
  const modes = reshapedModes(settings, tensor.dims)
  const asLearned = (set: SparseTensor): SparseTensor =>
    isReshaped(settings) ? reshapeTensor(set, modes) : set
  const { validation, watch = {}, features } = options
  // What is only looked at counts alike.
  const watched = Object.entries(watch).map(([name, { weights, ...set }]) => [name, set] as const)
  const sets = [...(validation ? [['validation', validation] as const] : []), ...watched]
  const sideInformation = reshapeSideInformation(
    sideInformationOf(tensor, settings.lags, features),
    tensor,
    modes,
  )
  const ownEngine = options.engine ? undefined : defaultEngine(options.threads)
  const engine = options.engine ?? ownEngine!
  try {
    // Several processes find no duplicates while sorting: each has a shard.
    if (isDistributed(options)) tensor.deferredDuplicateCheck?.()
    const start = performance.now()
    const problem = await engine.load({
      tensor: asLearned(tensor),
      sets: Object.fromEntries(sets.map(([name, set]) => [name, asLearned(set)])),
      ...needsOf(settings, modes.dims, features !== undefined),
      ...(sideInformation && { sideInformation }),
      seed: settings.seed,
      threads: options.threads,
      onRepeated: tensor.deferredDuplicateCheck,
    })
    const setUpSeconds = (performance.now() - start) / 1000
    return { tensor, problem, ownEngine, settings, options, setUpSeconds }
  } catch (error) {
    await ownEngine?.close()
    throw error
  }
}

/** Whether the engine runs on several processes, each of which holds some of the entries. */
export const isDistributed = ({ engine }: RunOptions): boolean => (engine?.communicator?.size ?? 1) > 1

/** With the modes that are merged or split by number. */
export type ReshapedSettings = Settings & ResolvedReshaping

export function resolveSettings(settings: Settings, tensor: SparseTensor): ReshapedSettings {
  const fixed = resolveReshaping(settings, tensor)
  if (settings.missing === 'zero') refuseGaps(fixed, tensor.dims)
  return { ...settings, ...fixed }
}

/** Tells entries and attributes from others. */
export const digestOf = ({ problem, options }: Pick<Loaded, 'problem' | 'options'>): string =>
  problem.statistics.digest + featuresDigest(options.features)
