/**
 * The time limit of a forecast as a whole. Models are fitted while there is time for them and for what must follow:
 * the model of all entries, and the backtests of the settings that are chosen.
 */

/** Clock of the models that are fitted within a time limit. */
export class FitClock {
  readonly #seconds: number
  readonly #now: () => number
  readonly #start: number
  /** Seconds of the slowest model so far. */
  #slowest = 0

  /**
   * @param seconds from now; Infinity for none
   * @param now the clock, in milliseconds; `performance.now` by default
   */
  constructor(seconds: number, now: () => number = () => performance.now()) {
    this.#seconds = seconds
    this.#now = now
    this.#start = now()
  }

  /** Seconds until the end; negative after it, Infinity if there is no limit. */
  get secondsLeft(): number {
    return this.#seconds - (this.#now() - this.#start) / 1000
  }

  /** Whether there is time for a number of models, each as slow as the slowest so far; true before the first. */
  hasTimeFor(models: number): boolean {
    return this.#slowest === 0 || this.secondsLeft >= models * this.#slowest
  }

  /**
   * The time limit of the next model in seconds, as `RunOptions` have it; undefined if there is none.
   * @param models how many must follow it
   */
  limitOf(models: number): number | undefined {
    if (this.#seconds === Infinity) return undefined
    return Math.max(LEAST_SECONDS, this.secondsLeft / (models + 1))
  }

  /** Calls a function that fits a model, and notes how long it takes. */
  async time<T>(fit: () => Promise<T>): Promise<T> {
    const before = this.#now()
    const result = await fit()
    this.#slowest = Math.max(this.#slowest, (this.#now() - before) / 1000)
    return result
  }
}

/** The least time limit of a model. */
const LEAST_SECONDS = 1e-3
