// A plain static server, as any host is: no special headers, files only, under a path.
// @ts-check
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { gzipSync } from 'node:zlib'

/** @type {Record<string, string>} */
const TYPES = {
  ...{
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.json': 'application/json',
    '.txt': 'text/plain; charset=utf-8',
  },
  ...{
    '.svg': 'image/svg+xml',
    '.png': 'image/png',
    '.jpg': 'image/jpeg',
    '.webp': 'image/webp',
    '.wasm': 'application/wasm',
  },
  '.webmanifest': 'application/manifest+json',
}

/**
 * Serves a folder at a path. @param {string} folder @param {number} port 0 for a free one @param {boolean} [announce]
 * @param {string} [path] @returns {Promise<{ url: string, missing: string[], close(): Promise<void> }>} `missing` has the
 *   addresses that were asked for and that no file has
 */
export async function serveStatic(folder, port, announce = false, path = '/') {
  /** @type {string[]} */
  const missing = []
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const inside = pathname.startsWith(path) ? decodeURIComponent(pathname.slice(path.length)) : '../'
    const name = normalize(inside.endsWith('/') || inside === '' ? `${inside}index.html` : inside)
    const body = name.startsWith('..') ? undefined : await readFile(join(folder, name)).catch(() => undefined)
    const isText = /\.(html|js|css|json|svg|txt)$/.test(name)
    const headers = {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      ...(isText && { 'Content-Encoding': 'gzip' }),
    }
    if (body) response.writeHead(200, headers).end(isText ? gzipSync(body) : body)
    else {
      missing.push(pathname)
      const page = await readFile(join(folder, '404.html')).catch(() => '')
      response.writeHead(404, { 'Content-Type': 'text/html' }).end(page)
    }
  })
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)))
  const { port: own } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const url = `http://127.0.0.1:${own}${path}`
  if (announce) console.log(`The site is at ${url}`)
  return {
    url,
    missing,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
