/** A server of the files in one folder, for pages that share memory with worker threads. */
import { realpath, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, sep } from 'node:path'
import { InputError } from 'lacuna'
import { contentSecurityPolicy, isolationHeaders } from 'lacuna-studio/policy'
import { type Content, contentReader, matchesTag } from './content.ts'

/** A running server of a folder. */
export interface FolderServer {
  url: string
  port: number
  close(): Promise<void>
}

/** Media types by extension; other files are application/octet-stream. */
const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.md': 'text/markdown; charset=utf-8',
}

/** Headers of every response: isolation, which shared memory needs, and protection against embedding. */
const headers = {
  ...isolationHeaders,
  'Content-Security-Policy': `${contentSecurityPolicy}; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/** Number of ports from the given one on that are tried, before any free one is taken. */
const NEAR_PORTS = 20

/** Starts a server of the files in a folder. @param address host, and the first port to try */
export async function serveFolder(
  folder: string,
  address: { host: string; port: number },
): Promise<FolderServer> {
  const root = await realpath(folder)
  const read = contentReader()
  const server = createServer((request, response) => {
    respond(root, read, request, response).catch(() => response.destroy())
  })
  await listenNear(server, address)
  const { port } = server.address() as AddressInfo
  const name = address.host.includes(':') ? `[${address.host}]` : address.host
  return {
    url: `http://${name}:${port}/`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections() // a browser keeps its connections open
      }),
  }
}

/**
 * Listens on the first free one of NEAR_PORTS ports from the given one on, or else on any free port. Throws
 * if the port is reserved or the host is not an address of this machine.
 */
async function listenNear(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  const near = Array.from({ length: NEAR_PORTS }, (_, i) => port + i).filter((p) => p <= 65535)
  for (const candidate of [...near, 0]) {
    try {
      return await listen(server, host, candidate)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE') continue
      if (code === 'EACCES')
        throw new InputError(
          'option',
          `Port ${candidate} is reserved for the administrator; give one from 1024 by --port.`,
        )
      throw new InputError(
        'option',
        `This machine cannot listen on ${host}; give one of its own addresses by --host.`,
        {
          cause: error,
        },
      )
    }
  }
}

/** Resolves when the server listens; rejects if the port cannot be used. */
function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/**
 * Answers GET and HEAD requests of files below the root, compressed if the client accepts it; 304 if the client
 * has the file, 404 if there is none, 405 for other methods.
 */
async function respond(
  root: string,
  read: (path: string, acceptEncoding: string | undefined) => Promise<Content>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...headers, Allow: 'GET, HEAD' }).end()
    return
  }
  const path = await findFile(root, request.url ?? '/')
  if (!path) {
    response.writeHead(404, { ...headers, 'Content-Type': 'text/plain' }).end('There is no such file.\n')
    return
  }
  const { bytes, coding, tag, varies } = await read(path, request.headers['accept-encoding']?.toString())
  const validators = {
    ...headers,
    ETag: tag,
    // Names of assets carry a hash of their content; the page itself may change with the next version.
    'Cache-Control': path.includes(`${sep}assets${sep}`) ? 'max-age=31536000, immutable' : 'no-cache',
    ...(varies && { Vary: 'Accept-Encoding' }),
  }
  if (matchesTag(request.headers['if-none-match'], tag)) {
    response.writeHead(304, validators).end()
    return
  }
  response.writeHead(200, {
    ...validators,
    'Content-Type': mediaTypes[extname(path)] ?? 'application/octet-stream',
    'Content-Length': bytes.length,
    ...(coding && { 'Content-Encoding': coding }),
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

/**
 * Finds the file in the folder that the path of a URL names, index.html for a path that ends in /. Undefined
 * if there is none, or if it lies outside of the folder, also through a link.
 */
async function findFile(root: string, url: string): Promise<string | undefined> {
  try {
    const path = decodeURIComponent(url.split('?')[0])
    if (path.includes('\0')) return undefined
    const real = await realpath(join(root, path.endsWith('/') ? `${path}index.html` : path))
    return real.startsWith(root + sep) && (await stat(real)).isFile() ? real : undefined
  } catch {
    return undefined // a malformed URL or a file that is not there
  }
}
