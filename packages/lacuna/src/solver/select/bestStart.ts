/** Chooses among several random starts the one whose factors fit best. */
import { InputError, option, sentence } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { Run } from '../run/run.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'

/**
 * Distance of the seeds of a fold's starts: larger than the number of folds, so that no two folds share a
 * seed.
 */
const APART = 1009

/** Refuses a number of starts that is not a whole number from 1 to 100. */
export function checkStarts(starts: number): void {
  if (!Number.isInteger(starts) || starts < 1 || starts > 100)
    throw new InputError(
      'option',
      sentence`${option('starts')} is ${starts}; it must be a whole number from 1 to 100.`,
    )
}

/**
 * The seed whose run has the smallest training error where λ alone has led as far as it can. The sweeps under
 * a learned prior that would follow stay near those factors and take most of the time, so they are left out.
 * Held-out entries are not used: their error stays unbiased.
 * @param starts number of seeds to try
 * @returns undefined if it was interrupted
 */
export async function bestStart(
  train: SparseTensor,
  options: RunOptions,
  starts: number,
): Promise<number | undefined> {
  const { seed: first } = settingsOf(options)
  if (starts <= 1) return first
  const { noise, loss, lags, features, watch, ...rest } = options
  const byLambda: RunOptions = options.solver === 'paper' ? rest : { ...rest, prior: 'isotropic' }
  let best: { seed: number; rmse: number } | undefined
  for (let start = 0; start < starts; start++) {
    const seed = (first + APART * start) % Number.MAX_SAFE_INTEGER
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
