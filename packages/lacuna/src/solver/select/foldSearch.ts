/**
 * Settings by cross-fitting: each is tried on all folds, in order, and judged by entries that the models had not seen. What is
 * hopeless after the first folds is given up. A search can be saved and go on: trials that are done are known by their errors,
 * and the one at hand by its models as they stand.
 */

import { InputError, option, sentence } from '../../base/inputError.ts'
import type { Noise } from '../../engine/engine.ts'
import type { FoldError } from '../../model/index.ts'
import { type FoldBy, foldByText, gapsOf, type SparseTensor } from '../../tensor/index.ts'
import { refuseOtherSettings } from '../run/resume.ts'
import type { RunState } from '../run/runState.ts'
import { type RunOptions, settingsOf } from '../settings/options.ts'
import { defaults, type Settings } from '../settings/settings.ts'
import { asTyped } from '../settings/settingText.ts'
import { type Abandoned, type CrossFit, type CrossFitOptions, crossFit, FOLDS } from './crossFit.ts'

/** Settings that were tried, and their error on entries that the models had not seen; plain data. */
export interface FoldTrial {
  rank: number
  noise: Noise
  /** As they are typed; empty where there are none. */
  lags: string
  features: boolean
  merged: string
  split: string
  rmse: number
  /** The standard error of rmse, by how much the folds differ. */
  spread: number
  /** Fewer where it was given up. */
  folds: number
  foldErrors: FoldError[]
}

/** What a trial is known by. */
export type TrialName = Omit<FoldTrial, 'rmse' | 'spread' | 'folds' | 'foldErrors'>

/** What a trial changes of the options. */
export type TrialChanges = Pick<RunOptions, 'rank' | 'noise' | 'lags' | 'features' | 'mergeModes' | 'split'>

/** A search on its way, to be saved; plain data but for the runs. */
export interface SearchState {
  /** Those that all trials begin with. */
  settings: Settings
  folds: number
  starts: number
  by: FoldBy
  seconds: number
  /** Those that are done. */
  trials: FoldTrial[]
  /** Which is at hand, and its models. */
  trial?: string
  runs: readonly (RunState | undefined)[]
}

export interface SearchOptions extends CrossFitOptions {
  /** Told of what is tried, and of what came of it. */
  onBegin?: (trial: TrialName) => void
  onTrial?: (trial: FoldTrial) => void
  /** Goes on from what was saved, and is saved every so many seconds. */
  keeping?: { saved?: SearchState; every: number; save: (state: SearchState) => Promise<void> }
  /** All that it may take, in seconds; what is begun then is left. */
  seconds?: number
}

/** On each of the first two folds above the best by this share: it will not be the best. */
const HOPELESS = 0.01
/** Models are kept of what is within this share of the best. */
const KEPT = 0.05

export class FoldSearch {
  readonly trials: FoldTrial[] = []
  readonly by: FoldBy
  readonly folds: number
  readonly #tensor: SparseTensor
  readonly #options: RunOptions
  readonly #search: SearchOptions
  readonly #settings: Settings
  readonly #fits = new Map<FoldTrial, CrossFit>()
  readonly #changes = new Map<FoldTrial, TrialChanges>()
  readonly #start = performance.now()
  readonly #deadline: AbortSignal | undefined
  /** The models of the last trial as they stand, and when they were last saved. */
  #runs: (RunState | undefined)[] = []
  #trial: string | undefined
  #saved = performance.now()
  /** How long each trial took, by its rank. */
  #last: { rank: number; seconds: number } | undefined

  constructor(tensor: SparseTensor, options: RunOptions, search: SearchOptions) {
    const saved = search.keeping?.saved
    this.#tensor = tensor
    this.#options = options
    this.#search = search
    this.#settings = settingsOf(options)
    refuseLeaks(options)
    this.folds = search.folds ?? FOLDS
    this.by = search.by ?? gapsOf(tensor)
    if (saved) {
      checkSame(saved, { folds: this.folds, starts: search.starts ?? 1, by: this.by })
      refuseOtherSettings(saved.settings, this.#settings)
    }
    if (search.seconds !== undefined)
      this.#deadline = AbortSignal.timeout(Math.min(2 ** 31 - 1, Math.max(0, Math.ceil(1000 * this.#left()))))
  }

  /** That with the smallest error. */
  get best(): FoldTrial {
    return this.trials.reduce((best, trial) => (trial.rmse < best.rmse ? trial : best))
  }

  /** Of this search, before it was saved too. */
  get seconds(): number {
    return (this.#search.keeping?.saved?.seconds ?? 0) + (performance.now() - this.#start) / 1000
  }

  /** Whether somebody wants it to end: then nothing is tried any more, and nothing chosen. */
  get isInterrupted(): boolean {
    return this.#options.signal?.aborted ?? false
  }

  #left(): number {
    return (this.#search.seconds ?? Infinity) - this.seconds
  }

  /** Whether a trial of this rank would be over in time, as far as can be told from the last. */
  hasTimeFor(rank: number): boolean {
    if (!this.#last) return true
    const growth = Math.max(1, rank / this.#last.rank) ** 1.5
    return this.#left() > this.#last.seconds * growth
  }

  /** Undefined if it was interrupted, or the time was up. */
  async attempt(changes: TrialChanges): Promise<FoldTrial | undefined> {
    const options = { ...this.#options, ...changes }
    const named = nameOf(options)
    const key = JSON.stringify(named)
    const known = [...this.trials, ...(this.#search.keeping?.saved?.trials ?? [])].find(
      (trial) => JSON.stringify(nameOf(trial, true)) === key,
    )
    if (known) return this.#add(known, changes)
    this.#search.onBegin?.(named)
    const start = performance.now()
    const best = this.trials.length > 0 ? this.best : undefined
    // Whatever the time is, something must come of it.
    const fit = await this.#fit(options, key, { best, isLimited: best !== undefined })
    if (!fit) return undefined
    const { foldErrors } = fit
    const trial = { ...named, ...errorOf(foldErrors, best), folds: foldErrors.length, foldErrors }
    const seconds = (performance.now() - start) / 1000
    this.#last = { rank: named.rank, seconds: (seconds * this.folds) / trial.folds }
    if ('models' in fit) this.#fits.set(trial, fit)
    this.#add(trial, changes)
    const limit = (1 + KEPT) * this.best.rmse
    for (const other of this.#fits.keys()) if (other.rmse > limit) this.#fits.delete(other)
    if (this.isInterrupted || this.#untilSaved() <= 0) await this.#save()
    return trial
  }

  /** What a trial had changed of the options. */
  changesOf(trial: FoldTrial): TrialChanges {
    return this.#changes.get(trial) ?? {}
  }

  /** Whether the models of a trial are there. */
  hasModels(trial: FoldTrial): boolean {
    return this.#fits.has(trial)
  }

  /** The models of a trial; learned again if they are not there any more. */
  async models(trial: FoldTrial): Promise<CrossFit | undefined> {
    const there = this.#fits.get(trial)
    if (there) return there
    const options = { ...this.#options, ...this.changesOf(trial) }
    const fit = await this.#fit(options, JSON.stringify(nameOf(trial, true)))
    return fit && 'models' in fit ? fit : undefined
  }

  #add(trial: FoldTrial, changes: TrialChanges): FoldTrial {
    if (this.trials.includes(trial)) return trial
    this.trials.push(trial)
    this.#changes.set(trial, changes)
    this.#search.onTrial?.(trial)
    return trial
  }

  async #fit(
    options: RunOptions,
    key: string,
    { best, isLimited = false }: { best?: FoldTrial; isLimited?: boolean } = {},
  ): Promise<CrossFit | Abandoned | undefined> {
    const { starts, onEpoch, onModel, keeping } = this.#search
    const { folds, by } = this
    const isHopeless = (first: readonly FoldError[]): boolean =>
      best !== undefined && first.length === 2 && isAbove(first, best.foldErrors)
    const signals = [options.signal, isLimited ? this.#deadline : undefined].flatMap((signal) => signal ?? [])
    const saved = keeping?.saved?.trial === key ? keeping.saved.runs : []
    this.#runs = Array.from({ length: folds }, (_, fold) => saved[fold])
    this.#trial = key
    return crossFit(
      this.#tensor,
      { ...options, ...(signals.length > 0 && { signal: AbortSignal.any(signals) }) },
      { folds, by, starts, onEpoch, onModel },
      keeping && {
        states: this.#runs,
        left: () => this.#untilSaved(),
        save: () => this.#save(),
      },
      isHopeless,
    )
  }

  #untilSaved(): number {
    return (this.#search.keeping?.every ?? Infinity) - (performance.now() - this.#saved) / 1000
  }

  async #save(): Promise<void> {
    const { keeping, starts = 1 } = this.#search
    const { folds, by, seconds, trials } = this
    this.#saved = performance.now()
    await keeping?.save({
      settings: this.#settings,
      ...{ folds, starts, by, seconds, trials, trial: this.#trial, runs: this.#runs },
    })
  }
}

/** What would know of entries that were left out, or take them for others. */
function refuseLeaks({ initial, validation, missing }: RunOptions): void {
  const given = { initial, validation, ...(missing === 'zero' && { missing }) }
  for (const [name, value] of Object.entries(given))
    if (value !== undefined)
      throw new InputError(
        'option',
        sentence`${option('folds')} does not go with ${option(name)}; leave one of them out.`,
      )
}

/** What a trial is known by. */
function nameOf(options: TrialChanges | FoldTrial, isTrial = false): TrialName {
  if (isTrial) {
    const { rank, noise, lags, features, merged, split } = options as FoldTrial
    return { rank, noise, lags, features, merged, split }
  }
  const {
    rank = defaults.fast.rank,
    noise = 'auto',
    lags = {},
    features,
    mergeModes = [],
    split = [],
  } = options as TrialChanges
  const typed = { lags, mergeModes, split }
  return {
    rank,
    noise,
    lags: String(asTyped('lags', typed)),
    features: features !== undefined,
    merged: String(asTyped('mergeModes', typed)),
    split: String(asTyped('split', typed)),
  }
}

const isAbove = (first: readonly FoldError[], others: readonly FoldError[]): boolean =>
  first.every(({ squares }, fold) => squares > (1 + HOPELESS) ** 2 * others[fold].squares)

/** Of the folds that were left out, as much above or below the best as of those that were not. */
function errorOf(
  foldErrors: readonly FoldError[],
  best: FoldTrial | undefined,
): { rmse: number; spread: number } {
  const own = foldErrors.map(rootMean)
  const rmse = rootMean(sumOf(foldErrors))
  const variance = own.reduce((sum, x) => sum + (x - rmse) ** 2, 0) / Math.max(1, own.length - 1)
  const others = best && rootMean(sumOf(best.foldErrors.slice(0, own.length)))
  const scale = best && others && own.length < best.foldErrors.length ? best.rmse / others : 1
  return { rmse: scale * rmse, spread: scale * Math.sqrt(variance / own.length) }
}

const rootMean = ({ squares, entries }: FoldError): number => Math.sqrt(squares / entries)

const sumOf = (errors: readonly FoldError[]): FoldError =>
  errors.reduce((sum, { squares, entries }) => ({
    squares: sum.squares + squares,
    entries: sum.entries + entries,
  }))

function checkSame(saved: SearchState, now: Pick<SearchState, 'folds' | 'starts' | 'by'>): void {
  const changed = (name: string, before: string | number, given: string | number): InputError =>
    new InputError(
      'checkpoint',
      sentence`The run was saved with ${option(name)} ${before}, and now it is ${given}; leave it as it was, or start anew.`,
    )
  for (const name of ['folds', 'starts'] as const)
    if (saved[name] !== now[name]) throw changed(name, saved[name], now[name])
  if (JSON.stringify(saved.by) !== JSON.stringify(now.by))
    throw changed('foldBy', foldByText(saved.by), foldByText(now.by))
}
