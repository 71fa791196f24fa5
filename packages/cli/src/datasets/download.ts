/**
 * One streaming HTTP GET into a file, checked on the way. Node's fetch is not used because it decompresses
 * what a server labels `Content-Encoding: gzip`: a .tns.gz would arrive as text.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { InputError } from 'lacuna'
import { explainFileError } from 'lacuna/internal'
import type { Checksum } from './dataset.ts'

const MAX_REDIRECTS = 5
/** A connection that delivers nothing for this long is given up. */
const STALL_MS = 60_000

/** Limits of a download, and its callbacks. */
export interface DownloadOptions {
  /** Largest size in bytes that is accepted. */
  maxBytes?: number
  /** Digest that the file must have. */
  checksum?: Checksum
  signal?: AbortSignal
  /** Called with the bytes received so far, and with the size of the file if the server states it. */
  onProgress?(bytes: number, byteLength: number | undefined): void
}

/**
 * Downloads a file. It appears under its name when it is complete and has the right checksum, and not before.
 * @returns its digest: by the algorithm of the checksum, or SHA-256
 */
export async function download(url: string, path: string, options: DownloadOptions = {}): Promise<string> {
  const { checksum, signal } = options
  const part = `${path}.part`
  try {
    const body = await get(url, signal)
    const hash = createHash(checksum?.algorithm ?? 'sha256')
    const pieces = limitSize(body, url, options, (piece) => hash.update(piece))
    await pipeline(pieces, createWriteStream(part), { signal })
    const digest = hash.digest('hex')
    if (checksum && digest !== checksum.digest)
      throw new InputError(
        'network',
        `${url}: the file that came is not the right one (${checksum.algorithm} ${digest}, not ${checksum.digest}); it has been removed.`,
      )
    await rename(part, path)
    return digest
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    signal?.throwIfAborted()
    throw explainDownloadError(error, url, path)
  }
}

/** Passes the body on, and refuses one that is larger than the file can be. */
async function* limitSize(
  body: IncomingMessage,
  url: string,
  { maxBytes = Infinity, onProgress }: DownloadOptions,
  onPiece: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const { 'content-length': length } = body.headers
  const byteLength = length === undefined ? undefined : Number(length)
  let bytes = 0
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    if (Math.max(bytes, byteLength ?? 0) > maxBytes)
      throw new InputError(
        'network',
        `${url}: the server sends more than the ${maxBytes} bytes that this file can have.`,
      )
    onPiece(piece)
    onProgress?.(bytes, byteLength)
    yield piece
  }
}

/** Requests a file and follows redirects; the response has status 200. */
async function get(url: string, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  let target = checkAddress(url)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await request(target, signal)
    const { statusCode = 0, headers } = response
    if (statusCode === 200 && isUnpacked(headers['content-encoding'], target)) return response
    response.destroy()
    if (statusCode === 200)
      throw new Error(`the server compresses the file on the way (${headers['content-encoding']})`)
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined)
      throw new Error(`the server answers ${statusCode}`)
    target = checkAddress(new URL(headers.location, target).href)
  }
  throw new Error('the server redirects without end')
}

async function request(url: URL, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  const { get } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'identity', 'user-agent': 'lacuna' }
    const sent = get(url, { headers, signal }, resolve)
    sent.setTimeout(STALL_MS, () => sent.destroy(new Error(`nothing came for ${STALL_MS / 1000} s`)))
    sent.on('error', reject)
  })
}

/** Refuses addresses without encryption, except on this machine. */
function checkAddress(text: string): URL {
  const url = new URL(text)
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return url
  throw new Error(`${text} is not an encrypted address (https://)`)
}

/** A label of gzip on a .gz is about the file itself, not about its way. */
const isUnpacked = (encoding: string | undefined, { pathname }: URL): boolean =>
  !encoding || encoding === 'identity' || (encoding.includes('gzip') && pathname.endsWith('.gz'))

/** One sentence that names the address and the cause; for the disk, the file. */
function explainDownloadError(error: unknown, url: string, path: string): unknown {
  if (error instanceof InputError || !(error instanceof Error)) return error
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall === 'open' || syscall === 'write' || syscall === 'rename')
    return explainFileError(error, path, 'write')
  const { HTTPS_PROXY, https_proxy } = process.env
  const proxy =
    (HTTPS_PROXY ?? https_proxy)
      ? ' Node uses your proxy from version 24.5 on, with NODE_USE_ENV_PROXY=1.'
      : ''
  return new InputError(
    'network',
    `${url}: the download of ${basename(path)} failed: ${error.message || code}; check the network, or fetch the file by another tool.${proxy}`,
    { cause: error },
  )
}
