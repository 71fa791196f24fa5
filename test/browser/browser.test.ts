/** The browser build in a real Chromium, unbundled, from a server that isolates the page so that it may share memory. */
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CompleteOptions, complete, synthetic } from '#dist/index.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.html': 'text/html',
}
const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">{ "imports": { "fflate": "/node_modules/fflate/esm/browser.js" } }</script>`

let server: Server
let browser: Browser

beforeAll(async () => {
  server = createServer(async ({ url = '/' }, response) => {
    const isolation = {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    }
    try {
      const body = url === '/' ? PAGE : await readFile(join(ROOT, new URL(url, 'http://x').pathname))
      response.writeHead(200, { ...isolation, 'Content-Type': TYPES[extname(url)] ?? 'text/html' }).end(body)
    } catch {
      response.writeHead(404, isolation).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
})

afterAll(async () => {
  await browser?.close()
  server?.close()
})

it('gives the same factors as Node, to the bit, for any number of threads, while the page stays alive', async () => {
  const problem = { dims: [200, 150, 40], entries: 60_000, rank: 5, seed: 1 }
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const { tensor } = synthetic(problem)
  const solvers: CompleteOptions[] = [{ solver: 'paper', sample: 0.3 }, { solver: 'fast' }]
  for (const solver of solvers) {
    const options = { ...solver, rank: 7, epochs: 10, seed: 3 }
    const { model, epochs } = await complete(tensor, { ...options, threads: 2 })
    const hash = await digest(model.factors)
    for (const threads of [1, 2, 3]) {
      const found = await page.evaluate(solveInPage(problem, { ...options, threads }))
      expect(found).toEqual({ hash, epochs: epochs.length, alive: true, isolated: true })
    }
    if (solver.solver === 'paper') expect(epochs).toHaveLength(10)
  }
  expect(complaints).toEqual([])
})

/** What the page runs, as text: the test's own transformation must not touch it. */
function solveInPage(problem: object, options: object): string {
  return `(async () => {
    const lacuna = await import('/dist/browser.js')
    const { tensor } = lacuna.synthetic(${JSON.stringify(problem)})
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    const { model, epochs } = await lacuna.complete(tensor, ${JSON.stringify(options)})
    clearInterval(timer)
    const bytes = await new Blob(model.factors).arrayBuffer()
    const hash = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join()
    return { hash, epochs: epochs.length, alive: ticks > 0, isolated: crossOriginIsolated }
  })()`
}

async function digest(factors: readonly Float32Array[]): Promise<string> {
  const bytes = Buffer.concat(factors.map((factor) => Buffer.from(factor.buffer)))
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join()
}
