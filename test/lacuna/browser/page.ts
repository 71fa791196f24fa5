/** A page of a real Chromium, from a server that isolates it so that it may share memory, with the library unbundled. */
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.html': 'text/html',
}
const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">{ "imports": { "fflate": "/node_modules/fflate/esm/browser.js" } }</script>`

export interface BrowserPage {
  page: Page
  /** What the page complained of. */
  complaints: string[]
  close(): Promise<void>
}

/** `files`: further scripts, by their paths. */
export async function openPage(files: Record<string, string> = {}): Promise<BrowserPage> {
  const server: Server = createServer(async ({ url = '/' }, response) => {
    const isolation = {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    }
    try {
      const body =
        url === '/' ? PAGE : (files[url] ?? (await readFile(join(ROOT, new URL(url, 'http://x').pathname))))
      response.writeHead(200, { ...isolation, 'Content-Type': TYPES[extname(url)] ?? 'text/html' }).end(body)
    } catch {
      response.writeHead(404, isolation).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser: Browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return {
    page,
    complaints,
    async close() {
      await browser.close()
      server.close()
    },
  }
}
