/** The entries of a tensor as the rows of a table come by, and where they stood. */
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import type { Batch, Table } from '../source/rows.ts'
import { UNKNOWN } from './modeIndices.ts'

/** Entries are gathered in blocks, so that no array is ever copied to grow. */
const BLOCK = 2 ** 17

interface EntryBlock {
  codes: Uint32Array[]
  values: Float32Array
  weights?: Float32Array
}

/** Entries with indices, and how many were left out for want of one. */
export interface FinishedEntries {
  indices: Uint32Array[]
  values: Float32Array
  weights?: Float32Array
  unknown: number
}

/** A run of entries on lines that follow one another. */
export interface LineRun {
  /** The first entry, its line and file. */
  entry: number
  line: number
  file: string
}

/** The line of an entry. */
export function lineIn(runs: readonly LineRun[], entry: number): { file: string; line: number } {
  let [low, high] = [0, runs.length]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (runs[middle].entry <= entry) low = middle
    else high = middle
  }
  const { entry: first, line, file } = runs[low]
  return { file, line: line + entry - first }
}

/** The rows that have all their modes and a value, and where they stood. */
export class Entries {
  count = 0
  readonly #order: number
  readonly #unit: Table['unit']
  readonly #blocks: EntryBlock[] = []
  readonly #runs: LineRun[] = []

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
    if (!kept.includes(0) && lines[rowCount - 1] - lines[0] === rowCount - 1) {
      if (lines[0] - run.line !== this.count - run.entry)
        this.#runs.push({ entry: this.count, line: lines[0], file })
      this.#addAll(rowCount, codes, values, weights)
      return
    }
    for (let row = 0; row < rowCount; row++) {
      if (kept[row] === 0) continue
      const at = this.count % BLOCK
      const block = this.#lastBlock(weights !== undefined)
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

  /** Takes all rows, which stand on lines that follow one another. */
  #addAll(
    rowCount: number,
    codes: readonly Uint32Array[],
    values: Float64Array | undefined,
    weights: Float64Array | undefined,
  ): void {
    for (let from = 0; from < rowCount; ) {
      const at = this.count % BLOCK
      const block = this.#lastBlock(weights !== undefined)
      const to = Math.min(rowCount, from + BLOCK - at)
      for (let m = 0; m < this.#order; m++) block.codes[m].set(codes[m].subarray(from, to), at)
      if (values) block.values.set(values.subarray(from, to), at)
      else block.values.fill(1, at, at + to - from)
      if (weights) block.weights?.set(weights.subarray(from, to), at)
      this.count += to - from
      from = to
    }
  }

  /** The block that the next entry goes into. */
  #lastBlock(isWeighted: boolean): EntryBlock {
    if (this.count % BLOCK === 0)
      this.#blocks.push({
        codes: Array.from({ length: this.#order }, () => new Uint32Array(BLOCK)),
        values: new Float32Array(BLOCK),
        ...(isWeighted && { weights: new Float32Array(BLOCK) }),
      })
    return this.#blocks[this.#blocks.length - 1]
  }

  /** The file and line of an entry. */
  place(entry: number): string {
    const { file, line } = lineIn(this.#runs, this.#kept ? this.#kept[entry] : entry)
    return `${file}, ${this.#unit} ${line}`
  }

  get runs(): readonly LineRun[] {
    return this.#runs
  }

  /** The numbers of the entries that are left, where some are not. */
  get kept(): Uint32Array | undefined {
    return this.#kept
  }

  #kept: Uint32Array | undefined

  /** The entries with indices for numbers. Those without an index are left out. */
  finish(places: readonly Uint32Array[]): FinishedEntries {
    const count = this.settle(places)
    const found = {
      indices: places.map(() => uint32Array(count)),
      values: float32Array(count),
      ...(this.isWeighted && { weights: float32Array(count) }),
    }
    this.write(places, found)
    return { ...found, unknown: this.count - count }
  }

  get isWeighted(): boolean {
    return this.#blocks[0]?.weights !== undefined
  }

  /** How many entries have indices. */
  settle(places: readonly Uint32Array[]): number {
    const isKnown = places.every((column) => !column.includes(UNKNOWN))
    if (!isKnown) this.#kept = this.#known(places)
    return this.#kept?.length ?? this.count
  }

  /** Writes the entries, with indices for numbers, to arrays of as many as there are; comes once, after `settle`. */
  write(
    places: readonly Uint32Array[],
    { indices, values, weights }: Omit<FinishedEntries, 'unknown'>,
  ): void {
    const kept = this.#kept
    const count = kept?.length ?? this.count
    const pick = <A extends Uint32Array | Float32Array>(into: A, block: (b: number) => A): void => {
      if (kept) for (let e = 0; e < count; e++) into[e] = block(Math.floor(kept[e] / BLOCK))[kept[e] % BLOCK]
      else
        for (let at = 0, b = 0; at < count; at += BLOCK, b++)
          into.set(block(b).subarray(0, Math.min(BLOCK, count - at)), at)
    }
    places.forEach((column, m) => {
      const index = indices[m]
      if (kept) {
        pick(index, (b) => this.#blocks[b].codes[m])
        for (let e = 0; e < count; e++) index[e] = column[index[e]]
      } else
        for (let at = 0, b = 0; at < count; at += BLOCK, b++)
          replace(this.#blocks[b].codes[m], column, index.subarray(at, Math.min(count, at + BLOCK)))
      // The block's column is not needed any more: let it go before the next mode takes its memory.
      for (const block of this.#blocks) block.codes[m] = new Uint32Array(0)
    })
    pick(values, (b) => this.#blocks[b].values)
    if (weights) pick(weights, (b) => this.#blocks[b].weights!)
    this.#blocks.length = 0 // who asks for places later keeps no more than these
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

function replace(codes: Uint32Array, places: Uint32Array, into: Uint32Array): void {
  for (let e = 0; e < into.length; e++) into[e] = places[codes[e]]
}
