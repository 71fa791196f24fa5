/**
 * The kernel that splits rows without quotes into fields, reads numbers and times, and looks labels up, in
 * wasm: text is written to its memory, and the positions of the fields are read from it.
 */
import { MARGIN, startTextKernel, type TextKernel } from '../../text/index.ts'
import { type CodeCache, type FieldReader, MISSING, SMALL_LIMIT } from './rows.ts'

/** Bytes of text that the kernel holds: a piece of a file, and the unfinished row before it. */
const TEXT_BYTES = 2 ** 20 + 2 ** 17

/**
 * Small whole numbers in a cache, whose codes are an array of four bytes each. Untouched memory is not
 * allocated.
 */
const CACHED_NUMBERS = SMALL_LIMIT
/** Slots for other texts in a cache. */
const CACHED_TEXTS = 2 ** 18
/** Bytes per slot for a text in a cache. */
const TEXT_ENTRY = 32
/** Bytes of a line of the processor's cache, to which memory is aligned. */
const CACHE_LINE = 64
/** Bytes of a cache of codes. */
const CACHE_BYTES = 4 * CACHED_NUMBERS + TEXT_ENTRY * CACHED_TEXTS
/** The most caches of codes of an instance. */
const MOST_CACHES = 16

/** The memory of one coder's cache of codes. */
interface CacheMemory {
  /** Its address: the codes of small whole numbers, then the slots for other texts. */
  readonly table: number
  /** The number of small whole numbers in it. */
  numberCount: number
}

/** The positions of fields in a text: by slot, which a wanted column has, and row. */
export interface Fields {
  starts: Int32Array[]
  /** An empty field ends before it begins. */
  ends: Int32Array[]
  /** Per row, the line on which it begins. */
  lines: Uint32Array
}

/** An instance of the kernel, with memory for the rows of one piece of text, and caches of codes. */
export class RowKernel {
  /** Receives the lines to split. */
  readonly text: Uint8Array
  /** Receives the positions of the fields, in the kernel's memory. */
  readonly fields: Fields
  /** The position at which the last split stopped: a row that the kernel rejects, or the end. */
  stop = 0
  /** The number of lines of the last split, blank ones included. */
  lines = 0
  readonly #kernel: TextKernel
  readonly #delimiter: Uint8Array
  readonly #width: number
  readonly #capacity: number
  /** Addresses in the kernel's memory; `doubles` receives numbers, grid cells and new small numbers. */
  readonly #at: Record<
    'slots' | 'starts' | 'ends' | 'lines' | 'doubles' | 'codes' | 'valid' | 'text' | 'caches',
    number
  >
  /** The cache of each coder. */
  readonly #caches = new Map<object, CacheMemory>()
  readonly #mostCaches: number

  /**
   * Throws a RangeError if there is not enough memory.
   * @param delimiter one or two bytes
   * @param slotOf per column of the table, the slot of its fields, or −1 if it is not wanted
   */
  constructor(module: WebAssembly.Module, delimiter: Uint8Array, slotOf: Int32Array) {
    const width = slotOf.length
    const slots = slotOf.reduce((most, slot) => Math.max(most, slot), 0) + 1
    const capacity = Math.ceil(TEXT_BYTES / width) + 1 // a row has a byte for each field at least
    const sizes = {
      doubles: 8 * capacity,
      slots: 4 * width,
      starts: 4 * capacity * slots,
      ends: 4 * capacity * slots,
      lines: 4 * capacity,
      codes: 4 * capacity,
      valid: 8 * Math.ceil(capacity / 8),
    }
    this.#mostCaches = Math.min(slots, MOST_CACHES)
    const cacheBytes = CACHE_BYTES * this.#mostCaches
    const total = Object.values(sizes).reduce(
      (sum, size) => sum + size,
      CACHE_LINE + cacheBytes + TEXT_BYTES + 2 * MARGIN,
    )
    this.#kernel = startTextKernel(module, total)
    let free = CACHE_LINE * Math.ceil(this.#kernel.freeFrom() / CACHE_LINE)
    const take = (size: number): number => {
      free += size
      return free - size
    }
    const at = {
      caches: take(cacheBytes),
      doubles: take(sizes.doubles),
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

  /** The operations of the kernel on the fields of a slot. */
  readerOf(slot: number): FieldReader {
    const { text, doubles } = this.#at
    const { memory, emptyFields, decimals, gridTimes, numberTimes } = this.#kernel
    const [starts, ends] = this.#columnOf(slot)
    const read = (rowCount: number, into: Float64Array): void =>
      into.set(new Float64Array(memory.buffer, doubles, rowCount))
    return {
      empty: (rowCount) => emptyFields(starts, ends, rowCount),
      decimals(rowCount, values) {
        const others = decimals(text, starts, ends, rowCount, doubles)
        read(rowCount, values)
        return others
      },
      gridTimes(rowCount, origin, unit, cells) {
        const others = gridTimes(text, starts, ends, rowCount, origin, unit, doubles)
        read(rowCount, cells)
        return { others, unixTimes: numberTimes() }
      },
      cacheOf: (coder) => this.#cacheOf(coder, slot),
    }
  }

  /** The addresses of the arrays of beginnings and ends of a slot's fields. */
  #columnOf(slot: number): [starts: number, ends: number] {
    const offset = 4 * this.#capacity * slot
    return [this.#at.starts + offset, this.#at.ends + offset]
  }

  /**
   * The cache of the codes that `coder` has given, applied to the fields of `slot`. Made on first use;
   * undefined if all caches are taken.
   */
  #cacheOf(coder: object, slot: number): CodeCache | undefined {
    if (!this.#caches.has(coder) && this.#caches.size === this.#mostCaches) return undefined
    const newCache: CacheMemory = { table: this.#at.caches + CACHE_BYTES * this.#caches.size, numberCount: 0 }
    const cache = this.#caches.get(coder) ?? newCache
    this.#caches.set(coder, cache)
    const { table } = cache
    const texts = table + 4 * CACHED_NUMBERS
    const tables = [table, CACHED_NUMBERS, texts, CACHED_TEXTS / 2 - 1] as const
    const { text, doubles, codes: out, valid: validAt } = this.#at
    const [starts, ends] = this.#columnOf(slot)
    const { memory, lookUpLabels, freshNumbers, rememberLabel, lookUpCells } = this.#kernel
    const { buffer } = memory
    return {
      get numberCount() {
        return cache.numberCount
      },
      lookUp(rowCount, valid, codes, next = MISSING) {
        new Uint8Array(buffer, validAt).set(valid.subarray(0, rowCount))
        const fields = [text, starts, ends, validAt, rowCount] as const
        const missing = lookUpLabels(...fields, ...tables, out, next, doubles)
        codes.set(new Uint32Array(buffer, out, rowCount))
        const fresh = new Uint32Array(buffer, doubles, freshNumbers())
        cache.numberCount += fresh.length
        return { missing, fresh }
      },
      remember: (row, code) => {
        const { starts, ends } = this.fields
        if (rememberLabel(text + starts[slot][row], text + ends[slot][row], ...tables, code))
          cache.numberCount++
      },
      lookUpCells(rowCount, cells, valid, codes) {
        new Float64Array(buffer, doubles).set(cells.subarray(0, rowCount))
        new Uint8Array(buffer, validAt).set(valid.subarray(0, rowCount))
        const missing = lookUpCells(doubles, validAt, rowCount, table, CACHED_NUMBERS, out)
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
