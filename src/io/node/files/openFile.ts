import { type FileHandle, open, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { InputError } from '../../../inputError.ts'
import { explainFileError } from './fileError.ts'

export interface OpenFile {
  /** The content, unpacked if it was gzip. The file is open only while this is iterated. */
  source: AsyncIterable<Uint8Array>
  /** On disk, that is, packed; 0 for a pipe. */
  byteLength: number
  /** How many of these bytes have been read so far. */
  bytesRead(): number
}

const READ_BYTES = 2 ** 20
const UNPACK_BYTES = 2 ** 18

/** Opens a file that may be gzip, by its first bytes or its name ending in .gz; several members are read as one. */
export async function openFile(path: string): Promise<OpenFile> {
  const status = await stat(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
  if (status.isDirectory()) throw new InputError('format', `${path}: this is a folder; name a file.`)
  let bytesRead = 0
  const count = (bytes: number) => {
    bytesRead += bytes
  }
  return { source: read(path, count), byteLength: status.size, bytesRead: () => bytesRead }
}

async function* read(path: string, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let file: FileHandle | undefined
  try {
    file = await open(path)
    const start = await readStart(file)
    count(start.length)
    const packed = start[0] === 0x1f && start[1] === 0x8b
    if (path.endsWith('.gz') && !packed)
      throw new InputError(
        'format',
        `${path}: the name ends in .gz, but this is no gzip file; rename or pack it.`,
      )
    const pieces = readOn(file, start, count)
    yield* packed ? unpack(pieces) : pieces
  } catch (error) {
    throw explainGzipError(error, path) ?? explainFileError(error, path, 'read')
  } finally {
    await file?.close()
  }
}

/** The first piece: at least two bytes, even if a pipe hands them over one by one; fewer if the file has fewer. */
async function readStart(file: FileHandle): Promise<Uint8Array> {
  const start = Buffer.allocUnsafeSlow(READ_BYTES)
  let length = 0
  while (length < 2) {
    const { bytesRead } = await file.read(start, length, READ_BYTES - length, null)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return start.subarray(0, length)
}

async function* readOn(
  file: FileHandle,
  start: Uint8Array,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  if (start.length > 0) yield start
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES, null)
    if (bytesRead === 0) return
    count(bytesRead)
    yield buffer.subarray(0, bytesRead)
  }
}

function unpack(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // Whoever fails, pipeline tears down both sides, and the one who iterates gets the error.
  return pipeline(Readable.from(pieces), createGunzip({ chunkSize: UNPACK_BYTES }), () => {})
}

function explainGzipError(error: unknown, path: string): InputError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'Z_BUF_ERROR')
    return new InputError(
      'format',
      `${path}: the gzip data ends too early; the file is truncated, fetch it again.`,
      {
        cause: error,
      },
    )
  if (code === 'Z_DATA_ERROR')
    return new InputError('format', `${path}: the gzip data is damaged; fetch the file again.`, {
      cause: error,
    })
}
