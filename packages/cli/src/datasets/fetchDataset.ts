/** Fetches a data set: downloads its files, checks them, unpacks zips, and notes that the set is complete. */
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from 'lacuna'
import { explainFileError } from 'lacuna/internal'
import { cachedFiles, writeReceipt } from './cache.ts'
import { type Dataset, type Download, fileNameOf, isVerified, maxBytes } from './dataset.ts'
import { download } from './download.ts'
import { unzip } from './unzip.ts'

/** The folder of a data set, and callbacks of the download. */
export interface FetchOptions {
  /** Folder for the set's files; it is created if necessary. */
  folder: string
  /** Downloads even files that are there already. */
  force?: boolean
  signal?: AbortSignal
  /**
   * Called with the bytes of a file that were received or unpacked so far, and with its size if it is known.
   */
  onProgress?(step: 'download' | 'unpack', file: string, bytes: number, byteLength: number | undefined): void
  /** Called with a sentence for every file whose digest the catalogue does not have. */
  onUnverified?(sentence: string): void
}

/** A data set on this machine. */
export interface FetchedDataset {
  /** Paths of all files: those that `lacuna complete` reads and those that came with them. */
  files: string[]
  /** Whether nothing had to be downloaded. */
  cached: boolean
  /** Whether the catalogue has the digest of every file. */
  verified: boolean
}

/** Downloads a data set into a folder, unless it is there already and complete. */
export async function fetchDataset(dataset: Dataset, options: FetchOptions): Promise<FetchedDataset> {
  const { folder, force = false } = options
  const verified = isVerified(dataset)
  const cached = force ? undefined : await cachedFiles(folder)
  if (cached) return { files: cached.map((file) => join(folder, file)), cached: true, verified }
  const made = await mkdir(folder, { recursive: true }).catch((error) => {
    if (error.code === 'EEXIST') throw new InputError('file', `${folder}: this is a file; name a folder.`)
    throw explainFileError(error, folder, 'write')
  })
  const names: string[] = []
  try {
    for (const wanted of dataset.downloads)
      names.push(...(await fetchFile(wanted, maxBytes(dataset, wanted), options)))
    await writeReceipt(folder, names)
  } catch (error) {
    // An empty folder that was made for the download is removed; one with files stays.
    if (made !== undefined) await rmdir(folder).catch(() => {})
    throw error
  }
  return { files: names.map((file) => join(folder, file)), cached: false, verified }
}

/**
 * Downloads one file; if members are to be unpacked, unpacks them and removes the zip.
 * @returns the names of the files that stay in the folder
 */
async function fetchFile(
  { url, checksum, byteLength, unpack }: Download,
  maxBytes: number,
  { folder, signal, onProgress, onUnverified }: FetchOptions,
): Promise<string[]> {
  const name = fileNameOf(url)
  const path = join(folder, name)
  const sha256 = await download(url, path, {
    maxBytes,
    checksum,
    signal,
    onProgress: (bytes, total) => onProgress?.('download', name, bytes, total ?? byteLength),
  })
  if (!checksum)
    onUnverified?.(`${name} is unverified: no digest of it is known here. Its SHA-256 is ${sha256}.`)
  if (!unpack) return [name]
  try {
    await unzip(path, folder, unpack, (bytes, total) => onProgress?.('unpack', name, bytes, total))
  } finally {
    await rm(path, { force: true })
  }
  return Object.values(unpack)
}
