/** Where data sets lie on this machine, and whether one lies there whole. */
import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeFileWhole } from '../files/writeFileWhole.ts'

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
