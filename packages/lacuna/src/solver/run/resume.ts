/**
 * Checks whether a saved run can continue: with these settings, and from this state, which may come from any
 * file.
 */

import { InputError, sentence } from '../../base/inputError.ts'
import { type EngineState, GROUP_MATRICES, type LoadedProblem } from '../../engine/engine.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import type { Settings } from '../settings/settings.ts'
import { mentionSetting, settingText } from '../settings/settingText.ts'
import { type ResolvedSettings, resolveModes } from './loadRun.ts'
import type { Progress } from './runState.ts'

/**
 * The settings of a resumed run: those that were saved, with the epochs and seconds of the options if given.
 * Throws if the options have another value for a different setting.
 */
export function settingsToResume(
  saved: ResolvedSettings,
  options: RunOptions,
  tensor: SparseTensor,
): ResolvedSettings {
  const { rank = saved.rank, solver = saved.solver } = options
  const given = resolveModes(settingsOf({ ...options, rank, solver }), tensor)
  const { epochs, seconds } = options
  const givenNames = (Object.keys(saved) as (keyof Settings)[]).filter((name) => options[name] !== undefined)
  refuseOtherSettings(saved, given, givenNames)
  return { ...saved, ...(epochs !== undefined && { epochs }), ...(seconds !== undefined && { seconds }) }
}

/**
 * Throws if the arrays of a saved state have the wrong number or length for the problem, or impossible
 * values.
 * @param dims sizes of the reshaped modes
 */
export function checkState(state: EngineState, dims: readonly number[], rank: number): void {
  for (const [name, arrays] of Object.entries(state) as [string, Float32Array[] | undefined][]) {
    if (!arrays) continue
    // Y of the paper's inner steps may be negative, and so may covariances, the means that attributes
    // predict, and the weights of an autoregressive prior.
    const isSigned = ['momentumFactors', 'moments', 'precisions', 'rowMeans', 'lagWeights'].includes(name)
    const least = isSigned ? -Infinity : -0
    const isSound = (array: Float32Array, mode: number): boolean =>
      (name === 'shared' ||
        name === 'lagWeights' ||
        array.length === stateArrayLength(name, dims[mode], rank) ||
        (name === 'moments' && array.length === GROUP_MATRICES * rank ** 2)) &&
      array.every((x) => x >= least && Math.abs(x) < Infinity)
    if (arrays.length !== (name === 'shared' ? 1 : dims.length) || !arrays.every(isSound))
      throw new InputError(
        'checkpoint',
        `The ${name} of the saved run are not those of this problem; start anew.`,
      )
  }
}

/** Throws if a saved run is in the phase of stratified SGD and the problem has no grid for it. */
export function checkStrata({ method, round }: Progress, { hasStrata = false }: LoadedProblem): void {
  const isWanted = ('strata' in method && method.strata) || round?.step.kind === 'strata'
  if (isWanted && !hasStrata)
    throw new InputError(
      'checkpoint',
      'The saved run was to go on with stratified SGD, which this engine does not have; resume it on the CPU, or start anew.',
    )
}

/**
 * Length that an array of the engine's state has for a mode.
 * @param name the array, as in `EngineState`
 */
function stateArrayLength(name: string, rows: number, rank: number): number {
  switch (name) {
    case 'means':
    case 'scales':
      return rank
    case 'moments':
      return rows * rank ** 2
    case 'precisions':
      return rank ** 2
    case 'leverages':
    case 'couplingWeights':
    case 'variances':
      return rows
    default:
      return rows * rank
  }
}

/**
 * Throws if a setting differs from the saved one, except limits of epochs and seconds.
 * @param names the settings to compare; all by default
 */
export function refuseOtherSettings(
  saved: Partial<Settings>,
  given: Settings,
  names = Object.keys(given) as (keyof Settings)[],
): void {
  for (const name of names) {
    if (name === 'epochs' || name === 'seconds') continue
    const now = settingText(name, given)
    if (now !== settingText(name, saved))
      throw new InputError(
        'checkpoint',
        sentence`The run was saved ${mentionSetting(name, saved)}, and now it is ${now === '' ? 'left out' : now}; leave it as it was, or start anew.`,
      )
  }
}
