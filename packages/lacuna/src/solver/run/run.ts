/**
 * A run: a problem on its way from random factors to a model. It is started or resumed, advanced round by round, looked
 * at, changed, and saved; leaving it alone pauses it. What the solver decides stands in fast.ts and paper.ts, what is
 * done about it here.
 */

import { InputError } from '../../base/inputError.ts'
import type { Engine, Iterations, LoadedProblem, Timed } from '../../engine/engine.ts'
import type { CpModel, ErrorSummary } from '../../model/index.ts'
import type { Observed, SparseTensor } from '../../tensor/index.ts'
import { heldOut, lookingAt, useless } from '../methods/errorMeter.ts'
import { type FastState, fastMethod } from '../methods/fast.ts'
import type { Method, Round } from '../methods/method.ts'
import { type PaperState, paperMethod } from '../methods/paper.ts'
import { keptPrior } from '../methods/prior.ts'
import { checkEntries } from '../settings/checkEntries.ts'
import { type Changes, changedSettings, type RunOptions, settingsOf } from '../settings/options.ts'
import type { Settings } from '../settings/settings.ts'
import { givenFactors, randomFactors, scaled } from './initial.ts'
import { learnedModel } from './learnedModel.ts'
import { digestOf, isOneOfMany, type Loaded, load, resolveSettings } from './loadRun.ts'
import { type EpochReport, inDataUnits, scoreOf } from './report.ts'
import { checkState, checkStrata, resumedSettings } from './resume.ts'
import type { Completion, Progress, RunState } from './runState.ts'
import type { StopReason } from './stopping.ts'

/** On data scaled to about 1 any λ beyond this leaves nothing but zeros, and float32 must hold its square. */
const LARGEST_LAMBDA = 1e15

/** A run as an object: advanced epoch by epoch, looked at, changed, saved and resumed (docs/runs.md). */
export class Run implements AsyncIterable<EpochReport> {
  readonly #tensor: SparseTensor
  readonly #problem: LoadedProblem
  readonly #ownEngine: Engine | undefined
  readonly #signal: AbortSignal | undefined
  readonly #watched: readonly string[]
  readonly #hasValidation: boolean
  readonly #options: RunOptions
  /** How long the engine took to load the entries, before the first step. */
  readonly setUpSeconds: number
  #settings: Settings
  #method: Method<FastState | PaperState>
  #progress: Progress
  /** What the entries are like, once it has been asked for. */
  #observed: Promise<Observed> | undefined
  /** Ends when what is being done has been done. */
  #turn: Promise<unknown> = Promise.resolve()

  /** By `start` or `resume`. */
  constructor(loaded: Loaded, progress: Progress) {
    this.#tensor = loaded.tensor
    this.#problem = loaded.problem
    this.#ownEngine = loaded.ownEngine
    this.#signal = loaded.options.signal
    this.#watched = Object.keys(loaded.options.watch ?? {})
    this.#hasValidation = loaded.options.validation !== undefined
    this.#options = loaded.options
    this.setUpSeconds = loaded.setUpSeconds
    this.#settings = loaded.settings
    this.#method = methodOf(loaded.settings, loaded.problem, loaded.options)
    this.#progress = progress
    this.#signal?.addEventListener('abort', this.#heedSignal)
    this.#heedSignal()
  }

  /** Loads the entries and takes the first look at random or given factors. */
  static async start<R extends Run>(
    this: RunClass<R>,
    tensor: SparseTensor,
    options: RunOptions = {},
  ): Promise<R> {
    const chosen = settingsOf(options)
    checkEntries(tensor, options, isOneOfMany(options))
    const loaded = await load(tensor, options, resolveSettings(chosen, tensor))
    return openRun(loaded, async () => {
      const { settings, problem } = loaded
      const { statistics } = problem
      const given = options.initial && givenFactors(options.initial, tensor.dims, settings)
      const factors = given
        ? given.map((factor) => scaled(factor, statistics.factorScale))
        : randomFactors(statistics, settings.rank, settings.seed)
      await problem.writeFactors(factors)
      const method = methodOf(settings, problem, options)
      if (method.balances) await problem.balance()
      await problem.snapshot()
      const look = lookingAt(problem, method, options)
      const { seconds, ...errors } = await look()
      const first = { epoch: 0, seconds, updateSeconds: 0, ...errors, sample: 0, lambda: 0 }
      const progress: Progress = {
        iterations: 0,
        epoch: 0,
        seconds,
        updateSeconds: 0,
        reports: [],
        best: first,
        learned: false,
        method: method.begin(first, given === undefined),
      }
      return new this(loaded, progress)
    })
  }

  /** Goes on with a run that was saved, on the same entries; options are those of `start` that do not decide the result. */
  static async resume<R extends Run>(
    this: RunClass<R>,
    state: RunState,
    tensor: SparseTensor,
    options: RunOptions = {},
  ): Promise<R> {
    checkEntries(tensor, options, isOneOfMany(options))
    const settings = resumedSettings(resolveSettings(state.settings, tensor), options, tensor)
    const loaded = await load(tensor, options, settings)
    return openRun(loaded, async () => {
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

  get settings(): Settings {
    return this.#settings
  }

  /** Whether this is the process, if there are several, that writes files and speaks. */
  get isFirst(): boolean {
    return this.#options.engine?.communicator?.isRoot ?? true
  }

  get reports(): readonly EpochReport[] {
    return this.#progress.reports
  }

  /** Of steps done, also within a round. */
  get epoch(): number {
    const { epoch, round } = this.#progress
    return epoch + (round ? round.done * round.sample : 0)
  }

  get seconds(): number {
    return this.#progress.seconds
  }

  /** Why it ended; undefined as long as it can go on. */
  get stopped(): StopReason | undefined {
    return this.#progress.stopped
  }

  /** Whether λ has led as far as it can, and a prior is about to be learned. */
  get isBeforePrior(): boolean {
    const { method, stopped } = this.#progress
    return stopped === undefined && 'priorSweeps' in method && method.priorSweeps === 0
  }

  /** Whether it has found anything better than what it started from. */
  get learned(): boolean {
    return this.#progress.learned
  }

  /** Reports as they come, until it ends or is interrupted. Leaving the loop pauses the run, entering another goes on. */
  async *[Symbol.asyncIterator](): AsyncGenerator<EpochReport> {
    for (let report = await this.advance(); report; report = await this.advance()) yield report
  }

  /**
   * One round. Returns its report; or nothing if the run has ended or was interrupted, or if so many seconds were over before
   * the round was: then it goes on from there.
   */
  advance({ seconds = Infinity }: { seconds?: number } = {}): Promise<EpochReport | undefined> {
    return this.#inTurn(() => this.#advance(seconds))
  }

  async #advance(seconds: number): Promise<EpochReport | undefined> {
    const progress = this.#progress
    for (;;) {
      if (progress.stopped) return undefined
      const past = { ...progress, best: progress.best }
      progress.round ??= { ...this.#method.next(progress.method, past), done: 0 }
      const { round } = progress
      const left = this.#settings.seconds - progress.seconds
      const { done, cut, ...took } = await this.#problem.iterate({
        ...this.#iterations(round),
        seconds: Math.min(seconds, left),
      })
      this.#count(took)
      progress.updateSeconds += took.seconds
      progress.iterations += done
      round.done += done
      const isOver = progress.seconds >= this.#settings.seconds
      if (round.done < round.iterations && !(cut === 'seconds' && isOver)) return undefined

      progress.epoch += round.done * round.sample
      progress.round = undefined
      // What is learned of rows would have to be balanced, too, and needs it not.
      if (this.#method.balances && round.step.kind !== 'posterior') this.#count(await this.#problem.balance())
      const report = await this.#look(round)
      const verdict = this.#method.judge(progress.method, past, { ...round, iterations: round.done }, report)
      if (verdict.keep) {
        await this.#problem.snapshot()
        progress.best = report
        progress.learned = true
      }
      if (verdict.back) {
        await this.#problem.restore()
        if (this.#method.balances) this.#count(await this.#problem.balance())
      }
      progress.stopped = verdict.stop ?? (progress.seconds >= this.#settings.seconds ? 'seconds' : undefined)
      if (verdict.tell) {
        progress.reports.push(report)
        return report
      }
    }
  }

  #iterations({ iterations, done, sample, lambda, step }: Round & { done: number }): Iterations {
    const { dims, factorScale } = this.#problem.statistics
    return {
      first: this.#progress.iterations,
      count: iterations - done,
      sample,
      // With factors multiplied by f and values by fᴺ, the problem stays the same if λ is by f^(2N − 2).
      lambda: Math.min(LARGEST_LAMBDA, lambda * factorScale ** (2 * dims.length - 2)),
      seed: this.#settings.seed,
      step,
    }
  }

  #count({ seconds }: Timed): void {
    this.#progress.seconds += seconds
  }

  /** Measures where we are. */
  async #look({ sample, lambda }: Pick<Round, 'sample' | 'lambda'>): Promise<EpochReport> {
    const { seconds, ...errors } = await lookingAt(this.#problem, this.#method, this.#sets())()
    this.#count({ seconds })
    const progress = this.#progress
    return {
      epoch: progress.epoch,
      seconds: progress.seconds,
      updateSeconds: progress.updateSeconds,
      ...errors,
      sample,
      lambda,
    }
  }

  #sets(): { validation?: unknown; watch: Record<string, unknown> } {
    return {
      ...(this.#hasValidation && { validation: true }),
      watch: Object.fromEntries(this.#watched.map((name) => [name, true])),
    }
  }

  /** Other settings from the next round on. If λ or c change, what fitted best before is not held against what comes. */
  change(changes: Changes): Promise<void> {
    const settings = changedSettings(this.#settings, changes)
    return this.#inTurn(async () => {
      const before = this.#settings
      this.#settings = settings
      this.#method = methodOf(settings, this.#problem, this.#options)
      const progress = this.#progress
      if (
        progress.stopped !== undefined ||
        before.lambda !== settings.lambda ||
        before.sample !== settings.sample
      ) {
        progress.stopped = undefined
        if (progress.round) progress.epoch += progress.round.done * progress.round.sample
        progress.round = undefined
        if (this.#method.balances) await this.#problem.balance()
        await this.#problem.snapshot()
        const now = await this.#look({ sample: 0, lambda: 0 })
        progress.method = this.#method.begin(now)
        progress.best = useless(now)
      }
    })
  }

  /** The best factors so far, as a model; in the middle of a round, those of now if they are better. */
  model(): Promise<CpModel> {
    return this.#inTurn(async () => {
      const best = await this.#best()
      return this.#modelOf(best.factors, best.report)
    })
  }

  /** The model with its errors, that of training over all entries, and how it came about. */
  result(): Promise<Completion> {
    return this.#inTurn(async () => {
      const { factors, report } = await this.#best()
      const train = this.#method.looksAt === 'train' ? report.train : await this.#trainError(factors)
      const { reports, seconds, stopped = 'aborted' } = this.#progress
      return {
        model: await this.#modelOf(factors, { ...report, train }),
        settings: this.#settings,
        epochs: [...reports],
        train,
        ...heldOut(report),
        seconds,
        stopped,
      }
    })
  }

  async #best(): Promise<{ factors: Float32Array[]; report: EpochReport }> {
    const { round, best } = this.#progress
    if (round && round.done > 0) {
      const report = await this.#look(round)
      if (scoreOf(report) < scoreOf(best)) return { factors: await this.#problem.readFactors(), report }
    }
    return { factors: await this.#problem.readFactors('snapshot'), report: best }
  }

  /** Of all training entries, where reports are on some of them. */
  async #trainError(factors: readonly Float32Array[]): Promise<ErrorSummary> {
    const problem = this.#problem
    const { statistics } = problem
    // A run that can go on must find everything as it was.
    const state = this.#progress.stopped ? undefined : await problem.readState()
    await problem.writeFactors(factors)
    const { sums } = await problem.errors(['train'])
    if (state) await problem.writeState(state)
    return inDataUnits(sums[0], statistics.sets.train, statistics)
  }

  async #modelOf(factors: readonly Float32Array[], report: EpochReport): Promise<CpModel> {
    const problem = this.#problem
    this.#observed ??= problem.observed(this.#tensor)
    const observed = await this.#observed
    const learned = isOfPrior(this.#progress, report) ? await problem.readPrior() : undefined
    return learnedModel(this.#tensor, this.#settings, problem, factors, {
      observed,
      prior: learned && keptPrior(learned, problem.statistics, observed.mean),
      record: { ...this.#progress, epoch: this.epoch, report },
    })
  }

  /** Everything that it depends on but the entries. */
  state(): Promise<RunState> {
    return this.#inTurn(async () => ({
      settings: this.#settings,
      digest: digestOf({ problem: this.#problem, options: this.#options }),
      progress: structuredClone(this.#progress),
      engine: await this.#problem.readState(),
    }))
  }

  /** Gives back what the run took; an engine that was given stays open. */
  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#heedSignal)
    await this.#inTurn(() => this.#problem.close())
    await this.#ownEngine?.close()
  }

  readonly #heedSignal = (): void => {
    this.#problem.stop(this.#signal?.aborted ?? false)
  }

  /** One thing at a time: nobody reads factors while they change. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }
}

/** Run, or a class of its own over it. */
export type RunClass<R extends Run> = new (loaded: Loaded, progress: Progress) => R

async function openRun<R>({ problem, ownEngine }: Loaded, open: () => Promise<R>): Promise<R> {
  try {
    return await open()
  } catch (error) {
    await problem.close()
    await ownEngine?.close()
    throw error
  }
}

function methodOf(
  settings: Settings,
  problem: LoadedProblem,
  { features }: RunOptions,
): Method<FastState | PaperState> {
  const method =
    settings.solver === 'fast' ? fastMethod(settings, problem, features !== undefined) : paperMethod(settings)
  return method as Method<FastState | PaperState>
}

/**
 * Whether a report is on factors that sweeps under a learned prior have made: each is an epoch, and they are the
 * last.
 */
function isOfPrior({ method, epoch }: Progress, report: EpochReport): boolean {
  const sweeps = 'priorSweeps' in method ? (method.priorSweeps ?? 0) : 0
  return report.epoch > epoch - sweeps + 0.5
}
