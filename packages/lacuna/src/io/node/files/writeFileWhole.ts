/**
 * Files that appear whole or not at all: written into temporary files beside their places, synced, then
 * renamed over them. Several are one unit: either all are new or none is.
 */
import { renameSync, rmSync } from 'node:fs'
import { type FileHandle, open, realpath, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { InputError } from '../../../base/inputError.ts'
import { explainFileError } from './fileError.ts'
import { nameBeside, removeAtExit, sweepBeside } from './temporary.ts'

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/**
 * Writes a file, packed if its name ends in .gz. If anything fails, a file that was there before is
 * unchanged.
 */
export async function writeFileWhole(path: string, chunks: Chunks): Promise<void> {
  await replaceFiles([writeChunks(path, chunks)])
}

/** A file to be written in place of another. */
export interface Replacement {
  path: string
  /** Fills the temporary file, which is there and empty, and open as `file`; it must stay the same file. */
  write(file: FileHandle, temporary: string): Promise<void>
  /** The content as chunks, for stdout. */
  chunks?: Chunks
}

/** A replacement of chunks, packed if `ending` is .gz. */
export function writeChunks(path: string, chunks: Chunks, ending = path): Replacement {
  const packed = ending.endsWith('.gz') ? pack(chunks) : chunks
  return {
    path,
    async write(file) {
      for await (const chunk of packed) await file.writeFile(chunk)
    },
    chunks: packed,
  }
}

/** Writes all of them, or none. The path - is stdout, which takes chunks as they are. */
export async function replaceFiles(replacements: readonly Replacement[]): Promise<void> {
  const written: Written[] = []
  try {
    for (const replacement of replacements)
      if (replacement.path === '-') await writeToStdout(replacement.chunks ?? [])
      else written.push(await writeBeside(replacement))
    moveIntoPlace(written)
  } catch (error) {
    for (const { temporary } of written) await rm(temporary, { force: true })
    throw error
  } finally {
    for (const { forget } of written) forget()
  }
  for (const folder of new Set(written.map(({ target }) => dirname(target)))) await syncFolder(folder)
}

async function writeToStdout(chunks: Chunks): Promise<void> {
  for await (const chunk of chunks)
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
}

interface Written {
  /** The path as the user gave it; `target` is where its links point to. */
  path: string
  target: string
  temporary: string
  exists: boolean
  forget(): void
}

/** Writes a temporary file beside the target, and syncs it. */
async function writeBeside({ path, write }: Replacement): Promise<Written> {
  const { target, mode } = await resolveTarget(path)
  sweepBeside(target)
  const temporary = nameBeside(target, 'tmp')
  const forget = removeAtExit(temporary)
  let file: FileHandle | undefined
  try {
    file = await open(temporary, 'wx')
    if (mode !== undefined) await file.chmod(mode)
    await write(file, temporary)
    await file.sync()
    await file.close()
    return { path, target, temporary, exists: mode !== undefined, forget }
  } catch (error) {
    await file?.close().catch(() => {}) // it may be closed already
    await rm(temporary, { force: true })
    forget()
    throw explainFileError(error, path, 'write')
  }
}

/**
 * Renames the temporary files, synchronously, so that no signal comes between. With several files, those
 * there before are set aside first: if the machine stops, files are missing, but a new one is never beside an
 * old one.
 */
function moveIntoPlace(files: readonly Written[]): void {
  const aside: { target: string; old: string }[] = []
  const placed: string[] = []
  let path = ''
  try {
    for (const { target, exists, ...file } of files.length > 1 ? files : []) {
      if (!exists) continue
      path = file.path
      const old = nameBeside(target, 'old')
      renameSync(target, old)
      aside.push({ target, old })
    }
    for (const { target, temporary, ...file } of files) {
      path = file.path
      renameSync(temporary, target)
      placed.push(target)
    }
  } catch (error) {
    if (files.length > 1) for (const target of placed) rmSync(target, { force: true })
    for (const { target, old } of aside) renameSync(old, target)
    throw explainFileError(error, path, 'write')
  }
  for (const { old } of aside) rmSync(old, { force: true })
}

/** The file that a path links to, so that the link stays, and the permissions of the file to be replaced. */
async function resolveTarget(path: string): Promise<{ target: string; mode?: number }> {
  try {
    const target = await realpath(path)
    const status = await stat(target)
    if (status.isFile()) return { target, mode: status.mode & 0o777 }
    const what = status.isDirectory() ? 'a folder' : 'a device or pipe'
    throw new InputError('file', `${path}: this is ${what}; name a file to write.`)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { target: path }
    throw explainFileError(error, path, 'write')
  }
}

/** Packs chunks by gzip. */
function pack(chunks: Chunks): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(chunks), createGzip(), () => {})
}

/** Syncs a folder, where the system permits it, so that a rename survives a crash. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
