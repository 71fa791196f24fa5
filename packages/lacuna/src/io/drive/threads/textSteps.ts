/**
 * The steps of a thread that reads a table as text: it encodes the rows of its range, as one thread would
 * encode all, by its own dictionaries, and stores the entries until the index of each code is known.
 *
 * The rows of a range begin behind the first line feed at the byte before it or later. If that line feed
 * stands within quotes, the rows are wrong, and do not begin where those of the preceding range end: the main
 * thread detects that, and reads the file from its beginning.
 */
import { InputError } from '../../../base/inputError.ts'
import {
  type Batch,
  CsvParser,
  type Entries,
  encodeRows,
  type RowKernel,
  type Table,
  TimeColumn,
  type Wanted,
} from '../../table/index.ts'
import { LF } from '../../text/index.ts'
import { readFully } from './blocks.ts'
import {
  type Covered,
  type CoveredBytes,
  type DropUnknownAnswer,
  type EarliestAnswer,
  type EarliestRequest,
  type EncodeAnswer,
  type EncodeRequest,
  NEXT,
  type TextFile,
  type TextFiles,
  type TextRequest,
  type WriteRequest,
} from './messages.ts'

/** Bytes that are read from a file at a time. */
const READ_BYTES = 2 ** 19
/**
 * The most lines behind a range that are read to complete its last row; a row with more has probably an
 * unclosed quote, and reading fails.
 */
const MAX_EXTRA_LINES = 32
/** Bytes that are read at a time where the end of a line is searched. */
const LINE_BYTES = 2 ** 12

/**
 * Returns the function that answers the requests for a table as text; it stores the encoded entries between
 * requests.
 * @param thread the number of this thread, from 0
 * @param threads the number of threads
 */
export function textSteps(thread: number, threads: number): (request: TextRequest) => unknown {
  let entries: Entries | undefined
  let indexOfCode: readonly Uint32Array[] = []
  let knownCount = 0 // entries whose labels are all known

  /** Encodes the rows of this thread's range, and stores the entries. */
  async function encode({ text, ...plan }: EncodeRequest): Promise<EncodeAnswer> {
    const range = new ByteRange(text, thread, threads)
    const { readers, rows, weightless, marks, ...encoded } = await encodeRows({ ...plan, table: range.table })
    entries = encoded.entries
    const { count, isWeighted, runs } = entries
    const dictionaries = readers.map((reader) => reader.dictionary())
    return { covered: range.covered(), dictionaries, count, isWeighted, rows, weightless, marks, runs }
  }

  /** Finds the earliest time of a column in the rows of this thread's range. */
  async function earliest({ text, column }: EarliestRequest): Promise<EarliestAnswer> {
    const range = new ByteRange(text, thread, threads)
    const times = new TimeColumn(text.columns[column].name, text.columns[column].type, undefined)
    let first = Infinity
    for await (const { columns, rowCount } of range.table.read([{ column }]))
      first = Math.min(first, times.earliest(columns[0], rowCount))
    return { covered: range.covered(), first }
  }

  /** Drops the stored entries that have an unknown label. */
  function dropUnknown(given: readonly (readonly Uint32Array[])[]): DropUnknownAnswer {
    indexOfCode = given[thread]
    knownCount = entries!.dropUnknown(indexOfCode)
    return { count: knownCount, remaining: entries!.remaining }
  }

  /** Writes the stored entries to their positions in the shared arrays, and releases them. */
  function write({ starts, indices, values, weights }: WriteRequest): void {
    const ownRange = <A extends Uint32Array | Float32Array>(column: A): A =>
      column.subarray(starts[thread], starts[thread] + knownCount) as A
    entries?.write(indexOfCode, {
      indices: indices.map(ownRange),
      values: ownRange(values),
      weights: weights && ownRange(weights),
    })
    entries = undefined
  }

  return (request) => {
    switch (request.ask) {
      case 'encode':
        return encode(request).catch(reportFailure)
      case 'earliest':
        return earliest(request).catch(reportFailure)
      case 'dropUnknown':
        return dropUnknown(request.indexOfCode)
      case 'write':
        return write(request)
    }
  }
}

/**
 * Converts an InputError to the answer `failed`, upon which the main thread reads the file from its beginning
 * and explains what is wrong; throws any other error again.
 */
function reportFailure(error: unknown): { covered: Covered } {
  if (!(error instanceof InputError)) throw error
  return { covered: { failed: true } }
}

/** A thread's range of the bytes of all files, as a table of the rows that begin in it; to be read once. */
class ByteRange {
  readonly table: Table
  readonly #text: TextFiles
  readonly #from: number
  readonly #to: number
  /** Buffer of #readBytes. */
  readonly #piece = new Uint8Array(LINE_BYTES)
  readonly #covered: CoveredBytes[] = []
  #hasFailed = false

  constructor(text: TextFiles, thread: number, threads: number) {
    const byteLength = text.files.reduce((sum, file) => sum + file.byteLength, 0)
    this.#text = text
    this.#from = Math.floor((byteLength * thread) / threads)
    this.#to = Math.floor((byteLength * (thread + 1)) / threads)
    const { files, columns, dialect } = text
    this.table = {
      ...{ name: files[0].name, columns, unit: 'line', decimal: dialect.decimal },
      thousands: dialect.thousands,
      read: (wanted) => this.#read(wanted),
      sample: async () => {
        throw new Error('A range of a table has no sample.')
      },
    }
  }

  /** Returns the bytes that have been read, in whole rows; `failed` if a file could not be read. */
  covered(): Covered {
    return this.#hasFailed ? { failed: true } : this.#covered
  }

  /** Yields the rows of the range, file by file; stops at a file that cannot be read. */
  async *#read(wanted: readonly Wanted[]): AsyncGenerator<Batch> {
    const { files, dialect, module } = this.#text
    let kernel: RowKernel | undefined
    let fileStart = 0
    for (const [number, file] of files.entries()) {
      const from = Math.max(0, this.#from - fileStart)
      const to = Math.min(file.byteLength, this.#to - fileStart)
      fileStart += file.byteLength
      if (from >= to) continue
      const parser = new CsvParser(file.name, dialect, wanted, from === 0)
      parser.useKernel(module, kernel)
      const covered = yield* this.#readFile(file, from, to, parser)
      if (!covered) {
        this.#hasFailed = true
        return
      }
      this.#covered.push({ file: number, ...covered })
      kernel = parser.kernel
    }
  }

  /**
   * Yields the rows that begin at the bytes from … to − 1 of a file.
   * @returns the bytes of these rows; undefined if they cannot be read: the file has become shorter, or a
   * line or the last row is too long
   */
  async *#readFile(
    file: TextFile,
    from: number,
    to: number,
    parser: CsvParser,
  ): AsyncGenerator<Batch, Omit<CoveredBytes, 'file'> | undefined> {
    const { state } = this.#text
    const { fd, byteLength } = file
    const start = from === 0 ? 0 : this.#findFirstLine(file, from, to)
    if (start === undefined) return
    /** Counts the rows of a batch in the shared state, and yields it unless it is empty. */
    const countAndYield = function* (batch: Batch): Generator<Batch> {
      Atomics.add(state, NEXT, batch.rowCount)
      if (batch.rowCount > 0) yield batch
    }
    let at = start
    while (at < to) {
      const length = Math.min(READ_BYTES, to - at)
      let read = 0
      const batch = parser.pushFrom(length, (into) => {
        read = readFully(fd, into, at)
      })
      if (read !== length) return
      at += length
      yield* countAndYield(batch)
    }
    for (let lines = 0; !parser.isBetweenRows && at < byteLength; lines++) {
      const line = this.#readLine(file, at)
      if (!line || lines === MAX_EXTRA_LINES) return
      at += line.length
      yield* countAndYield(parser.push(line))
    }
    if (at === byteLength) yield* countAndYield(parser.finish())
    else if (!parser.isBetweenRows) return
    return { start, end: at, lines: parser.linesDone }
  }

  /**
   * Returns the position behind the first line feed at byte from − 1 or later, or the end of the file if it
   * has none; undefined if the line is too long to end near `to`, or the file has become shorter.
   */
  #findFirstLine(file: TextFile, from: number, to: number): number | undefined {
    for (let at = from - 1; at < to; ) {
      const piece = this.#readBytes(file, at, LINE_BYTES)
      if (!piece) return undefined
      const feed = piece.indexOf(LF)
      if (feed >= 0) return at + feed + 1
      at += piece.length
      if (at === file.byteLength) return at
    }
    return undefined
  }

  /**
   * Reads from a position to the end of its line, at most LINE_BYTES; undefined if the file has become
   * shorter.
   */
  #readLine(file: TextFile, at: number): Uint8Array | undefined {
    const piece = this.#readBytes(file, at, LINE_BYTES)
    return piece?.subarray(0, piece.indexOf(LF) + 1 || piece.length)
  }

  /**
   * Reads at most `most` bytes from a position, fewer at the end of the file, into a buffer that the next
   * call overwrites. Returns undefined if the file has become shorter.
   */
  #readBytes({ fd, byteLength }: TextFile, at: number, most: number): Uint8Array | undefined {
    const bytes = this.#piece.subarray(0, Math.min(most, byteLength - at))
    return readFully(fd, bytes, at) === bytes.length ? bytes : undefined
  }
}
