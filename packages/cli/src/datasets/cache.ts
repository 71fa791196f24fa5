/** Where data sets lie on this machine, and whether one lies there whole. */
import { open, readFile, rm, stat } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { InputError } from 'lacuna'
import { explainFileError, isRunning, leaveNothing, writeFileWhole } from 'lacuna/internal'

/** $LACUNA_CACHE, else $XDG_CACHE_HOME/lacuna, else ~/.cache/lacuna. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.LACUNA_CACHE) return resolve(environment.LACUNA_CACHE)
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lacuna')
}

/** Written last, so that a set without it is not whole. */
const RECEIPT = '.lacuna.json'

/** By file name in the folder, its bytes. */
type Receipt = Record<string, number>

export async function writeReceipt(folder: string, files: readonly string[]): Promise<void> {
  const receipt: Receipt = {}
  for (const file of files) receipt[file] = (await stat(join(folder, file))).size
  await writeFileWhole(join(folder, RECEIPT), [Buffer.from(JSON.stringify(receipt))])
}

/** The files of a set that was fetched whole and not touched since. */
export async function cachedFiles(folder: string): Promise<string[] | undefined> {
  try {
    const receipt: Receipt = JSON.parse(await readFile(join(folder, RECEIPT), 'utf8'))
    for (const [file, byteLength] of Object.entries(receipt))
      if ((await stat(join(folder, file))).size !== byteLength) return
    return Object.keys(receipt)
  } catch {
    return // no receipt, a damaged one, or a file that is gone: fetch again
  }
}

/** Names who is fetching into a folder. */
const LOCK = '.lacuna.lock'

/** Does the work if nobody else is at it in the same folder: two would write into the same files. */
export async function alone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, LOCK)
  await take(path, folder)
  const forget = leaveNothing(path)
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
    forget()
  }
}

async function take(path: string, folder: string, tries = 2): Promise<void> {
  try {
    const file = await open(path, 'wx')
    await file.writeFile(JSON.stringify({ pid: process.pid, host: hostname() }))
    await file.close()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST'))
      throw explainFileError(error, path, 'write')
    const other = await readFile(path, 'utf8')
      .then(JSON.parse)
      .catch(() => undefined)
    // One that was killed could not take its lock away.
    const isGone = other?.host === hostname() && !isRunning(Number(other.pid))
    if (!isGone || tries === 0)
      throw new InputError(
        'file',
        `${folder}: another lacuna (process ${other?.pid ?? 'unknown'}) is fetching into this folder; wait for it, or remove ${path} if that is not so.`,
      )
    await rm(path, { force: true })
    return take(path, folder, tries - 1)
  }
}
