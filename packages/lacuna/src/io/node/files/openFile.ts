/** Files and pipes to read, unpacked if they are gzip. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { InputError } from '../../../base/inputError.ts'
import { packingByName } from '../../text/index.ts'
import { explainFileError } from './fileError.ts'

/** A file or pipe that has been found. */
export interface OpenFile {
  /** The name that messages use. */
  name: string
  /** The content, unpacked if it was gzip. The file is open only while this is iterated. */
  source: AsyncIterable<Uint8Array>
  /** Bytes on disk, packed or not; 0 for a pipe. */
  byteLength: number
  /** The number of these bytes read so far. */
  bytesRead(): number
  /** Whether it cannot be read a second time from its beginning. */
  isPipe: boolean
  /** The content once more, from the beginning; the rest of a pipe. */
  again(): AsyncIterable<Uint8Array>
}

const READ_BYTES = 2 ** 20
const UNPACK_BYTES = 2 ** 18

/**
 * Opens a file that may be gzip, by its first bytes or its name ending in .gz; several members are read as
 * one. The name - is what comes on stdin.
 */
export async function openFile(path: string): Promise<OpenFile> {
  if (path === '-') return describeFile('stdin', path, 0, true)
  const status = await stat(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
  if (status.isDirectory()) throw new InputError('format', `${path}: this is a folder; name a file.`)
  return describeFile(path, path, status.size, !status.isFile())
}

/** Whether a file is packed, by its name or, if it is gzip, by its first bytes. */
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

/** Whether bytes begin as gzip does. */
const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b

/** A file or pipe with counters of what is read of it. */
function describeFile(name: string, path: string, byteLength: number, isPipe: boolean): OpenFile {
  let bytesRead = 0
  const count = (bytes: number) => {
    bytesRead += bytes
  }
  const again = (): AsyncIterable<Uint8Array> => {
    bytesRead = 0
    return read(name, path, count)
  }
  return { name, source: again(), byteLength, bytesRead: () => bytesRead, isPipe, again }
}

/** Bytes of a pipe's beginning that are stored, to be read again. */
const STORED_BYTES = 2 ** 22

/**
 * Returns a function that reads the content from the beginning, any number of times. Of a pipe the beginning
 * is stored: once a reader has gone beyond that, the pipe cannot be read again.
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
      if (length > STORED_BYTES) stored = undefined
      yield value
    }
  }
}

/**
 * Reads a file or stdin, unpacked if it is gzip.
 * @param count receives the number of bytes of each piece on disk
 */
async function* read(name: string, path: string, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let file: FileHandle | undefined
  try {
    if (path !== '-') file = await open(path)
    const pieces = joinStart(file ? readAll(file, count) : readStdin(count), 2)
    const { value: start, done } = await pieces.next()
    const packed = !done && isGzip(start)
    if (path.endsWith('.gz') && !packed)
      throw new InputError(
        'format',
        `${path}: the name ends in .gz, but this is no gzip file; rename or pack it.`,
      )
    if (done) return
    yield* packed ? unpack(behind(start, pieces)) : behind(start, pieces)
  } catch (error) {
    throw explainGzipError(error, name) ?? explainFileError(error, name, 'read')
  } finally {
    await file?.close()
  }
}

async function* readAll(file: FileHandle, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES, null)
    if (bytesRead === 0) return
    count(bytesRead)
    yield buffer.subarray(0, bytesRead)
  }
}

async function* readStdin(count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of process.stdin as AsyncIterable<Uint8Array>) {
    count(piece.length)
    yield piece
  }
}

/**
 * Passes pieces on, the first ones joined until they have `length` bytes: a pipe may deliver them one by one.
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

/** Pieces with another one before them. */
async function* behind(start: Uint8Array, pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start
  yield* pieces
}

/** Unpacks gzip. */
function unpack(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // If one side fails, pipeline closes both, and the iteration throws the error.
  return pipeline(Readable.from(pieces), createGunzip({ chunkSize: UNPACK_BYTES }), () => {})
}

/** An error of unpacking as a sentence; undefined for any other error. */
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
