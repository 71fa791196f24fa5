/**
 * A search over settings by cross-fitting. Each trial is fitted on all folds, in order, and judged by the
 * entries that its models were fitted without; a trial that is much worse on the first two folds is given up.
 * A search can be saved and continued: finished trials are known by their errors, the current one by the
 * states of its runs.
 */
import type { FoldError } from '../../../model/index.ts'
import {
  byEntry,
  type FoldBy,
  foldGroupsOf,
  isByEntry,
  type SampledCells,
  type SparseTensor,
  wholeModes,
} from '../../../tensor/index.ts'
import { refuseOtherSettings } from '../../run/resume.ts'
import type { RunState } from '../../run/runState.ts'
import { type RunOptions, settingsOf } from '../../settings/options.ts'
import type { Settings } from '../../settings/settings.ts'
import {
  type Abandoned,
  type CrossFit,
  crossFit,
  Deadline,
  FOLDS,
  type Unfinished,
} from '../crossFit/index.ts'
import { criterionOf, type FoldTrial, type TrialChanges } from '../trials.ts'
import { BlockLimits } from './blockWeights.ts'
import { sampleFolds } from './sampleFolds.ts'
import { checkSameFolds, refuseLeaks, type SearchOptions } from './searchOptions.ts'
import { isWorseOnEach, trialError } from './trialErrors.ts'
import { trialKey, trialSettings } from './trialSettings.ts'
import { TrialTimes } from './trialTimes.ts'

/**
 * Whether groups are of two kinds, single entries and whole groups, of modes that a tensor has: those of a checkpoint may
 * be any.
 */
const isMixed = (by: FoldBy, { dims }: Pick<SparseTensor, 'dims'>): boolean =>
  wholeModes(by) !== undefined && by.every(({ mode }) => dims[mode] !== undefined)

/** How a trial is made. */
export interface AttemptOptions {
  /** Number of folds on which it is made, the first ones; all by default. */
  folds?: number
  /**
   * The trial is given up if its error is above that of the best by this fraction on each of the first two
   * folds; 0.01 by default.
   */
  tolerance?: number
}

/** The default of `AttemptOptions.tolerance`. */
const HOPELESS = 0.01
/** Most trials whose models stay in memory, beside pinned ones: those of the smallest errors. */
const MOST_IN_MEMORY = 8

/** Trials that are combined in the end, usually, by a search that pins some. */
const USUALLY_COMBINED = 3

/** The trials of a search, their models, and the clock of its time limit. */
export class FoldSearch {
  /** Finished trials, in the order in which they were made. */
  readonly trials: FoldTrial[] = []
  /** What stays together in a fold. */
  readonly by: FoldBy
  /** Number of folds. */
  readonly folds: number
  /** The sampled cells, where unlisted cells are zeros; undefined elsewhere. */
  readonly sampled: SampledCells | undefined
  /** The entries that folds are made of: those of the tensor, or the sampled cells. */
  readonly #tensor: SparseTensor
  readonly #options: RunOptions
  readonly #searchOptions: SearchOptions
  readonly #settings: Settings
  /** Trials that are candidates of a combination however large their errors are. */
  readonly #pinned = new Set<FoldTrial>()
  /** The models of trials near the best, and of pinned ones. */
  readonly #fits = new Map<FoldTrial, CrossFit>()
  /** The changes of the options by which each trial was made. */
  readonly #changes = new Map<FoldTrial, TrialChanges>()
  readonly #start = performance.now()
  /** The time limit. */
  readonly deadline: Deadline
  /** Models of all entries that follow the search within its time limit. */
  readonly #modelsAfter: number
  /**
   * Models of a trial for which the time was up before all had begun or learned something: of the first one, or of one
   * that a resumed search knows by its errors alone. They are the result where no trial has models of all folds.
   */
  unfinished: Unfinished | undefined
  /** Per fold, the state of the current trial's run. */
  #runs: (RunState | undefined)[] = []
  /** The settings of the current trial, as JSON. */
  #trial: string | undefined
  /** Time of the last save, in milliseconds of `performance.now`. */
  #savedAt = performance.now()
  /** The blocks whose influence on the criterion is limited. */
  readonly #limits: BlockLimits
  /** The expected seconds of trials. */
  readonly #times: TrialTimes

  /**
   * Checks the options, but fits nothing yet; throws if a saved search had other settings or folds.
   * @param options the settings that trials change
   * @param search folds, checkpointing, callbacks and the time limit
   * @param isEnsemble whether the models are assembled afterwards, or else one model of all entries is fitted
   */
  constructor(tensor: SparseTensor, options: RunOptions, search: SearchOptions, isEnsemble = true) {
    const saved = search.checkpointing?.saved
    this.#options = options
    this.#searchOptions = search
    this.#settings = settingsOf(options)
    refuseLeaks(options)
    this.folds = search.folds ?? FOLDS
    if (this.#settings.missing === 'zero') {
      this.sampled = sampleFolds(tensor, options, {
        folds: this.folds,
        by: search.by,
        seed: this.#settings.seed,
      })
      this.#tensor = this.sampled.cells
      this.by = byEntry(tensor)
    } else {
      this.#tensor = tensor
      // Groups that may be those of another release by default are kept: single entries, and what cannot be typed.
      const isKept = saved !== undefined && (isByEntry(saved.by, tensor) || isMixed(saved.by, tensor))
      this.by = search.by ?? (isKept ? saved.by : foldGroupsOf(tensor))
    }
    if (saved) {
      checkSameFolds(saved, { folds: this.folds, starts: search.starts ?? 1, by: this.by })
      refuseOtherSettings(saved.settings, this.#settings)
    }
    this.#modelsAfter = isEnsemble ? 0 : 1
    const problem = { tensor: this.#tensor, by: this.by, seed: this.#settings.seed }
    // A search that has a trial knows which blocks are capped, also that there are none.
    this.#limits = new BlockLimits(
      problem,
      saved && saved.trials.length > 0 ? (saved.capped ?? []) : undefined,
    )
    const seconds = (search.seconds ?? Infinity) - (saved?.seconds ?? 0)
    this.deadline = new Deadline({
      ...{ seconds, entries: this.#tensor.values.length, isEnsemble },
      finish: search.finish,
    })
    const { deadline, folds } = this
    this.#times = new TrialTimes(
      {
        ...{ tensor: this.#tensor, listed: this.sampled?.listed, folds, deadline },
        modelsAfter: this.#modelsAfter,
      },
      saved?.times,
    )
  }

  /** The trial on all folds, or given up, with the smallest error; there must be one. */
  get best(): FoldTrial {
    return this.trials
      .filter(({ isScreening }) => !isScreening)
      .reduce((best, trial) => (criterionOf(trial) < criterionOf(best) ? trial : best))
  }

  /** The trials whose models were fitted on all folds, the one with the smallest error first. */
  get finished(): FoldTrial[] {
    return this.trials
      .filter(({ folds }) => folds === this.folds)
      .sort((a, b) => criterionOf(a) - criterionOf(b))
  }

  /** The trials on all folds that a combination is made of: those of the smallest errors, and pinned ones. */
  get candidates(): FoldTrial[] {
    const pinned = [...this.#pinned].filter(({ folds }) => folds === this.folds)
    return [...new Set([...this.finished.slice(0, MOST_IN_MEMORY), ...pinned])]
  }

  /** Makes a trial a candidate of the combination, however large its error is, so that its models are kept. */
  pin(trial: FoldTrial): void {
    this.#pinned.add(trial)
  }

  /**
   * Reserves time after the search to fit the models of the best trial to all entries, where folds are blocks: a model
   * that was fitted without a fold has no entries of its blocks. Where folds are single entries, it has their neighbours.
   */
  reserveRefit(): void {
    if (!isByEntry(this.by, this.#tensor)) this.#times.reserveRefit()
  }

  /** The seconds of refitting the models of a trial, if it is the best in the end, in units of those of one of its folds. */
  get foldsOfRefit(): number {
    return this.#times.foldsOfRefit
  }

  /** Weights of the entries in the criterion, in the order of the tensor; undefined where all are 1. */
  get weights(): Float32Array | undefined {
    return this.#limits.weights
  }

  /** Seconds of this search, including those before it was saved and resumed. */
  get seconds(): number {
    return (this.#searchOptions.checkpointing?.saved?.seconds ?? 0) + (performance.now() - this.#start) / 1000
  }

  /** Whether the signal of the options was aborted: then nothing more is tried, and nothing chosen. */
  get isInterrupted(): boolean {
    return this.#options.signal?.aborted ?? false
  }

  /**
   * Whether a trial would finish before the time limit, by the time of the last one; true while none has been timed.
   * @param folds number of folds on which it is made; all by default
   */
  hasTimeFor(changes: TrialChanges, folds = this.folds): boolean {
    return this.#times.hasTimeFor({ ...this.#options, ...changes }, folds)
  }

  /** The trial with these settings that was made before or saved; undefined if there is none. */
  #find(key: string, isScreening: boolean): FoldTrial | undefined {
    const saved = this.#searchOptions.checkpointing?.saved?.trials ?? []
    return [...this.trials, ...saved].find(
      (trial) => trialKey(trial) === key && (isScreening || !trial.isScreening),
    )
  }

  /** Whether a trial on all folds was made before or saved, so that it takes no time. */
  isKnown(changes: TrialChanges): boolean {
    return this.#find(JSON.stringify(trialSettings({ ...this.#options, ...changes })), false) !== undefined
  }

  /**
   * Makes a trial of the options with changes, or finds it among those made before or saved. Saves the search
   * if that is due.
   * @returns the trial, also if it was given up; undefined if it was interrupted or the time was up
   */
  async attempt(
    changes: TrialChanges,
    { folds = this.folds, tolerance = HOPELESS }: AttemptOptions = {},
  ): Promise<FoldTrial | undefined> {
    const options = { ...this.#options, ...changes }
    const settings = trialSettings(options)
    const key = JSON.stringify(settings)
    const isScreening = folds < this.folds
    const known = this.#find(key, isScreening)
    if (known) return this.#add(known, changes)
    this.#searchOptions.onBegin?.(settings)
    const start = performance.now()
    const best = this.trials.length > 0 ? this.best : undefined
    const fit = await this.#fit(options, key, best, { folds, tolerance })
    if (!fit) return undefined
    if ('isUnfinished' in fit) {
      if (this.finished.length === 0) this.unfinished = fit
      return undefined
    }
    if (!this.#limits.capped && 'predictions' in fit) this.#limits.setBy(fit)
    const { foldErrors } = fit
    const trial: FoldTrial = {
      ...settings,
      ...trialError(foldErrors, best),
      folds: foldErrors.length,
      ...(isScreening && { isScreening }),
      foldErrors,
    }
    const isBest = !best || criterionOf(trial) < criterionOf(best)
    const seconds = (performance.now() - start) / 1000 + this.#secondsBefore(key)
    const setUp = 'setUpSeconds' in fit ? fit.setUpSeconds : 0
    this.#times.note(options, trial.folds, { seconds, setUp }, isBest)
    if ('predictions' in fit) this.#fits.set(trial, fit)
    this.#add(trial, changes)
    const most = this.#pinned.size > 0 ? USUALLY_COMBINED : 1
    if (this.finished.length > 0)
      this.deadline.combined = this.finished.slice(0, most).map(({ rank }) => rank)
    for (const other of this.finished.slice(MOST_IN_MEMORY))
      if (!this.#pinned.has(other)) this.#fits.delete(other)
    if (this.isInterrupted || this.#secondsUntilSave() <= 0) await this.save()
    return trial
  }

  /** The options that a trial changed. */
  changesOf(trial: FoldTrial): TrialChanges {
    return this.#changes.get(trial) ?? {}
  }

  /** Whether the models of a trial are still in memory. */
  hasModels(trial: FoldTrial): boolean {
    return this.#fits.has(trial)
  }

  /**
   * The models of a trial, fitted again if they are no longer in memory; undefined if that was interrupted or
   * could not be finished in time.
   */
  async models(trial: FoldTrial): Promise<CrossFit | undefined> {
    const inMemory = this.#fits.get(trial)
    if (inMemory) return inMemory
    const options = { ...this.#options, ...this.changesOf(trial) }
    const fit = await this.#fit(options, trialKey(trial))
    if (fit && 'isUnfinished' in fit) this.unfinished = fit
    return fit && 'predictions' in fit ? fit : undefined
  }

  /** About the seconds that a trial had taken when the search was saved: those of its runs, if one followed another. */
  #secondsBefore(key: string): number {
    const saved = this.#searchOptions.checkpointing?.saved
    if (saved?.trial !== key) return 0
    return Math.min(
      saved.seconds,
      saved.runs.reduce((sum, run) => sum + (run?.progress.seconds ?? 0), 0),
    )
  }

  /** Adds a trial to the list and reports it, unless it is there already; returns it. */
  #add(trial: FoldTrial, changes: TrialChanges): FoldTrial {
    if (this.trials.includes(trial)) return trial
    this.trials.push(trial)
    this.#changes.set(trial, changes)
    this.#searchOptions.onTrial?.(trial)
    return trial
  }

  /**
   * Cross-fits with the options of a trial, from its saved runs if there are any.
   * @param key identifies the trial: its settings as JSON
   * @param best the trial against which this one is given up; undefined for the first one, whose models are
   * cut off at the time limit instead
   * @param attempt on how many folds, and when it is given up
   * @returns undefined if it was interrupted, or the time was up
   */
  async #fit(
    options: RunOptions,
    key: string,
    best?: FoldTrial,
    { folds: most = this.folds, tolerance = HOPELESS }: AttemptOptions = {},
  ): Promise<CrossFit | Abandoned | Unfinished | undefined> {
    const { starts, onEpoch, onModel, checkpointing } = this.#searchOptions
    const { folds, by } = this
    const isHopeless = (first: readonly FoldError[]): boolean =>
      first.length >= most ||
      (best !== undefined && first.length === 2 && isWorseOnEach(first, best.foldErrors, tolerance))
    const limit = { deadline: this.deadline, cutsModels: !best, modelsAfter: this.#modelsAfter }
    const saved = checkpointing?.saved?.trial === key ? checkpointing.saved.runs : []
    this.#runs = Array.from({ length: folds }, (_, fold) => saved[fold])
    this.#trial = key
    return crossFit(
      this.#tensor,
      options,
      { folds, by, starts, onEpoch, onModel },
      checkpointing && {
        states: this.#runs,
        secondsLeft: () => this.#secondsUntilSave(),
        save: () => this.save(),
      },
      {
        isHopeless,
        weights: this.weights,
        sampled: this.sampled,
        limit: this.#searchOptions.seconds === undefined ? undefined : limit,
      },
    )
  }

  /** Seconds until the search is saved; Infinity if it is not. */
  #secondsUntilSave(): number {
    return (this.#searchOptions.checkpointing?.every ?? Infinity) - (performance.now() - this.#savedAt) / 1000
  }

  /** Passes the state of the search to `save` of the checkpointing, if there is one. */
  async save(): Promise<void> {
    const { checkpointing, starts = 1 } = this.#searchOptions
    const { folds, by, seconds, trials } = this
    this.#savedAt = performance.now()
    const state = { folds, starts, by, seconds, trials, trial: this.#trial, runs: this.#runs }
    const blocks = this.#limits.capped ?? []
    const capped = blocks.length > 0 ? { capped: blocks } : {}
    const times = this.#times.measured ? { times: this.#times.measured } : {}
    await checkpointing?.save({ settings: this.#settings, ...state, ...capped, ...times })
  }
}
