/**
 * One GET by HTTP, with redirects followed. Node's fetch is not used because it unpacks what a server labels
 * `Content-Encoding: gzip`: a .tns.gz would arrive as text, and byte ranges would not be those of the file.
 */
import type { IncomingMessage } from 'node:http'
import { InputError } from 'lacuna'

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: IncomingMessage
}

const MAX_REDIRECTS = 5
/** A connection on which nothing comes for this long is dead. */
const STALL_MS = 60_000

export async function request(
  url: string,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Answer> {
  let at = httpUrl(url)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const body = await get(at, headers, signal)
    const status = body.statusCode ?? 0
    const { location } = body.headers
    if (status < 300 || status === 304 || status >= 400 || !location)
      return { status, headers: body.headers, body }
    body.resume() // frees the connection
    const next = httpUrl(new URL(location, at).href)
    if (at.protocol === 'https:' && next.protocol === 'http:')
      throw new InputError(
        'network',
        `${url}: the server sends you on to ${next.href}, which is not encrypted; use a mirror.`,
      )
    at = next
  }
  throw new InputError('network', `${url}: the server sends you on and on; check the address.`)
}

/**
 * What comes over the wire is encrypted; only this machine may speak plainly to itself, as a mirror at hand
 * does.
 */
function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new InputError(
    'network',
    url?.protocol === 'http:'
      ? `${text}: this address is not encrypted; give one that begins with https://, or a mirror on this machine (http://localhost).`
      : `${text}: this is no address to download from; give one that begins with https://.`,
  )
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(host)

async function get(
  url: URL,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  const { get } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const options = { headers: { 'accept-encoding': 'identity', 'user-agent': 'lacuna', ...headers }, signal }
    const sent = get(url, options, resolve)
    sent.setTimeout(STALL_MS, () => sent.destroy(Object.assign(new Error('stalled'), { code: 'ETIMEDOUT' })))
    sent.on('error', reject)
  })
}
