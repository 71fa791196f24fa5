/** Exact sums of errors over entries, from which all error measures follow. */

import { type ErrorSummary, summarizeError } from './errorSummary.ts'
import { ExactSum } from './exactSum.ts'

/**
 * Exact sums of squared errors, absolute errors and squared values; tallies of different entries can be
 * added.
 */
export class ErrorTally {
  #entries = 0
  /** Σ (weight − 1), 0 where entries have no weights. */
  readonly #excess = new ExactSum()
  readonly #squares = new ExactSum()
  readonly #absolutes = new ExactSum()
  readonly #norm2 = new ExactSum()

  /**
   * Adds an entry.
   * @param x its value
   * @param y its prediction
   * @param weight by which it counts in means; 1 by default
   */
  add(x: number, y: number, weight = 1): void {
    const residual = x - y
    this.#entries++
    if (weight !== 1) this.#excess.add(weight - 1)
    this.#squares.add(weight * residual * residual)
    this.#absolutes.add(weight * Math.abs(residual))
    this.#norm2.add(weight * x * x)
  }

  /**
   * Adds entries by the counters of their exact sums (tallyMany.ts).
   * @param counters of squared errors, absolute errors and squared values
   */
  addCounters(counters: readonly Float64Array[], entries: number): void {
    for (const [at, sum] of [this.#squares, this.#absolutes, this.#norm2].entries())
      sum.addCounters(counters[at], entries)
    this.#entries += entries
  }

  /** Returns the sums as text, for `addAll` in another process. */
  toString(): string {
    return [this.#entries, this.#excess, this.#squares, this.#absolutes, this.#norm2].join(' ')
  }

  /** Adds the sums of another tally. @param text its toString() */
  addAll(text: string): void {
    const [entries, excess, squares, absolutes, norm2] = text.split(' ')
    this.#entries += Number(entries)
    this.#excess.addAll(excess)
    this.#squares.addAll(squares)
    this.#absolutes.addAll(absolutes)
    this.#norm2.addAll(norm2)
  }

  /** The error measures of all entries added so far. */
  get summary(): ErrorSummary {
    const summary = summarizeError({
      squares: this.#squares.value,
      absolutes: this.#absolutes.value,
      norm2: this.#norm2.value,
      entries: this.#entries + this.#excess.value,
    })
    return { ...summary, entries: this.#entries }
  }
}
