/**
 * Plans the memory of a cross-fit: models that are fitted side by side, the states of all runs that a
 * checkpoint consists of, and the arrays from which an ensemble is assembled.
 */
import { divideThreads } from '../../../engine/defaultEngine.ts'
import type { Engine, ProblemSize } from '../../../engine/engine.ts'
import { assemblyBytes } from '../../../model/index.ts'
import { sampleSize } from '../../../tensor/index.ts'
import { modelBytes, stateBytes } from '../../run/copyBytes.ts'
import { FOLDS } from './crossFitOptions.ts'

/** A cross-fit to plan. */
export interface FoldsToPlan {
  /** Number of folds; 5 by default. */
  folds?: number
  /** Threads of all models together; all cores by default. */
  threads?: number
  /** Whether the states of unfinished runs are kept for a checkpoint. */
  isSaved: boolean
  /** Whether the models are assembled into an ensemble, or only their errors are compared. */
  isEnsemble: boolean
  /** Whether models are fitted to all entries in the end (refit.ts). */
  isRefitted: boolean
  /** Number of trials whose models stay in memory; 1 where there is nothing to choose. */
  trials: number
}

/** Garbage of many small arrays that waits to be collected, at the most and per entry: measured on Node 20. */
const GARBAGE = { most: 40 * 2 ** 20, perEntry: 700 }
/** Bytes per row of a mode: means, biases, scales and counts of entries, of the ensemble and of baselines. */
const ROW_BYTES = 150
/** Problems up to this size stay in memory for the next one (engine/cpu/memory/memoryPool.ts). */
const LARGEST_REUSED = 2 ** 26

/**
 * The bytes that a cross-fit takes beside the entries, at the most: while its models are fitted, while the ensemble is
 * assembled, or while its models are fitted to all entries.
 * @param size the problem of all entries
 */
export function planFolds(
  engine: Pick<Engine, 'plan'>,
  size: ProblemSize,
  { folds = FOLDS, threads, isSaved, isEnsemble, isRefitted, trials }: FoldsToPlan,
): number {
  const { entries, dims, rank, weighted } = size
  const [{ sideBySide }] = divideThreads({ models: folds, entries, order: dims.length, rank }, threads)
  // Where unlisted cells are zeros, folds are made of sampled cells, and a model has nearly all entries.
  const judged = size.zeros ? sampleSize(dims, entries, folds) : entries
  const out = Math.ceil(judged / folds)
  const trained = size.zeros ? entries : entries - out
  const problem = engine.plan({
    ...size,
    entries: trained,
    sets: size.zeros ? { ...size.sets, out } : { out },
  }).byteLength
  // The entries of a fold and the others, and their numbers.
  const split = 4 * (dims.length + (weighted ? 3 : 2)) * (trained + out)
  const models = trials * (folds * modelBytes(size) + 4 * judged)
  const fitting = sideBySide * (problem + split) + (isSaved ? folds * stateBytes(size) : 0) + models
  const idle = problem <= LARGEST_REUSED ? sideBySide * problem : 0
  const assembling = isEnsemble ? idle + models + assemblyBytes(dims, judged, folds) : 0
  const refitting = isRefitted ? refitBytes() : 0
  const statistics = ROW_BYTES * dims.reduce((sum, rows) => sum + rows, 0)
  const garbage = Math.min(GARBAGE.most, GARBAGE.perEntry * entries)
  // The sample itself, and its coordinates with those of the entries while it is drawn.
  const sample = size.zeros ? 4 * (2 * dims.length + 3) * judged : 0
  return garbage + statistics + sample + Math.max(fitting, assembling, refitting)

  /** The bytes while models are fitted to all entries, beside those that they replace and the ensemble of these. */
  function refitBytes(): number {
    const whole = engine.plan(size).byteLength
    const waiting = whole > LARGEST_REUSED ? idle : 0
    const replaced = trials * folds * modelBytes(size)
    const residuals = 4 * (dims.length + 1) * judged // with their cells, of the correction by neighbours
    return sideBySide * whole + waiting + models + replaced + residuals
  }
}
