/** Loads entries onto an engine as a problem, with what the settings of a run need there. */
import { InputError, option, type Sentence, sentence } from '../../base/inputError.ts'
import { singleProcess } from '../../comm/index.ts'
import { defaultEngine } from '../../engine/defaultEngine.ts'
import type { Covariances, Engine, EngineState, LoadedProblem, ProblemSize } from '../../engine/engine.ts'
import { type LinkName, linkTensor } from '../../model/index.ts'
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
import { covariancesOf } from '../methods/prior.ts'
import { usesStrata } from '../methods/strata.ts'
import type { RunOptions } from '../settings/options.ts'
import { defaults, type Settings } from '../settings/settings.ts'
import { featuresDigest, sideInformationOf } from '../settings/sideInformation.ts'

/** A problem that has been loaded for a run. */
export interface Loaded {
  /** The training entries. */
  tensor: SparseTensor
  /** The problem on its engine. */
  problem: LoadedProblem
  /** The engine, if it was opened for this run and is to be closed with it. */
  ownEngine: Engine | undefined
  /** The settings of the run. */
  settings: Settings
  /** The options of the run. */
  options: RunOptions
  /** Seconds that the engine took to load the entries. */
  setUpSeconds: number
}

/** The settings that determine what a run needs of the engine. */
type NeedSettings = Pick<
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

/**
 * What a run needs of the engine beside the entries: momentum factors, and as functions of the number of
 * training entries the size of the probe, the covariances that are needed, and whether the grid of strata is.
 * @param dims sizes of the reshaped modes
 */
function needsOf(
  settings: NeedSettings,
  dims: readonly number[],
  hasFeatures = false,
): Pick<ProblemSize, 'rank' | 'momentumFactors' | 'zeros'> & {
  probe?: (entries: number) => number
  posterior?: (entries: number) => Covariances | undefined
  strata?: (entries: number) => boolean
} {
  const { solver, rank, maxInner, missing } = settings
  if (missing === 'zero') return { rank, momentumFactors: true, zeros: true }
  if (solver === 'paper') return { rank, momentumFactors: maxInner > 1 }
  const posterior = (entries: number): Covariances | undefined =>
    covariancesOf(settings, { dims, entries, hasFeatures })
  const strata = (entries: number): boolean => usesStrata(settings, { dims, entries })
  return { rank, momentumFactors: true, probe: probeSize, posterior, strata }
}

/**
 * The size of a run's problem, for `Engine.plan`; sizes of the tensor suffice, its entries are not needed.
 */
export function sizeOfRun(
  tensor: Pick<ProblemSize, 'dims' | 'entries' | 'sets' | 'weighted'>,
  options: Partial<NeedSettings> & Pick<RunOptions, 'features'> = {},
): ProblemSize {
  const settings = withDefaults(options)
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

/** The settings that the options give, with defaults for the others. */
function withDefaults(options: Partial<NeedSettings>): NeedSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return { ...defaults[options.solver ?? 'fast'], ...given }
}

/**
 * The notice that no prior is learned by default because the problem is too large for that; undefined if one is
 * learned, or other options exclude it.
 * @param size of the run, as from sizeOfRun
 */
export function priorRemark(
  { dims, entries }: ProblemSize,
  options: Partial<NeedSettings> = {},
): Sentence | undefined {
  const settings = withDefaults(options)
  const isLearned = (size: { dims: readonly number[]; entries: number }): boolean =>
    covariancesOf(settings, size) !== undefined
  const isTooLarge = !isLearned({ dims, entries }) && isLearned({ dims: dims.map(() => 1), entries: 1 })
  if (settings.prior !== 'auto' || !isTooLarge) return undefined
  return sentence`With so many entries or rows no prior is learned at rank ${settings.rank}, since it would take too long or too much memory, and a rank that is too large may cost accuracy: use a smaller ${option('rank')}, or ${option('prior', 'learned')} and wait.`
}

/**
 * Loads the entries and the held-out sets onto the engine, with values on the scale of the link, and modes
 * merged and split, as the settings say. Opens an engine if the options give none; throws if side information
 * or entries are invalid.
 * @param saved the state to resume, whose covariances depend on the settings that its run was started with;
 * undefined for a new run
 */
export async function load(
  tensor: SparseTensor,
  options: RunOptions,
  settings: ResolvedSettings,
  saved?: EngineState,
): Promise<Loaded> {
  const modes = reshapedModes(settings, tensor.dims)
  const transform = (set: SparseTensor): SparseTensor => {
    const linked = linkTensor(set, settings.link)
    return isReshaped(settings) ? reshapeTensor(linked, modes) : linked
  }
  const { validation, watch = {}, features } = options
  // Errors of watched sets are not weighted.
  const watched = Object.entries(watch).map(([name, { weights, ...set }]) => [name, set] as const)
  const sets = [...(validation ? [['validation', validation] as const] : []), ...watched]
  const sideInformation = sideInformationOf(tensor, modes, settings, features)
  const ownEngine = options.engine ? undefined : defaultEngine(options.threads)
  const engine = options.engine ?? ownEngine!
  try {
    const start = performance.now()
    await refuseNegative([tensor, ...sets.map(([, set]) => set)], settings.link, engine)
    const problem = await engine.load({
      tensor: transform(tensor),
      sets: Object.fromEntries(sets.map(([name, set]) => [name, transform(set)])),
      ...needsOf(settings, modes.dims, features !== undefined),
      ...(saved && { posterior: savedCovariances(saved, modes.dims, settings.rank) }),
      sideInformation,
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

/** Throws, on all processes together, if there is a link and a value is negative: it has no root. */
async function refuseNegative(
  sets: readonly SparseTensor[],
  link: LinkName,
  { communicator = singleProcess }: Engine,
): Promise<void> {
  if (link === 'identity') return
  await communicator.failTogether(() => {
    for (const { values } of sets)
      for (let e = 0; e < values.length; e++)
        if (values[e] < 0)
          throw new InputError(
            'value',
            sentence`${option('link', link)} needs values from 0, and there is ${values[e]}; leave it out, or set negative values to zero (${option('negative', 'clip')}).`,
          )
  })
}

/** The covariances that a saved state has: of every row, by the size of its arrays, or else of groups. */
function savedCovariances(
  { moments }: EngineState,
  dims: readonly number[],
  rank: number,
): Covariances | undefined {
  const isOfRows = moments?.every(({ length }, mode) => length === dims[mode] * rank ** 2)
  return moments && (isOfRows ? 'rows' : 'groups')
}

/** Whether the engine runs on several processes, each of which holds some of the entries. */
export const isDistributed = ({ engine }: RunOptions): boolean => (engine?.communicator?.size ?? 1) > 1

/** Settings in which the modes that are merged or split are numbers, not names. */
export type ResolvedSettings = Settings & ResolvedReshaping

/**
 * The settings with merged and split modes as numbers instead of names. Throws if unlisted cells are zeros
 * and a split leaves a block incomplete.
 */
export function resolveModes(settings: Settings, tensor: SparseTensor): ResolvedSettings {
  const reshaping = resolveReshaping(settings, tensor)
  if (settings.missing === 'zero') refuseGaps(reshaping, tensor.dims)
  return { ...settings, ...reshaping }
}

/** Digest of all entries and attributes of a run, by which a checkpoint recognizes them. */
export const digestOf = ({ problem, options }: Pick<Loaded, 'problem' | 'options'>): string =>
  problem.statistics.digest + featuresDigest(options.features)
