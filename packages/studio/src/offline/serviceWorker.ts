/**
 * The service worker of the studio, which the build writes to sw.js with the list of files. It does two things:
 * it adds the isolation headers, so that threads work on any static host, and it keeps a copy of all files, so
 * that the page works without a network.
 */
import { isolationHeaders } from '../../policy.ts'

/** Filled in by the build: a hash of all files, and their paths relative to this script. */
declare const BUILD: { version: string; files: readonly string[] }

/** The part of ServiceWorkerGlobalScope that is used here; the types of DOM and worker cannot be mixed. */
interface Scope {
  registration: { scope: string }
  clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listen: (event: Extendable) => void): void
  addEventListener(type: 'fetch', listen: (event: FetchEvent) => void): void
  addEventListener(
    type: 'message',
    listen: (
      event: Extendable & { data: unknown; source: { postMessage(value: unknown): void } | null },
    ) => void,
  ): void
}
interface Extendable {
  waitUntil(work: Promise<unknown>): void
}
interface FetchEvent extends Extendable {
  request: Request
  respondWith(response: Promise<Response>): void
}

const worker = self as unknown as Scope
/** The names of caches: one per version. */
const PREFIX = 'lacuna-'
const CACHE = PREFIX + BUILD.version
/** How many files are copied at a time. */
const AT_ONCE = 4
/** Milliseconds after which a page that the network has not sent comes from the copy. */
const PATIENCE_MS = 4000

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))

// The page asks for the copy once it has loaded, so that copying does not delay it.
worker.addEventListener('message', (event) => {
  if (event.data !== 'precache') return
  event.waitUntil(precache().then((complete) => event.source?.postMessage({ offlineCopy: complete })))
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { scope } = worker.registration
  if (request.method === 'GET' && request.url.startsWith(scope)) event.respondWith(respond(request, scope))
})

/**
 * Answers a request. Names of assets carry a hash of their content, so that a copy is as good as the original;
 * everything else comes from the network, and from the copy if there is none: a page is never stale.
 */
async function respond(request: Request, scope: string): Promise<Response> {
  const url = request.url.split(/[?#]/)[0]
  const file = url === scope ? `${scope}index.html` : url
  const isAsset = file.startsWith(`${scope}assets/`)
  const copy = await findCopy(file)
  if (isAsset && copy) return isolate(copy)
  const network = fetch(request)
  const response = copy ? await orElse(network, copy) : await network
  return isolate(response)
}

/** Finds the copy of a file: of this version, or else of an earlier one. */
async function findCopy(file: string): Promise<Response | undefined> {
  const own = await caches.open(CACHE)
  return (await own.match(file)) ?? (await caches.match(file))
}

/** The answer of the network, or the copy if it fails or takes longer than PATIENCE_MS. */
function orElse(network: Promise<Response>, copy: Response): Promise<Response> {
  const late = new Promise<Response>((resolve) => setTimeout(() => resolve(copy), PATIENCE_MS))
  return Promise.race([network.catch(() => copy), late])
}

/** Adds the isolation headers to a response that lacks them. */
function isolate(response: Response): Response {
  const isIsolated = Object.keys(isolationHeaders).every((name) => response.headers.has(name))
  if (isIsolated || response.status === 0) return response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(isolationHeaders)) headers.set(name, value)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}

/**
 * Copies all files of this version, the page itself last, so that a copy is never a page without its parts.
 * Removes the copies of earlier versions but the last, which another tab may still use.
 * @returns whether the copy is complete
 */
async function precache(): Promise<boolean> {
  const { scope } = worker.registration
  const cache = await caches.open(CACHE)
  const present = new Set((await cache.keys()).map(({ url }) => url))
  const missing = BUILD.files.map((file) => scope + file).filter((url) => !present.has(url))
  try {
    while (missing.length > 0)
      await Promise.all(missing.splice(0, AT_ONCE).map((url) => copyFile(cache, url)))
  } catch {
    return false // no network, no space, or a newer version on the server: the page asks again at the next visit
  }
  const versions = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE)
  await Promise.all(versions.slice(0, -1).map((name) => caches.delete(name)))
  return true
}

/** Copies a file, from the copy of an earlier version if it is an asset of the same name and hash. */
async function copyFile(cache: Cache, url: string): Promise<void> {
  const isAsset = url.includes('/assets/')
  const earlier = isAsset ? await caches.match(url) : undefined
  const response = earlier ?? (await fetch(url, { cache: isAsset ? 'default' : 'no-cache' }))
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  await cache.put(url, response)
}
