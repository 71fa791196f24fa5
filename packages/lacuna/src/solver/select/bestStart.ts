/** Of several starts, the one that leads to the factors that fit best. */
import { InputError, option, sentence } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { Run } from '../run/run.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'

/** Seeds of further starts are so far apart that no fold's are another's. */
const APART = 1009

export function checkStarts(starts: number): void {
  if (!Number.isInteger(starts) || starts < 1 || starts > 100)
    throw new InputError(
      'option',
      sentence`${option('starts')} is ${starts}; it must be a whole number from 1 to 100.`,
    )
}

/**
 * The seed, of as many as there are starts, whose run has the smallest training error where λ alone has led as far as it can:
 * the sweeps that follow with a learned prior do not leave the place that was found, and cost most of the time. What was held
 * out is not looked at, so that its error stays honest. Undefined if it was interrupted.
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
