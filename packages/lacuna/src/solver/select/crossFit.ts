/**
 * Cross-fitting: as many models as there are folds, each of which has not seen one. So every entry is predicted once by a
 * model that does not know it, which is an honest error; and the mean of the models is better than any of them.
 */

import { InputError, option, sentence } from '../../base/inputError.ts'
import { defaultEngine, divideThreads } from '../../engine/defaultEngine.ts'
import { type CpModel, type FoldError, type FoldModels, predictFold } from '../../model/index.ts'
import { type FoldBy, foldsOf, gapsOf, type SparseTensor, splitFold } from '../../tensor/index.ts'
import type { EpochReport } from '../run/report.ts'
import { Run } from '../run/run.ts'
import type { RunState } from '../run/runState.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import { bestStart, checkStarts } from './bestStart.ts'

/** How folds are made, and who is told of them. */
export interface CrossFitOptions {
  /** How many; 5 by default. */
  folds?: number
  /** What stays together; as cells are missing by default. */
  by?: FoldBy
  /** How many starts each model has, of which that with the smallest training error is gone on with; 1 by default. */
  starts?: number
  /** Told of each model's progress, by its fold. */
  onEpoch?: (fold: number, report: EpochReport) => void
  /** Told when a model is done. */
  onModel?: (fold: number) => void
}

/** How models that are on their way are kept. */
export interface Keeping {
  /** How each model stands, if it was begun: where it goes on from, and kept up to date before they are saved. */
  states: (RunState | undefined)[]
  /** In how many seconds they are to be saved. */
  left(): number
  save(): Promise<void>
}

/** The models of all folds and their errors. */
export interface CrossFit extends FoldModels {
  /** Per fold, the error of the model that was fitted without it. */
  foldErrors: FoldError[]
  seconds: number
}

/** Given up after the first few folds. */
export interface Abandoned {
  foldErrors: FoldError[]
  isAbandoned: true
}

export const FOLDS = 5
/** Undefined if it was interrupted. */
export function crossFit(
  tensor: SparseTensor,
  options: RunOptions,
  folding?: CrossFitOptions,
  keeping?: Keeping,
): Promise<CrossFit | undefined>
/** `isHopeless` is asked about the first 1, 2 … folds. */
export function crossFit(
  tensor: SparseTensor,
  options: RunOptions,
  folding: CrossFitOptions,
  keeping: Keeping | undefined,
  isHopeless: (first: readonly FoldError[]) => boolean,
): Promise<CrossFit | Abandoned | undefined>
export async function crossFit(
  tensor: SparseTensor,
  options: RunOptions,
  { folds: count = FOLDS, by = gapsOf(tensor), starts = 1, onEpoch, onModel }: CrossFitOptions = {},
  keeping?: Keeping,
  isHopeless: (first: readonly FoldError[]) => boolean = () => false,
): Promise<CrossFit | Abandoned | undefined> {
  const { seed, rank } = settingsOf(options)
  checkCount(count)
  checkStarts(starts)
  const start = performance.now()
  const folds = foldsOf(tensor, by, count, seed)
  checkFolds(folds, count)
  const engine = options.engine ?? defaultEngine(options.threads)
  const size = { entries: tensor.values.length, rank, models: count }
  const { sideBySide, threadsEach } = divideThreads(size, options.threads)
  const models: CpModel[] = []
  const predictions = new Float32Array(tensor.values.length)
  const foldErrors: FoldError[] = []
  const states = keeping?.states ?? []
  const running = new Map<number, Run>()
  const giveUp = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, giveUp.signal]) : giveUp.signal
  let hopelessAfter = Infinity
  let next = 0
  let isCut = false

  async function learnSome(): Promise<void> {
    while (next < count && !isCut && hopelessAfter === Infinity) {
      const fold = next++
      const model = await learnOne(fold)
      if (!model) {
        isCut = true
        return
      }
      models[fold] = model
      foldErrors[fold] = predictFold(tensor, folds, fold, model, predictions)
      // Whichever is done first: the verdict is that on the first folds, in their order.
      for (let first = 1; foldErrors[first - 1]; first++)
        if (first < count && first < hopelessAfter && isHopeless(foldErrors.slice(0, first)))
          hopelessAfter = first
      if (hopelessAfter < Infinity) giveUp.abort()
      onModel?.(fold)
      await saveIfDue()
    }
  }

  async function learnOne(fold: number): Promise<CpModel | undefined> {
    const { train, out } = splitFold(tensor, folds, fold)
    // Another start for each: models that agree for chance's sake would share their errors.
    const first = (seed + fold) % Number.MAX_SAFE_INTEGER
    const shared = { ...options, threads: threadsEach, engine, signal }
    const saved = states[fold]
    const own = saved ? saved.settings.seed : await bestStart(train, { ...shared, seed: first }, starts)
    if (own === undefined) return undefined
    const ofFold = { ...shared, seed: own, watch: { out } }
    const run = await (saved ? Run.resume(saved, train, ofFold) : Run.start(train, ofFold))
    running.set(fold, run)
    try {
      while (!run.stopped && !signal.aborted) {
        const report = await run.advance({ seconds: Math.max(0, keeping?.left() ?? Infinity) })
        if (report) onEpoch?.(fold, report)
        await saveIfDue()
      }
      if (keeping) states[fold] = await run.state()
      return run.stopped ? await run.model() : undefined
    } finally {
      running.delete(fold)
      await run.close()
    }
  }

  let saving: Promise<void> | undefined
  /** Whoever sees it first saves for all that are at work. */
  async function saveIfDue(): Promise<void> {
    if (!keeping || saving || keeping.left() > 0) return
    saving = (async () => {
      for (const [fold, run] of running) states[fold] = await run.state()
      await keeping.save()
    })()
    await saving.finally(() => {
      saving = undefined
    })
  }

  try {
    const learning = Array.from({ length: sideBySide }, () =>
      learnSome().catch((error) => {
        giveUp.abort() // the others need not go on
        throw error
      }),
    )
    const ends = await Promise.allSettled(learning)
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  } finally {
    if (!options.engine) await engine.close()
  }
  if (hopelessAfter < Infinity) return { foldErrors: foldErrors.slice(0, hopelessAfter), isAbandoned: true }
  if (isCut) {
    await keeping?.save()
    return undefined
  }
  return { models, folds, by, predictions, foldErrors, seconds: (performance.now() - start) / 1000 }
}

function checkCount(count: number): void {
  if (!Number.isInteger(count) || count < 2 || count > 100)
    throw new InputError(
      'option',
      sentence`${option('folds')} is ${count}; it must be a whole number from 2 to 100.`,
    )
}

function checkFolds(folds: Uint8Array, count: number): void {
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
