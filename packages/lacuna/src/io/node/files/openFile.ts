/** Files to read, which may be packed, or pipes. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { InputError } from '../../../base/inputError.ts'
import { packingByName } from '../../text/index.ts'
import { explainFileError } from './fileError.ts'

export interface OpenFile {
  /** As messages call it. */
  name: string
  /** The content, unpacked if it was gzip. The file is open only while this is iterated. */
  source: AsyncIterable<Uint8Array>
  /** On disk, that is, packed; 0 for a pipe. */
  byteLength: number
  /** How many of these bytes have been read so far. */
  bytesRead(): number
  /** What cannot be read a second time from its beginning. */
  isPipe: boolean
  /** The content once more, from the beginning; of a pipe, what is left. */
  again(): AsyncIterable<Uint8Array>
}

const READ_BYTES = 2 ** 20
const UNPACK_BYTES = 2 ** 18

/**
 * Opens a file that may be gzip, by its first bytes or its name ending in .gz; several members are read as
 * one. The name - is what comes on stdin.
 */
export async function openFile(path: string): Promise<OpenFile> {
  if (path === '-') return opened('stdin', path, 0, true)
  const status = await stat(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
  if (status.isDirectory()) throw new InputError('format', `${path}: this is a folder; name a file.`)
  return opened(path, path, status.size, !status.isFile())
}

/** Whether a file is packed: by its first bytes if it is gzip, else by its name. */
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

const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b

function opened(name: string, path: string, byteLength: number, isPipe: boolean): OpenFile {
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

/** Of a pipe, so much is kept to be read again. */
const KEPT_BYTES = 2 ** 22

/**
 * The content, to be read again and again. Of a pipe the beginning is kept, so that it can be looked at first
 * and read after; once a reader has gone past that, there is no other.
 */
export function reopenable(opened: OpenFile): () => AsyncIterable<Uint8Array> {
  const { name, source, isPipe, again } = opened
  if (!isPipe) return again
  const rest = source[Symbol.asyncIterator]()
  let kept: Uint8Array[] | undefined = []
  let length = 0
  return async function* () {
    if (!kept)
      throw new InputError(
        'file',
        `${name}: a pipe can be read only once, and this needs it twice; save it in a file.`,
      )
    for (const piece of kept) yield piece
    for (;;) {
      const { done, value } = await rest.next()
      if (done) return
      kept?.push(value)
      length += value.length
      if (length > KEPT_BYTES) kept = undefined
      yield value
    }
  }
}

async function* read(name: string, path: string, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let file: FileHandle | undefined
  try {
    if (path !== '-') file = await open(path)
    const pieces = startedBy(file ? readAll(file, count) : readStdin(count), 2)
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

/** The same pieces, but the first has so many bytes at least, even if a pipe hands them over one by one. */
async function* startedBy(
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

async function* behind(start: Uint8Array, pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start
  yield* pieces
}

function unpack(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // Whoever fails, pipeline tears down both sides, and the one who iterates gets the error.
  return pipeline(Readable.from(pieces), createGunzip({ chunkSize: UNPACK_BYTES }), () => {})
}

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
