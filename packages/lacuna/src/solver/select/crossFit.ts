/**
 * Cross-fitting: one model per fold, fitted without it. Every entry is then predicted once by a model that
 * was fitted without it, which gives an unbiased error; and the mean of the models predicts better than any
 * of them.
 */

import { collectGarbage } from '../../base/garbage.ts'
import { InputError, option, sentence } from '../../base/inputError.ts'
import { defaultEngine, divideThreads, timeOf } from '../../engine/defaultEngine.ts'
import { type CpModel, type FoldError, type FoldModels, predictFold } from '../../model/index.ts'
import {
  type FoldBy,
  foldsOf,
  gapsOf,
  type SparseTensor,
  splitFold,
  tensorBytes,
} from '../../tensor/index.ts'
import type { EpochReport } from '../run/report.ts'
import { Run } from '../run/run.ts'
import type { RunState } from '../run/runState.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import { bestStart, checkStarts } from './bestStart.ts'
import type { Deadline } from './deadline.ts'

/** How folds are made, and callbacks on the progress of their models. */
export interface CrossFitOptions {
  /** Number of folds, 2 to 100; 5 by default. */
  folds?: number
  /** What stays together in a fold; by default as cells are missing. */
  by?: FoldBy
  /** Random starts per model, of which the one with the smallest training error continues; 1 by default. */
  starts?: number
  /** Called after every epoch of a model, with the number of its fold from 0; none by default. */
  onEpoch?: (fold: number, report: EpochReport) => void
  /** Called when a model is finished, with the number of its fold from 0; none by default. */
  onModel?: (fold: number) => void
}

/** How unfinished models of a cross-fit are saved. */
export interface FoldCheckpointing {
  /**
   * Per fold, the state of its run if it has begun: runs continue from it, and it is updated before `save`.
   */
  states: (RunState | undefined)[]
  /** Seconds until the next save. */
  secondsLeft(): number
  /** Writes `states`. */
  save(): Promise<void>
}

/** What ends a cross-fit before all of its models are fitted, and how errors count for it. */
export interface FoldJudgement {
  /**
   * Called with the errors of the first 1, 2 … folds, but not of all; the cross-fit is given up where it
   * returns true.
   */
  isHopeless: (first: readonly FoldError[]) => boolean
  /** Weights of the entries in capped errors; all 1 by default. */
  weights?: Float32Array
  /** Its time limit; none by default. */
  limit?: FoldLimit
}

/** The time limit of a cross-fit. */
export interface FoldLimit {
  /** When its models must be there. */
  deadline: Deadline
  /** Whether models are cut off then, each in its turn; else the cross-fit is given up. */
  cutsModels: boolean
  /** Models of all entries that follow the cross-fit within the limit. */
  modelsAfter: number
}

/** A cross-fit of which some models could not be begun in time, or had learned nothing when it was up. */
export interface Unfinished {
  /** The models that there are, at least one. */
  models: CpModel[]
  /** Tells it from a `CrossFit`. */
  isUnfinished: true
}

/** The models of all folds and their errors. */
export interface CrossFit extends FoldModels {
  /** Per fold, the error of the model that was fitted without it. */
  foldErrors: FoldError[]
  /** Seconds that the cross-fit took. */
  seconds: number
  /** The part of `seconds` in which entries were split and loaded on the engine, not fitted. */
  setUpSeconds: number
  /** Number of models that were cut off by the time limit. */
  cut: number
}

/** A cross-fit that was given up after the first few folds. */
export interface Abandoned {
  /** Errors of the first folds, those by which it was given up. */
  foldErrors: FoldError[]
  /** Tells it from a `CrossFit`. */
  isAbandoned: true
}

/** Default number of folds. */
export const FOLDS = 5

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
  { folds: count = FOLDS, by = gapsOf(tensor), starts = 1, onEpoch, onModel }: CrossFitOptions = {},
  checkpointing?: FoldCheckpointing,
  { isHopeless, weights, limit }: FoldJudgement = { isHopeless: () => false },
): Promise<CrossFit | Abandoned | Unfinished | undefined> {
  const { seed, rank } = settingsOf(options)
  checkFoldCount(count)
  checkStarts(starts)
  const start = performance.now()
  const folds = foldsOf(tensor, by, count, seed)
  checkFoldSizes(folds, count)
  const engine = options.engine ?? defaultEngine(options.threads)
  const { dims, values } = tensor
  const size = { models: count, entries: values.length, order: dims.length, rank }
  const groups = divideThreads(size, options.threads)
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
    const { train, out } = splitFold(tensor, folds, fold)
    // Each model has its own start: models that agree by chance would share their errors.
    const first = (seed + fold) % Number.MAX_SAFE_INTEGER
    const shared = { ...options, threads, engine, signal }
    const saved = states[fold]
    // Under a time limit, starts are compared in half of the time of a model.
    const startSignal =
      limit && starts > 1 ? AbortSignal.any([signal, signalAfter((end - performance.now()) / 2)]) : signal
    const foldSeed = saved
      ? saved.settings.seed
      : await bestStart(train, { ...shared, seed: first, signal: startSignal }, starts)
    if (foldSeed === undefined && signal.aborted) return undefined
    const foldOptions = { ...shared, seed: foldSeed ?? first, watch: { out } }
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
        // Without anything learned a model uses the time of those after it.
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

  /** The fraction of the time left that a model may use: of its round and those after it. */
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
  const fractionOfSetUp = took.setUp / (took.setUp + took.fitting)
  const setUp = { setUpSeconds: seconds * fractionOfSetUp }
  return { models, folds, by, predictions, foldErrors, seconds, ...setUp, cut }
}

/** A signal that is aborted after so many milliseconds; at once if there are none. */
const signalAfter = (milliseconds: number): AbortSignal =>
  AbortSignal.timeout(Math.min(2 ** 31 - 1, Math.max(0, Math.ceil(milliseconds))))

/** Lets a run end after so many seconds more; at once if they are over, but not before its first iteration. */
const limitSeconds = (run: Run, seconds: number): Promise<void> =>
  run.change({ seconds: Math.min(run.settings.seconds, run.seconds + Math.max(1e-9, seconds)) })

/** Throws unless the number of folds is a whole number from 2 to 100. */
function checkFoldCount(count: number): void {
  if (!Number.isInteger(count) || count < 2 || count > 100)
    throw new InputError(
      'option',
      sentence`${option('folds')} is ${count}; it must be a whole number from 2 to 100.`,
    )
}

/**
 * Throws if a fold is empty or leaves no entry to train on.
 * @param folds per entry, the number of its fold
 */
function checkFoldSizes(folds: Uint8Array, count: number): void {
  const entries = new Array<number>(count).fill(0)
  for (const fold of folds) entries[fold]++
  entries.forEach((out, fold) => {
    if (out === 0 || out === folds.length)
      throw new InputError(
        'empty',
        sentence`Fold ${fold + 1} would have ${out} entries and leave ${folds.length - out}; use fewer ${option('folds')}, or hold out less at a time by ${option('foldBy')}.`,
      )
  })
}
