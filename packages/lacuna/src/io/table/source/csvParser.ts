/**
 * The parser of tables as text, by RFC 4180: fields in quotes may hold delimiters, newlines and doubled
 * quotes. Blank lines are skipped; a line of more or fewer fields than the first is an error. Every byte is
 * read once, and no string is made of a field.
 */
import { InputError } from '../../../base/inputError.ts'
import { byteOrderMarkLength, CR, LF } from '../../text/index.ts'
import type { Dialect } from './dialect.ts'
import { type Fields, RowKernel } from './rowKernel.ts'
import type { Batch, OnBadLine, Wanted } from './rows.ts'

const QUOTE = 34
/** The most bytes of a row: without a limit, a quote that is never closed would hold the whole file. */
const LONGEST_ROW = 2 ** 26
/** The rows for which there is room at first; fewer if these would have more than FIRST_FIELDS fields. */
const FIRST_ROWS = 1024
const FIRST_FIELDS = 2 ** 18
/**
 * The number of consecutive rows rejected by the kernel after which the rest of a piece is parsed without it.
 */
const MOST_REFUSALS = 16

/** Parses bytes that come in pieces into rows; the unfinished last line of a piece waits for the next one. */
export class CsvParser {
  readonly #name: string
  readonly #delimiter: Uint8Array
  /** The number of columns of the file. */
  readonly #width: number
  /** Whether a quoted empty field is an empty text, and not an empty cell. */
  readonly #keepsEmpty: boolean
  /** Per column of the file, its slot in `#fields`, or -1 if it is not wanted. */
  readonly #slotOf: Int32Array
  /** Per wanted column, its slot. */
  readonly #wanted: readonly number[]
  #fields: Fields
  #kernel: RowKernel | undefined
  /** The unfinished row at the end of the last piece. */
  #rest = new Uint8Array(0)
  #line = 1
  /** Whether the header has yet to be parsed. */
  #headerLeft: boolean
  #started = false
  readonly #onBadLine: OnBadLine | undefined

  /**
   * @param isStart whether the bytes begin with the file's first, and not with a later row
   * @param onBadLine leaves out lines that are no rows; without it they are an error
   */
  constructor(
    name: string,
    dialect: Dialect,
    wanted: readonly Wanted[],
    isStart = true,
    onBadLine?: OnBadLine,
  ) {
    this.#name = name
    this.#onBadLine = onBadLine
    this.#delimiter = new TextEncoder().encode(dialect.delimiter)
    this.#width = dialect.names.length
    this.#headerLeft = dialect.header && isStart
    this.#started = !isStart
    this.#keepsEmpty = dialect.keepsEmpty
    const columns = [...new Set(wanted.map(({ column }) => column))]
    this.#slotOf = new Int32Array(this.#width).fill(-1)
    for (const [slot, column] of columns.entries()) this.#slotOf[column] = slot
    this.#wanted = wanted.map(({ column }) => this.#slotOf[column])
    const rows = Math.max(1, Math.min(FIRST_ROWS, Math.floor(FIRST_FIELDS / columns.length)))
    this.#fields = roomForFields(columns.length, rows)
  }

  /**
   * Splits rows without quotes by wasm from here on, unless the shell's limits leave no address space for it.
   * @param previousKernel the kernel of another file with the same columns, to be used again
   */
  useKernel(module: WebAssembly.Module, previousKernel?: RowKernel): void {
    try {
      this.#kernel = previousKernel ?? new RowKernel(module, this.#delimiter, this.#slotOf)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }

  /** The kernel in use; undefined if rows are split without one. */
  get kernel(): RowKernel | undefined {
    return this.#kernel
  }

  /** The number of lines that have been parsed. */
  get linesDone(): number {
    return this.#line - 1
  }

  /** Whether the bytes so far end with a whole row. */
  get isBetweenRows(): boolean {
    return this.#rest.length === 0
  }

  /** Parses a piece; returns the rows that are whole. The batch is overwritten by the next call. */
  push(piece: Uint8Array): Batch {
    // A copy: doubled quotes are undone where they stand.
    return this.pushFrom(piece.length, (into) => into.set(piece))
  }

  /** Parses a piece of `byteLength` bytes, which `write` writes directly to the memory where it is parsed. */
  pushFrom(byteLength: number, write: (into: Uint8Array) => void): Batch {
    const length = this.#rest.length + byteLength
    const kernel = length <= (this.#kernel?.text.length ?? 0) ? this.#kernel : undefined
    const bytes = kernel ? kernel.text.subarray(0, length) : new Uint8Array(length)
    bytes.set(this.#rest)
    write(bytes.subarray(this.#rest.length))
    return this.#parse(bytes, kernel)
  }

  /** Parses the last line, which may have no newline; throws if a quoted field never ends. */
  finish(): Batch {
    if (this.#rest.length === 0) return this.#parse(this.#rest)
    const batch = this.push(Uint8Array.of(LF))
    if (this.#rest.length > 0) throw this.#fault('a quoted field never ends; close its quote.')
    return batch
  }

  /**
   * Parses bytes up to the last whole row, and stores the rest in `#rest`.
   * @param kernel whose text they are
   */
  #parse(bytes: Uint8Array, kernel?: RowKernel): Batch {
    const [d0, d1] = this.#delimiter
    const step = this.#delimiter.length
    const width = this.#width
    const length = bytes.length
    const slotOf = this.#slotOf
    let fields = kernel?.fields ?? this.#fields
    let { starts, ends, lines } = fields
    let refusals = 0
    const end = bytes.lastIndexOf(LF) + 1 // beyond it there is no whole line
    let rows = 0
    let at = 0
    if (!this.#started && end > 0) {
      this.#started = true
      at = byteOrderMarkLength(bytes)
    }
    let rowStart = at
    while (at < end) {
      if (kernel && !this.#headerLeft && refusals < MOST_REFUSALS) {
        const before = rows
        rows = kernel.split(at, end, rows, this.#line)
        refusals = rows === before ? refusals + 1 : 0
        this.#line += kernel.lines
        at = kernel.stop
      }
      rowStart = at
      if (at >= end) break
      if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF)) {
        at += bytes[at] === LF ? 1 : 2
        this.#line++
        rowStart = at
        continue
      }
      if (rows === lines.length) {
        fields = enlargeFields(fields)
        if (!kernel) this.#fields = fields
        ;({ starts, ends, lines } = fields)
      }
      let column = 0
      let newlines = 1
      let whole = true
      let doubled = false
      for (;;) {
        const isQuoted = bytes[at] === QUOTE
        const start = isQuoted ? at + 1 : at
        let stop: number
        if (isQuoted) {
          for (at++; at < length; at++) {
            const c = bytes[at]
            if (c === LF) newlines++
            else if (c === QUOTE) {
              if (bytes[at + 1] !== QUOTE) break
              doubled = true
              at++
            }
          }
          stop = at++
        } else {
          if (at >= end) {
            whole = false // there is no newline behind this
            break
          }
          let c = bytes[at]
          if (step === 1) while (c !== LF && c !== d0) c = bytes[++at]
          else while (c !== LF && !(c === d0 && bytes[at + 1] === d1)) c = bytes[++at]
          stop = c === LF && at > start && bytes[at - 1] === CR ? at - 1 : at
        }
        const slot = column < width ? slotOf[column] : -1
        if (slot >= 0) {
          starts[slot][rows] = start
          ends[slot][rows] = stop === start && !(isQuoted && this.#keepsEmpty) ? start - 1 : stop
        }
        column++
        const next = bytes[at]
        if (next === LF) {
          at++
          break
        }
        if (at + 2 > length) {
          whole = false // a delimiter, or the end of the line, may be cut in two
          break
        }
        if (next === d0 && (step === 1 || bytes[at + 1] === d1)) {
          at += step
          continue
        }
        if (next === CR && bytes[at + 1] === LF) {
          at += 2
          break
        }
        if (!this.#onBadLine || this.#headerLeft)
          throw this.#fault('there is more after the end of a quoted field; double the quotes within it.')
        const newline = bytes.indexOf(LF, at)
        column = 0
        whole = newline >= 0
        at = newline + 1
        break
      }
      if (!whole) break
      if (column !== width) {
        if (!this.#onBadLine || this.#headerLeft) throw this.#wrongWidth(column)
        this.#onBadLine(this.#line, column, bytes.subarray(rowStart, at))
        this.#line += newlines
        rowStart = at
        continue
      }
      if (doubled) undoubleQuotes(bytes, fields, rows)
      lines[rows] = this.#line
      this.#line += newlines
      rowStart = at
      if (this.#headerLeft) this.#headerLeft = false
      else rows++
    }
    this.#rest = bytes.slice(rowStart)
    if (this.#rest.length > LONGEST_ROW)
      throw this.#fault('the line has no end, or a quote is never closed; mend it, or give a table as text.')
    const columns = starts.map((column, slot) => ({
      ...{ bytes, starts: column, ends: ends[slot], reader: kernel?.readerOf(slot) },
    }))
    return { rowCount: rows, file: this.#name, lines, columns: this.#wanted.map((slot) => columns[slot]) }
  }

  /** The error for a line of `fields` fields where the first line has another number. */
  #wrongWidth(fields: number): InputError {
    const found = fields === 1 ? '1 field' : `${fields} fields`
    return this.#fault(
      `${found} where the first line has ${this.#width}; mend the line, or put fields with separators in them in quotes.`,
    )
  }

  /** An error with the file and the line about to be parsed. */
  #fault(fault: string): InputError {
    return new InputError('format', `${this.#name}, line ${this.#line}: ${fault}`)
  }
}

/**
 * Replaces doubled quotes in the fields of a row by single ones, in place. Only for a row that is whole: one
 * that is not is parsed again.
 */
function undoubleQuotes(bytes: Uint8Array, fields: Fields, row: number): void {
  fields.starts.forEach((starts, slot) => {
    const ends = fields.ends[slot]
    const isMissing = ends[row] < starts[row]
    if (isMissing || bytes[starts[row] - 1] !== QUOTE || bytes[ends[row]] !== QUOTE) return
    let to = starts[row]
    for (let at = to; at < ends[row]; at++) {
      if (bytes[at] === QUOTE) at++
      bytes[to++] = bytes[at]
    }
    ends[row] = to
  })
}

/** Makes arrays for the fields of some columns and rows, in one buffer: a buffer each would be costly. */
function roomForFields(columns: number, rows: number): Fields {
  const all = new Int32Array(2 * columns * rows)
  const column = (c: number): Int32Array => all.subarray(c * rows, (c + 1) * rows)
  return {
    starts: Array.from({ length: columns }, (_, c) => column(c)),
    ends: Array.from({ length: columns }, (_, c) => column(columns + c)),
    lines: new Uint32Array(rows),
  }
}

/** Copies the arrays of fields into arrays for twice as many rows. */
function enlargeFields({ starts, ends, lines }: Fields): Fields {
  const larger = roomForFields(starts.length, 2 * lines.length)
  starts.forEach((column, slot) => {
    larger.starts[slot].set(column)
    larger.ends[slot].set(ends[slot])
  })
  larger.lines.set(lines)
  return larger
}
