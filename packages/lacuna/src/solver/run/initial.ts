/** Initial factors: random, or given and checked. */
import { InputError, option, sentence, setting } from '../../base/inputError.ts'
import { draw, purpose, stream, unit } from '../../base/random.ts'
import type { Statistics } from '../../engine/engine.ts'
import { CpModel } from '../../model/index.ts'
import { resolveReshaping } from '../../tensor/index.ts'
import type { Settings } from '../settings/settings.ts'
import { mentionSetting, settingText } from '../settings/settingText.ts'

/** No merged or split modes. */
const NO_RESHAPING = { mergeModes: [], split: [] }

/**
 * Random U_0 in the engine's units, each (I_i × R): i.i.d. U[0, σ] with σ such that the model's mean, R
 * (σ/2)ᴺ, is the data's. The paper does not specify U_0; on its synthetic problems, whose true factors are
 * U[0, 1], σ is about 1.
 */
export function randomFactors({ dims, sets }: Statistics, rank: number, seed: number): Float32Array[] {
  const mean = sets.train.absolutes / sets.train.entries
  const sigma = mean > 0 ? 2 * (mean / rank) ** (1 / dims.length) : 1
  return dims.map((rows, i) => {
    const key = stream(seed, purpose.initial, i)
    const factor = new Float32Array(rows * rank)
    for (let at = 0; at < factor.length; at++) factor[at] = sigma * unit(draw(key, at))
    return factor
  })
}

/**
 * The factors of a model or list to start from, in data units, or in those of the link. Throws if sizes, rank,
 * link or mode reshaping are not those of the run, or values are negative or not finite.
 * @param dims sizes of the tensor, before reshaping
 */
export function givenFactors(
  initial: CpModel | readonly Float32Array[],
  dims: readonly number[],
  { rank, link, ...settings }: Pick<Settings, 'rank' | 'link' | 'mergeModes' | 'split'>,
): readonly Float32Array[] {
  const reshaping = resolveReshaping(settings, { dims })
  if (initial instanceof CpModel) {
    if (initial.rank !== rank)
      throw new InputError(
        'shape',
        `The initial model has rank ${initial.rank}, but rank ${rank} is asked for.`,
      )
    if (initial.dims.join() !== dims.join())
      throw new InputError(
        'shape',
        `The initial model is of size ${initial.dims.join('×')}, the tensor of ${dims.join('×')}.`,
      )
    const { name = 'identity' } = initial.link ?? {}
    if (name !== link)
      throw new InputError(
        'option',
        sentence`The initial model was learned with ${setting('link', name)}, and now it is ${link}; leave ${option('link')} out to go on as it was.`,
      )
    for (const name of ['mergeModes', 'split'] as const) {
      const before = initial.reshaping ?? NO_RESHAPING
      if (settingText(name, before) !== settingText(name, reshaping))
        throw new InputError(
          'option',
          sentence`The initial model was learned ${mentionSetting(name, before)}, and now it is ${mentionSetting(name, reshaping)}; leave both ${option('mergeModes')} and ${option('split')} out to go on as it was.`,
        )
    }
    return initial.factors
  }
  // The constructor of the model checks lengths and values.
  return new CpModel({ dims, rank, factors: initial, reshaping }).factors
}

/** A factor multiplied by a number: a new array, or the same one if the number is 1. */
export const scaleFactor = (factor: Float32Array, by: number): Float32Array =>
  by === 1 ? factor : factor.map((u) => u * by)

/** Multiplies a factor by a number in place, and returns it: factors may take most of the memory. */
export function scaleInPlace(factor: Float32Array, by: number): Float32Array {
  if (by !== 1) for (let at = 0; at < factor.length; at++) factor[at] *= by
  return factor
}
