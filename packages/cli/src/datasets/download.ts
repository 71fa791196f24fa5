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

/** Largest number of redirects that are followed. */
const MAX_REDIRECTS = 5
/** Milliseconds without data after which a connection is given up. */
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
 * Downloads a file to a path, where it appears only when it is complete and has the right checksum; otherwise
 * throws, and leaves what was at the path before.
 * @returns its digest: by the algorithm of the checksum, or SHA-256
 */
export async function download(url: string, path: string, options: DownloadOptions = {}): Promise<string> {
  const { checksum, signal } = options
  const part = `${path}.part`
  try {
    const body = await requestFile(url, signal)
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

/**
 * Yields the pieces of a body, after calling onPiece and onProgress with each; throws as soon as they, or the
 * announced size, exceed maxBytes.
 */
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

/**
 * Requests a file, follows up to MAX_REDIRECTS redirects, and returns the response with status 200. Throws
 * for any other status, for addresses without encryption (checkAddress), and if the server compresses the
 * file on the way.
 */
async function requestFile(url: string, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  let target = checkAddress(url)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await request(target, signal)
    const { statusCode = 0, headers } = response
    if (statusCode === 200 && arrivesAsStored(headers['content-encoding'], target)) return response
    response.destroy()
    if (statusCode === 200)
      throw new Error(`the server compresses the file on the way (${headers['content-encoding']})`)
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined)
      throw new Error(`the server answers ${statusCode}`)
    target = checkAddress(new URL(headers.location, target).href)
  }
  throw new Error('the server redirects without end')
}

/** Sends one GET request, and resolves with the response before its body; fails after STALL_MS of silence. */
async function request(url: URL, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  const { get } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'identity', 'user-agent': 'lacuna' }
    const sent = get(url, { headers, signal }, resolve)
    sent.setTimeout(STALL_MS, () => sent.destroy(new Error(`nothing came for ${STALL_MS / 1000} s`)))
    sent.on('error', reject)
  })
}

/** Parses an address; throws if it is not https, except for http on this machine. */
function checkAddress(text: string): URL {
  const url = new URL(text)
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return url
  throw new Error(`${text} is not an encrypted address (https://)`)
}

/**
 * Whether the body is the file as stored: not encoded, or labelled gzip only because the file itself is a
 * .gz.
 * @param encoding value of the header Content-Encoding
 */
const arrivesAsStored = (encoding: string | undefined, { pathname }: URL): boolean =>
  !encoding || encoding === 'identity' || (encoding.includes('gzip') && pathname.endsWith('.gz'))

/**
 * Turns an error of the network or disk into an InputError of one sentence, which names the address and the
 * cause, or the file; returns any other error unchanged.
 */
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
