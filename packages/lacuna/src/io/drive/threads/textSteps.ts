/**
 * What a thread does for a table as text: it encodes the rows of its range as one thread would encode all, by
 * its own dictionaries, and keeps the entries until the index of each code is known.
 *
 * A range begins behind the first line feed from the byte before it on. If that line feed stands within
 * quotes, the rows are wrong, and do not begin where those of the range before end: the main thread notices
 * that, and reads the file from its beginning.
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
  type EarliestAnswer,
  type EarliestRequest,
  type EncodeAnswer,
  type EncodeRequest,
  NEXT,
  type SettleAnswer,
  type TextFile,
  type TextFiles,
  type TextRequest,
  type WriteRequest,
} from './messages.ts'

const READ_BYTES = 2 ** 19
/**
 * The last row of a range is read to its end, line by line; a row of more lines than this has probably an
 * unclosed quote.
 */
const MOST_LINES = 32
const LINE_BYTES = 2 ** 12

/**
 * Answers the requests for a table as text.
 * @param thread the number of this thread
 * @param threads of how many
 */
export function textSteps(thread: number, threads: number): (request: TextRequest) => unknown {
  let entries: Entries | undefined
  let indexOfCode: readonly Uint32Array[] = []
  let settled = 0

  async function encode({ text, ...plan }: EncodeRequest): Promise<EncodeAnswer> {
    const range = new ByteRange(text, thread, threads)
    const { readers, rows, weightless, marks, ...encoded } = await encodeRows({ ...plan, table: range.table })
    entries = encoded.entries
    const { count, isWeighted, runs } = entries
    const dictionaries = readers.map((reader) => reader.dictionary())
    return { covered: range.covered(), dictionaries, count, isWeighted, rows, weightless, marks, runs }
  }

  async function earliest({ text, column }: EarliestRequest): Promise<EarliestAnswer> {
    const range = new ByteRange(text, thread, threads)
    const times = new TimeColumn(text.columns[column].name, text.columns[column].type, undefined)
    let first = Infinity
    for await (const { columns, rowCount } of range.table.read([{ column }]))
      first = Math.min(first, times.earliest(columns[0], rowCount))
    return { covered: range.covered(), first }
  }

  function settle(given: readonly (readonly Uint32Array[])[]): SettleAnswer {
    indexOfCode = given[thread]
    settled = entries!.dropUnknown(indexOfCode)
    return { count: settled, remaining: entries!.remaining }
  }

  function write({ starts, indices, values, weights }: WriteRequest): void {
    const own = <A extends Uint32Array | Float32Array>(column: A): A =>
      column.subarray(starts[thread], starts[thread] + settled) as A
    entries?.write(indexOfCode, {
      indices: indices.map(own),
      values: own(values),
      weights: weights && own(weights),
    })
    entries = undefined
  }

  return (request) => {
    switch (request.ask) {
      case 'encode':
        return encode(request).catch(reportFailure)
      case 'earliest':
        return earliest(request).catch(reportFailure)
      case 'settle':
        return settle(request.indexOfCode)
      case 'write':
        return write(request)
    }
  }
}

/**
 * The answer for rows that cannot be read. The main thread reads the file from its beginning and explains
 * what is wrong.
 */
function reportFailure(error: unknown): { covered: Covered } {
  if (!(error instanceof InputError)) throw error
  return { covered: { failed: true } }
}

/** A thread's range of the bytes of all files, as a table of the rows that begin in it. */
class ByteRange {
  readonly table: Table
  readonly #text: TextFiles
  readonly #from: number
  readonly #to: number
  readonly #piece = new Uint8Array(LINE_BYTES)
  readonly #done: CoveredBytes[] = []
  #hasFailed = false

  constructor(text: TextFiles, thread: number, threads: number) {
    const byteLength = text.files.reduce((sum, file) => sum + file.byteLength, 0)
    this.#text = text
    this.#from = Math.floor((byteLength * thread) / threads)
    this.#to = Math.floor((byteLength * (thread + 1)) / threads)
    const { files, columns, dialect } = text
    this.table = {
      ...{ name: files[0].name, columns, unit: 'line', decimal: dialect.decimal },
      read: (wanted) => this.#read(wanted),
      sample: async () => {
        throw new Error('A range of a table has no sample.')
      },
    }
  }

  /** The bytes that have been read, in whole rows. */
  covered(): Covered {
    return this.#hasFailed ? { failed: true } : this.#done
  }

  /** Reads the rows of the range, file by file. */
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
      this.#done.push({ file: number, ...covered })
      kernel = parser.kernel
    }
  }

  async *#readFile(
    file: TextFile,
    from: number,
    to: number,
    parser: CsvParser,
  ): AsyncGenerator<Batch, Omit<CoveredBytes, 'file'> | undefined> {
    const { state } = this.#text
    const { fd, byteLength } = file
    const start = from === 0 ? 0 : this.#firstLine(file, from, to)
    if (start === undefined) return
    const batches = function* (batch: Batch): Generator<Batch> {
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
      yield* batches(batch)
    }
    for (let lines = 0; !parser.isBetweenRows && at < byteLength; lines++) {
      const line = this.#line(file, at)
      if (!line || lines === MOST_LINES) return
      at += line.length
      yield* batches(parser.push(line))
    }
    if (at === byteLength) yield* batches(parser.finish())
    else if (!parser.isBetweenRows) return
    return { start, end: at, lines: parser.linesDone }
  }

  /** The position at which the first line of the range begins; the file's end, if none begins there. */
  #firstLine(file: TextFile, from: number, to: number): number | undefined {
    for (let at = from - 1; at < to; ) {
      const piece = this.#bytes(file, at, LINE_BYTES)
      if (!piece) return undefined
      const feed = piece.indexOf(LF)
      if (feed >= 0) return at + feed + 1
      at += piece.length
      if (at === file.byteLength) return at
    }
    return undefined
  }

  /** The bytes from a position to the end of its line. */
  #line(file: TextFile, at: number): Uint8Array | undefined {
    const piece = this.#bytes(file, at, LINE_BYTES)
    return piece?.subarray(0, piece.indexOf(LF) + 1 || piece.length)
  }

  /**
   * Bytes of a file, fewer at its end; overwritten by the next call. Undefined if the file has become
   * shorter.
   */
  #bytes({ fd, byteLength }: TextFile, at: number, most: number): Uint8Array | undefined {
    const bytes = this.#piece.subarray(0, Math.min(most, byteLength - at))
    return readFully(fd, bytes, at) === bytes.length ? bytes : undefined
  }
}
