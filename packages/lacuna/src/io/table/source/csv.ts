/** Tables as text, of one file or several; the head of the first file shows how they are written. */
import { concatenate } from '../../../base/bytes.ts'
import { InputError } from '../../../base/inputError.ts'
import { compileTextKernel, LF, notUtf8 } from '../../text/index.ts'
import { CsvParser } from './csvParser.ts'
import {
  combineDialects,
  type Dialect,
  type DialectOptions,
  type SniffedDialect,
  sniffDialect,
} from './dialect.ts'
import type { RowKernel } from './rowKernel.ts'
import type { Batch, OnBadLine, Table } from './rows.ts'
import { textFormOf } from './textForm.ts'

/** A file of text, which may be opened more than once. */
export interface TextFile {
  /** The name that messages use. */
  name: string
  /** Opens the content from its beginning. */
  open(): AsyncIterable<Uint8Array>
}

/** Bytes of the head, from which the dialect is recognized. */
const SAMPLE_BYTES = 2 ** 20
/** Bytes of the head of a further file. */
const FURTHER_BYTES = 2 ** 16
/** The number of bytes from which on compiling the kernel takes less time than it saves. */
const KERNEL_FROM = 2 ** 19

/**
 * Opens text files of the same columns as one table. The dialect is recognized by the first file, unless the
 * options give it. Throws if the columns of the files differ.
 * @param options.onBadLine leaves out lines that are no rows; without it they are an error
 */
export async function textTable(
  files: readonly TextFile[],
  options: DialectOptions & { name?: string; onBadLine?: OnBadLine } = {},
): Promise<Table & { dialect: Dialect }> {
  const [first] = files
  const head = await readHead(first, SAMPLE_BYTES)
  const start = decodeHead(head, first.name) + endOfWhole(head, SAMPLE_BYTES)
  let dialect = sniffDialect(start, first.name, options)
  const { names, decimal, thousands } = dialect
  for (const file of files.slice(1)) dialect = combineDialects(dialect, await sniffFurtherFile(file, dialect))
  const { quoted } = dialect
  const columns = names.map((name, c) => ({ name, quoted: quoted[c] || undefined }))
  const all = columns.map((_, column) => ({ column }))
  const guessed = options.decimal === undefined && options.thousands === undefined && decimal === ','
  return {
    name: options.name ?? (files.length > 1 ? `${first.name} and ${files.length - 1} more` : first.name),
    unit: 'line',
    columns,
    decimal,
    ...(thousands !== undefined && { thousands }),
    dialect,
    form: textFormOf(head, start, dialect),
    guesses: guessed ? ['a comma stands before the fraction of a number'] : undefined,
    async sample() {
      const whole =
        head.length < SAMPLE_BYTES ? endLastLine(head) : head.subarray(0, head.lastIndexOf(LF) + 1)
      if (whole.length === 0) throw longRowError(first.name)
      const parser = new CsvParser(first.name, dialect, all, true, options.onBadLine && (() => {}))
      for await (const batch of readFile(parser, once(whole), head.length < SAMPLE_BYTES)) return batch
      if (head.length >= SAMPLE_BYTES) throw longRowError(first.name)
      return { rowCount: 0, columns: [], file: first.name, lines: new Uint32Array(0) }
    },
    async *read(wanted) {
      let kernel: RowKernel | undefined
      for (const { name, open } of files) {
        const parser = new CsvParser(name, dialect, wanted, true, options.onBadLine)
        yield* readFile(parser, open(), true, kernel)
        kernel = parser.kernel ?? kernel
      }
    },
  }
}

/** The error for a file whose first SAMPLE_BYTES hold no whole row. */
const longRowError = (name: string): InputError =>
  new InputError(
    'table',
    `${name}: there is no whole row in the first ${SAMPLE_BYTES} bytes; split the rows, or close a quote that is open.`,
  )

/** A source of one piece of bytes. */
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Reads the first bytes of a file: at least `byteLength`, or all if it is shorter. */
export async function readHead({ open }: TextFile, byteLength: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of open()) {
    pieces.push(piece)
    length += piece.length
    if (length >= byteLength) break
  }
  return concatenate(Uint8Array, pieces)
}

/** The bytes with a newline at the end, so that the last row is whole. */
function endLastLine(bytes: Uint8Array): Uint8Array {
  if (bytes[bytes.length - 1] === LF) return bytes
  const ended = new Uint8Array(bytes.length + 1)
  ended.set(bytes)
  ended[bytes.length] = LF
  return ended
}

/** A newline behind the head if it is the whole file, whose last line may lack one; else nothing. */
const endOfWhole = (head: Uint8Array, byteLength: number): string => (head.length < byteLength ? '\n' : '')

/** Decodes the head of a file; throws if it is empty, UTF-16, binary, or has lone carriage returns. */
export function decodeHead(head: Uint8Array, name: string): string {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))
    throw new InputError('format', notUtf8(name, name, 'utf-16'))
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

/**
 * Recognizes how a further file is written; throws if it has other columns than the first one.
 * @param expected the dialect of the first file
 */
async function sniffFurtherFile(file: TextFile, expected: Dialect): Promise<SniffedDialect> {
  const { delimiter, header, decimal, thousands } = expected
  const head = await readHead(file, FURTHER_BYTES)
  const start = decodeHead(head, file.name) + endOfWhole(head, FURTHER_BYTES)
  const dialect = sniffDialect(start, file.name, { delimiter, header, decimal, thousands })
  const { names } = dialect
  if (names.length !== expected.names.length || names.some((name, c) => name !== expected.names[c]))
    throw new InputError(
      'table',
      `${file.name}: the files do not have the same columns; this one has ${names.join(', ')}, the first ${expected.names.join(', ')}.`,
    )
  return dialect
}

/**
 * Yields the rows of one file in batches, none of which is empty.
 * @param isComplete whether the source ends with the file, so that its last line may lack a newline
 * @param previousKernel the kernel that has split the rows of the preceding file, to be used again
 */
async function* readFile(
  parser: CsvParser,
  source: AsyncIterable<Uint8Array>,
  isComplete: boolean,
  previousKernel?: RowKernel,
): AsyncGenerator<Batch> {
  let bytes = 0
  for await (const piece of source) {
    if (bytes < KERNEL_FROM && bytes + piece.length >= KERNEL_FROM) {
      const module = await compileTextKernel().catch(() => undefined) // a page's policy may forbid it
      if (module) parser.useKernel(module, previousKernel)
    }
    bytes += piece.length
    const batch = parser.push(piece)
    if (batch.rowCount > 0) yield batch
  }
  if (isComplete) {
    const batch = parser.finish()
    if (batch.rowCount > 0) yield batch
  }
}
