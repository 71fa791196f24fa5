/**
 * The parser of good lines, in wasm: text is written to its memory, and columns are copied out of it, both
 * small enough to stay in the cache. Lines that are no good entries are left to the caller.
 */
import { MAX_INDEX } from '../../tensor/index.ts'
import { MARGIN, startTextKernel, type TextKernel } from '../text/index.ts'
import type { Layout } from './fault.ts'

/** Bytes of all columns of the kernel together; more where these would hold fewer than 64 entries. */
const COLUMN_BYTES = 2 ** 19

/** An instance of the kernel for lines of one layout. */
export class LineKernel {
  /** Receives whole lines. */
  readonly text: Uint8Array
  /** The most entries that are parsed at a time. */
  readonly capacity: number
  /** The 0-based indices parsed last: one column per mode, `capacity` long. */
  readonly indices: readonly Uint32Array[]
  /** The values parsed last, `capacity` long; empty if the layout has none. */
  readonly values: Float32Array
  /**
   * The position at which parsing stopped: a line that is no good entry, the line behind `capacity` entries,
   * or the end.
   */
  stop = 0
  /** The number of entries among the lines counted last. */
  entryLines = 0
  readonly #kernel: TextKernel
  readonly #layout: Layout
  /** Addresses in the kernel's memory. */
  readonly #at: { text: number; limits: number; columns: number }

  /**
   * Throws a RangeError if there is not enough memory.
   * @param limits the largest index of each mode, from 1
   * @param textBytes the size of `text`
   */
  constructor(module: WebAssembly.Module, layout: Layout, limits: readonly number[], textBytes: number) {
    const { order, hasValues } = layout
    this.#layout = layout
    this.capacity = Math.max(64, Math.floor(COLUMN_BYTES / (4 * (order + 1))))
    const columnBytes = 4 * this.capacity
    this.#kernel = startTextKernel(module, 4 * order + columnBytes * (order + 1) + textBytes + 2 * MARGIN)
    const start = this.#kernel.freeFrom()
    const columns = start + 4 * order
    const text = columns + columnBytes * (order + 1) + MARGIN
    this.#at = { limits: start, columns, text }
    const { buffer } = this.#kernel.memory
    new Uint32Array(buffer, start, order).set(limits.map((limit) => Math.min(limit, MAX_INDEX)))
    this.text = new Uint8Array(buffer, text, textBytes)
    this.indices = Array.from(
      { length: order },
      (_, mode) => new Uint32Array(buffer, columns + columnBytes * mode, this.capacity),
    )
    this.values = new Float32Array(buffer, columns + columnBytes * order, hasValues ? this.capacity : 0)
  }

  /** Parses the lines text[start, end); returns the number of entries before it stopped. */
  parse(start: number, end: number): number {
    const { text, limits, columns } = this.#at
    const { order, hasValues } = this.#layout
    const found = this.#kernel.parseEntries(
      text + start,
      text + end,
      order,
      hasValues ? 1 : 0,
      limits,
      columns,
      this.capacity,
    )
    this.stop = this.#kernel.stop() - text
    return found
  }

  /** Counts the lines that begin in text[start, end), each behind a line feed; entries in `entryLines`. */
  countLines(start: number, end: number): number {
    const lines = this.#kernel.countLines(this.#at.text + start, this.#at.text + end)
    this.entryLines = this.#kernel.entries()
    return lines
  }

  /** The largest of the first `count` indices of a mode that were parsed last. */
  largest(mode: number, count: number): number {
    return this.#kernel.largest(this.#at.columns + 4 * this.capacity * mode, count) >>> 0
  }

  /** Whether the first `count` values that were parsed last have one below 0. */
  anyNegative(count: number): boolean {
    const values = this.#at.columns + 4 * this.capacity * this.indices.length
    return this.#layout.hasValues && this.#kernel.anyNegative(values, count) !== 0
  }
}
