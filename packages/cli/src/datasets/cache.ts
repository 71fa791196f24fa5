/** The cache of data sets on this machine, and the receipt by which a complete set is recognized. */
import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeFileWhole } from 'lacuna/internal'

/** Returns the folder of the cache: $LACUNA_CACHE, else $XDG_CACHE_HOME/lacuna, else ~/.cache/lacuna. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.LACUNA_CACHE) return resolve(environment.LACUNA_CACHE)
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lacuna')
}

/** File that is written last: a set without it is incomplete. */
const RECEIPT = '.lacuna.json'

/** Size in bytes of each file of the set, by its name. */
type Receipt = Record<string, number>

/** Writes the receipt of a complete set. @param files names of its files in the folder */
export async function writeReceipt(folder: string, files: readonly string[]): Promise<void> {
  const receipt: Receipt = {}
  for (const file of files) receipt[file] = (await stat(join(folder, file))).size
  await writeFileWhole(join(folder, RECEIPT), [Buffer.from(JSON.stringify(receipt))])
}

/**
 * Returns the names of the files of a complete set by its receipt; undefined if there is none or a size
 * differs.
 */
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
