/** Whether a .zst file is whole. DuckDB takes a truncated one for complete, and Node 20 cannot unpack it. */
import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InputError } from '../../../base/inputError.ts'
import { explainFileError } from '../files/index.ts'
import { literal, openSession } from './session.ts'

const MAGIC = 0xfd2fb528
/** 0x184D2A50 to 5F: a frame of other data, passed over. */
const SKIPPABLE = 0x184d2a50

/** Walks over the frames and blocks by their headers (RFC 8878, section 3.1), without unpacking them. */
export async function checkZstd(path: string): Promise<void> {
  let file: FileHandle | undefined
  try {
    file = await open(path)
    const { size } = await file.stat()
    let at = 0
    while (at < size) at = await endOfFrame(file, at, path, size)
    if (at > size) throw truncated(path)
  } catch (error) {
    throw explainFileError(error, path, 'read')
  } finally {
    await file?.close()
  }
}

/** The position behind a frame. @param size of the file */
async function endOfFrame(file: FileHandle, start: number, path: string, size: number): Promise<number> {
  const head = await bytesAt(file, start, 8, path)
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
  const single = (descriptor >> 5) & 1
  const dictionary = [0, 1, 2, 4][descriptor & 3]
  const contentSize = [single, 2, 4, 8][descriptor >> 6]
  let at = start + 5 + (single ? 0 : 1) + dictionary + contentSize
  for (let last = false; !last; ) {
    if (at > size) throw truncated(path)
    const block = (await bytesAt(file, at, 3, path)).readUIntLE(0, 3)
    last = (block & 1) === 1
    const repeats = ((block >> 1) & 3) === 1 // one byte, however often
    at += 3 + (repeats ? 1 : block >> 3)
  }
  const checksum = (descriptor >> 2) & 1 ? 4 : 0
  return at + checksum
}

/** Reads bytes of a file that must be there. */
async function bytesAt(file: FileHandle, at: number, length: number, path: string): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  if (bytesRead < length) throw truncated(path)
  return buffer
}

/** The error for a file that ends too early. */
const truncated = (path: string): InputError =>
  new InputError('table', `${path}: the zstd data ends too early; the file is truncated, fetch it again.`)

/** The content of a text that is packed by zstd. Node 20 cannot unpack it; DuckDB can, line by line. */
export async function* unpackZstd(path: string): AsyncGenerator<Uint8Array> {
  await checkZstd(path)
  const session = await openSession(path)
  try {
    await session.lock({ paths: [resolve(path)] })
    const options = `auto_detect = false, delim = '', quote = '', escape = '', header = false, max_line_size = ${2 ** 26}`
    const lines = `read_csv(${literal(path.replace(/[*?[]/g, '[$&]'))}, ${options}, columns = {'line': 'VARCHAR'})`
    for await (const chunk of session.stream(`SELECT line FROM ${lines}`)) {
      const vector = chunk.getColumnVector(0)
      let text = ''
      for (let row = 0; row < chunk.rowCount; row++) text += `${vector.getItem(row) ?? ''}\n`
      yield new TextEncoder().encode(text)
    }
  } finally {
    session.close()
  }
}
