/**
 * Tables as text, as RFC 4180 has it: fields in quotes may hold delimiters, newlines and doubled quotes.
 * Blank lines are passed over; a line of more or fewer fields than the first is an error. Bytes are looked at
 * once, and no string is made of a field.
 */
import { InputError } from '../../inputError.ts'
import { CR, LF } from '../text/bytes.ts'
import { compileTextKernel } from '../text/kernel.ts'
import { type Dialect, type DialectOptions, sniffDialect } from './dialect.ts'
import { type Fields, RowKernel } from './rowKernel.ts'
import type { Batch, Table, Wanted } from './rows.ts'

/** A file, as messages name it; it may be opened more than once. */
export interface TextFile {
  name: string
  open(): AsyncIterable<Uint8Array>
}

const QUOTE = 34
/** What is looked at to find out how a text is written. */
const SAMPLE_BYTES = 2 ** 20
/**
 * A longer line is not one of a table; without a limit, a quote that is never closed would hold the whole
 * file.
 */
const LONGEST_ROW = 2 ** 26
/** From so many bytes on, compiling the kernel pays. */
const KERNEL_FROM = 2 ** 19
/** So many rows in a row that the kernel does not take show that there is no use in asking it, for a while. */
const MOST_REFUSALS = 16

/** Files of the same columns as one table. */
export async function textTable(
  files: readonly TextFile[],
  options: DialectOptions & { name?: string } = {},
): Promise<Table & { dialect: Dialect }> {
  const [first] = files
  const head = await headOf(first, SAMPLE_BYTES)
  const start = headText(head, first.name)
  const dialect = sniffDialect(start, first.name, options)
  const { names, quoted, decimal } = dialect
  for (const file of files.slice(1)) await checkSameColumns(file, dialect)
  const columns = names.map((name, c) => ({ name, ...(quoted[c] && { quoted: true }) }))
  const all = columns.map((_, column) => ({ column }))
  const guessed = options.decimal === undefined && decimal === ','
  return {
    name: options.name ?? (files.length > 1 ? `${first.name} and ${files.length - 1} more` : first.name),
    unit: 'line',
    columns,
    decimal,
    dialect,
    ...(guessed && { guesses: ['a comma stands before the fraction of a number'] }),
    async sample() {
      const whole = head.length < SAMPLE_BYTES ? head : head.subarray(0, head.lastIndexOf(LF) + 1)
      for await (const batch of readFile(first.name, once(whole), dialect, all, head.length < SAMPLE_BYTES))
        return batch
      return { rowCount: 0, columns: [], file: first.name, lines: new Uint32Array(0) }
    },
    async *read(wanted) {
      for (const { name, open } of files) yield* readFile(name, open(), dialect, wanted, true)
    },
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The first bytes of a file, at least so many if it has them. */
export async function headOf({ open }: TextFile, byteLength: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of open()) {
    pieces.push(piece)
    length += piece.length
    if (length >= byteLength) break
  }
  const head = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    head.set(piece, at)
    at += piece.length
  }
  return head
}

/** The beginning as text, or a sentence about what it is instead. */
export function headText(head: Uint8Array, name: string): string {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))
    throw new InputError('format', `${name}: this is UTF-16 text; convert the file to UTF-8.`)
  if (head.subarray(0, 4096).includes(0))
    throw new InputError(
      'format',
      `${name}: the byte 0 does not belong in a text file; give a table as UTF-8 text.`,
    )
  const text = new TextDecoder().decode(head)
  if (text.trim() === '') throw new InputError('empty', `${name}: the file is empty.`)
  if (text.includes('\r') && !text.includes('\n'))
    throw new InputError(
      'format',
      `${name}: its lines end in carriage returns alone, as on old Macintoshes; convert the file with tr '\\r' '\\n'.`,
    )
  return text
}

async function checkSameColumns(file: TextFile, expected: Dialect): Promise<void> {
  const { delimiter, header, decimal } = expected
  const start = headText(await headOf(file, 1), file.name)
  const { names } = sniffDialect(start, file.name, { delimiter, header, decimal })
  if (names.length !== expected.names.length || names.some((name, c) => name !== expected.names[c]))
    throw new InputError(
      'table',
      `${file.name}: the files do not have the same columns; this one has ${names.join(', ')}, the first ${expected.names.join(', ')}.`,
    )
}

/** The rows of one file. `ended`: the last line is whole even if no newline ends it. */
async function* readFile(
  name: string,
  source: AsyncIterable<Uint8Array>,
  dialect: Dialect,
  wanted: readonly Wanted[],
  ended: boolean,
): AsyncGenerator<Batch> {
  const parser = new CsvParser(name, dialect, wanted)
  let bytes = 0
  for await (const piece of source) {
    if (bytes < KERNEL_FROM && bytes + piece.length >= KERNEL_FROM) {
      const module = await compileTextKernel().catch(() => undefined) // a page's policy may forbid it
      if (module) parser.useKernel(module)
    }
    bytes += piece.length
    const batch = parser.push(piece)
    if (batch.rowCount > 0) yield batch
  }
  if (ended) {
    const batch = parser.finish()
    if (batch.rowCount > 0) yield batch
  }
}

/** Rows from bytes that come in pieces: the unfinished last line of a piece waits for the next one. */
export class CsvParser {
  readonly #name: string
  readonly #delimiter: Uint8Array
  readonly #width: number
  readonly #keepsEmpty: boolean
  /** For each column of the file, where it goes, or -1; and where each of those wanted has gone. */
  readonly #slotOf: Int32Array
  readonly #wanted: readonly number[]
  #fields: Fields
  #kernel: RowKernel | undefined
  #rest = new Uint8Array(0)
  #line = 1
  #headerLeft: boolean
  #started = false

  /** `isStart`: the bytes are those of a file from its beginning, and not from one of its rows on. */
  constructor(name: string, dialect: Dialect, wanted: readonly Wanted[], isStart = true) {
    this.#name = name
    this.#delimiter = new TextEncoder().encode(dialect.delimiter)
    this.#width = dialect.names.length
    this.#headerLeft = dialect.header && isStart
    this.#started = !isStart
    // Where quotes are used for text alone, "" is a text.
    this.#keepsEmpty = dialect.quoted.length > 0
    const columns = [...new Set(wanted.map(({ column }) => column))]
    this.#slotOf = Int32Array.from(dialect.names, (_, column) => columns.indexOf(column))
    this.#wanted = wanted.map(({ column }) => columns.indexOf(column))
    this.#fields = {
      starts: columns.map(() => new Int32Array(1024)),
      ends: columns.map(() => new Int32Array(1024)),
      lines: new Uint32Array(1024),
    }
  }

  /** Rows without quotes are cut by wasm from here on, unless the shell's limits leave no addresses for it. */
  useKernel(module: WebAssembly.Module): void {
    try {
      this.#kernel = new RowKernel(module, this.#delimiter, this.#slotOf)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }

  /** How many lines are done, of those that came. */
  get linesDone(): number {
    return this.#line - 1
  }

  /** Whether the last row that came is whole. */
  get isBetweenRows(): boolean {
    return this.#rest.length === 0
  }

  push(piece: Uint8Array): Batch {
    // A copy: doubled quotes are undone where they stand.
    const length = this.#rest.length + piece.length
    const kernel = length <= (this.#kernel?.text.length ?? 0) ? this.#kernel : undefined
    const bytes = kernel ? kernel.text.subarray(0, length) : new Uint8Array(length)
    bytes.set(this.#rest)
    bytes.set(piece, this.#rest.length)
    return this.#parse(bytes, kernel)
  }

  /** The last line, which may have no newline. */
  finish(): Batch {
    if (this.#rest.length === 0) return this.#parse(this.#rest)
    const batch = this.push(Uint8Array.of(LF))
    if (this.#rest.length > 0) throw this.#fault('a quoted field never ends; close its quote.')
    return batch
  }

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
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3 // byte order mark
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
        fields = grown(fields)
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
        throw this.#fault('there is more after the end of a quoted field; double the quotes within it.')
      }
      if (!whole) break
      if (column !== width) throw this.#wrongWidth(column)
      if (doubled) undouble(bytes, fields, rows)
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
      ...{ bytes, starts: column, ends: ends[slot] },
      ...(kernel && { numbers: kernel.numbersOf(slot) }),
    }))
    return { rowCount: rows, file: this.#name, lines, columns: this.#wanted.map((slot) => columns[slot]) }
  }

  #wrongWidth(fields: number): InputError {
    const found = fields === 1 ? '1 field' : `${fields} fields`
    return this.#fault(
      `${found} where the first line has ${this.#width}; mend the line, or put fields with separators in them in quotes.`,
    )
  }

  #fault(fault: string): InputError {
    return new InputError('format', `${this.#name}, line ${this.#line}: ${fault}`)
  }
}

/**
 * Moves the fields together over quotes that were doubled; only when a row is whole, since one that is not is read
 * again.
 */
function undouble(bytes: Uint8Array, fields: Fields, row: number): void {
  fields.starts.forEach((starts, slot) => {
    const ends = fields.ends[slot]
    if (bytes[starts[row] - 1] !== QUOTE || bytes[ends[row]] !== QUOTE) return
    let to = starts[row]
    for (let at = to; at < ends[row]; at++) {
      if (bytes[at] === QUOTE) at++
      bytes[to++] = bytes[at]
    }
    ends[row] = to
  })
}

/** Room for twice as many rows. */
function grown({ starts, ends, lines }: Fields): Fields {
  const larger = <A extends Int32Array | Uint32Array>(array: A, copy: A): A => {
    copy.set(array)
    return copy
  }
  const length = 2 * lines.length
  return {
    starts: starts.map((column) => larger(column, new Int32Array(length))),
    ends: ends.map((column) => larger(column, new Int32Array(length))),
    lines: larger(lines, new Uint32Array(length)),
  }
}
