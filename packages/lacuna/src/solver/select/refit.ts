/**
 * Refitting: each model of a cross-fit is fitted without one fold. Once settings and weights are chosen, each is fitted to
 * all entries, from its own factors. Out-of-fold errors and intervals are still those of the models before, whose errors are
 * larger, if anything.
 */
import { collectGarbage } from '../../base/garbage.ts'
import { InputError } from '../../base/inputError.ts'
import { defaultEngine } from '../../engine/defaultEngine.ts'
import type { CpModel } from '../../model/index.ts'
import { type SparseTensor, tensorBytes } from '../../tensor/index.ts'
import { Run } from '../run/run.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import type { Candidate } from './chooseByFolds.ts'
import { foldGroups, fractionOfModel, signalAfter } from './crossFit/index.ts'

/** Time limit and callback of refitting. */
export interface RefitOptions {
  /** Whether a model that takes about this number of seconds can be fitted before the time limit. */
  hasTimeFor: (seconds: number) => boolean
  /** Seconds until the time limit, at which a model that is being fitted is given up; Infinity by default. */
  secondsLeft?: () => number
  /** Called before each model, with its number from 0 and the number of all; none by default. */
  onRefit?: (model: number, models: number) => void
}

/** Models after refitting. */
export interface Refitted {
  /** The models of all candidates, in their order. */
  models: CpModel[]
  /** How many of them were fitted again. */
  refitted: number
  /** How many stayed as they were because there was too little memory. */
  refused: number
}

/**
 * Fits the models of candidates to all entries, in order, as long as there is time; those of a candidate side by side where
 * they are small, as they were before. A model for which there is no time or too little memory, or whose run was
 * interrupted, stays as it is.
 * @param candidates those of the ensemble, in the order of its members
 */
export async function refit(
  tensor: SparseTensor,
  candidates: readonly Candidate[],
  { hasTimeFor, secondsLeft = () => Infinity, onRefit }: RefitOptions,
): Promise<Refitted> {
  const models = candidates.flatMap(({ fit }) => fit.models)
  let first = 0
  let refitted = 0
  let refused = 0
  for (const { options, fit } of candidates) {
    const engine = options.engine ?? defaultEngine(options.threads)
    const count = fit.models.length
    const groups = foldGroups(tensor, options, count)
    let next = 0
    let longest = 0
    /** Worker: fits models below `end` that no other worker has taken, until none is left. */
    const refitNext = async (end: number, threads: number, expected: number): Promise<void> => {
      while (next < end) {
        const fold = next++
        // Where the first fit was cut off, the second one would be cut off, too.
        if (fit.cut > 0 || options.signal?.aborted || !hasTimeFor(Math.max(expected, longest))) continue
        const member = first + fold
        onRefit?.(member, models.length)
        // Each model has the start of its fold.
        const seed = (settingsOf(options).seed + fold) % Number.MAX_SAFE_INTEGER
        const start = { seed, initial: fit.models[fold] }
        const begun = performance.now()
        const signal = signalWithin(secondsLeft(), options.signal)
        const after = await fitModel(tensor, { ...options, threads, engine, signal, ...start })
        longest = Math.max(longest, (performance.now() - begun) / 1000)
        if (after === 'refused') refused++
        else if (after !== 'interrupted') {
          models[member] = after
          refitted++
        }
        collectGarbage(tensorBytes(tensor)) // its problem: the next model has its own
      }
    }
    try {
      for (const group of groups) {
        // The first fit was without one fold.
        const expected = (fit.seconds * fractionOfModel(groups, group) * count) / (count - 1)
        const end = next + group.models
        const workers = Array.from({ length: group.sideBySide }, () =>
          refitNext(end, group.threads, expected),
        )
        for (const result of await Promise.allSettled(workers))
          if (result.status === 'rejected') throw result.reason
      }
    } finally {
      if (!options.engine) await engine.close()
    }
    first += count
  }
  return { models, refitted, refused }
}

/** A signal that is aborted after a number of seconds, or with another one. */
export function signalWithin(seconds: number, signal?: AbortSignal): AbortSignal | undefined {
  if (seconds === Infinity) return signal
  const limit = signalAfter(1000 * seconds)
  return signal ? AbortSignal.any([signal, limit]) : limit
}

/** Fits a model; 'interrupted' if its run was, 'refused' if there was too little memory. */
export async function fitModel(
  tensor: SparseTensor,
  options: RunOptions,
): Promise<CpModel | 'interrupted' | 'refused'> {
  let run: Run | undefined
  try {
    run = await Run.start(tensor, options)
    while (await run.advance());
    return run.stopped ? await run.model() : 'interrupted'
  } catch (error) {
    if (error instanceof InputError && error.code === 'memory') return 'refused'
    throw error
  } finally {
    await run?.close()
  }
}
