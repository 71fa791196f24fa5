/**
 * A run: a problem on its way from random factors to a model. It is started or resumed, advanced round by
 * round, evaluated, changed and saved; a run that is not advanced is paused. methods/ decides what is done,
 * rounds.ts does it.
 */

import { InputError } from '../../base/inputError.ts'
import type { Engine } from '../../engine/engine.ts'
import type { CpModel } from '../../model/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { checkEntries } from '../settings/checkEntries.ts'
import { type Changes, changedSettings, type RunOptions, settingsOf } from '../settings/options.ts'
import type { Settings } from '../settings/settings.ts'
import { bestFactors, measureTrainError, modelOf } from './bestModel.ts'
import { digestOf, isDistributed, type Loaded, load, resolveModes } from './loadRun.ts'
import { assembleRun, firstProgress, type OpenedRun } from './openedRun.ts'
import type { EpochReport } from './report.ts'
import { checkState, checkStrata, settingsToResume } from './resume.ts'
import { advanceRounds, changeSettings } from './rounds.ts'
import { type Completion, epochsOf, type Progress, type RunState } from './runState.ts'
import type { StopReason } from './stopping.ts'

/**
 * A run of the solver that can be advanced round by round, evaluated, changed, saved and resumed
 * (docs/runs.md). Operations run one at a time, in the order of their calls.
 */
export class Run implements AsyncIterable<EpochReport> {
  readonly #run: OpenedRun
  readonly #ownEngine: Engine | undefined
  readonly #signal: AbortSignal | undefined
  /** Seconds that the engine took to load the entries, before the first step. */
  readonly setUpSeconds: number
  /** Mutex: resolves when the current operation has finished, so that operations run one at a time. */
  #lock: Promise<unknown> = Promise.resolve()

  /**
   * Use `Run.start` or `Run.resume`.
   * @param loaded the problem on its engine
   * @param progress the state to continue from
   */
  constructor(loaded: Loaded, progress: Progress) {
    this.#run = assembleRun(loaded, progress)
    this.#ownEngine = loaded.ownEngine
    this.#signal = loaded.options.signal
    this.setUpSeconds = loaded.setUpSeconds
    this.#signal?.addEventListener('abort', this.#onAbort)
    this.#onAbort()
  }

  /**
   * Loads the entries onto the engine and measures the errors of random or given factors; training begins
   * with the first `advance`.
   * @param tensor the training entries
   * @param options settings of the run; each has a default
   */
  static async start<R extends Run>(
    this: RunClass<R>,
    tensor: SparseTensor,
    options: RunOptions = {},
  ): Promise<R> {
    const settings = settingsOf(options)
    checkEntries(tensor, options, isDistributed(options))
    const loaded = await load(tensor, options, resolveModes(settings, tensor))
    return closeOnFailure(loaded, async () => new this(loaded, await firstProgress(loaded)))
  }

  /**
   * Continues a saved run, with the bits that it would have had without the interruption.
   * @param state from `state()` or `decodeRun`
   * @param tensor the entries that the run was started with, in any order
   * @param options engine, threads, signal, and new limits of `epochs` and `seconds`; other settings must be
   * as they were
   */
  static async resume<R extends Run>(
    this: RunClass<R>,
    state: RunState,
    tensor: SparseTensor,
    options: RunOptions = {},
  ): Promise<R> {
    checkEntries(tensor, options, isDistributed(options))
    const settings = settingsToResume(resolveModes(state.settings, tensor), options, tensor)
    const loaded = await load(tensor, options, settings, state.engine)
    return closeOnFailure(loaded, async () => {
      if (digestOf(loaded) !== state.digest)
        throw new InputError(
          'checkpoint',
          'The run was saved with other entries: the tensor, its validation entries or the sets that it watched are not the same now; give all of them as they were, or start anew.',
        )
      checkState(state.engine, loaded.problem.statistics.dims, settings.rank)
      checkStrata(state.progress, loaded.problem)
      await loaded.problem.writeState(state.engine)
      return new this(loaded, structuredClone(state.progress))
    })
  }

  /** The settings of the run, defaults included; `change` replaces them. */
  get settings(): Settings {
    return this.#run.settings
  }

  /** True on rank 0, the only process that writes files and prints; always true without MPI. */
  get isRoot(): boolean {
    return this.#run.options.engine?.communicator?.isRoot ?? true
  }

  /** All reports so far, the first one first. */
  get reports(): readonly EpochReport[] {
    return this.#run.progress.reports
  }

  /** Passes over the training entries so far; fractional within a round. */
  get epochs(): number {
    return epochsOf(this.#run.progress)
  }

  /** Seconds of solving so far, errors included; pauses do not count. */
  get seconds(): number {
    return this.#run.progress.seconds
  }

  /** Why the run ended; undefined while it can continue. */
  get stopped(): StopReason | undefined {
    return this.#run.progress.stopped
  }

  /** Whether λ has led as far as it can, and the next round is the first sweep under a learned prior. */
  get isBeforePrior(): boolean {
    const { method, stopped } = this.#run.progress
    return stopped === undefined && 'priorSweeps' in method && method.priorSweeps === 0
  }

  /** Whether the last rounds were sweeps under a learned prior, which raise the training error. */
  get isLearningPrior(): boolean {
    const { method } = this.#run.progress
    return 'priorSweeps' in method && Number(method.priorSweeps) > 0
  }

  /** Whether the run has found factors that are better than those it started from. */
  get learned(): boolean {
    return this.#run.progress.learned
  }

  /**
   * Yields reports until the run ends or is interrupted. Leaving the loop pauses the run, another loop
   * continues it.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<EpochReport> {
    for (let report = await this.advance(); report; report = await this.advance()) yield report
  }

  /**
   * Runs one round, or several until one is reported.
   * @param limits seconds: time after which the round is interrupted, to be continued by the next call; none
   * by default
   * @returns the report on the round; undefined if the run has ended, was interrupted, or the time was up
   */
  advance({ seconds = Infinity }: { seconds?: number } = {}): Promise<EpochReport | undefined> {
    return this.#exclusively(() => advanceRounds(this.#run, seconds))
  }

  /**
   * Uses other settings from the next round on, and lets a run that had ended continue. If λ or c change, the
   * factors that fitted best before are not preferred to later ones. A run whose first settings learn no prior
   * learns none after a change either.
   * @param changes the settings that change
   */
  change(changes: Changes): Promise<void> {
    const settings = changedSettings(this.#run.settings, changes)
    return this.#exclusively(() => changeSettings(this.#run, settings))
  }

  /** The best factors so far as a model; in the middle of a round the current ones if they are better. */
  model(): Promise<CpModel> {
    return this.#exclusively(async () => {
      const { model } = await modelOf(this.#run, await bestFactors(this.#run))
      return model
    })
  }

  /** The best model so far with its errors and all reports; the training error is over all entries. */
  result(): Promise<Completion> {
    return this.#exclusively(async () => {
      const run = this.#run
      const { factors, report } = await bestFactors(run)
      const train = run.method.errorSet === 'train' ? report.train : await measureTrainError(run, factors)
      const { reports, seconds, stopped = 'aborted' } = run.progress
      const { model, errors } = await modelOf(run, { factors, report: { ...report, train } })
      return {
        model,
        settings: run.settings,
        epochs: [...reports],
        ...errors,
        seconds,
        stopped,
      }
    })
  }

  /** The state of the run, from which `Run.resume` continues with the same entries on any engine. */
  state(): Promise<RunState> {
    return this.#exclusively(async () => ({
      settings: this.#run.settings,
      digest: digestOf(this.#run),
      progress: structuredClone(this.#run.progress),
      engine: await this.#run.problem.readState(),
    }))
  }

  /** Frees the problem's memory, and the engine if it is the run's own; a given engine stays open. */
  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#onAbort)
    await this.#exclusively(() => this.#run.problem.close())
    await this.#ownEngine?.close()
  }

  /** Stops the engine after the current AO iteration if the signal was aborted, else lets it run. */
  readonly #onAbort = (): void => {
    this.#run.problem.stop(this.#signal?.aborted ?? false)
  }

  /** Runs `work` when all operations before it have finished: factors are not read while they change. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lock.then(work)
    this.#lock = result.catch(() => {})
    return result
  }
}

/** The class `Run`, or one that extends it, as a constructor. */
export type RunClass<R extends Run> = new (loaded: Loaded, progress: Progress) => R

/**
 * Returns what `open` resolves to; if it fails, closes the problem and the run's own engine, and rethrows.
 */
async function closeOnFailure<R>({ problem, ownEngine }: Loaded, open: () => Promise<R>): Promise<R> {
  try {
    return await open()
  } catch (error) {
    await problem.close()
    await ownEngine?.close()
    throw error
  }
}
