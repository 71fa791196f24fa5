import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Server {
  /** http://127.0.0.1:… */
  base: string
  /** What was asked for, in order: the path, and the Range if there was one. */
  asked: string[]
  close(): Promise<void>
}

type Handler = (request: IncomingMessage, response: ServerResponse, call: number) => void

/** A server of this process; `call` counts the requests from 0. */
export async function serve(handler: Handler): Promise<Server> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { range } = request.headers
    asked.push(`${request.url}${range ? ` ${range}` : ''}`)
    handler(request, response, asked.length - 1)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export interface FileOptions {
  etag?: string
  /** Drop the connection after this many bytes of the body. */
  cutAfter?: number
}

/** Answers like a good file server: whole files, or the range asked for if the version is still the same. */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  content: Uint8Array,
  { etag = '"v1"', cutAfter = Infinity }: FileOptions = {},
): void {
  const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')
  const start = from && request.headers['if-range'] === etag ? Number(from[1]) : 0
  if (start >= content.length) {
    response.writeHead(416, { etag, 'content-range': `bytes */${content.length}` }).end()
    return
  }
  const rest = content.subarray(start)
  response.writeHead(start > 0 ? 206 : 200, {
    etag,
    'content-length': rest.length,
    'accept-ranges': 'bytes',
    ...(start > 0 ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}),
  })
  if (cutAfter >= rest.length) response.end(rest)
  else response.write(rest.subarray(0, cutAfter), () => setTimeout(() => response.destroy(), 200))
}
