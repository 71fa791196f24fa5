/**
 * The best values so far of a picture that is being restored. Later steps are better as a rule, but not in
 * every place: rows are replaced only if the held-out values in them are predicted at least as well, so that a
 * picture that is shown on the way never becomes worse by what can be known of it.
 */
import type { Size } from './patches.ts'
import { fillHoles, type Known, type Picture } from './picture.ts'

/** A picture on the way to the restored one. */
export interface Draft {
  /** Root mean square error of the held-out values, where white is 1; 0 if none is held out. */
  error: number
  /** Makes the picture; to be called before the restoration continues. */
  picture(): Picture
}

/** Called with a draft that is better than the last one by the held-out values; a promise is awaited. */
export type OnDraft = (draft: Draft) => void | Promise<void>

/** Values that can replace some rows of the draft. */
export interface Proposal {
  /** The first row. */
  first: number
  /** Values of the rows (rows × width × channels), to be shown. */
  shown: Float32Array
  /** Values of these rows from a restoration without the held-out values, on which the error is measured. */
  judged: Float32Array
}

/** The best rows so far. */
export class Drafts {
  readonly #picture: Picture
  readonly #known: Known
  readonly #heldOut: Uint8Array
  readonly #values: Float32Array
  readonly #onDraft: OnDraft
  /** The best values (height × width × channels); undefined before the first proposal. */
  #best: Float32Array | undefined
  /** Squared error of the held-out values in each row. */
  readonly #squares: Float64Array

  /**
   * Starts without a draft.
   * @param values of the picture, 0 … 1
   * @param heldOut 1 at the held-out values
   */
  constructor(
    picture: Picture,
    known: Known,
    { values, heldOut }: { values: Float32Array; heldOut: Uint8Array },
    onDraft: OnDraft,
  ) {
    this.#picture = picture
    this.#known = known
    this.#values = values
    this.#heldOut = heldOut
    this.#onDraft = onDraft
    this.#squares = new Float64Array(picture.height)
  }

  /** Takes rows that predict the held-out values at least as well as the current ones, and reports the draft. */
  async propose(proposal: Proposal): Promise<void> {
    if (!this.#take(proposal)) return
    await this.#onDraft({
      error: this.#error(),
      picture: () => fillHoles(this.#picture, this.#known, this.#best!),
    })
  }

  /** Takes rows if they are at least as good as the current ones; returns whether it did. */
  #take({ first, shown, judged }: Proposal): boolean {
    const squares = squaredErrors(this.#values, this.#heldOut, this.#picture, { first, judged })
    const before = this.#squares.subarray(first, first + squares.length)
    if (this.#best && sum(squares) > sum(before)) return false
    before.set(squares)
    this.#best ??= new Float32Array(this.#values.length)
    this.#best.set(shown, first * this.#picture.width * this.#picture.channels)
    return true
  }

  /** Root mean square error of all held-out values. */
  #error(): number {
    return Math.sqrt(sum(this.#squares) / Math.max(1, sum(this.#heldOut)))
  }
}

/** Returns the squared error of the held-out values in each of the judged rows. */
function squaredErrors(
  values: Float32Array,
  heldOut: Uint8Array,
  { width, channels }: Size,
  { first, judged }: Pick<Proposal, 'first' | 'judged'>,
): Float64Array {
  const perRow = width * channels
  const squares = new Float64Array(judged.length / perRow)
  for (let at = 0, from = first * perRow; at < judged.length; at++)
    if (heldOut[from + at]) squares[Math.floor(at / perRow)] += (judged[at] - values[from + at]) ** 2
  return squares
}

/** Returns the sum of numbers. */
function sum(numbers: Float64Array | Uint8Array): number {
  let total = 0
  for (const x of numbers) total += x
  return total
}
