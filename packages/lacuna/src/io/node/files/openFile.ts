/** Opens files and pipes to read, unpacked if they are gzip. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { InputError } from '../../../base/inputError.ts'
import { nameWait } from '../../../base/waits.ts'
import { packingByName } from '../../text/index.ts'
import { explainFileError } from './fileError.ts'

/** A file or pipe that exists and can be read. */
export interface OpenFile {
  /** The name that messages use. */
  name: string
  /** The content, unpacked if it was gzip. The file is open only while this is iterated. */
  source: AsyncIterable<Uint8Array>
  /** Bytes on disk, packed or not; 0 for a pipe. */
  byteLength: number
  /** The number of these bytes read so far. */
  bytesRead(): number
  /** Whether the input is stdin, a pipe or a device, which cannot be read a second time from the beginning. */
  isPipe: boolean
  /** Reads a file once more from the beginning, or what is left of a pipe; sets bytesRead() to 0. */
  again(): AsyncIterable<Uint8Array>
}

/** Bytes that are read from the file at a time. */
const READ_BYTES = 2 ** 20
/** Bytes of the pieces that are unpacked from gzip. */
const UNPACK_BYTES = 2 ** 18

/**
 * Opens a file or pipe; the path - is stdin. Gzip is recognized by its first bytes, and its members are read
 * as one content. Throws if the path is missing or a folder.
 */
export async function openFile(path: string): Promise<OpenFile> {
  if (path === '-') return makeOpenFile('stdin', path, 0, true)
  const status = await stat(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
  if (status.isDirectory()) throw new InputError('format', `${path}: this is a folder; name a file.`)
  return makeOpenFile(path, path, status.size, !status.isFile())
}

/** Whether a file is packed: its name ends in .gz or .zst, or its first bytes are those of gzip. */
export async function isPacked(path: string): Promise<boolean> {
  if (packingByName(path) !== undefined) return true
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return isGzip(buffer)
  } finally {
    await file.close()
  }
}

/** Whether the first bytes of a file are those of gzip. */
const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b

/** Makes an OpenFile, which counts the bytes that are read. @param name the file, for messages */
function makeOpenFile(name: string, path: string, byteLength: number, isPipe: boolean): OpenFile {
  let bytesRead = 0
  const count = (bytes: number) => {
    bytesRead += bytes
  }
  const again = (): AsyncIterable<Uint8Array> => {
    bytesRead = 0
    return readUnpacked(name, path, count)
  }
  return { name, source: again(), byteLength, bytesRead: () => bytesRead, isPipe, again }
}

/** Bytes of a pipe's beginning that are buffered, so that they can be read again. */
const BUFFERED_BYTES = 2 ** 22

/**
 * Returns a function that reads the content from the beginning, any number of times. The beginning of a pipe
 * is buffered: once more than BUFFERED_BYTES have been read, the next call throws.
 */
export function reopenable(opened: OpenFile): () => AsyncIterable<Uint8Array> {
  const { name, source, isPipe, again } = opened
  if (!isPipe) return again
  const rest = source[Symbol.asyncIterator]()
  let stored: Uint8Array[] | undefined = []
  let length = 0
  return async function* () {
    if (!stored)
      throw new InputError(
        'file',
        `${name}: a pipe can be read only once, and this needs it twice; save it in a file.`,
      )
    for (const piece of stored) yield piece
    for (;;) {
      const { done, value } = await rest.next()
      if (done) return
      stored?.push(value)
      length += value.length
      if (length > BUFFERED_BYTES) stored = undefined
      yield value
    }
  }
}

/**
 * Yields the content of a file, or of stdin (-), unpacked if it is gzip. Throws if the name ends in .gz but
 * the content is not gzip, or is damaged or a bomb.
 * @param name the file, for messages @param count receives the number of bytes of each piece before unpacking
 */
async function* readUnpacked(
  name: string,
  path: string,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let file: FileHandle | undefined
  let packedBytes = 0
  const countPacked = (bytes: number): void => {
    packedBytes += bytes
    count(bytes)
  }
  try {
    if (path !== '-') file = await open(path)
    const pieces = joinStart(file ? readPieces(file, name, countPacked) : readStdin(countPacked), 2)
    const { value: start, done } = await pieces.next()
    const isPackedContent = !done && isGzip(start)
    if (path.endsWith('.gz') && !isPackedContent)
      throw new InputError(
        'format',
        `${path}: the name ends in .gz, but this is no gzip file; rename or pack it.`,
      )
    if (done) return
    const content = prepend(start, pieces)
    if (!isPackedContent) yield* content
    else {
      const checkUnpacked = unpackingLimit(name)
      for await (const piece of gunzip(content)) {
        checkUnpacked(piece.length, packedBytes)
        yield piece
      }
    }
  } catch (error) {
    throw explainGzipError(error, name) ?? explainFileError(error, name, 'read')
  } finally {
    await file?.close()
  }
}

/**
 * Yields the bytes of a file or pipe from its current position on, in pieces, and counts them.
 * @param name the file, for what is awaited
 */
async function* readPieces(
  file: FileHandle,
  name: string,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { bytesRead, buffer } = await nameWait(
      `bytes of ${name}`,
      file.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES, null),
    )
    if (bytesRead === 0) return
    count(bytesRead)
    yield buffer.subarray(0, bytesRead)
  }
}

/** Yields the pieces that arrive on stdin, and counts their bytes. */
async function* readStdin(count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const pieces = (process.stdin as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await nameWait('bytes of stdin', pieces.next())
      if (done) return
      count(value.length)
      yield value
    }
  } finally {
    await pieces.return?.()
  }
}

/**
 * Yields the pieces, the first ones joined into one of at least `length` bytes: a pipe may deliver single
 * bytes.
 */
async function* joinStart(
  pieces: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array, void> {
  let start: Uint8Array | undefined = new Uint8Array(0)
  for await (const piece of pieces) {
    if (start === undefined) yield piece
    else if (start.length + piece.length < length) start = Buffer.concat([start, piece])
    else {
      yield start.length === 0 ? piece : Buffer.concat([start, piece])
      start = undefined
    }
  }
  if (start !== undefined && start.length > 0) yield start
}

/** Yields one piece, then the others. */
async function* prepend(start: Uint8Array, pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start
  yield* pieces
}

/** The most bytes to which a packed file of at most SMALL_FILE bytes may unpack; more is taken for a bomb. */
const HARMLESS_BYTES = 24 * 2 ** 20
const SMALL_FILE = 2 ** 20
/** The most bytes to which each packed byte beyond SMALL_FILE may unpack. */
const MAX_UNPACKING = 100

/**
 * Returns a function that counts unpacked bytes and throws if they are too many for the packed bytes so far.
 * @param name the file, for messages
 */
export function unpackingLimit(name: string): (unpackedBytes: number, packedBytes: number) => void {
  let total = 0
  return (unpackedBytes, packedBytes) => {
    total += unpackedBytes
    if (total > HARMLESS_BYTES + MAX_UNPACKING * Math.max(0, packedBytes - SMALL_FILE))
      throw new InputError(
        'memory',
        `${name}: the first ${packedBytes} bytes unpack to more than ${total}, as those of a bomb do; if the file is good, unpack it and read that.`,
      )
  }
}

/** Unpacks gzip; the iteration throws zlib's error if the data is damaged. */
function gunzip(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // If one side fails, pipeline closes both, and the iteration throws the error.
  return pipeline(Readable.from(pieces), createGunzip({ chunkSize: UNPACK_BYTES }), () => {})
}

/** Converts an error of gunzip to an InputError with a sentence; undefined for any other error. */
function explainGzipError(error: unknown, path: string): InputError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const fault =
    code === 'Z_BUF_ERROR'
      ? 'the gzip data ends too early; the file is truncated, fetch it again.'
      : code === 'Z_DATA_ERROR'
        ? 'the gzip data is damaged; fetch the file again.'
        : undefined
  return fault === undefined ? undefined : new InputError('format', `${path}: ${fault}`, { cause: error })
}
