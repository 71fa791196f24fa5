/**
 * Refitting: each model of a cross-fit is fitted without one fold. Once settings and weights are chosen, each is fitted to
 * all entries, from its own factors. Out-of-fold errors and intervals are still those of the models before, whose errors are
 * larger, if anything.
 */
import { defaultEngine } from '../../engine/defaultEngine.ts'
import type { CpModel } from '../../model/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { Run } from '../run/run.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import type { Candidate } from './chooseByFolds.ts'

/** Time limit and callback of refitting. */
export interface RefitOptions {
  /** Whether a model that takes about this number of seconds can be fitted before the time limit. */
  hasTimeFor: (seconds: number) => boolean
  /** Called before each model, with its number from 0 and the number of all; none by default. */
  onRefit?: (model: number, models: number) => void
}

/**
 * Fits the models of candidates to all entries, in order, as long as there is time. A model for which there is none, or
 * whose run was interrupted, stays as it is.
 * @param candidates those of the ensemble, in the order of its members
 * @returns the models of all candidates, and how many of them were fitted again
 */
export async function refit(
  tensor: SparseTensor,
  candidates: readonly Candidate[],
  { hasTimeFor, onRefit }: RefitOptions,
): Promise<{ models: CpModel[]; refitted: number }> {
  const models = candidates.flatMap(({ fit }) => fit.models)
  let member = 0
  let refitted = 0
  for (const { options, fit } of candidates) {
    const engine = options.engine ?? defaultEngine(options.threads)
    try {
      for (const [fold, before] of fit.models.entries()) {
        // The first fit was without one fold; where it was cut off, the second one would be cut off, too.
        const expected = fit.seconds / (fit.models.length - 1)
        if (fit.cut === 0 && !options.signal?.aborted && hasTimeFor(expected)) {
          onRefit?.(member, models.length)
          const after = await continueFrom(before, tensor, { ...options, engine }, fold)
          if (after) {
            models[member] = after
            refitted++
          }
        }
        member++
      }
    } finally {
      if (!options.engine) await engine.close()
    }
  }
  return { models, refitted }
}

/** Fits a model to all entries from the factors of another; undefined if that was interrupted. */
async function continueFrom(
  initial: CpModel,
  tensor: SparseTensor,
  options: RunOptions,
  fold: number,
): Promise<CpModel | undefined> {
  const seed = (settingsOf(options).seed + fold) % Number.MAX_SAFE_INTEGER
  const run = await Run.start(tensor, { ...options, seed, initial })
  try {
    while (await run.advance());
    return run.stopped ? await run.model() : undefined
  } finally {
    await run.close()
  }
}
