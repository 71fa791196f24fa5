/** The entries that the rows of a table become: codes, values, weights, and the lines they came from. */
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import type { Batch, Table } from '../source/rows.ts'
import { UNKNOWN } from './modeIndices.ts'

/** Entries per block: entries are gathered in blocks, so that no array is copied to grow. */
const BLOCK = 2 ** 17

/** BLOCK entries, the last ones of which may be unused. */
interface EntryBlock {
  /** One column of codes per mode. */
  codes: Uint32Array[]
  values: Float32Array
  weights?: Float32Array
}

/** Entries with indices in place of codes. */
export interface FinishedEntries {
  /** One column of 0-based indices per mode. */
  indices: Uint32Array[]
  values: Float32Array
  weights?: Float32Array
  /** The number of entries left out because a label is unknown. */
  unknown: number
}

/** A run of entries on consecutive lines of a file. */
export interface LineRun {
  /** The number of the run's first entry. */
  entry: number
  /** The line of the first entry. */
  line: number
  file: string
}

/** The file and line of an entry. @param runs in ascending order */
export function lineOfEntry(runs: readonly LineRun[], entry: number): { file: string; line: number } {
  let [low, high] = [0, runs.length]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (runs[middle].entry <= entry) low = middle
    else high = middle
  }
  const { entry: first, line, file } = runs[low]
  return { file, line: line + entry - first }
}

/** Collects the valid rows of a table as entries, whose modes are codes. */
export class Entries {
  /** The number of entries, with unknown labels or not. */
  count = 0
  readonly #order: number
  readonly #unit: Table['unit']
  readonly #blocks: EntryBlock[] = []
  readonly #runs: LineRun[] = []

  constructor(order: number, unit: Table['unit']) {
    this.#order = order
    this.#unit = unit
  }

  /** Adds the valid rows of a batch; without values, each is 1. All batches have weights, or none. */
  add(
    batch: Batch,
    valid: Uint8Array,
    codes: readonly Uint32Array[],
    values: Float64Array | undefined,
    weights: Float64Array | undefined,
  ): void {
    const { rowCount, lines, file } = batch
    const order = this.#order
    let run = this.#runs[this.#runs.length - 1]
    if (run?.file !== file) run = { entry: 0, line: NaN, file }
    if (!valid.includes(0) && lines[rowCount - 1] - lines[0] === rowCount - 1) {
      if (lines[0] - run.line !== this.count - run.entry)
        this.#runs.push({ entry: this.count, line: lines[0], file })
      this.#addAll(rowCount, codes, values, weights)
      return
    }
    for (let row = 0; row < rowCount; row++) {
      if (valid[row] === 0) continue
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

  /** Adds all rows of a batch, which stand on consecutive lines. */
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

  /** The block that the next entry goes into; a new one if the last is full. */
  #lastBlock(isWeighted: boolean): EntryBlock {
    if (this.count % BLOCK === 0)
      this.#blocks.push({
        codes: Array.from({ length: this.#order }, () => new Uint32Array(BLOCK)),
        values: new Float32Array(BLOCK),
        weights: isWeighted ? new Float32Array(BLOCK) : undefined,
      })
    return this.#blocks[this.#blocks.length - 1]
  }

  /**
   * The file and line of an entry, as messages name it; after `dropUnknown`, counted among the remaining
   * ones.
   */
  locate(entry: number): string {
    const { file, line } = lineOfEntry(this.#runs, this.#remaining ? this.#remaining[entry] : entry)
    return `${file}, ${this.#unit} ${line}`
  }

  /** The lines of all entries, by runs. */
  get runs(): readonly LineRun[] {
    return this.#runs
  }

  /** The numbers of the entries that `dropUnknown` left; undefined if these are all. */
  get remaining(): Uint32Array | undefined {
    return this.#remaining
  }

  #remaining: Uint32Array | undefined

  /** Returns the entries with indices in place of codes. Those with an unknown label are left out. */
  finish(indexOfCode: readonly Uint32Array[]): FinishedEntries {
    const count = this.dropUnknown(indexOfCode)
    const found = {
      indices: indexOfCode.map(() => uint32Array(count)),
      values: float32Array(count),
      ...(this.isWeighted && { weights: float32Array(count) }),
    }
    this.write(indexOfCode, found)
    return { ...found, unknown: this.count - count }
  }

  /** Whether the entries have weights. */
  get isWeighted(): boolean {
    return this.#blocks[0]?.weights !== undefined
  }

  /** Finds the entries whose labels are all known, and drops the others; returns how many remain. */
  dropUnknown(indexOfCode: readonly Uint32Array[]): number {
    const isKnown = indexOfCode.every((column) => !column.includes(UNKNOWN))
    if (!isKnown) this.#remaining = this.#findKnown(indexOfCode)
    return this.#remaining?.length ?? this.count
  }

  /**
   * Writes the remaining entries, with indices in place of codes, to arrays of their number. Called once,
   * after `dropUnknown`; frees the codes.
   */
  write(
    indexOfCode: readonly Uint32Array[],
    { indices, values, weights }: Omit<FinishedEntries, 'unknown'>,
  ): void {
    const remaining = this.#remaining
    const count = remaining?.length ?? this.count
    const pick = <A extends Uint32Array | Float32Array>(into: A, block: (b: number) => A): void => {
      if (remaining)
        for (let e = 0; e < count; e++)
          into[e] = block(Math.floor(remaining[e] / BLOCK))[remaining[e] % BLOCK]
      else
        for (let at = 0, b = 0; at < count; at += BLOCK, b++)
          into.set(block(b).subarray(0, Math.min(BLOCK, count - at)), at)
    }
    indexOfCode.forEach((column, m) => {
      const index = indices[m]
      if (remaining) {
        pick(index, (b) => this.#blocks[b].codes[m])
        for (let e = 0; e < count; e++) index[e] = column[index[e]]
      } else
        for (let at = 0, b = 0; at < count; at += BLOCK, b++)
          replaceCodes(this.#blocks[b].codes[m], column, index.subarray(at, Math.min(count, at + BLOCK)))
      // The block's column is not needed any more: let it go before the next mode takes its memory.
      for (const block of this.#blocks) block.codes[m] = new Uint32Array(0)
    })
    pick(values, (b) => this.#blocks[b].values)
    if (weights) pick(weights, (b) => this.#blocks[b].weights!)
    this.#blocks.length = 0 // only the lines are still needed
  }

  /** The numbers of the entries whose labels are all known. */
  #findKnown(indexOfCode: readonly Uint32Array[]): Uint32Array {
    const known = new Uint32Array(this.count)
    let count = 0
    for (let e = 0; e < this.count; e++) {
      const { codes } = this.#blocks[Math.floor(e / BLOCK)]
      if (indexOfCode.every((column, m) => column[codes[m][e % BLOCK]] !== UNKNOWN)) known[count++] = e
    }
    return known.slice(0, count)
  }
}

/** Writes the index of each code to `into`. */
function replaceCodes(codes: Uint32Array, indexOfCode: Uint32Array, into: Uint32Array): void {
  for (let e = 0; e < into.length; e++) into[e] = indexOfCode[codes[e]]
}
