/**
 * What a thread does for a table as text: it reads the rows of its range as one thread would read all, numbers the values of the
 * modes as they come, and keeps the entries until it is told which index each number is.
 *
 * A range begins behind the first line feed from the byte before it on. Where that stands within quotes the rows would be wrong, and
 * do not begin where those of the range before end: whoever asked sees that, and reads the file from its beginning.
 */
import { InputError } from '../../../base/inputError.ts'
import type { Entries } from '../../table/columns/entries.ts'
import { TimeColumn } from '../../table/columns/timeColumn.ts'
import { passOver } from '../../table/readRows.ts'
import { CsvParser } from '../../table/source/csvParser.ts'
import type { RowKernel } from '../../table/source/rowKernel.ts'
import type { Batch, Table, Wanted } from '../../table/source/rows.ts'
import { LF } from '../../text/index.ts'
import { readFully } from './blocks.ts'
import {
  type Covered,
  type CoveredBytes,
  type EarliestAnswer,
  type EarliestRequest,
  NEXT,
  type PassAnswer,
  type PassRequest,
  type SettleAnswer,
  type TextFile,
  type TextFiles,
  type TextRequest,
  type WriteRequest,
} from './messages.ts'

const READ_BYTES = 2 ** 19
/** The last row of a range is read to its end, line by line; where it takes more lines, something is amiss. */
const MOST_LINES = 32
const LINE_BYTES = 2 ** 12

export function textSteps(thread: number, threads: number): (request: TextRequest) => unknown {
  let entries: Entries | undefined
  let places: readonly Uint32Array[] = []
  let settled = 0

  async function pass({ text, ...plan }: PassRequest): Promise<PassAnswer> {
    const share = new Share(text, thread, threads)
    const found = await passOver({ ...plan, table: share.table })
    entries = found.entries
    const { count, isWeighted, runs } = found.entries
    const { rows, weightless, marks } = found
    const seen = found.readers.map((reader) => reader.seen())
    return { covered: share.covered(), seen, count, isWeighted, rows, weightless, marks, runs }
  }

  async function earliest({ text, column }: EarliestRequest): Promise<EarliestAnswer> {
    const share = new Share(text, thread, threads)
    const times = new TimeColumn(text.columns[column].name, text.columns[column].type, undefined)
    let first = Infinity
    for await (const { columns, rowCount } of share.table.read([{ column }]))
      first = Math.min(first, times.earliest(columns[0], rowCount))
    return { covered: share.covered(), first }
  }

  function settle(given: readonly (readonly Uint32Array[])[]): SettleAnswer {
    places = given[thread]
    settled = entries!.settle(places)
    const { kept } = entries!
    return { count: settled, ...(kept && { kept }) }
  }

  function write({ before, indices, values, weights }: WriteRequest): void {
    const own = <A extends Uint32Array | Float32Array>(column: A): A =>
      column.subarray(before[thread], before[thread] + settled) as A
    entries?.write(places, {
      indices: indices.map(own),
      values: own(values),
      ...(weights && { weights: own(weights) }),
    })
    entries = undefined
  }

  return (request) => {
    switch (request.ask) {
      case 'pass':
        return pass(request).catch(unreadable)
      case 'earliest':
        return earliest(request).catch(unreadable)
      case 'settle':
        return settle(request.places)
      case 'write':
        return write(request)
    }
  }
}

/** What is wrong with a file is found again, and said, by who reads it from its beginning. */
function unreadable(error: unknown): { covered: Covered } {
  if (!(error instanceof InputError)) throw error
  return { covered: { failed: true } }
}

/** A thread's range of the files' bytes, one file behind the other, as a table. */
class Share {
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
        throw new Error('A share of a table has no sample.')
      },
    }
  }

  /** Which bytes have been read. */
  covered(): Covered {
    return this.#hasFailed ? { failed: true } : this.#done
  }

  async *#read(wanted: readonly Wanted[]): AsyncGenerator<Batch> {
    const { files, dialect, module } = this.#text
    let kernel: RowKernel | undefined
    let place = 0
    for (const [number, file] of files.entries()) {
      const from = Math.max(0, this.#from - place)
      const to = Math.min(file.byteLength, this.#to - place)
      place += file.byteLength
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

  /** Where the first line of the range begins; the file's end, if it has no more of them. */
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

  /** From a place to the end of its line. */
  #line(file: TextFile, at: number): Uint8Array | undefined {
    const piece = this.#bytes(file, at, LINE_BYTES)
    return piece?.subarray(0, piece.indexOf(LF) + 1 || piece.length)
  }

  /** Bytes of a file, as many as there are; good until the next are asked for. */
  #bytes({ fd, byteLength }: TextFile, at: number, most: number): Uint8Array | undefined {
    const bytes = this.#piece.subarray(0, Math.min(most, byteLength - at))
    return readFully(fd, bytes, at) === bytes.length ? bytes : undefined
  }
}
