/** A file or pipe to read, and what it is. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { InputError } from '../../../base/inputError.ts'
import { type FileKind, kindByContent, kindByName } from '../../text/index.ts'
import { explainFileError } from './fileError.ts'
import { type OpenFile, openFile, reopenable } from './openFile.ts'
import { leaveNothing, nameBeside } from './temporary.ts'

/** A file or pipe that has been opened. */
export interface Input extends Omit<OpenFile, 'source' | 'again'> {
  /** Path as it was given; - is standard input. */
  path: string
  /** By the ending of its name; of a pipe without one, by its first bytes; else nothing. */
  kind: FileKind | undefined
  /** The content, unpacked if it was gzip. */
  open(): AsyncIterable<Uint8Array>
}

export async function openInput(path: string): Promise<Input> {
  const opened = await openFile(path)
  const { name, byteLength, bytesRead, isPipe } = opened
  const open = reopenable(opened)
  const kind = kindByName(path) ?? (isPipe ? kindByContent(await firstBytes(open())) : undefined)
  return { path, name, kind, open, byteLength, bytesRead, isPipe }
}

async function firstBytes(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  for await (const piece of source) return piece
  return new Uint8Array(0)
}

/** The content as a file that can be read anywhere: itself, or what came through a pipe. */
export async function asFile<T>(
  input: Input,
  ending: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (!input.isPipe) return work(input.path)
  const spool = nameBeside(join(tmpdir(), `lacuna-pipe${ending}`), 'tmp') + ending
  const forget = leaveNothing(spool)
  try {
    await pipeline(Readable.from(input.open()), createWriteStream(spool, { flags: 'wx' })).catch((error) => {
      throw explainFileError(error, spool, 'write')
    })
    return await work(spool)
  } finally {
    await rm(spool, { force: true })
    forget()
  }
}

/** What one file may take in memory: half of this machine's, and no more than a zip may hold. */
export const maxFileBytes = (): number => Math.min(2 ** 32 - 1, Math.floor(totalmem() / 2))

/** The whole of a file that must be in memory to be read, unpacked if it was gzip. */
export async function readWhole(
  { name, byteLength, open }: Input,
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
