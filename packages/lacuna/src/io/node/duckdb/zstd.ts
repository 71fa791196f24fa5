/**
 * Checks and unpacks .zst files. DuckDB takes a truncated file for complete, and Node 20 cannot unpack zstd,
 * so the frames are checked here and unpacked by DuckDB.
 */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InputError } from '../../../base/inputError.ts'
import { explainFileError, unpackingLimit } from '../files/index.ts'
import { fileLiteral, openSession } from './session.ts'

/** The first four bytes of a zstd frame, little-endian. */
const MAGIC = 0xfd2fb528
/** The first four bytes of a frame of other data, which is passed over; the last half-byte is arbitrary. */
const SKIPPABLE = 0x184d2a50

/**
 * Throws if a .zst file is truncated or no zstd, by the headers of its frames and blocks (RFC 8878, section
 * 3.1), without unpacking them.
 */
export async function checkZstd(path: string): Promise<void> {
  let file: FileHandle | undefined
  try {
    file = await open(path)
    const { size } = await file.stat()
    const read = windowReader(file, path)
    let at = 0
    while (at < size) at = await endOfFrame(read, at, path, size)
    if (at > size) throw truncationError(path)
  } catch (error) {
    throw explainFileError(error, path, 'read')
  } finally {
    await file?.close()
  }
}

/**
 * Returns the position behind the frame that begins at `start`, by its headers alone. Throws if no frame begins
 * there or the file ends before its last block; a result beyond `size` means that it is truncated, too.
 * @param path of the file, for messages
 * @param size of the file, in bytes
 */
async function endOfFrame(read: ReadBytes, start: number, path: string, size: number): Promise<number> {
  const head = await read(start, 8)
  const magic = head.readUInt32LE(0)
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) return start + 8 + head.readUInt32LE(4)
  if (magic !== MAGIC)
    throw new InputError(
      'table',
      start === 0
        ? `${path}: the name ends in .zst, but this is no zstd file; rename or pack it.`
        : `${path}: the zstd data is damaged; fetch the file again.`,
    )
  const descriptor = head[4]
  const isSingleSegment = (descriptor >> 5) & 1
  const dictionaryIdSize = [0, 1, 2, 4][descriptor & 3]
  const contentSize = [isSingleSegment, 2, 4, 8][descriptor >> 6]
  let at = start + 5 + (isSingleSegment ? 0 : 1) + dictionaryIdSize + contentSize
  for (let last = false; !last; ) {
    if (at > size) throw truncationError(path)
    const block = (await read(at, 3)).readUIntLE(0, 3)
    last = (block & 1) === 1
    const isRunLength = ((block >> 1) & 3) === 1 // one byte, however often
    at += 3 + (isRunLength ? 1 : block >> 3)
  }
  const checksum = (descriptor >> 2) & 1 ? 4 : 0
  return at + checksum
}

/** Reads `length` bytes, at most WINDOW_BYTES, from a position; throws if the file ends before. */
type ReadBytes = (position: number, length: number) => Promise<Buffer>

/** Bytes that are read from the file at a time: many headers, if blocks are small. */
const WINDOW_BYTES = 2 ** 12

/** Returns a function that reads bytes, from the window of the last call where they lie in it. */
function windowReader(file: FileHandle, path: string): ReadBytes {
  const window = Buffer.alloc(WINDOW_BYTES)
  let [start, end] = [0, 0]
  return async (position, length) => {
    if (position < start || position + length > end) {
      const { bytesRead } = await file.read(window, 0, WINDOW_BYTES, position)
      start = position
      end = position + bytesRead
      if (bytesRead < length) throw truncationError(path)
    }
    return window.subarray(position - start, position - start + length)
  }
}

/** Makes the error for a file that ends too early. */
const truncationError = (path: string): InputError =>
  new InputError('table', `${path}: the zstd data ends too early; the file is truncated, fetch it again.`)

/** Yields the content of a .zst text, unpacked by DuckDB line by line; throws if the file is truncated or a bomb. */
export async function* unpackZstd(path: string): AsyncGenerator<Uint8Array> {
  await checkZstd(path)
  const { size } = await stat(path)
  const checkUnpacked = unpackingLimit(path)
  const session = await openSession(path)
  try {
    await session.lock({ paths: [resolve(path)] })
    const options = `auto_detect = false, delim = '', quote = '', escape = '', header = false, max_line_size = ${2 ** 26}`
    const lines = `read_csv(${fileLiteral(path)}, ${options}, columns = {'line': 'VARCHAR'})`
    for await (const chunk of session.stream(`SELECT line FROM ${lines}`)) {
      const vector = chunk.getColumnVector(0)
      let text = ''
      for (let row = 0; row < chunk.rowCount; row++) text += `${vector.getItem(row) ?? ''}\n`
      const piece = new TextEncoder().encode(text)
      checkUnpacked(piece.length, size)
      yield piece
    }
  } finally {
    session.close()
  }
}
