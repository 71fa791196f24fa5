import { randomBytes } from 'node:crypto'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { InputError } from '../../../inputError.ts'
import { explainFileError } from './fileError.ts'

/**
 * Writes a file so that it appears whole or not at all: into a temporary file beside it, synced, then renamed
 * over it. Packs it if the name ends in .gz. If anything fails, a file that was there before stays as it was.
 */
export async function writeFileWhole(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  await replaceFile(path, async (file) => {
    for await (const chunk of path.endsWith('.gz') ? pack(chunks) : chunks) await file.writeFile(chunk)
  })
}

/** The same for who writes by name: `write` fills the temporary file, which is there and empty, and open as `file`. */
export async function replaceFile(
  path: string,
  write: (file: FileHandle, temporary: string) => Promise<void>,
): Promise<void> {
  const target = await resolveTarget(path)
  const temporary = join(
    dirname(target.path),
    `.${basename(target.path)}.${randomBytes(6).toString('hex')}.tmp`,
  )
  let file: FileHandle | undefined
  try {
    file = await open(temporary, 'wx')
    if (target.mode !== undefined) await file.chmod(target.mode)
    await write(file, temporary)
    await file.sync()
    await file.close()
    await rename(temporary, target.path)
  } catch (error) {
    await file?.close().catch(() => {}) // it may be closed already
    await rm(temporary, { force: true })
    throw explainFileError(error, path, 'write')
  }
  await syncFolder(dirname(target.path))
}

/** Where a link points to, so that the link stays; the permissions of the file to be replaced. */
async function resolveTarget(path: string): Promise<{ path: string; mode?: number }> {
  try {
    const resolved = await realpath(path)
    const status = await stat(resolved)
    if (status.isFile()) return { path: resolved, mode: status.mode & 0o777 }
    const what = status.isDirectory() ? 'a folder' : 'a device or pipe'
    throw new InputError('file', `${path}: this is ${what}; name a file to write.`)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { path }
    throw explainFileError(error, path, 'write')
  }
}

function pack(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(chunks), createGzip(), () => {})
}

/** Makes the rename itself lasting, where the system lets a folder be synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
