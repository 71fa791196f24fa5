/** A file or pipe to read, and what it is. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { explainFileError } from './fileError.ts'
import { type FileKind, kindByContent, kindByName } from './kind.ts'
import { type OpenFile, openFile, reopenable } from './openFile.ts'
import { leaveNothing, nameBeside } from './temporary.ts'

export interface Input extends Omit<OpenFile, 'source' | 'again'> {
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
