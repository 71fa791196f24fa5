/**
 * Cross-fitting: one model per fold, fitted without it. Every entry is then predicted once by a model that
 * was fitted without it, which gives an unbiased error; and the mean of the models predicts better than any
 * of them.
 */

import { collectGarbage } from '../../../base/garbage.ts'
import { defaultEngine, timeOf } from '../../../engine/defaultEngine.ts'
import { type CpModel, type FoldError, predictFold } from '../../../model/index.ts'
import {
  foldGroupsOf,
  foldsOf,
  type SparseTensor,
  splitFold,
  splitSampledFold,
  tensorBytes,
} from '../../../tensor/index.ts'
import { Run } from '../../run/run.ts'
import { type RunOptions, settingsOf } from '../../settings/options.ts'
import { bestStart, checkStarts } from './bestStart.ts'
import { checkFoldCount, checkFoldSizes } from './checkFolds.ts'
import { type CrossFitOptions, FOLDS, type FoldCheckpointing, type FoldJudgement } from './crossFitOptions.ts'
import type { Abandoned, CrossFit, Unfinished } from './crossFitResult.ts'
import { foldGroups } from './foldGroups.ts'

/**
 * Fits one model per fold without it, several side by side where they are small.
 * @param checkpointing continues saved runs and saves unfinished ones; undefined: nothing is saved
 * @returns undefined if it was interrupted
 */
export function crossFit(
  tensor: SparseTensor,
  options: RunOptions,
  foldOptions?: CrossFitOptions,
  checkpointing?: FoldCheckpointing,
): Promise<CrossFit | undefined>
/**
 * Fits one model per fold without it, and gives up after the first folds if they are hopeless.
 * @returns undefined if it was interrupted, or given up because the time was up
 */
export function crossFit(
  tensor: SparseTensor,
  options: RunOptions,
  foldOptions: CrossFitOptions,
  checkpointing: FoldCheckpointing | undefined,
  judgement: FoldJudgement,
): Promise<CrossFit | Abandoned | Unfinished | undefined>
export async function crossFit(
  tensor: SparseTensor,
  options: RunOptions,
  { folds: count = FOLDS, by = foldGroupsOf(tensor), starts = 1, onEpoch, onModel }: CrossFitOptions = {},
  checkpointing?: FoldCheckpointing,
  { isHopeless, weights, limit, sampled }: FoldJudgement = { isHopeless: () => false },
): Promise<CrossFit | Abandoned | Unfinished | undefined> {
  const { seed, rank } = settingsOf(options)
  checkFoldCount(count)
  checkStarts(starts)
  const start = performance.now()
  const folds = foldsOf(tensor, by, count, seed)
  checkFoldSizes(folds, count)
  const engine = options.engine ?? defaultEngine(options.threads)
  const groups = foldGroups(sampled?.listed ?? tensor, options, count)
  const models: CpModel[] = []
  const predictions = new Float32Array(tensor.values.length)
  const foldErrors: FoldError[] = []
  const states = checkpointing?.states ?? []
  const running = new Map<number, Run>()
  const giveUp = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, giveUp.signal]) : giveUp.signal
  let hopelessAfter = Infinity
  let next = 0
  let isInterrupted = false
  const took = { setUp: 0, fitting: 0 } // of all models, also of those that run side by side
  let setUpSeconds = 0 // of the last model
  let cut = 0
  let isUnfinished = false
  const secondsLeft = (): number => limit?.deadline.secondsForModels ?? Infinity

  /** Worker: fits the models of folds below `end` that no other worker has taken, until none is left. */
  async function fitNextFolds(end: number, threads: number): Promise<void> {
    while (next < end && !isInterrupted && hopelessAfter === Infinity) {
      // A model whose set-up alone would take too long is not begun, unless it is the first one.
      if (limit && next > 0 && limit.deadline.mostSecondsForModels <= setUpSeconds) {
        isUnfinished = true
        return
      }
      const fold = next++
      const model = await fitFold(fold, threads)
      if (!model) {
        isInterrupted = true
        return
      }
      models[fold] = model
      const begun = performance.now()
      foldErrors[fold] = predictFold(tensor, folds, fold, model, predictions, weights)
      limit?.deadline.notePredictions(foldErrors[fold].entries, (performance.now() - begun) / 1000, rank)
      // The decision is that on the first folds in their order, whichever model is finished first.
      for (let first = 1; foldErrors[first - 1]; first++)
        if (first < count && first < hopelessAfter && isHopeless(foldErrors.slice(0, first)))
          hopelessAfter = first
      if (hopelessAfter < Infinity) giveUp.abort()
      onModel?.(fold)
      // The entries that the model was fitted to, and its problem: the next model has its own.
      collectGarbage(tensorBytes(tensor))
      await saveIfDue()
    }
  }

  /** Fits the model of a fold, from its saved state if there is one; undefined if it was interrupted. */
  async function fitFold(fold: number, threads: number): Promise<CpModel | undefined> {
    const begun = performance.now()
    const end = begun + 1000 * secondsLeft() * fractionFor(fold)
    const { train, out } = sampled ? splitSampledFold(sampled, folds, fold) : splitFold(tensor, folds, fold)
    // Each model has its own start: models that agree by chance would share their errors.
    const first = (seed + fold) % Number.MAX_SAFE_INTEGER
    const shared = { ...options, threads, engine, signal }
    const saved = states[fold]
    // Under a time limit, starts are compared in half of the time of a model.
    const startSignal =
      limit && starts > 1 ? AbortSignal.any([signal, signalAfter((end - performance.now()) / 2)]) : signal
    const foldSeed = saved
      ? saved.settings.seed
      : await bestStart(
          train,
          {
            ...shared,
            seed: first,
            signal: startSignal,
            watch: sampled && { ...options.watch, out },
          },
          starts,
        )
    if (foldSeed === undefined && signal.aborted) return undefined
    const foldOptions = {
      ...shared,
      seed: foldSeed ?? first,
      watch: sampled ? { ...options.watch, out } : { out },
    }
    const run = await (saved ? Run.resume(saved, train, foldOptions) : Run.start(train, foldOptions))
    running.set(fold, run)
    const loaded = performance.now()
    took.setUp += loaded - begun
    setUpSeconds = (loaded - begun) / 1000
    try {
      if (limit?.cutsModels && !run.stopped) await limitSeconds(run, (end - loaded) / 1000)
      while (!run.stopped && !signal.aborted) {
        if (limit && !limit.cutsModels && secondsLeft() <= 0) break
        const untilEnd = limit && !limit.cutsModels ? secondsLeft() : Infinity
        const seconds = Math.min(checkpointing?.secondsLeft() ?? Infinity, untilEnd)
        const report = await run.advance({ seconds: Math.max(0, seconds) })
        if (report) onEpoch?.(fold, report)
        // A model that has learned nothing yet may use the time of the models after it.
        if (run.stopped === 'seconds' && !run.learned && secondsLeft() > 0)
          await limitSeconds(run, secondsLeft())
        await saveIfDue()
      }
      if (run.stopped === 'seconds' && limit) cut++
      if (run.stopped && !run.learned && limit) isUnfinished = true
      if (checkpointing) states[fold] = await run.state()
      return run.stopped ? await run.model() : undefined
    } finally {
      running.delete(fold)
      took.fitting += performance.now() - loaded
      await run.close()
    }
  }

  /**
   * The fraction of the time left that the model of a fold may use: the expected time of its round of models side by
   * side, divided by that of all rounds from there on.
   */
  function fractionFor(fold: number): number {
    let first = 0
    const left = groups.flatMap((group) => {
      const models = group.models - Math.max(0, Math.min(group.models, fold - first))
      first += group.models
      const rounds = Math.ceil(models / group.sideBySide)
      return rounds > 0 ? [{ ...group, models: rounds * group.sideBySide }] : []
    })
    const [{ sideBySide, threads }] = left
    const own = timeOf([{ models: sideBySide, sideBySide, threads }])
    // A fold is about (count - 1) / count of the work of a model of all entries.
    const after = ((limit?.modelsAfter ?? 0) * count) / (count - 1)
    const all = groups[0].sideBySide * groups[0].threads
    return own / (timeOf(left) + timeOf([{ models: after, sideBySide: 1, threads: all }]))
  }

  let saving: Promise<void> | undefined
  /** Saves the states of all runs if a save is due and none is under way. */
  async function saveIfDue(): Promise<void> {
    if (!checkpointing || saving || checkpointing.secondsLeft() > 0) return
    saving = (async () => {
      for (const [fold, run] of running) states[fold] = await run.state()
      await checkpointing.save()
    })()
    await saving.finally(() => {
      saving = undefined
    })
  }

  try {
    for (const { models, sideBySide, threads } of groups) {
      const end = next + models
      const workers = Array.from({ length: sideBySide }, () =>
        fitNextFolds(end, threads).catch((error) => {
          giveUp.abort() // stops the other workers
          throw error
        }),
      )
      for (const result of await Promise.allSettled(workers))
        if (result.status === 'rejected') throw result.reason
      if (isInterrupted || isUnfinished) break
    }
  } finally {
    if (!options.engine) await engine.close()
  }
  if (hopelessAfter < Infinity) return { foldErrors: foldErrors.slice(0, hopelessAfter), isAbandoned: true }
  if (isInterrupted) {
    await checkpointing?.save()
    return undefined
  }
  if (isUnfinished) return { models: models.filter((model) => model), isUnfinished: true }
  const seconds = (performance.now() - start) / 1000
  const fractionOfSetUp = took.setUp > 0 ? took.setUp / (took.setUp + took.fitting) : 0
  const setUp = { setUpSeconds: seconds * fractionOfSetUp }
  return { models, folds, by, predictions, foldErrors, seconds, ...setUp, cut }
}

/** A signal that is aborted after this number of milliseconds; at once if it is not positive. */
export const signalAfter = (milliseconds: number): AbortSignal =>
  AbortSignal.timeout(Math.min(2 ** 31 - 1, Math.max(0, Math.ceil(milliseconds))))

/** Limits a run to this number of further seconds, and to its first iteration at least. */
const limitSeconds = (run: Run, seconds: number): Promise<void> =>
  run.change({ seconds: Math.min(run.settings.seconds, run.seconds + Math.max(1e-9, seconds)) })
