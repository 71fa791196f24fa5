/** The entries of a tensor as the rows of a table come by, and where they stood. */
import { float32Array, uint32Array } from '../../tensor/arrays.ts'
import { UNKNOWN } from './modeReader.ts'
import type { Batch, Table } from './rows.ts'

/** Entries are gathered in blocks, so that no array is ever copied to grow. */
const BLOCK = 2 ** 20

/** The rows that have all their modes and a value, and where they stood. */
export class Entries {
  count = 0
  readonly #order: number
  readonly #unit: Table['unit']
  readonly #blocks: { codes: Uint32Array[]; values: Float32Array; weights?: Float32Array }[] = []
  /** Runs of entries on lines that follow one another: the first entry, its line and file. */
  readonly #runs: { entry: number; line: number; file: string }[] = []

  constructor(order: number, unit: Table['unit']) {
    this.#order = order
    this.#unit = unit
  }

  /** Takes the rows that are kept; without values, each is 1. All batches have weights, or none. */
  add(
    batch: Batch,
    kept: Uint8Array,
    codes: readonly Uint32Array[],
    values: Float64Array | undefined,
    weights: Float64Array | undefined,
  ): void {
    const { rowCount, lines, file } = batch
    const order = this.#order
    let run = this.#runs[this.#runs.length - 1]
    if (run?.file !== file) run = { entry: 0, line: NaN, file }
    for (let row = 0; row < rowCount; row++) {
      if (kept[row] === 0) continue
      const at = this.count % BLOCK
      if (at === 0) {
        const fresh = codes.map(() => new Uint32Array(BLOCK))
        const more = weights && { weights: new Float32Array(BLOCK) }
        this.#blocks.push({ codes: fresh, values: new Float32Array(BLOCK), ...more })
      }
      const block = this.#blocks[this.#blocks.length - 1]
      for (let m = 0; m < order; m++) block.codes[m][at] = codes[m][row]
      block.values[at] = values ? values[row] : 1
      if (weights && block.weights) block.weights[at] = weights[row]
      if (lines[row] - run.line !== this.count - run.entry) {
        run = { entry: this.count, line: lines[row], file }
        this.#runs.push(run)
      }
      this.count++
    }
  }

  /** The file and line of an entry. */
  place(entry: number): string {
    const original = this.#kept ? this.#kept[entry] : entry
    let [low, high] = [0, this.#runs.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#runs[middle].entry <= original) low = middle
      else high = middle
    }
    const { entry: first, line, file } = this.#runs[low]
    return `${file}, ${this.#unit} ${line + original - first}`
  }

  #kept: Uint32Array | undefined // the numbers of the entries that are left, where some are not

  /** The entries with indices for numbers. Those without an index are left out. */
  finish(places: readonly Uint32Array[]): {
    indices: Uint32Array[]
    values: Float32Array
    weights?: Float32Array
    unknown: number
  } {
    const isKnown = places.every((column) => !column.includes(UNKNOWN))
    if (!isKnown) this.#kept = this.#known(places)
    const count = this.#kept?.length ?? this.count
    const pick = <A extends Uint32Array | Float32Array>(into: A, block: (b: number) => A): A => {
      if (this.#kept)
        for (let e = 0; e < count; e++)
          into[e] = block(Math.floor(this.#kept[e] / BLOCK))[this.#kept[e] % BLOCK]
      else
        for (let at = 0, b = 0; at < count; at += BLOCK, b++)
          into.set(block(b).subarray(0, Math.min(BLOCK, count - at)), at)
      return into
    }
    const indices = places.map((column, m) => {
      const index = pick(uint32Array(count), (b) => this.#blocks[b].codes[m])
      // The block's column is not needed any more: let it go before the next mode takes its memory.
      for (const block of this.#blocks) block.codes[m] = new Uint32Array(0)
      for (let e = 0; e < count; e++) index[e] = column[index[e]]
      return index
    })
    const values = pick(float32Array(count), (b) => this.#blocks[b].values)
    const isWeighted = this.#blocks[0]?.weights !== undefined
    const weights = isWeighted && { weights: pick(float32Array(count), (b) => this.#blocks[b].weights!) }
    return { indices, values, ...weights, unknown: this.count - count }
  }

  #known(places: readonly Uint32Array[]): Uint32Array {
    const kept = new Uint32Array(this.count)
    let count = 0
    for (let e = 0; e < this.count; e++) {
      const { codes } = this.#blocks[Math.floor(e / BLOCK)]
      if (places.every((column, m) => column[codes[m][e % BLOCK]] !== UNKNOWN)) kept[count++] = e
    }
    return kept.slice(0, count)
  }
}
