/**
 * The parser of good lines, in wasm: it has a memory of its own, into which text is put, and out of which columns are copied, both
 * small enough to stay in the cache. Lines that are no good entries it leaves to who can say why.
 */
import { lineKernel } from '../../embedded/lineKernel.js'
import { MAX_INDEX } from '../../tensor/sparseTensor.ts'
import type { Layout } from './fault.ts'

interface Exports {
  memory: WebAssembly.Memory
  freeFrom(): number
  parseEntries(
    at: number,
    end: number,
    order: number,
    hasValues: number,
    limits: number,
    columns: number,
    capacity: number,
  ): number
  stop(): number
  countLines(from: number, to: number): number
  entries(): number
  largest(column: number, count: number): number
  anyNegative(values: number, count: number): number
}

/** Bytes of the columns that are filled at a time. */
const COLUMN_BYTES = 2 ** 19
const PAGE = 2 ** 16
/** The kernel looks at a byte before the text and, eight at a time, at some behind it. */
const MARGIN = 64

const ascii = new TextDecoder('latin1')

export const compileLineKernel = (): Promise<WebAssembly.Module> =>
  WebAssembly.compile(Uint8Array.from(atob(lineKernel), (char) => char.charCodeAt(0)))

export class LineKernel {
  /** Whole lines go here. */
  readonly text: Uint8Array
  /** Entries that are parsed at a time. */
  readonly capacity: number
  /** What was parsed last: one column per mode, and the values, `capacity` long. */
  readonly indices: readonly Uint32Array[]
  readonly values: Float32Array
  /** Where the last parsing stopped: the beginning of a line that is no good entry, or one behind `capacity` entries, or the end. */
  stop = 0
  /** Of the lines counted last, those that are neither blank nor comments. */
  entryLines = 0
  readonly #exports: Exports
  readonly #layout: Layout
  readonly #at: { text: number; limits: number; columns: number }

  /** `limits`: the largest index of each mode. */
  constructor(module: WebAssembly.Module, layout: Layout, limits: readonly number[], textBytes: number) {
    let memory: Uint8Array = new Uint8Array(0)
    const exactly = (from: number, to: number): number =>
      Math.fround(Number(ascii.decode(memory.subarray(from, to))))
    const instance = new WebAssembly.Instance(module, { host: { exactly } })
    this.#exports = instance.exports as unknown as Exports
    this.#layout = layout
    const { order, hasValues } = layout
    this.capacity = Math.max(64, Math.floor(COLUMN_BYTES / (4 * (order + 1))))
    const start = this.#exports.freeFrom()
    const columns = start + 4 * order
    const text = columns + 4 * this.capacity * (order + 1) + MARGIN
    this.#at = { limits: start, columns, text }
    const { memory: wasm } = this.#exports
    wasm.grow(Math.ceil((text + textBytes + MARGIN - wasm.buffer.byteLength) / PAGE) + 1)
    memory = new Uint8Array(wasm.buffer)
    new Uint32Array(wasm.buffer, start, order).set(limits.map((limit) => Math.min(limit, MAX_INDEX)))
    this.text = memory.subarray(text, text + textBytes)
    this.indices = Array.from(
      { length: order },
      (_, mode) => new Uint32Array(wasm.buffer, columns + 4 * this.capacity * mode, this.capacity),
    )
    this.values = new Float32Array(
      wasm.buffer,
      columns + 4 * this.capacity * order,
      hasValues ? this.capacity : 0,
    )
  }

  /** Parses the lines text[start, end); how many entries were found before it stopped. */
  parse(start: number, end: number): number {
    const { text, limits, columns } = this.#at
    const { order, hasValues } = this.#layout
    const found = this.#exports.parseEntries(
      text + start,
      text + end,
      order,
      hasValues ? 1 : 0,
      limits,
      columns,
      this.capacity,
    )
    this.stop = this.#exports.stop() - text
    return found
  }

  /** How many lines begin in text[start, end): those behind a line feed. */
  countLines(start: number, end: number): number {
    const lines = this.#exports.countLines(this.#at.text + start, this.#at.text + end)
    this.entryLines = this.#exports.entries()
    return lines
  }

  /** The largest of the first `count` indices of a mode that were parsed last. */
  largest(mode: number, count: number): number {
    return this.#exports.largest(this.#at.columns + 4 * this.capacity * mode, count) >>> 0
  }

  /** Whether the first `count` values that were parsed last have one below 0. */
  anyNegative(count: number): boolean {
    const values = this.#at.columns + 4 * this.capacity * this.indices.length
    return this.#layout.hasValues && this.#exports.anyNegative(values, count) !== 0
  }
}
