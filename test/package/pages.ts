/** Pages of a real Chromium, from any address or from a folder. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

export const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })

export interface Seen {
  /** What the page put into globalThis.answer. */
  answer: unknown
  isolated: boolean
  complaints: string[]
}

/** Opens the page and waits for its answer. */
export async function visit(browser: Browser, url: string): Promise<Seen> {
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('response', (response) => response.status() >= 400 && complaints.push(response.url()))
  try {
    await page.goto(url)
    // Not waitForFunction, which a page's policy may forbid.
    let answer: unknown
    for (const end = Date.now() + 120_000; answer === undefined; ) {
      if (Date.now() > end) throw new Error(`${url} does not answer. ${complaints.join('\n')}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
      answer = await page.evaluate('globalThis.answer')
    }
    return { answer, isolated: await page.evaluate('crossOriginIsolated'), complaints }
  } finally {
    await page.close()
  }
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.html': 'text/html',
  '.wasm': 'application/wasm',
}

/** Serves a folder while the work lasts. */
export async function withServer<T>(
  folder: string,
  headers: Record<string, string>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = url === '/' ? '/index.html' : new URL(url, 'http://x').pathname
    const body = path === '/favicon.ico' ? '' : await readFile(join(folder, path)).catch(() => undefined)
    const type = TYPES[extname(path)] ?? 'application/octet-stream'
    response.writeHead(body === undefined ? 404 : 200, { ...headers, 'Content-Type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
