/** The parser of .tns text that explains faults; a kernel may parse the good lines. */
import { InputError } from '../../base/inputError.ts'
import { float32Array, grow, trim, uint32Array } from '../../base/sharedArrays.ts'
import { MAX_INDEX } from '../../tensor/index.ts'
import {
  byteOrderMarkLength,
  CR,
  endOfPlainLine,
  LF,
  NINE,
  parseDecimal,
  SPACE,
  startsEntry,
  TAB,
  ZERO,
} from '../text/index.ts'
import type { Columns, ParserOptions } from './columns.ts'
import { explainForeignByte, explainLine, type Layout, splitWords } from './fault.ts'
import { readHeaderLine, startsHeaderLine, type TnsHeader } from './header.ts'
import { LineKernel } from './lineKernel.ts'
import { LineMap } from './lineMap.ts'

/** The most bytes of a line: without a limit, a binary file would be held in memory as one line. */
export const LONGEST_LINE = 2 ** 20
/** Bytes of the first piece from which the number of entries is estimated. */
const GUESS_BYTES = 2 ** 16
/** Bytes of text that the kernel gets at a time. */
const KERNEL_BYTES = 2 ** 18

/**
 * Parses bytes that arrive in pieces into columns. Only whole lines are parsed: the unfinished last line of a
 * piece waits for the next one. No string is made of a good line.
 */
export class TnsParser {
  readonly #options: ParserOptions
  readonly #lines = new LineMap()
  #layout: Layout | undefined
  #limits: number[] = [] // the largest index of each mode
  #indices: Uint32Array[] = []
  #values: Float32Array = float32Array(0)
  #capacity = 0
  #entries = 0
  #rest = new Uint8Array(256) // the unfinished line, and room
  #restLength = 0
  #started = false
  #module: WebAssembly.Module | undefined
  #kernel: LineKernel | undefined
  #loaded = { bytes: new Uint8Array(0) as Uint8Array, from: 0, to: 0 } // what the kernel's text is
  readonly #header: TnsHeader = {}

  constructor(options: ParserOptions) {
    this.#options = options
  }

  /** Parses good lines by the wasm kernel from here on. */
  useKernel(module: WebAssembly.Module): void {
    this.#module = module
  }

  /** Parses the whole lines of a piece; throws the error for a line that is no entry. */
  push(piece: Uint8Array): void {
    let start = 0
    if (this.#restLength > 0) {
      const lineEnd = piece.indexOf(LF) + 1
      this.#storeRest(piece.subarray(0, lineEnd === 0 ? piece.length : lineEnd))
      if (lineEnd === 0) return
      this.#parseRest()
      start = lineEnd
    }
    const end = piece.lastIndexOf(LF) + 1
    if (end > start) this.#parse(piece, start, end)
    this.#storeRest(piece.subarray(Math.max(start, end)))
  }

  /** Parses the last line, which may have no line feed, and returns all entries. */
  finish(): Columns {
    if (this.#restLength > 0) {
      this.#storeRest(Uint8Array.of(LF))
      this.#parseRest()
    }
    // One column at a time, so that never more than one exists twice.
    this.#indices.forEach((column, mode) => {
      this.#indices[mode] = trim(column, this.#entries)
    })
    const values = this.#layout?.hasValues ? trim(this.#values, this.#entries) : this.#values
    return {
      indices: this.#indices,
      values,
      header: this.#header,
      where: (entry) => this.#where(entry),
    }
  }

  /** The file and line of an entry, as messages name it. */
  #where(entry: number): string {
    const { name, linesBefore = 0 } = this.#options
    return `${name}, line ${linesBefore + this.#lines.lineOf(entry)}`
  }

  /** Appends bytes to the unfinished line; throws if it is longer than LONGEST_LINE. */
  #storeRest(bytes: Uint8Array): void {
    const length = this.#restLength + bytes.length
    if (length > this.#rest.length) {
      const larger = new Uint8Array(2 * length)
      larger.set(this.#rest.subarray(0, this.#restLength))
      this.#rest = larger
    }
    this.#rest.set(bytes, this.#restLength)
    this.#restLength = length
    this.#loaded = { bytes: this.#rest, from: 0, to: 0 }
    if (length > LONGEST_LINE) {
      const fault =
        explainForeignByte(this.#rest.subarray(0, length)) ?? 'the line has no end; give .tns text.'
      throw new InputError('format', `${this.#where(this.#entries)}: ${fault}`)
    }
  }

  /** Parses the line that was unfinished. */
  #parseRest(): void {
    const length = this.#restLength
    this.#restLength = 0
    this.#parse(this.#rest, 0, length)
  }

  /** Parses whole lines: the last byte before `end` is a line feed, so no loop over a line runs past it. */
  #parse(bytes: Uint8Array, start: number, end: number): void {
    let at = start
    if (!this.#started) {
      this.#started = true
      at += byteOrderMarkLength(bytes, at)
    }
    while (at < end) {
      const lineStart = at
      let c = bytes[at]
      while (c === SPACE || c === TAB) c = bytes[++at]
      if (!startsEntry(c)) {
        at = this.#skipLine(bytes, at)
        continue
      }
      if (this.#layout === undefined) this.#startColumns(bytes, lineStart, end)
      if (this.#entries === this.#capacity) this.#grow()
      at = this.#module
        ? this.#parseFast(bytes, lineStart, end, this.#module)
        : this.#parseEntries(bytes, lineStart, end)
    }
  }

  /**
   * Parses entries by the kernel until a line that it rejects, which #parseEntries parses; returns where it
   * stopped.
   */
  #parseFast(bytes: Uint8Array, start: number, end: number, module: WebAssembly.Module): number {
    const { bytes: loaded, from, to } = this.#loaded
    if (loaded !== bytes || start < from || start >= to) {
      const near = bytes.lastIndexOf(LF, Math.min(end, start + KERNEL_BYTES) - 1) + 1
      if (near <= start) return this.#parseEntries(bytes, start, bytes.indexOf(LF, start) + 1)
      this.#kernel ??= startKernel(module, this.#layout!, this.#limits)
      if (!this.#kernel) {
        this.#module = undefined
        return this.#parseEntries(bytes, start, end)
      }
      this.#kernel.text.set(bytes.subarray(start, near))
      this.#loaded = { bytes, from: start, to: near }
      return this.#parseFast(bytes, start, end, module)
    }
    const kernel = this.#kernel!
    const found = kernel.parse(start - from, to - from)
    if (found === 0) return this.#parseEntries(bytes, start, bytes.indexOf(LF, start) + 1)
    while (this.#entries + found > this.#capacity) this.#grow()
    kernel.indices.forEach((column, mode) => {
      this.#indices[mode].set(column.subarray(0, found), this.#entries)
    })
    if (this.#layout?.hasValues) this.#values.set(kernel.values.subarray(0, found), this.#entries)
    this.#entries += found
    return from + kernel.stop
  }

  /** The hot loop: parses entries until a line that is none, or full columns; returns where it stopped. */
  #parseEntries(bytes: Uint8Array, start: number, end: number): number {
    const indices = this.#indices
    const limits = this.#limits
    const order = indices.length
    const values = this.#values
    const capacity = this.#capacity
    const hasValues = this.#layout?.hasValues
    let entry = this.#entries
    let at = start
    while (at < end && entry < capacity) {
      const lineStart = at
      let c = bytes[at]
      while (c === SPACE || c === TAB) c = bytes[++at]
      if (!startsEntry(c)) {
        at = lineStart
        break
      }
      let good = true
      for (let mode = 0; mode < order; mode++) {
        let index = 0
        const word = at
        while (c >= ZERO && c <= NINE) {
          index = (index * 10 + (c - ZERO)) | 0
          c = bytes[++at]
        }
        if (at - word > 9) index = parseLongIndex(bytes, word, at)
        if (index < 1 || index > limits[mode] || c > SPACE) good = false
        indices[mode][entry] = index - 1
        while (c === SPACE || c === TAB) c = bytes[++at]
      }
      if (hasValues) {
        const word = at
        while (bytes[at] > SPACE) at++
        const x = parseDecimal(bytes, word, at)
        if (!Number.isFinite(x)) good = false
        values[entry] = x
        c = bytes[at]
        while (c === SPACE || c === TAB) c = bytes[++at]
      }
      if (c === CR) c = bytes[++at]
      if (!good || c !== LF) {
        this.#entries = entry
        this.#fail(bytes.subarray(lineStart, bytes.indexOf(LF, lineStart)))
      }
      at++
      entry++
    }
    this.#entries = entry
    return at
  }

  /** Skips a blank line or comment, which is added to the header if it is a line of it; returns its end. */
  #skipLine(bytes: Uint8Array, at: number): number {
    const end = endOfPlainLine(bytes, at)
    // A comment with a lone CR may be a whole file with the line ends of an old Macintosh.
    if (end === undefined) this.#fail(bytes.subarray(at, bytes.indexOf(LF, at)))
    if (this.#entries === 0 && this.#options.header !== false && startsHeaderLine(bytes, at))
      readHeaderLine(this.#header, bytes.subarray(at, end - 1), this.#where(0))
    this.#lines.skip(this.#entries)
    return end
  }

  /**
   * Determines the layout by the line of the first entry, and allocates columns for the estimated number of
   * entries.
   */
  #startColumns(bytes: Uint8Array, lineStart: number, end: number): void {
    const lineEnd = bytes.indexOf(LF, lineStart)
    const line = bytes.subarray(lineStart, lineEnd)
    const where = this.#where(0)
    const fault = explainForeignByte(line)
    if (fault) throw new InputError('format', `${where}: ${fault}`)
    const { dims, sizeHint } = this.#options
    this.#layout = this.#options.layout(splitWords(line).length, where)
    const { order, hasValues } = this.#layout
    this.#limits = Array.from({ length: order }, (_, mode) => dims?.[mode] ?? MAX_INDEX)

    const sample = bytes.subarray(lineStart, Math.min(end, lineStart + GUESS_BYTES))
    let lines = 0
    for (const c of sample) if (c === LF) lines++
    this.#capacity = Math.ceil(((sizeHint ?? 0) / sample.length) * lines * 1.02) + 1024
    this.#indices = Array.from({ length: order }, () => uint32Array(this.#capacity))
    if (hasValues) this.#values = float32Array(this.#capacity)
  }

  /** Enlarges the columns by half; throws if there are too many entries. */
  #grow(): void {
    if (this.#entries >= MAX_INDEX)
      throw new InputError(
        'format',
        `${this.#where(this.#entries)}: there are more than ${MAX_INDEX} entries.`,
      )
    this.#capacity = Math.ceil(this.#capacity * 1.5)
    this.#indices.forEach((column, mode) => {
      this.#indices[mode] = grow(column, this.#capacity)
    })
    if (this.#layout?.hasValues) this.#values = grow(this.#values, this.#capacity)
  }

  /** Throws the error for a line that is not an entry. */
  #fail(line: Uint8Array): never {
    const { dims } = this.#options
    const layout = this.#layout ?? { order: 0, hasValues: false }
    throw explainLine(line, this.#where(this.#entries), layout, dims)
  }
}

/** Starts an instance of the kernel; undefined where the shell's limits leave no address space for it. */
function startKernel(
  module: WebAssembly.Module,
  layout: Layout,
  limits: readonly number[],
): LineKernel | undefined {
  try {
    return new LineKernel(module, layout, limits, KERNEL_BYTES)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The number that the digits in bytes [from, to) write, when they are too many for 32-bit arithmetic. */
function parseLongIndex(bytes: Uint8Array, from: number, to: number): number {
  let n = 0
  for (let at = from; at < to; at++) n = n * 10 + (bytes[at] - ZERO)
  return n
}
