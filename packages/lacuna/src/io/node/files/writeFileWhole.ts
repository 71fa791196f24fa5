/**
 * Writes files that appear whole or not at all: into temporary files in the same folders, which are synced
 * and then renamed over the targets. Several files are one unit: either all are new or none is.
 */
import { renameSync, rmSync } from 'node:fs'
import { type FileHandle, open, realpath, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { InputError } from '../../../base/inputError.ts'
import { printable } from '../../text/index.ts'
import { explainFileError } from './fileError.ts'
import { nameBeside, removeAtExit, removeLeftovers } from './temporary.ts'

/** The content of a file in pieces. */
type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/**
 * Writes a file, packed if its name ends in .gz. If anything fails, a file that was there before is
 * unchanged.
 */
export async function writeFileWhole(path: string, chunks: Chunks): Promise<void> {
  await replaceFiles([writeChunks(path, chunks)])
}

/** A file to be written by replaceFiles. */
export interface Replacement {
  /** The file to write or replace; - is stdout. */
  path: string
  /** Fills the temporary file, which exists, empty, and is open as `file`; must not replace it by another. */
  write(file: FileHandle, temporary: string): Promise<void>
  /** The content as chunks, for stdout; nothing is written there without them. */
  chunks?: Chunks
}

/**
 * Returns a Replacement whose content is these chunks, packed by gzip if `ending` ends in .gz. Writes nothing
 * yet.
 */
export function writeChunks(path: string, chunks: Chunks, ending = path): Replacement {
  const content = ending.endsWith('.gz') ? gzip(chunks) : chunks
  return {
    path,
    async write(file) {
      for await (const chunk of content) await file.writeFile(chunk)
    },
    chunks: content,
  }
}

/** Writes all files, or none if one fails. The path - is stdout, which gets the chunks at once. */
export async function replaceFiles(replacements: readonly Replacement[]): Promise<void> {
  const written: Written[] = []
  try {
    for (const replacement of replacements)
      if (replacement.path === '-') await writeToStdout(replacement.chunks ?? [])
      else written.push(await writeTemporary(replacement))
    renameToTargets(written)
  } catch (error) {
    for (const { temporary } of written) await rm(temporary, { force: true })
    throw error
  } finally {
    for (const { cancelRemoval } of written) cancelRemoval()
  }
  for (const folder of new Set(written.map(({ target }) => dirname(target)))) await syncFolder(folder)
}

/**
 * Writes chunks to stdout, each after the one before has been taken. On a terminal they are taken as text, in
 * which control characters are escaped.
 */
async function writeToStdout(chunks: Chunks): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks)
    await new Promise<void>((resolve, reject) => {
      const content = process.stdout.isTTY ? printable(decoder.decode(chunk, { stream: true })) : chunk
      process.stdout.write(content, (error) => (error ? reject(error) : resolve()))
    })
}

/** A complete temporary file that is still to be renamed. */
interface Written {
  /** The path as the user gave it. */
  path: string
  /** The path that its links point to. */
  target: string
  /** The path of the temporary file. */
  temporary: string
  /** Whether there is a file at `target`. */
  exists: boolean
  /** Keeps the temporary file from being removed at the exit of the process. */
  cancelRemoval(): void
}

/**
 * Writes and syncs a temporary file in the folder of the target, with the target's permissions; removes it
 * and throws if that fails.
 */
async function writeTemporary({ path, write }: Replacement): Promise<Written> {
  const { target, mode } = await resolveTarget(path)
  removeLeftovers(target)
  const temporary = nameBeside(target, 'tmp')
  const cancelRemoval = removeAtExit(temporary)
  let file: FileHandle | undefined
  try {
    file = await open(temporary, 'wx')
    if (mode !== undefined) await file.chmod(mode)
    await write(file, temporary)
    await file.sync()
    await file.close()
    return { path, target, temporary, exists: mode !== undefined, cancelRemoval }
  } catch (error) {
    await file?.close().catch(() => {}) // it may be closed already
    await rm(temporary, { force: true })
    cancelRemoval()
    throw explainFileError(error, path, 'write')
  }
}

/**
 * Renames the temporary files to their targets, synchronously, so that no signal is handled in between;
 * undoes all renames if one fails. Several existing targets are first renamed: if the machine stops, files
 * are missing, but a new one is never beside an old one.
 */
function renameToTargets(files: readonly Written[]): void {
  const aside: { target: string; old: string }[] = []
  const renamed: string[] = []
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
      renamed.push(target)
    }
  } catch (error) {
    if (files.length > 1) for (const target of renamed) rmSync(target, { force: true })
    for (const { target, old } of aside) renameSync(old, target)
    throw explainFileError(error, path, 'write')
  }
  for (const { old } of aside) rmSync(old, { force: true })
}

/**
 * Returns the file that a path links to, so that the link stays, and its permissions; `mode` is undefined if
 * there is no file yet. Throws for folders, devices and pipes.
 */
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
function gzip(chunks: Chunks): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(chunks), createGzip(), () => {})
}

/** Syncs a folder, where the system permits it, so that a rename survives a crash. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
