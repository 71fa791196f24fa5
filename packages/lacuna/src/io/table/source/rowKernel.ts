/**
 * The kernel that splits rows without quotes into fields, reads numbers and times, and looks labels up, in
 * wasm: text is written to its memory, and the positions of the fields are read from it.
 */
import { MARGIN, startTextKernel, type TextKernel } from '../../text/index.ts'
import { type CellNumbers, type KnownCodes, MISSING, SMALL } from './rows.ts'

/** Bytes of text that the kernel holds: a piece of a file, and the unfinished row before it. */
const TEXT_BYTES = 2 ** 20 + 2 ** 17

/**
 * Sizes of the cache of a mode: small whole numbers, and slots for other texts. Untouched memory is not
 * allocated.
 */
const CACHED_NUMBERS = SMALL
const CACHED_TEXTS = 2 ** 18
const TEXT_ENTRY = 32
const CACHE_LINE = 64
const CACHE_BYTES = 4 * CACHED_NUMBERS + TEXT_ENTRY * CACHED_TEXTS
/** The most modes that have a cache. */
const MOST_CACHES = 16

/** The cache of a coder: its address, and how many numbers it holds. */
interface CodeCache {
  readonly table: number
  numbers: number
}

/** Per slot, the beginning and end of the field of each row; and the lines of the rows. */
export interface Fields {
  starts: Int32Array[]
  ends: Int32Array[]
  lines: Uint32Array
}

/** An instance of the kernel, with memory for the rows of one piece of text. */
export class RowKernel {
  readonly text: Uint8Array
  readonly fields: Fields
  /** The position at which the last split stopped: a row that the kernel rejects, or the end. */
  stop = 0
  /** The number of lines of the last split, blank ones included. */
  lines = 0
  readonly #kernel: TextKernel
  readonly #delimiter: Uint8Array
  readonly #width: number
  readonly #capacity: number
  readonly #at: Record<
    'slots' | 'starts' | 'ends' | 'lines' | 'numbers' | 'codes' | 'valid' | 'text' | 'known',
    number
  >
  /** The cache of each coder. */
  readonly #caches = new Map<object, CodeCache>()
  readonly #mostCaches: number

  /** @param slotOf per column of the table, the slot of its fields, or −1 */
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
      codes: 4 * capacity,
      valid: 8 * Math.ceil(capacity / 8),
    }
    this.#mostCaches = Math.min(slots, MOST_CACHES)
    const known = CACHE_BYTES * this.#mostCaches
    const total = Object.values(sizes).reduce(
      (sum, size) => sum + size,
      CACHE_LINE + known + TEXT_BYTES + 2 * MARGIN,
    )
    this.#kernel = startTextKernel(module, total)
    let free = CACHE_LINE * Math.ceil(this.#kernel.freeFrom() / CACHE_LINE)
    const take = (size: number): number => {
      free += size
      return free - size
    }
    const at = {
      known: take(known),
      numbers: take(sizes.numbers),
      slots: take(sizes.slots),
      starts: take(sizes.starts),
      ends: take(sizes.ends),
      lines: take(sizes.lines),
      codes: take(sizes.codes),
      valid: take(sizes.valid),
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

  /**
   * Splits the lines text[start, end) into fields.
   * @param rows the number of rows split before @param line the number of the first line
   * @returns the number of rows split so far
   */
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

  /** The operations on the fields of a slot. */
  numbersOf(slot: number): CellNumbers {
    const { text, numbers } = this.#at
    const { memory, emptyFields, decimals, gridTimes, numberTimes } = this.#kernel
    const [starts, ends] = this.#columnOf(slot)
    const read = (rowCount: number, into: Float64Array): void =>
      into.set(new Float64Array(memory.buffer, numbers, rowCount))
    return {
      empty: (rowCount) => emptyFields(starts, ends, rowCount),
      decimals(rowCount, values) {
        const others = decimals(text, starts, ends, rowCount, numbers)
        read(rowCount, values)
        return others
      },
      gridTimes(rowCount, origin, unit, cells) {
        const others = gridTimes(text, starts, ends, rowCount, origin, unit, numbers)
        read(rowCount, cells)
        return { others, numbers: numberTimes() }
      },
      codesOf: (coder) => this.#codesOf(coder, slot),
    }
  }

  /** The addresses of the beginnings and ends of a slot's fields. */
  #columnOf(slot: number): [starts: number, ends: number] {
    const offset = 4 * this.#capacity * slot
    return [this.#at.starts + offset, this.#at.ends + offset]
  }

  /** The cache of a coder for the fields of a slot; undefined if there is no room for another one. */
  #codesOf(coder: object, slot: number): KnownCodes | undefined {
    if (!this.#caches.has(coder) && this.#caches.size === this.#mostCaches) return undefined
    const first: CodeCache = { table: this.#at.known + CACHE_BYTES * this.#caches.size, numbers: 0 }
    const own = this.#caches.get(coder) ?? first
    this.#caches.set(coder, own)
    const { table } = own
    const texts = table + 4 * CACHED_NUMBERS
    const known = [table, CACHED_NUMBERS, texts, CACHED_TEXTS / 2 - 1] as const
    const { text, numbers, codes: out, valid: validAt } = this.#at
    const [starts, ends] = this.#columnOf(slot)
    const { memory, lookUpLabels, freshNumbers, rememberLabel, lookUpCells } = this.#kernel
    const { buffer } = memory
    return {
      get numbers() {
        return own.numbers
      },
      lookUp(rowCount, valid, codes, next = MISSING) {
        new Uint8Array(buffer, validAt).set(valid.subarray(0, rowCount))
        const fields = [text, starts, ends, validAt, rowCount] as const
        const missing = lookUpLabels(...fields, ...known, out, next, numbers)
        codes.set(new Uint32Array(buffer, out, rowCount))
        const fresh = new Uint32Array(buffer, numbers, freshNumbers())
        own.numbers += fresh.length
        return { missing, fresh }
      },
      remember: (row, code) => {
        const { starts, ends } = this.fields
        if (rememberLabel(text + starts[slot][row], text + ends[slot][row], ...known, code)) own.numbers++
      },
      lookUpCells(rowCount, cells, valid, codes) {
        new Float64Array(buffer, numbers).set(cells.subarray(0, rowCount))
        new Uint8Array(buffer, validAt).set(valid.subarray(0, rowCount))
        const missing = lookUpCells(numbers, validAt, rowCount, table, CACHED_NUMBERS, out)
        codes.set(new Uint32Array(buffer, out, rowCount))
        return missing
      },
      rememberCell(cell, code) {
        if (cell >= 0 && cell < CACHED_NUMBERS && Number.isInteger(cell))
          new Uint32Array(buffer, table, CACHED_NUMBERS)[cell] = code + 1
      },
    }
  }
}
