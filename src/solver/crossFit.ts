/**
 * Cross-fitting: as many models as there are folds, each of which has not seen one. So every entry is predicted once by a
 * model that does not know it, which is an honest error; and the mean of the models is better than any of them.
 */
import { cpuEngine, hardwareThreads } from '../engine/cpu/index.ts'
import type { Engine } from '../engine/engine.ts'
import { InputError, option, sentence } from '../inputError.ts'
import type { CpModel } from '../model/index.ts'
import { type FoldBy, foldsOf, splitFold } from '../tensor/folds.ts'
import { gapsOf } from '../tensor/gaps.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { bestStart, checkStarts } from './bestStart.ts'
import type { RunOptions } from './options.ts'
import type { EpochReport } from './report.ts'
import { Run } from './run.ts'

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

export interface CrossFit {
  models: CpModel[]
  /** The fold of each entry. */
  folds: Uint8Array
  by: FoldBy
  /** What is predicted of each entry by the model that has not seen it. */
  predictions: Float32Array
  /** The errors of the folds, by these predictions: Σ (x − y)², and entries. */
  foldErrors: { squares: number; entries: number }[]
  seconds: number
}

export const FOLDS = 5
/** Below entries × R² of this a model is learned by one thread, and several side by side: waiting would cost more than it gains. */
const SIDE_BY_SIDE = 2e9

/** Undefined if it was interrupted. */
export async function crossFit(
  tensor: SparseTensor,
  options: RunOptions,
  { folds: count = FOLDS, by = gapsOf(tensor), starts = 1, onEpoch, onModel }: CrossFitOptions = {},
): Promise<CrossFit | undefined> {
  if (!Number.isInteger(count) || count < 2 || count > 100)
    throw new InputError(
      'option',
      sentence`${option('folds')} is ${count}; it must be a whole number from 2 to 100.`,
    )
  checkStarts(starts)
  const start = performance.now()
  const folds = foldsOf(tensor, by, count, options.seed ?? 1)
  checkFolds(folds, count)
  const { threads = hardwareThreads(), rank = 10 } = options
  const engine: Engine = options.engine ?? cpuEngine({ threads })
  const isSmall = tensor.values.length * rank ** 2 < SIDE_BY_SIDE
  const atATime = isSmall ? Math.min(threads, count) : 1
  const perModel = Math.max(1, Math.floor(threads / atATime))
  const models: CpModel[] = []
  const predictions = new Float32Array(tensor.values.length)
  const foldErrors = Array.from({ length: count }, () => ({ squares: 0, entries: 0 }))
  let next = 0
  let isCut = false

  async function learnSome(): Promise<void> {
    while (next < count && !isCut) {
      const fold = next++
      const { train, out } = splitFold(tensor, folds, fold)
      // Another start for each: models that agree for chance's sake would share their errors.
      const first = ((options.seed ?? 1) + fold) % Number.MAX_SAFE_INTEGER
      const own = { ...options, threads: perModel, engine }
      const seed = await bestStart(train, { ...own, seed: first }, starts)
      if (seed === undefined) {
        isCut = true
        return
      }
      const run = await Run.start(train, { ...own, seed, watch: { out } })
      try {
        for await (const report of run) onEpoch?.(fold, report)
        if (!run.stopped) {
          isCut = true
          return
        }
        models[fold] = await run.model()
      } catch (error) {
        isCut = true // the others need not go on
        throw error
      } finally {
        await run.close()
      }
      onModel?.(fold)
    }
  }

  try {
    const ends = await Promise.allSettled(Array.from({ length: atATime }, learnSome))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  } finally {
    if (!options.engine) await engine.close()
  }
  if (isCut) return undefined
  models.forEach((model, fold) => {
    const entries = Uint32Array.from(folds.keys()).filter((e) => folds[e] === fold)
    const found = model.predictMany(tensor.indices.map((column) => entries.map((e) => column[e])))
    entries.forEach((e, i) => {
      predictions[e] = found[i]
      foldErrors[fold].squares += (tensor.values[e] - found[i]) ** 2
      foldErrors[fold].entries++
    })
  })
  return { models, folds, by, predictions, foldErrors, seconds: (performance.now() - start) / 1000 }
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
