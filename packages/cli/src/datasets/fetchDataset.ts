import { mkdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { InputError } from 'lacuna'
import { explainFileError, option, sentence } from 'lacuna/internal'
import { alone, cachedFiles, writeReceipt } from './cache.ts'
import { checkDigest, digestOf, expectedDigest } from './checksum.ts'
import { type Checksum, type Dataset, type Download, fileNameOf, isVerified, maxBytes } from './dataset.ts'
import { download } from './download.ts'
import { DamagedZip, unzip } from './unzip.ts'

export interface FetchOptions {
  /** Where the set's files go. */
  folder: string
  /** Takes the place of the one address of a set with one download; the checksum still holds. */
  url?: string
  /** A folder on the web that holds the files by their names. */
  mirror?: string
  /** Download even what is there. */
  force?: boolean
  signal?: AbortSignal
  onProgress?(step: 'download' | 'unpack', file: string, bytes: number, byteLength: number | undefined): void
  onNotice?(sentence: string): void
  /** Told that a file is not held to any digest that is written down here. */
  onUnverified?(sentence: string): void
  retryDelayMs?: number
}

export interface FetchedDataset {
  /** Paths of all files, those that `lacuna complete` reads and what came with them. */
  files: string[]
  /** Nothing was downloaded: all of it was there. */
  cached: boolean
  /** Every file is held to a digest that is written down here. */
  verified: boolean
}

export async function fetchDataset(dataset: Dataset, options: FetchOptions): Promise<FetchedDataset> {
  const { folder, force = false, url } = options
  if (url !== undefined && dataset.downloads.length > 1)
    throw new InputError(
      'network',
      sentence`${dataset.name} has ${dataset.downloads.length} files; give ${option('mirror')}, a folder with all of them, not ${option('url')}.`,
    )
  if (!force) {
    const files = await cachedFiles(folder)
    if (files)
      return { files: files.map((file) => join(folder, file)), cached: true, verified: isVerified(dataset) }
  }
  await mkdir(folder, { recursive: true }).catch((error) => {
    if (error.code === 'EEXIST') throw new InputError('file', `${folder}: this is a file; name a folder.`)
    throw explainFileError(error, folder, 'write')
  })
  const files = await alone(folder, async () => {
    const fetched: string[] = []
    for (const each of dataset.downloads)
      fetched.push(...(await fetchOne(each, maxBytes(dataset, each), options)))
    await writeReceipt(folder, fetched)
    return fetched
  })
  return { files: files.map((file) => join(folder, file)), cached: false, verified: isVerified(dataset) }
}

/** Returns the names of the files that stay. */
async function fetchOne(wanted: Download, maxBytes: number, options: FetchOptions): Promise<string[]> {
  const { folder, mirror, onProgress, onNotice } = options
  const name = fileNameOf(wanted.url)
  const url = options.url ?? (mirror === undefined ? wanted.url : onMirror(mirror, wanted.url))
  const path = join(folder, name)
  if (!options.force && (await isThere(path, url, wanted.checksum, options)))
    onNotice?.(`${name} is here already.`)
  else await fetchFile(url, path, wanted, maxBytes, options)
  if (!wanted.unpack) return [name]
  try {
    await unzip(path, folder, wanted.unpack, (bytes, total) => onProgress?.('unpack', name, bytes, total))
  } catch (error) {
    // A damaged zip would be found here again the next time; one that did not fit on the disk is still good.
    if (error instanceof DamagedZip) await rm(path, { force: true })
    throw error
  }
  await rm(path, { force: true })
  return Object.values(wanted.unpack)
}

async function fetchFile(
  url: string,
  path: string,
  wanted: Download,
  maxBytes: number,
  options: FetchOptions,
): Promise<void> {
  const { force, signal, onProgress, onNotice, retryDelayMs } = options
  if (force) for (const ending of ['.part', '.part.json']) await rm(path + ending, { force: true })
  await download(url, path, {
    signal,
    onNotice,
    retryDelayMs,
    maxBytes,
    onProgress: (bytes, byteLength) =>
      onProgress?.('download', basename(path), bytes, byteLength ?? wanted.byteLength),
    check: (part) => check(part, url, wanted.checksum, options),
  })
}

/** A file gets its name only when it is whole: one that is there came from an earlier, interrupted run. */
async function isThere(
  path: string,
  url: string,
  checksum: Checksum | undefined,
  options: FetchOptions,
): Promise<boolean> {
  if (!(await stat(path).catch(() => undefined))?.isFile()) return false
  return check(path, url, checksum, options).then(
    () => true,
    () => false,
  )
}

async function check(
  part: string,
  url: string,
  checksum: Checksum | undefined,
  { mirror, signal, onUnverified }: FetchOptions,
): Promise<void> {
  const name = fileNameOf(url)
  const unverified = async (why: string) =>
    onUnverified?.(`${name} is unverified: ${why}. Its SHA-256 is ${await digestOf(part, 'sha256')}.`)
  if (!checksum) return unverified('no digest of it is known here')
  const beside: Checksum =
    'url' in checksum && mirror !== undefined
      ? { ...checksum, url: onMirror(mirror, checksum.url) }
      : checksum
  const digest = await expectedDigest(beside, signal)
  if (digest) await checkDigest(part, checksum.algorithm, digest, url)
  if ('digest' in checksum) return
  await unverified(
    digest
      ? 'it is what its server says that it is, no more'
      : 'its server tells no digest, and none is known here',
  )
}

function onMirror(mirror: string, url: string): string {
  return `${mirror.replace(/\/+$/, '')}/${fileNameOf(url)}`
}
