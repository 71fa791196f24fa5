/**
 * What a thread does for a table as text: it reads the rows of its range as one thread would read all, numbers the values of the
 * modes as they come, and keeps the entries until it is told which index each number is.
 *
 * A range begins behind the first line feed from the byte before it on. Where that stands within quotes the rows would be wrong, and
 * do not begin where those of the range before end: whoever asked sees that, and reads the file from its beginning.
 */
import { InputError } from '../../../inputError.ts'
import { TimeColumn } from '../../table/cells.ts'
import { CsvParser } from '../../table/csvParser.ts'
import type { Entries } from '../../table/entries.ts'
import { passOver } from '../../table/readRows.ts'
import type { Batch, Table, Wanted } from '../../table/rows.ts'
import { LF } from '../../text/bytes.ts'
import { readFully } from './blocks.ts'
import {
  type Covered,
  type EarliestAnswer,
  type EarliestRequest,
  NEXT,
  type PassAnswer,
  type PassRequest,
  type SettleAnswer,
  type TextFile,
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

  async function pass({ file, ...plan }: PassRequest): Promise<PassAnswer> {
    const share = new Share(file, thread, threads)
    const found = await passOver({ ...plan, table: share.table })
    entries = found.entries
    const { count, isWeighted, runs } = found.entries
    const { rows, weightless, marks } = found
    const seen = found.readers.map((reader) => reader.seen())
    return { covered: share.covered(), seen, count, isWeighted, rows, weightless, marks, runs }
  }

  async function earliest({ file, column }: EarliestRequest): Promise<EarliestAnswer> {
    const share = new Share(file, thread, threads)
    const times = new TimeColumn(file.columns[column].name, file.columns[column].type, undefined)
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

/** A thread's range of a file, as a table. */
class Share {
  readonly table: Table
  readonly #file: TextFile
  readonly #from: number
  readonly #to: number
  readonly #piece = new Uint8Array(LINE_BYTES)
  #covered: Covered = { failed: true }

  constructor(file: TextFile, thread: number, threads: number) {
    this.#file = file
    this.#from = Math.floor((file.byteLength * thread) / threads)
    this.#to = Math.floor((file.byteLength * (thread + 1)) / threads)
    const { name, columns, dialect } = file
    this.table = {
      ...{ name, columns, unit: 'line', decimal: dialect.decimal },
      read: (wanted) => this.#read(wanted),
      sample: async () => {
        throw new Error('A share of a table has no sample.')
      },
    }
  }

  /** Which bytes have been read. */
  covered(): Covered {
    return this.#covered
  }

  async *#read(wanted: readonly Wanted[]): AsyncGenerator<Batch> {
    const { fd, name, dialect, byteLength, state } = this.#file
    const start = this.#firstLine()
    if (start === undefined) return
    const parser = new CsvParser(name, dialect, wanted, this.#from === 0)
    parser.useKernel(this.#file.module)
    const batches = function* (batch: Batch): Generator<Batch> {
      Atomics.add(state, NEXT, batch.rowCount)
      if (batch.rowCount > 0) yield batch
    }
    let at = start
    while (at < this.#to) {
      const length = Math.min(READ_BYTES, this.#to - at)
      let read = 0
      const batch = parser.pushFrom(length, (into) => {
        read = readFully(fd, into, at)
      })
      if (read !== length) return
      at += length
      yield* batches(batch)
    }
    for (let lines = 0; !parser.isBetweenRows && at < byteLength; lines++) {
      const line = this.#line(at)
      if (!line || lines === MOST_LINES) return
      at += line.length
      yield* batches(parser.push(line))
    }
    if (at === byteLength && this.#to === byteLength) yield* batches(parser.finish())
    else if (!parser.isBetweenRows) return
    this.#covered = { start, end: at, lines: parser.linesDone }
  }

  /** Where the first line of the range begins; the range's end, if there is none. */
  #firstLine(): number | undefined {
    if (this.#from === 0) return 0
    for (let at = this.#from - 1; at < this.#to; ) {
      const piece = this.#bytes(at, Math.min(LINE_BYTES, this.#file.byteLength - at))
      if (!piece) return undefined
      const feed = piece.indexOf(LF)
      if (feed >= 0) return at + feed + 1
      at += piece.length
    }
    return undefined
  }

  /** From a place to the end of its line. */
  #line(at: number): Uint8Array | undefined {
    const piece = this.#bytes(at, Math.min(LINE_BYTES, this.#file.byteLength - at))
    return piece?.subarray(0, piece.indexOf(LF) + 1 || piece.length)
  }

  /** Bytes of the file; good until the next are asked for. */
  #bytes(at: number, length: number): Uint8Array | undefined {
    const bytes = this.#piece.subarray(0, length)
    return readFully(this.#file.fd, bytes, at) === length ? bytes : undefined
  }
}
