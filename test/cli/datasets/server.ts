/** A local HTTP server that stands for the hosts of data sets. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A running server. */
export interface Server {
  /** http://127.0.0.1:… */
  base: string
  /** Paths that were requested, in order. */
  requested: string[]
  close(): Promise<void>
}

/** Starts a server in this process. */
export async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const requested: string[] = []
  const server = createServer((request, response) => {
    requested.push(request.url!)
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** Serves files by their paths; any other path is answered by 404. */
export const serveFiles = (files: Readonly<Record<string, Uint8Array>>): Promise<Server> =>
  serve(({ url }, response) => {
    const content = files[url!]
    if (content) response.writeHead(200, { 'content-length': content.length }).end(content)
    else response.writeHead(404).end()
  })
