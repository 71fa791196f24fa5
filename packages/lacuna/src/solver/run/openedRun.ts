/** A run while it is open, as the functions of rounds.ts and bestModel.ts share it. */
import { collectGarbage } from '../../base/garbage.ts'
import type { LoadedProblem } from '../../engine/engine.ts'
import type { Observed, SparseTensor } from '../../tensor/index.ts'
import { type ErrorMeter, errorMeter } from '../methods/errorMeter.ts'
import { methodOf, type RunMethod } from '../methods/methodOf.ts'
import type { RunOptions } from '../settings/options.ts'
import type { Settings } from '../settings/settings.ts'
import { givenFactors, randomFactors, scaleFactor } from './initial.ts'
import type { Loaded } from './loadRun.ts'
import type { Progress } from './runState.ts'

/** The problem on its engine, and the state of the run; settings and method change with `Run.change`. */
export interface OpenedRun {
  /** The training entries as given, before modes are reshaped. */
  readonly tensor: SparseTensor
  readonly problem: LoadedProblem
  readonly options: RunOptions
  readonly progress: Progress
  readonly measureErrors: ErrorMeter
  /** Cost (`LoadedProblem.cost`) and seconds of the iterations since it was opened. */
  readonly pace: { cost: number; seconds: number }
  settings: Settings
  method: RunMethod
  /** Statistics of the entries for models, once a model has been asked for. */
  observed?: Promise<Observed>
}

/** Combines a loaded problem and the progress to continue from; makes the method and the error meter. */
export function assembleRun({ tensor, problem, options, settings }: Loaded, progress: Progress): OpenedRun {
  const method = methodOf(settings, problem, options)
  const measureErrors = errorMeter(problem, method, options)
  const pace = { cost: 0, seconds: 0 }
  return { tensor, problem, options, settings, method, measureErrors, progress, pace }
}

/**
 * Writes random or given factors to the engine and measures their errors.
 * @returns the progress of a run before its first round
 */
export async function firstProgress({ tensor, problem, options, settings }: Loaded): Promise<Progress> {
  await writeInitialFactors({ tensor, problem, options, settings })
  const { dims } = problem.statistics
  collectGarbage(4 * settings.rank * dims.reduce((sum, rows) => sum + rows, 0)) // the copy in this thread
  const method = methodOf(settings, problem, options)
  if (method.balances) await problem.balance()
  await problem.snapshot()
  const measureErrors = errorMeter(problem, method, options)
  const { seconds, ...errors } = await measureErrors()
  const first = { epoch: 0, seconds, updateSeconds: 0, ...errors, sample: 0, lambda: 0 }
  return {
    iterations: 0,
    epoch: 0,
    seconds,
    updateSeconds: 0,
    reports: [],
    best: first,
    learned: false,
    method: method.begin(first, options.initial === undefined),
  }
}

/** Writes random or given factors to the engine. */
async function writeInitialFactors({
  tensor,
  problem,
  options,
  settings,
}: Omit<Loaded, 'ownEngine' | 'setUpSeconds'>): Promise<void> {
  const { statistics } = problem
  const given = options.initial && givenFactors(options.initial, tensor.dims, settings)
  await problem.writeFactors(
    given
      ? given.map((factor) => scaleFactor(factor, statistics.factorScale))
      : randomFactors(statistics, settings.rank, settings.seed),
  )
}
