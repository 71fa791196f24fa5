/** How long trials will take, from the time of the last one; and the time that is reserved for what follows a search. */
import { reshapedModes, resolveReshaping, type SparseTensor } from '../../../tensor/index.ts'
import { type RunOptions, settingsOf } from '../../settings/options.ts'
import { type Deadline, foldGroups, fractionOfFirst, modelSize } from '../crossFit/index.ts'

/** The problem of a search and its time limit. */
export interface TimedSearch {
  /** The entries that folds are made of. */
  tensor: SparseTensor
  /** The entries that models are fitted to, where these are others. */
  listed?: SparseTensor
  folds: number
  deadline: Deadline
  /** Models of all entries that follow the search within its time limit. */
  modelsAfter: number
}

/** What is known of the times of trials, to be saved; plain data. */
export interface MeasuredTimes {
  /**
   * Size of the last trial (`#sizeOf`), the seconds that it would have taken on all folds, and those of them in which its
   * problems were set up, which do not grow with the size; 0 by default.
   */
  last: { size: number; seconds: number; setUp?: number }
  /** Seconds that the best trial would have taken on all folds. */
  best: number
}

/** The expected seconds of trials. */
export class TrialTimes {
  readonly #search: TimedSearch
  #measured: MeasuredTimes | undefined
  #reservesRefit = false

  /** @param measured times of the search before it was saved; nothing is known before the first trial */
  constructor(search: TimedSearch, measured?: MeasuredTimes) {
    this.#search = search
    this.#measured = measured
    this.#reserve()
  }

  /** What is known so far; undefined before the first trial. */
  get measured(): MeasuredTimes | undefined {
    return this.#measured
  }

  /** Reserves time after the search to fit the models of the best trial to all entries. */
  reserveRefit(): void {
    this.#reservesRefit = true
    this.#reserve()
  }

  /** The seconds of refitting the models of a trial, if it is the best in the end, in units of those of one of its folds. */
  get foldsOfRefit(): number {
    const { folds } = this.#search
    return this.#reservesRefit ? folds ** 2 / (folds - 1) : 0
  }

  /**
   * Notes how long a trial took.
   * @param folds number of folds on which it was made
   * @param took its seconds, and those of them for setting up
   * @param isBest whether it is the best one so far, whose models would follow the search
   */
  note(options: RunOptions, folds: number, took: { seconds: number; setUp?: number }, isBest: boolean): void {
    const fraction = this.#fractionOf(folds, options)
    const [seconds, setUp] = [took.seconds / fraction, (took.setUp ?? 0) / fraction]
    const best = isBest ? seconds : (this.#measured?.best ?? seconds)
    this.#measured = { last: { size: this.#sizeOf(options), seconds, setUp }, best }
    this.#reserve()
  }

  /**
   * Whether a trial would finish before the time limit, if its time grows from that of the last trial as its size; true
   * while no trial has been timed.
   * @param folds number of folds on which it is made
   */
  hasTimeFor(options: RunOptions, folds: number): boolean {
    if (!this.#measured) return true
    const { last } = this.#measured
    const ratio = Math.max(1, this.#sizeOf(options) / last.size)
    const { setUp = 0 } = last
    const seconds = (setUp + (last.seconds - setUp) * ratio) * this.#fractionOf(folds, options)
    return this.#search.deadline.secondsForModels > seconds + this.#reservedSeconds(seconds)
  }

  /** About how long models with these options take, in arbitrary units. */
  #sizeOf(options: RunOptions): number {
    const { tensor } = this.#search
    const { rank, mergeModes, split } = settingsOf(options)
    const reshaping = resolveReshaping({ mergeModes, split }, tensor)
    return modelSize(rank, reshapedModes(reshaping, tensor.dims).dims, tensor.values.length)
  }

  /** The seconds of the first folds, in units of those of a trial on all folds, some of which may be fitted side by side. */
  #fractionOf(folds: number, options: RunOptions): number {
    const { listed, tensor, folds: all } = this.#search
    return folds >= all ? folds / all : fractionOfFirst(foldGroups(listed ?? tensor, options, all), folds)
  }

  /** Seconds of the models that follow the search, from those of a trial on all folds. */
  #reservedSeconds(seconds: number): number {
    return (this.#search.modelsAfter * seconds) / (this.#search.folds - 1)
  }

  /** Reserves the time of what follows the search, by that of the best trial. */
  #reserve(): void {
    if (!this.#measured) return
    const { deadline, folds } = this.#search
    const { best } = this.#measured
    deadline.reservedSeconds = this.#reservedSeconds(best) + (best * this.foldsOfRefit) / folds
  }
}
