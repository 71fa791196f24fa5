/** Blocks of entries, some thousand at a time: read by a thread, and laid out for the kernels. */
import { LOADED_AT_A_TIME } from '../../../kernels/solve/layout.ts'
import type { SparseTensor } from '../../../tensor/index.ts'
import type { ThreadPosition, ViewSource } from '../threads/messages.ts'

/** Bytes of a column of a block: a word per entry. */
const COLUMN_BYTES = 4 * LOADED_AT_A_TIME

/** Views of the same tensor, whose entries are read once for all of them. */
export interface ViewGroup {
  tensor: SparseTensor
  /** Each view, and its number among all views. */
  views: { source: ViewSource; number: number }[]
}

/** Groups views by their tensor, in the order of their first views. */
export function groupByTensor(views: readonly ViewSource[]): ViewGroup[] {
  const groups: ViewGroup[] = []
  views.forEach((source, number) => {
    const group = groups.find(({ tensor }) => tensor === source.tensor)
    if (group) group.views.push({ source, number })
    else groups.push({ tensor: source.tensor, views: [{ source, number }] })
  })
  return groups
}

/**
 * A block of up to LOADED_AT_A_TIME entries in a thread's scratch, in columns. The public members are
 * addresses.
 */
export class Block {
  /** The indices, one column per mode. */
  readonly columns: number
  readonly values: number
  /** Hashes of the coordinates, which a kernel computes. */
  readonly hashes: number
  /** 0 if the block has no weights. */
  readonly weights: number
  /** Two words: a digest of the entries. */
  readonly digest: number
  /** The rows of each mode, for checking indices. */
  readonly sizes: number
  readonly #indices: Uint32Array[]
  /** Values, and weights if there are any. */
  readonly #numbers: Float32Array[]

  /**
   * @param address where the block begins; it takes blockBytes of memory/layout.ts
   * @param order number of modes
   * @param weighted whether it has a column of weights
   */
  constructor(buffer: ArrayBufferLike, address: number, order: number, weighted: boolean) {
    this.columns = address
    this.values = address + order * COLUMN_BYTES
    this.hashes = this.values + COLUMN_BYTES
    this.weights = weighted ? this.hashes + COLUMN_BYTES : 0
    this.digest = this.hashes + (weighted ? 2 : 1) * COLUMN_BYTES
    this.sizes = this.digest + 64
    this.#indices = Array.from(
      { length: order },
      (_, mode) => new Uint32Array(buffer, address + mode * COLUMN_BYTES, LOADED_AT_A_TIME),
    )
    this.#numbers = [this.values, ...(weighted ? [this.weights] : [])].map(
      (column) => new Float32Array(buffer, column, LOADED_AT_A_TIME),
    )
  }

  /** The address of the column of indices in a mode. */
  column(mode: number): number {
    return this.columns + mode * COLUMN_BYTES
  }

  /** Copies the entries from … to of a tensor, at most LOADED_AT_A_TIME, into the block. */
  fill({ indices, values, weights }: SparseTensor, from: number, to: number): void {
    for (const [mode, column] of indices.entries()) this.#indices[mode].set(column.subarray(from, to))
    this.#numbers[0].set(values.subarray(from, to))
    if (weights) this.#numbers[1].set(weights.subarray(from, to))
  }

  /**
   * Copies `count` entries into the block, from records of `words` words each: the indices, the bits of the
   * value, and those of the weight if there is one.
   */
  fillFromRecords(records: Uint32Array, count: number, words: number): void {
    const bits = this.#numbers.map(
      ({ buffer, byteOffset }) => new Uint32Array(buffer, byteOffset, LOADED_AT_A_TIME),
    )
    ;[...this.#indices, ...bits].slice(0, words).forEach((column, word) => {
      for (let e = 0; e < count; e++) column[e] = records[e * words + word]
    })
  }
}

/** Whether the entries of any of these views have weights. */
export const anyWeighted = (views: readonly ViewSource[]): boolean =>
  views.some(({ meanWeight }) => meanWeight !== undefined)

/**
 * Calls `visit` with the range of each block of a thread's range of a tensor's entries, until it returns
 * false.
 */
export function forEachBlock(
  { values }: SparseTensor,
  { thread, threads }: ThreadPosition,
  visit: (from: number, to: number) => boolean | undefined,
): void {
  const end = Math.floor((values.length * (thread + 1)) / threads)
  for (let from = Math.floor((values.length * thread) / threads); from < end; from += LOADED_AT_A_TIME)
    if (visit(from, Math.min(from + LOADED_AT_A_TIME, end)) === false) return
}

/** The limit on positions of a view that has all entries, in contrast to a probe: positions are below 2³². */
export const NO_LIMIT = 2 ** 32
