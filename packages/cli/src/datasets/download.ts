/**
 * Downloads a file so that it appears whole or not at all. What has come so far waits in FILE.part, with the
 * server's mark of the version (ETag, else Last-Modified) in FILE.part.json: a later try asks for the rest of
 * that version only, and starts again if the server has another one or cannot send parts.
 */
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { InputError } from 'lacuna'
import { explainFileError } from 'lacuna/internal'
import { explainNetworkError, explainStatus, isPassing, PassingFault } from './networkFault.ts'
import { type Answer, request } from './request.ts'

export interface DownloadOptions {
  /** Told how much of the file is here, and how much it is in all, if known. */
  onProgress?(bytes: number, byteLength: number | undefined): void
  /** Told in a sentence why there is another try, or a start from the beginning. */
  onNotice?(sentence: string): void
  signal?: AbortSignal
  /** More than this is not taken. */
  maxBytes?: number
  /**
   * Looks at the whole file before it gets its name; throws if it is not the right one, which is then
   * removed.
   */
  check?(path: string): Promise<void>
  /** Before the first further try; doubled each time. One second by default. */
  retryDelayMs?: number
}

/** Tries in a row that bring nothing new before we give up. */
const MAX_FAILURES = 4

export async function download(url: string, path: string, options: DownloadOptions = {}): Promise<void> {
  const part = `${path}.part`
  let complete = false
  try {
    await fetchPart(url, part, options)
    complete = true
    await options.check?.(part)
  } catch (error) {
    // A part is kept to go on from; what is not the right file is not.
    if (complete || error instanceof TooLarge)
      for (const file of [part, markOf(part)]) await rm(file, { force: true })
    throw error
  }
  await onDisk(path, rename(part, path))
  await onDisk(path, rm(markOf(part), { force: true }))
}

/** Tries until the part is the whole file. */
async function fetchPart(url: string, part: string, options: DownloadOptions): Promise<void> {
  const { signal, onNotice, retryDelayMs = 1000 } = options
  let failures = 0
  let most = await sizeOf(part)
  for (;;) {
    try {
      return await tryOnce(url, part, options)
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPassing(error)) throw explainNetworkError(error, url)
      const bytes = await sizeOf(part)
      // A server that always fails at the same place must not keep us for ever; one that gets further may.
      failures = bytes > most ? 1 : failures + 1
      most = Math.max(most, bytes)
      if (failures >= MAX_FAILURES) throw explainNetworkError(error, url)
      const delayMs = retryDelayMs * 2 ** (failures - 1)
      onNotice?.(`${describe(error)}; trying again in ${delayMs / 1000} s.`)
      await sleep(delayMs, undefined, { signal })
    }
  }
}

async function tryOnce(url: string, part: string, options: DownloadOptions): Promise<void> {
  const { signal, onNotice } = options
  const have = await sizeOf(part)
  const mark = have > 0 ? await readMark(part, url) : undefined
  const answer = await request(url, mark ? { range: `bytes=${have}-`, 'if-range': mark } : {}, signal)
  const { status, headers, body } = answer
  if (status === 206 && mark && continues(answer, have, mark))
    return receive(answer, part, have, options, url)
  if (status === 200) {
    checkEncoding(url, answer)
    if (have > 0)
      onNotice?.('The server cannot go on from there, or has another version now: starting again.')
    await writeMark(part, url, markIn(headers))
    return receive(answer, part, 0, options, url)
  }
  body.destroy()
  if (status === 416 && mark && headers['content-range'] === `bytes */${have}`) return // nothing is missing
  if (status === 206 || status === 416) {
    await rm(part, { force: true })
    throw new PassingFault('The server sent another part than the one asked for')
  }
  throw explainStatus(status, url)
}

/** Whether this is the rest of the version that we have the beginning of. */
function continues({ headers }: Answer, have: number, mark: string): boolean {
  return headers['content-range']?.startsWith(`bytes ${have}-`) === true && markIn(headers) === mark
}

/** Appends the body at `start`, to the end that the server has announced. */
async function receive(
  { headers, body }: Answer,
  part: string,
  start: number,
  { onProgress, maxBytes = Infinity }: DownloadOptions,
  url: string,
): Promise<void> {
  const length = headers['content-length']
  const total = length === undefined ? undefined : start + Number(length)
  if (total !== undefined && total > maxBytes) {
    body.destroy()
    throw new TooLarge(url, maxBytes)
  }
  const file = await onDisk(part, open(part, start > 0 ? 'r+' : 'w'))
  let at = start
  try {
    onProgress?.(at, total)
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      if (at + piece.length > maxBytes) throw new TooLarge(url, maxBytes)
      await onDisk(part, writeAll(file, piece, at))
      at += piece.length
      onProgress?.(at, total)
    }
    await onDisk(part, file.sync())
  } finally {
    body.destroy()
    await file.close()
  }
  if (total !== undefined && at < total) throw new PassingFault('The connection ended too early')
}

/** What comes is not the file that is meant: no use to keep it. */
class TooLarge extends InputError {
  constructor(url: string, maxBytes: number) {
    super(
      'network',
      `${url}: the server sends more than the ${maxBytes} bytes that this file can have; use a mirror.`,
    )
  }
}

async function writeAll(file: FileHandle, piece: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < piece.length; )
    done += (await file.write(piece, done, piece.length - done, position + done)).bytesWritten
}

function checkEncoding(url: string, { headers, body }: Answer): void {
  const encoding = headers['content-encoding']
  if (
    !encoding ||
    encoding === 'identity' ||
    (/gzip/.test(encoding) && new URL(url).pathname.endsWith('.gz'))
  )
    return
  body.destroy()
  throw new InputError(
    'network',
    `${url}: the server packs the file on the way (${encoding}) though asked not to; use a mirror.`,
  )
}

const markOf = (part: string): string => `${part}.json`

/** A weak ETag names no bytes, so parts of two files could be glued together by it. */
function markIn(headers: Answer['headers']): string | undefined {
  return headers.etag && !headers.etag.startsWith('W/') ? headers.etag : headers['last-modified']
}

async function writeMark(part: string, url: string, mark: string | undefined): Promise<void> {
  await onDisk(part, writeFile(markOf(part), JSON.stringify({ url, mark })))
}

async function readMark(part: string, url: string): Promise<string | undefined> {
  try {
    const known: { url: string; mark?: string } = JSON.parse(await readFile(markOf(part), 'utf8'))
    return known.url === url ? known.mark : undefined
  } catch {
    return // none, or cut off while it was written
  }
}

/** Faults of the disk are told from those of the network, though both carry the same kind of code. */
async function onDisk<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw explainFileError(error, path, 'write')
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}

function describe(error: unknown): string {
  return error instanceof PassingFault ? error.message : 'The connection broke'
}
