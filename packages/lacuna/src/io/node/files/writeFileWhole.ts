/**
 * Writes files that appear whole or not at all: into temporary files in the same folders, which are synced
 * and then renamed over the targets. Several files are renamed one right after another when all of them are
 * complete, and if one fails, all are as they were before. A name never lacks its file: if the process is
 * killed or the machine stops at any moment, each holds the whole old or the whole new one.
 */
import { copyFileSync, linkSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, open, realpath, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { InputError } from '../../../base/inputError.ts'
import { waitFor } from '../../../base/waits.ts'
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
  await replaceFiles([prepareReplacement(path, chunks)])
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
 * Prepares the replacement of a file by these chunks, packed by gzip if `ending` ends in .gz; replaceFiles
 * writes it.
 */
export function prepareReplacement(path: string, chunks: Chunks, ending = path): Replacement {
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
  const swept = new Set<string>()
  try {
    for (const replacement of replacements)
      if (replacement.path === '-') await writeToStdout(replacement.chunks ?? [])
      else written.push(await writeTemporary(replacement, swept))
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
    await waitFor<void>(`stdout to take ${chunk.length} bytes`, (resolve, reject) => {
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
 * and throws if that fails. Before the first one in a folder, removes what killed processes have left there.
 * @param swept the folders in which that has been done
 */
async function writeTemporary({ path, write }: Replacement, swept: Set<string>): Promise<Written> {
  const { target, mode } = await resolveTarget(path)
  if (!swept.has(dirname(target))) removeLeftovers(dirname(target))
  swept.add(dirname(target))
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
 * Renames the temporary files to their targets, synchronously, so that no signal is handled in between. If
 * one cannot be renamed, restores the targets before it from second links to the old files, and throws.
 */
function renameToTargets(files: readonly Written[]): void {
  /** The second link to each old file, by its target path. */
  const links = new Map<string, string>()
  const renamed: string[] = []
  let path = ''
  try {
    // The last file needs no second link: nothing can fail after its rename.
    for (const { target, exists, ...file } of files.slice(0, -1)) {
      path = file.path
      if (!exists) continue
      const old = nameBeside(target, 'old')
      links.set(target, old)
      linkOrCopy(target, old)
    }
    for (const { target, temporary, ...file } of files) {
      path = file.path
      renameSync(temporary, target)
      renamed.push(target)
    }
  } catch (error) {
    for (const target of renamed) {
      const old = links.get(target)
      if (old === undefined) rmSync(target, { force: true })
      else renameSync(old, target)
    }
    throw explainFileError(error, path, 'write')
  } finally {
    for (const old of links.values()) rmSync(old, { force: true })
  }
}

/** Makes a second link to a file, or a copy where the disk has no links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
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
