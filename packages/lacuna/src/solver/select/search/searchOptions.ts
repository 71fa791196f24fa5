/** Options of a search by cross-fitting, the state by which it is saved, and checks of both. */
import { InputError, option, sentence, setting } from '../../../base/inputError.ts'
import { type FoldBy, foldByText } from '../../../tensor/index.ts'
import type { RunState } from '../../run/runState.ts'
import type { RunOptions } from '../../settings/options.ts'
import type { Settings } from '../../settings/settings.ts'
import type { CrossFitOptions } from '../crossFit/index.ts'
import type { FoldTrial, TrialSettings } from '../trials.ts'
import type { CappedBlocks } from './blockWeights.ts'
import type { MeasuredTimes } from './trialTimes.ts'

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
  /** Times of trials; unknown by default. */
  times?: MeasuredTimes
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

/**
 * Throws if there are initial factors or validation entries, through which models would depend on entries that
 * are held out.
 */
export function refuseLeaks({ initial, validation }: RunOptions): void {
  for (const [name, value] of Object.entries({ initial, validation }))
    if (value !== undefined)
      throw new InputError(
        'option',
        sentence`${option('folds')} does not go with ${option(name)}; leave one of them out.`,
      )
}

/** Throws if a saved search had another number of folds or starts, or other groups of entries. */
export function checkSameFolds(saved: SearchState, now: Pick<SearchState, 'folds' | 'starts' | 'by'>): void {
  const changeError = (name: string, before: string | number, given: string | number): InputError =>
    new InputError(
      'checkpoint',
      sentence`The run was saved with ${option(name)} ${before}, and now it is ${given}; leave it as it was, or start anew.`,
    )
  for (const name of ['folds', 'starts'] as const)
    if (saved[name] !== now[name]) throw changeError(name, saved[name], now[name])
  if (JSON.stringify(saved.by) === JSON.stringify(now.by)) return
  const [before, given] = [foldByText(saved.by), foldByText(now.by)]
  if (before === undefined)
    throw new InputError(
      'checkpoint',
      sentence`The run was saved without ${option('foldBy')}, with folds of single entries and of whole groups; leave it out again, or start anew.`,
    )
  if (given === undefined)
    throw new InputError(
      'checkpoint',
      sentence`The run was saved with ${setting('foldBy', before)}, which is left out now; give it again, or start anew.`,
    )
  throw changeError('foldBy', before, given)
}
