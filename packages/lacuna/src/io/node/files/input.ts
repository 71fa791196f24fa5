/** Opens inputs: files and pipes to read, with their kinds. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { InputError, option, type Sentence, sentence } from '../../../base/inputError.ts'
import { arrowAsText, sheetAsText } from '../../sheets/index.ts'
import { type FileKind, kindByContent, kindByName } from '../../text/index.ts'
import { explainFileError } from './fileError.ts'
import { type OpenFile, openFile, reopenable } from './openFile.ts'
import { nameBeside, removeAtExit, removeLeftovers } from './temporary.ts'

/** A file or pipe to read. */
export interface Input extends Omit<OpenFile, 'source' | 'again'> {
  /** Path as it was given; - is standard input. */
  path: string
  /**
   * The kind by the ending of the name; of a pipe without one, by its first bytes. Arrow and .xlsx are converted,
   * and have the kind of their content: text.
   */
  kind: Exclude<FileKind, 'arrow' | 'xlsx'> | undefined
  /** How converted text is written; undefined for other files. */
  dialect?: { delimiter: ','; decimal: '.'; header?: true }
  /** Sentences about guesses that were made when it was opened. */
  guesses?: readonly Sentence[]
  /** Reads the content from the beginning, unpacked if it is gzip. */
  open(): AsyncIterable<Uint8Array>
}

/** Options for opening an input. */
export interface InputOptions {
  /** The sheet of an .xlsx: its name, or its number from 1; by default the first one that is not empty. */
  sheet?: string
}

/**
 * Opens a file or pipe and recognizes its kind; - is stdin. Arrow and .xlsx are read and converted to text. Throws if
 * it is missing or a folder.
 */
export async function openInput(path: string, { sheet }: InputOptions = {}): Promise<Input> {
  const opened = await openFile(path)
  const { name, byteLength, bytesRead, isPipe } = opened
  const open = reopenable(opened)
  const kind = kindByName(path) ?? (isPipe ? kindByContent(await firstPiece(open())) : undefined)
  if (sheet !== undefined && kind !== 'xlsx')
    throw new InputError(
      'option',
      sentence`${name}: this is no .xlsx, so that ${option('sheet')} means nothing; leave it out.`,
    )
  const input = { path, name, open, byteLength, bytesRead, isPipe }
  if (kind !== 'arrow' && kind !== 'xlsx') return { ...input, kind }
  const bytes = await readWhole(input)
  const dialect = { delimiter: ',', decimal: '.' } as const
  // The converted input is marked as a pipe, since it cannot be read by its path.
  const converted = { ...input, kind: 'text', isPipe: true } as const
  if (kind === 'arrow')
    return {
      ...converted,
      dialect: { ...dialect, header: true },
      open: await arrowAsText(bytes, name, maxFileBytes()),
    }
  const { bytes: text, guess } = await sheetAsText(bytes, name, maxFileBytes(), sheet)
  return { ...converted, dialect, guesses: guess === undefined ? [] : [guess], open: () => yieldOnce(text) }
}

/** Yields bytes as the only piece of a source. */
export async function* yieldOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Returns the first piece of a source; empty if there is none. */
async function firstPiece(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  for await (const piece of source) return piece
  return new Uint8Array(0)
}

/**
 * Calls `work` with the path of an input; the content of a pipe is first written to a temporary file, which
 * is removed afterwards.
 * @param ending the ending of that file, such as .csv
 */
export async function withPath<T>(
  input: Input,
  ending: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (!input.isPipe) return work(input.path)
  removeLeftovers(tmpdir())
  const temporary = nameBeside(join(tmpdir(), 'lacuna-pipe'), 'tmp') + ending
  const cancelRemoval = removeAtExit(temporary)
  try {
    await pipeline(Readable.from(input.open()), createWriteStream(temporary, { flags: 'wx' })).catch(
      (error) => {
        throw explainFileError(error, temporary, 'write')
      },
    )
    return await work(temporary)
  } finally {
    await rm(temporary, { force: true })
    cancelRemoval()
  }
}

/** Returns the most bytes that a file may take in memory: half of the machine's memory, below 4 GiB. */
export const maxFileBytes = (): number => Math.min(2 ** 32 - 1, Math.floor(totalmem() / 2))

/** Reads a whole input into memory, unpacked if it is gzip; throws if it exceeds maxFileBytes(). */
export async function readWhole(
  { name, byteLength, open }: Pick<Input, 'name' | 'byteLength' | 'open'>,
  onProgress?: (bytesRead: number, byteLength: number) => void,
): Promise<Uint8Array> {
  const limit = maxFileBytes()
  const tooLarge = (bytes: number) =>
    new InputError(
      'memory',
      `${name}: the file has ${bytes} bytes, more than the ${limit} that fit in memory here; save its observed entries as .tns or Parquet.`,
    )
  if (byteLength > limit) throw tooLarge(byteLength)
  let bytes: Uint8Array = new Uint8Array(byteLength)
  let length = 0
  for await (const piece of open()) {
    if (length + piece.length > bytes.length) {
      // A pipe, or gzip under another name: its length shows only now.
      if (length + piece.length > limit) throw tooLarge(length + piece.length)
      const larger = new Uint8Array(Math.min(limit, 2 * (length + piece.length)))
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(piece, length)
    length += piece.length
    onProgress?.(Math.min(length, byteLength), byteLength)
  }
  return bytes.subarray(0, length)
}
