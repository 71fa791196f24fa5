/**
 * Rows without quotes cut into fields, and the numbers in them, by wasm: text goes into its memory, and where the fields lie comes
 * out of it.
 */
import { MARGIN, startTextKernel, type TextKernel } from '../text/kernel.ts'
import type { CellNumbers } from './rows.ts'

/** What is read at a time, and the row that was cut in two before it. */
const TEXT_BYTES = 2 ** 20 + 2 ** 17

/** Where the fields of rows begin and end, by slot, and the rows' lines. */
export interface Fields {
  starts: Int32Array[]
  ends: Int32Array[]
  lines: Uint32Array
}

export class RowKernel {
  readonly text: Uint8Array
  readonly fields: Fields
  /** Where the last cutting stopped: at a row that was not taken, or at the end. */
  stop = 0
  /** How many lines it has passed. */
  lines = 0
  readonly #kernel: TextKernel
  readonly #delimiter: Uint8Array
  readonly #width: number
  readonly #capacity: number
  readonly #at: { slots: number; starts: number; ends: number; lines: number; numbers: number; text: number }

  /** `slotOf`: for each column, where its fields go, or −1. */
  constructor(module: WebAssembly.Module, delimiter: Uint8Array, slotOf: Int32Array) {
    const width = slotOf.length
    const slots = slotOf.reduce((most, slot) => Math.max(most, slot), 0) + 1
    const capacity = Math.ceil(TEXT_BYTES / width) + 1 // a row has a byte for each field at least
    const sizes = {
      numbers: 8 * capacity,
      slots: 4 * width,
      starts: 4 * capacity * slots,
      ends: 4 * capacity * slots,
      lines: 4 * capacity,
    }
    const total = Object.values(sizes).reduce((sum, size) => sum + size, TEXT_BYTES + 2 * MARGIN)
    this.#kernel = startTextKernel(module, total)
    let free = this.#kernel.freeFrom()
    const take = (size: number): number => {
      free += size
      return free - size
    }
    const at = {
      numbers: take(sizes.numbers),
      slots: take(sizes.slots),
      starts: take(sizes.starts),
      ends: take(sizes.ends),
      lines: take(sizes.lines),
      text: free + MARGIN,
    }
    const { buffer } = this.#kernel.memory
    const columns = (from: number): Int32Array[] =>
      Array.from({ length: slots }, (_, slot) => new Int32Array(buffer, from + 4 * capacity * slot, capacity))
    new Int32Array(buffer, at.slots, width).set(slotOf)
    this.#at = at
    this.#delimiter = delimiter
    this.#width = width
    this.#capacity = capacity
    this.text = new Uint8Array(buffer, at.text, TEXT_BYTES)
    this.fields = {
      starts: columns(at.starts),
      ends: columns(at.ends),
      lines: new Uint32Array(buffer, at.lines, capacity),
    }
  }

  /** Cuts the lines text[start, end), of which the first is number `line`; how many rows there are then, behind those before. */
  split(start: number, end: number, rows: number, line: number): number {
    const { text, slots, starts, ends, lines } = this.#at
    const [first, second = 0] = this.#delimiter
    const [width, capacity] = [this.#width, this.#capacity]
    const found = this.#kernel.splitRows(
      ...([text, text + start, text + end, first, second, width, slots] as const),
      ...([starts, ends, lines, capacity, rows, line] as const),
    )
    this.stop = this.#kernel.rowStop() - text
    this.lines = this.#kernel.rowLines()
    return found
  }

  /** The numbers in a slot's fields. */
  numbersOf(slot: number): CellNumbers {
    const { text, starts, ends, numbers } = this.#at
    const { memory, wholeNumbers, decimals } = this.#kernel
    const all =
      (read: TextKernel['decimals']) =>
      (rowCount: number): Float64Array => {
        const place = 4 * this.#capacity * slot
        read(text, starts + place, ends + place, rowCount, numbers)
        return new Float64Array(memory.buffer, numbers, rowCount)
      }
    return { wholes: all(wholeNumbers), decimals: all(decimals) }
  }
}
