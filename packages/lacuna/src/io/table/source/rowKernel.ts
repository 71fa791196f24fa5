/**
 * Rows without quotes cut into fields, and the numbers in them, by wasm: text goes into its memory, and where
 * the fields lie comes out of it.
 */
import { MARGIN, startTextKernel, type TextKernel } from '../../text/index.ts'
import { SMALL } from '../columns/coding.ts'
import { type CellNumbers, type KnownCodes, MISSING } from './rows.ts'

/** What is read at a time, and the row that was cut in two before it. */
const TEXT_BYTES = 2 ** 20 + 2 ** 17

/**
 * Of a mode, the whole numbers whose codes are remembered, as many as a coder takes for small, and the other
 * texts; memory that is not used is not taken.
 */
const KNOWN_NUMBERS = SMALL
const KNOWN_TEXTS = 2 ** 18
const TEXT_ENTRY = 32
const CACHE_LINE = 64
const KNOWN_BYTES = 4 * KNOWN_NUMBERS + TEXT_ENTRY * KNOWN_TEXTS
/** So many modes have what is known of them remembered. */
const MOST_KNOWN = 16

/** Where what a coder knows is remembered, and how many numbers are. */
interface KnownPlace {
  readonly table: number
  numbers: number
}

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
  readonly #at: Record<
    'slots' | 'starts' | 'ends' | 'lines' | 'numbers' | 'codes' | 'valid' | 'text' | 'known',
    number
  >
  /** Per coder, which of the places for what is known it has. */
  readonly #known = new Map<object, KnownPlace>()
  readonly #mostKnown: number

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
      codes: 4 * capacity,
      valid: 8 * Math.ceil(capacity / 8),
    }
    this.#mostKnown = Math.min(slots, MOST_KNOWN)
    const known = KNOWN_BYTES * this.#mostKnown
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
   * Cuts the lines text[start, end), of which the first is number `line`; how many rows there are then,
   * behind those before.
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

  /** The numbers in a slot's fields. */
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

  /** Where the fields of a slot begin and end. */
  #columnOf(slot: number): [starts: number, ends: number] {
    const place = 4 * this.#capacity * slot
    return [this.#at.starts + place, this.#at.ends + place]
  }

  #codesOf(coder: object, slot: number): KnownCodes | undefined {
    if (!this.#known.has(coder) && this.#known.size === this.#mostKnown) return undefined
    const first: KnownPlace = { table: this.#at.known + KNOWN_BYTES * this.#known.size, numbers: 0 }
    const own = this.#known.get(coder) ?? first
    this.#known.set(coder, own)
    const { table } = own
    const texts = table + 4 * KNOWN_NUMBERS
    const known = [table, KNOWN_NUMBERS, texts, KNOWN_TEXTS / 2 - 1] as const
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
        const places = [text, starts, ends, validAt, rowCount] as const
        const missing = lookUpLabels(...places, ...known, out, next, numbers)
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
        const missing = lookUpCells(numbers, validAt, rowCount, table, KNOWN_NUMBERS, out)
        codes.set(new Uint32Array(buffer, out, rowCount))
        return missing
      },
      rememberCell(cell, code) {
        if (cell >= 0 && cell < KNOWN_NUMBERS && Number.isInteger(cell))
          new Uint32Array(buffer, table, KNOWN_NUMBERS)[cell] = code + 1
      },
    }
  }
}
