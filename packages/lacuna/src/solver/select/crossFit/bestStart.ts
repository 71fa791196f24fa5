/** Chooses among several random starts the one whose factors fit best. */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import type { SparseTensor } from '../../../tensor/index.ts'
import { Run } from '../../run/run.ts'
import { type RunOptions, settingsOf } from '../../settings/options.ts'

/**
 * Difference between the seeds of successive starts of a fold: larger than the number of folds, so that no
 * two folds share a seed.
 */
const SEED_STRIDE = 1009

/** Throws unless the number of starts is a whole number from 1 to 100. */
export function checkStarts(starts: number): void {
  if (!Number.isInteger(starts) || starts < 1 || starts > 100)
    throw new InputError(
      'option',
      sentence`${option('starts')} is ${starts}; it must be a whole number from 1 to 100.`,
    )
}

/**
 * Finds the best of several random starts: the seed whose run without a learned prior ends with the smallest
 * RMSE on the training entries. The sweeps under a learned prior that would follow stay near those factors
 * and take most of the time, so they are left out. Held-out entries are not used: their error stays unbiased.
 * @param options where unlisted cells are zeros, `watch` has the held-out cells, which are then not taken for zeros
 * @param starts number of seeds to try; with 1 the seed of the options is returned without a run
 * @returns the seed; undefined if it was interrupted
 */
export async function bestStart(
  train: SparseTensor,
  options: RunOptions,
  starts: number,
): Promise<number | undefined> {
  const { seed: first } = settingsOf(options)
  if (starts <= 1) return first
  const { noise, loss, lags, features, ...rest } = options
  const byLambda: RunOptions = options.solver === 'paper' ? rest : { ...rest, prior: 'isotropic' }
  let best: { seed: number; rmse: number } | undefined
  for (let start = 0; start < starts; start++) {
    const seed = (first + SEED_STRIDE * start) % Number.MAX_SAFE_INTEGER
    const run = await Run.start(train, { ...byLambda, seed })
    try {
      for await (const _ of run) if (options.signal?.aborted) return undefined
      if (!run.stopped || run.stopped === 'aborted') return undefined
      const { rmse } = (await run.result()).train
      if (!best || rmse < best.rmse) best = { seed, rmse }
    } finally {
      await run.close()
    }
  }
  return best!.seed
}
