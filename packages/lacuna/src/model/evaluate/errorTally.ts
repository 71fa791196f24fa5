import { type ErrorSummary, summarizeError } from './errorSummary.ts'
import { ExactSum } from './exactSum.ts'

/** The sums of an error, entry by entry; several tallies can be added up, and it does not matter who counted what. */
export class ErrorTally {
  #entries = 0
  readonly #squares = new ExactSum()
  readonly #absolutes = new ExactSum()
  readonly #norm2 = new ExactSum()

  /** An entry x, and what was said of it. */
  add(x: number, y: number): void {
    const residual = x - y
    this.#entries++
    this.#squares.add(residual * residual)
    this.#absolutes.add(Math.abs(residual))
    this.#norm2.add(x * x)
  }

  /** The sums as text, for `addAll` of another tally. */
  toString(): string {
    return [this.#entries, this.#squares, this.#absolutes, this.#norm2].join(' ')
  }

  /** Adds what another one has, as text. */
  addAll(text: string): void {
    const [entries, squares, absolutes, norm2] = text.split(' ')
    this.#entries += Number(entries)
    this.#squares.addAll(squares)
    this.#absolutes.addAll(absolutes)
    this.#norm2.addAll(norm2)
  }

  /** The errors of all entries that were added. */
  get summary(): ErrorSummary {
    return summarizeError({
      squares: this.#squares.value,
      absolutes: this.#absolutes.value,
      norm2: this.#norm2.value,
      entries: this.#entries,
    })
  }
}
