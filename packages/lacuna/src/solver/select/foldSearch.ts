/**
 * A search over settings by cross-fitting. Each trial is fitted on all folds, in order, and judged by the
 * entries that its models were fitted without; a trial that is much worse on the first two folds is given up.
 * A search can be saved and continued: finished trials are known by their errors, the current one by the
 * states of its runs.
 */

import { InputError, option, sentence } from '../../base/inputError.ts'
import { type FoldError, foldError } from '../../model/index.ts'
import {
  entriesOfFold,
  type FoldBy,
  foldByText,
  gapsOf,
  reshapedModes,
  resolveReshaping,
  type SparseTensor,
} from '../../tensor/index.ts'
import { refuseOtherSettings } from '../run/resume.ts'
import type { RunState } from '../run/runState.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import type { Settings } from '../settings/settings.ts'
import { settingText } from '../settings/settingText.ts'
import { type CappedBlocks, capBlocks, weightEntries } from './blockWeights.ts'
import {
  type Abandoned,
  type CrossFit,
  type CrossFitOptions,
  crossFit,
  FOLDS,
  type Unfinished,
} from './crossFit.ts'
import { Deadline } from './deadline.ts'
import { criterionOf, type FoldTrial, type TrialChanges, type TrialSettings } from './trials.ts'

/** The state of a search, to be saved; plain data but for the runs. */
export interface SearchState {
  /** The settings that the trials vary. */
  settings: Settings
  /** Number of folds. */
  folds: number
  /** Starts per model. */
  starts: number
  /** What stays together in a fold. */
  by: FoldBy
  /** Seconds that the search has taken so far. */
  seconds: number
  /** Finished trials. */
  trials: FoldTrial[]
  /** Weights of blocks with much of the squared error of the first trial; none by default. */
  capped?: CappedBlocks
  /** The current trial: its settings as JSON. */
  trial?: string
  /** Per fold, the state of the current trial's run; undefined where it has not begun. */
  runs: readonly (RunState | undefined)[]
}

/** How a search is saved while it runs, and continued. */
export interface SearchCheckpointing {
  /** State to continue from; starts anew if undefined. */
  saved?: SearchState
  /** Seconds between two calls of `save`. */
  every: number
  /** Writes the state, as with `encodeSearch`; also called when the search is interrupted. */
  save: (state: SearchState) => Promise<void>
}

/** Options of a search by cross-fitting. */
export interface SearchOptions extends CrossFitOptions {
  /** Called before each trial; none by default. */
  onBegin?: (trial: TrialSettings) => void
  /** Called after each trial; none by default. */
  onTrial?: (trial: FoldTrial) => void
  /** Saves the search while it runs and continues a saved one; not saved by default. */
  checkpointing?: SearchCheckpointing
  /**
   * Time limit of everything together in seconds, from the search to the result: models of the first trial are
   * cut off in time, a later trial that runs then is discarded, and stages for which no time is left are left
   * out; none by default.
   */
  seconds?: number
  /**
   * Ends a search with `seconds` early when aborted, as if the time for models were up: the trial that runs is
   * discarded, and the models so far make the ensemble. (The signal of the run's options discards everything.)
   */
  finish?: AbortSignal
}

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
const MOST_KEPT = 8

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
  /** The models of the first trial, if the time was up before all had begun or learned something. */
  unfinished: Unfinished | undefined
  /** Per fold, the state of the current trial's run. */
  #runs: (RunState | undefined)[] = []
  /** The settings of the current trial, as JSON. */
  #trial: string | undefined
  /** When the search was last saved, in milliseconds of `performance.now`. */
  #savedAt = performance.now()
  /** Size of the last trial (`sizeOf`), and the seconds that it would have taken on all folds. */
  #last: { size: number; seconds: number } | undefined
  /** The blocks whose influence is limited; undefined before the first trial. */
  #capped: CappedBlocks | undefined
  #weights: Float32Array | undefined

  /**
   * Checks the options, but fits nothing yet; throws if a saved search had other settings or folds.
   * @param options the settings that trials change
   * @param search folds, checkpointing, callbacks and the time limit
   * @param isEnsemble whether the models are assembled afterwards, or else one model of all entries is fitted
   */
  constructor(tensor: SparseTensor, options: RunOptions, search: SearchOptions, isEnsemble = true) {
    const saved = search.checkpointing?.saved
    this.#tensor = tensor
    this.#options = options
    this.#searchOptions = search
    this.#settings = settingsOf(options)
    refuseLeaks(options)
    this.folds = search.folds ?? FOLDS
    this.by = search.by ?? gapsOf(tensor)
    if (saved) {
      checkSameFolds(saved, { folds: this.folds, starts: search.starts ?? 1, by: this.by })
      refuseOtherSettings(saved.settings, this.#settings)
    }
    this.#modelsAfter = isEnsemble ? 0 : 1
    if (saved?.capped) this.#cap(saved.capped)
    const seconds = (search.seconds ?? Infinity) - (saved?.seconds ?? 0)
    this.deadline = new Deadline({
      ...{ seconds, entries: tensor.values.length, isEnsemble },
      finish: search.finish,
    })
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
    return [...new Set([...this.finished.slice(0, MOST_KEPT), ...pinned])]
  }

  /** Makes a trial a candidate of the combination, however large its error is, so that its models are kept. */
  pin(trial: FoldTrial): void {
    this.#pinned.add(trial)
  }

  /** Weights of the entries in the criterion, in the order of the tensor; undefined where all are 1. */
  get weights(): Float32Array | undefined {
    return this.#weights
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
   * Whether a trial would finish before the time limit, if its time grows from that of the last trial as
   * `sizeOf` does; true for the first one.
   * @param folds number of folds on which it is made; all by default
   */
  hasTimeFor(changes: TrialChanges, folds = this.folds): boolean {
    if (!this.#last) return true
    const size = this.#sizeOf({ ...this.#options, ...changes })
    const seconds = (this.#last.seconds * Math.max(1, size / this.#last.size) * folds) / this.folds
    return this.deadline.secondsForModels > seconds + this.#modelSeconds(seconds)
  }

  /**
   * About how long models with these options take, in arbitrary units: modes × (8 + R + R²/64). Rank 64 took 4 to
   * 10 times as long as rank 10 on six data sets.
   */
  #sizeOf(options: RunOptions): number {
    const { rank, mergeModes, split } = settingsOf(options)
    const reshaping = resolveReshaping({ mergeModes, split }, this.#tensor)
    return reshapedModes(reshaping, this.#tensor.dims).dims.length * (8 + rank + rank ** 2 / 64)
  }

  /** Seconds of the models that follow the search, from those of a trial on all folds. */
  #modelSeconds(seconds: number): number {
    return (this.#modelsAfter * seconds) / (this.folds - 1)
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
    const known = [...this.trials, ...(this.#searchOptions.checkpointing?.saved?.trials ?? [])].find(
      (trial) => trialKey(trial) === key && (isScreening || !trial.isScreening),
    )
    if (known) return this.#add(known, changes)
    this.#searchOptions.onBegin?.(settings)
    const start = performance.now()
    const best = this.trials.length > 0 ? this.best : undefined
    const fit = await this.#fit(options, key, best, { folds, tolerance })
    if (!fit) return undefined
    if ('isUnfinished' in fit) {
      this.unfinished = fit
      return undefined
    }
    if (!this.#capped && 'predictions' in fit) this.#capFirst(fit)
    const { foldErrors } = fit
    const trial: FoldTrial = {
      ...settings,
      ...trialError(foldErrors, best),
      folds: foldErrors.length,
      ...(isScreening && { isScreening }),
      foldErrors,
    }
    const seconds = (performance.now() - start) / 1000
    this.#last = { size: this.#sizeOf(options), seconds: (seconds * this.folds) / trial.folds }
    if (!best || criterionOf(trial) < criterionOf(best))
      this.deadline.modelSeconds = this.#modelSeconds(this.#last.seconds)
    if ('predictions' in fit) this.#fits.set(trial, fit)
    this.#add(trial, changes)
    const most = this.#pinned.size > 0 ? USUALLY_COMBINED : 1
    if (this.finished.length > 0)
      this.deadline.combined = this.finished.slice(0, most).map(({ rank }) => rank)
    for (const other of this.finished.slice(MOST_KEPT)) if (!this.#pinned.has(other)) this.#fits.delete(other)
    if (this.isInterrupted || this.#secondsUntilSave() <= 0) await this.#save()
    return trial
  }

  /**
   * Limits the influence of blocks with much of the squared error of the first trial, and computes its capped
   * errors.
   */
  #capFirst({ foldErrors, predictions, folds }: CrossFit): void {
    const { seed } = this.#settings
    this.#cap(capBlocks(this.#tensor, this.by, seed, predictions))
    if (!this.#weights) return
    foldErrors.forEach((_, fold) => {
      const entries = entriesOfFold(folds, fold)
      foldErrors[fold] = foldError(this.#tensor.values, predictions, entries, this.#weights)
    })
  }

  /** Sets the weights of blocks. */
  #cap(capped: CappedBlocks): void {
    this.#capped = capped
    this.#weights = weightEntries(this.#tensor, this.by, this.#settings.seed, capped)
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
        save: () => this.#save(),
      },
      {
        isHopeless,
        weights: this.#weights,
        limit: this.#searchOptions.seconds === undefined ? undefined : limit,
      },
    )
  }

  /** Seconds until the search is saved; Infinity if it is not. */
  #secondsUntilSave(): number {
    return (this.#searchOptions.checkpointing?.every ?? Infinity) - (performance.now() - this.#savedAt) / 1000
  }

  /** Passes the state of the search to `save` of the checkpointing, if there is one. */
  async #save(): Promise<void> {
    const { checkpointing, starts = 1 } = this.#searchOptions
    const { folds, by, seconds, trials } = this
    this.#savedAt = performance.now()
    const state = { folds, starts, by, seconds, trials, trial: this.#trial, runs: this.#runs }
    const capped = this.#capped && this.#capped.length > 0 ? { capped: this.#capped } : {}
    await checkpointing?.save({ settings: this.#settings, ...state, ...capped })
  }
}

/**
 * Throws if there are initial factors or validation entries, by which models would know entries that are held
 * out, or if missing cells are zeros, for which held-out entries would be taken.
 */
function refuseLeaks({ initial, validation, missing }: RunOptions): void {
  const given = { initial, validation, ...(missing === 'zero' && { missing }) }
  for (const [name, value] of Object.entries(given))
    if (value !== undefined)
      throw new InputError(
        'option',
        sentence`${option('folds')} does not go with ${option(name)}; leave one of them out.`,
      )
}

/** The settings that identify a trial with these options, defaults filled in. */
function trialSettings(options: RunOptions): TrialSettings {
  const settings = settingsOf(options)
  const { link, timePrior } = settings
  const lags = String(settingText('lags', settings))
  return {
    rank: settings.rank,
    noise: settings.noise,
    ...(link !== 'identity' && { link }),
    lags,
    ...(lags !== '' && timePrior !== 'coupled' && { timePrior }),
    features: options.features !== undefined,
    merged: String(settingText('mergeModes', settings)),
    split: String(settingText('split', settings)),
  }
}

/** Identifies a trial by its settings, as JSON. */
const trialKey = (trial: FoldTrial): string => {
  const { rank, noise, link, lags, timePrior, features, merged, split } = trial
  return JSON.stringify({
    ...{ rank, noise, link, lags, timePrior, features, merged, split },
  } satisfies TrialSettings)
}

/** Whether the error on each of the first folds is above that of another trial by more than a fraction. */
const isWorseOnEach = (
  first: readonly FoldError[],
  others: readonly FoldError[],
  tolerance: number,
): boolean =>
  first.every((error, fold) => cappedSquares(error) > (1 + tolerance) ** 2 * cappedSquares(others[fold]))

/** The squared error by which trials are compared. */
const cappedSquares = ({ capped, squares }: FoldError): number => capped ?? squares

/**
 * RMSE of a trial over all its entries, and its standard error from the differences between folds. Where the
 * trial was given up, its error on the folds that were not fitted is assumed to be above the best trial's by
 * as much as on those that were.
 * @param best the best trial before; undefined if this is the first
 */
function trialError(
  foldErrors: readonly FoldError[],
  best: FoldTrial | undefined,
): { rmse: number; criterion?: number; spread: number } {
  const rmses = foldErrors.map(rmseOf)
  const sums = addErrors(foldErrors)
  const rmse = rmseOf(sums)
  const variance = rmses.reduce((sum, x) => sum + (x - rmse) ** 2, 0) / Math.max(1, rmses.length - 1)
  const isPart = best !== undefined && rmses.length < best.foldErrors.length
  const others = isPart ? addErrors(best.foldErrors.slice(0, rmses.length)) : undefined
  const scale = others && rmseOf(others) > 0 ? best!.rmse / rmseOf(others) : 1
  const spread = scale * Math.sqrt(variance / rmses.length)
  if (sums.capped === undefined) return { rmse: scale * rmse, spread }
  const cappedScale = others && cappedOf(others) > 0 ? criterionOf(best!) / cappedOf(others) : 1
  return { rmse: scale * rmse, criterion: cappedScale * cappedOf(sums), spread }
}

const rmseOf = ({ squares, entries }: FoldError): number => Math.sqrt(squares / entries)

/** The RMSE in which single blocks have limited influence. */
const cappedOf = (error: FoldError): number => Math.sqrt(cappedSquares(error) / error.entries)

/** The sums of errors and entries over several folds. */
const addErrors = (errors: readonly FoldError[]): FoldError =>
  errors.reduce((sum, { squares, entries, capped }) => ({
    squares: sum.squares + squares,
    entries: sum.entries + entries,
    ...(capped !== undefined && { capped: (sum.capped ?? 0) + capped }),
  }))

/** Throws if a saved search had another number of folds or starts, or other groups of entries. */
function checkSameFolds(saved: SearchState, now: Pick<SearchState, 'folds' | 'starts' | 'by'>): void {
  const changeError = (name: string, before: string | number, given: string | number): InputError =>
    new InputError(
      'checkpoint',
      sentence`The run was saved with ${option(name)} ${before}, and now it is ${given}; leave it as it was, or start anew.`,
    )
  for (const name of ['folds', 'starts'] as const)
    if (saved[name] !== now[name]) throw changeError(name, saved[name], now[name])
  if (JSON.stringify(saved.by) !== JSON.stringify(now.by))
    throw changeError('foldBy', foldByText(saved.by), foldByText(now.by))
}
