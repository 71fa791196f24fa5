// Stands for the hosts of data sets, so that `lacuna data fetch` is tortured without a network.
// @ts-check
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'

const HOSTS = new URL('../../test/cli/datasets/localHosts.mjs', import.meta.url)
const ENTRIES = gzipSync(
  Array.from({ length: 2000 }, (_, i) => `${1 + (i % 40)} ${1 + (i % 7)} 1 ${i} 2\n`).join(''),
)

/** Starts a server on this machine. @returns {Promise<{ env: NodeJS.ProcessEnv, close(): void }>} */
export async function startServer() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': ENTRIES.length }).end(ENTRIES)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  server.unref()
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    env: { TEST_SERVER: `http://127.0.0.1:${address.port}`, NODE_OPTIONS: `--import ${HOSTS}` },
    close: () => server.close(),
  }
}
