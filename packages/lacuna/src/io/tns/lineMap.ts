/** The map from entries to lines of a .tns file. */
import { grow } from '../../base/sharedArrays.ts'

/**
 * Maps entries to their lines. Nearly every line is an entry, so only runs of other lines (comments, blank
 * ones) are stored: the number of entries before the run, and of other lines up to its end.
 */
export class LineMap {
  /** Per run, the number of entries before it. */
  #entriesBefore: Uint32Array = new Uint32Array(16)
  /** Per run, the number of skipped lines up to its end. */
  #skippedAfter: Uint32Array = new Uint32Array(16)
  #runs = 0
  #skipped = 0

  /** Records a line that is no entry. @param entriesBefore the number of entries before it */
  skip(entriesBefore: number): void {
    this.#skipped++
    if (this.#runs === 0 || this.#entriesBefore[this.#runs - 1] !== entriesBefore) {
      if (this.#runs === this.#entriesBefore.length) {
        this.#entriesBefore = grow(this.#entriesBefore, 2 * this.#runs)
        this.#skippedAfter = grow(this.#skippedAfter, 2 * this.#runs)
      }
      this.#entriesBefore[this.#runs++] = entriesBefore
    }
    this.#skippedAfter[this.#runs - 1] = this.#skipped
  }

  /** The line, from 1, of an entry, from 0; the entry may be the one about to be read. */
  lineOf(entry: number): number {
    let low = 0
    let high = this.#runs // the runs below `low` lie before the entry, those from `high` on behind it
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#entriesBefore[middle] <= entry) low = middle + 1
      else high = middle
    }
    return entry + 1 + (low === 0 ? 0 : this.#skippedAfter[low - 1])
  }
}
