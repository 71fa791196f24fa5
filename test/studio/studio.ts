/**
 * The built studio in a real Chromium, as `lacuna studio` serves it or as a static host without any headers
 * does.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { expect, onTestFinished, TestRunner } from 'vitest'
import { serveFolder } from '#cli/commands/studio/server.ts'

/** Options of expect.poll for what happens some time later: other work may share the machine. */
export const PATIENT = { timeout: 240_000, interval: 100 }

/** The built studio. */
export const FOLDER = fileURLToPath(new URL('../../packages/cli/dist/studio', import.meta.url))

/** A running server and browser. */
export interface Studio {
  url: string
  browser: Browser
  /** Contexts for the pages of tests, by their options; each serves one test at a time. */
  contexts: Map<string, ReusableContext>
  /** Ends the server but not the browser, as if the network were gone. */
  stopServer(): Promise<void>
  close(): Promise<void>
}

/** A browser context that tests use one after another: a new one would double what it takes to open a page. */
interface ReusableContext {
  context: BrowserContext
  /** A page that stays open, and with it the window. */
  blank: Page
  isInUse: boolean
}

/** An opened page. */
export interface Visit {
  page: Page
  /** Errors in the console, exceptions and requests to other origins: there must be none. */
  complaints: string[]
}

/** Arguments of Chromium for a GPU in software, SwiftShader; the last one makes it faster. */
export const SOFTWARE_GPU = [
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--enable-dawn-features=disable_workgroup_init',
]

/** Waits until something is shown; fails at once with the error that the page shows instead. */
export async function waitForShown(page: Page, wanted: Locator): Promise<void> {
  const alert = page.getByRole('alert')
  await wanted.or(alert).first().waitFor()
  expect(await alert.allTextContents(), 'errors that the page shows').toEqual([])
}

/** The server and browser that all test files of a process share; they end with it. */
const shared = globalThis as { lacunaStudio?: Promise<Studio> }
/** Contexts that this test file has opened outside its tests. */
const ownContexts: BrowserContext[] = []

/**
 * Starts a server and Chromium; those of the usual kind once per process, as every new browser has to compile the page
 * again.
 * @param isolated whether the server sends the isolation headers
 */
export async function startStudio({ isolated = true, hasGpu = false } = {}): Promise<Studio> {
  if (!isolated || hasGpu) return launchStudio(isolated, hasGpu)
  shared.lacunaStudio ??= launchStudio(true, false)
  const studio = await shared.lacunaStudio
  const close = async (): Promise<void> => {
    for (const context of ownContexts.splice(0)) await context.close()
  }
  return { ...studio, close }
}

async function launchStudio(isolated: boolean, hasGpu: boolean): Promise<Studio> {
  const server = isolated ? await serveFolder(FOLDER, { host: '127.0.0.1', port: 0 }) : await serveBare()
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-background-networking',
      ...(hasGpu ? SOFTWARE_GPU : ['--disable-gpu']),
    ],
  })
  return {
    url: server.url,
    browser,
    contexts: new Map(),
    stopServer: () => server.close(),
    async close() {
      await browser.close()
      await server.close()
    },
  }
}

/**
 * A browser context without stored state. That of a test is emptied when the test ends, with its pages closed, since
 * open pages keep drawing and learning; one that is opened outside a test, or the second of a test, is new.
 */
async function openContext(
  { browser, url, contexts }: Studio,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const key = JSON.stringify(options)
  if (!TestRunner.getCurrentTest() || contexts.get(key)?.isInUse) {
    const context = await browser.newContext(options)
    if (TestRunner.getCurrentTest()) onTestFinished(() => context.close())
    else ownContexts.push(context)
    return context
  }
  let reusable = contexts.get(key)
  if (!reusable) {
    const context = await browser.newContext(options)
    reusable = { context, blank: await context.newPage(), isInUse: false }
    contexts.set(key, reusable)
  }
  const { context, blank } = reusable
  reusable.isInUse = true
  onTestFinished(async () => {
    await context.unrouteAll()
    for (const page of context.pages()) if (page !== blank) await page.close()
    const session = await context.newCDPSession(blank)
    await session.send('Storage.clearDataForOrigin', { origin: new URL(url).origin, storageTypes: 'all' })
    await session.detach()
    reusable.isInUse = false
  })
  return context
}

/**
 * Opens a page in a browser context without stored state. There is no service worker: copying all files for every visit
 * would take a second of a busy machine.
 */
export async function visit(
  studio: Studio,
  address = '',
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const { url } = studio
  const context = await openContext(studio, {
    viewport: { width: 1280, height: 900 },
    serviceWorkers: 'block',
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENT.timeout) // other work may share the machine
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(url)) complaints.push(request.url())
  })
  await page.goto(url + address)
  return { page, complaints }
}

/** Drops a file on an element of the page; its type is that of its name, as browsers have it. */
export async function dropFile(
  page: Page,
  selector: string,
  name: string,
  content: string | Uint8Array,
): Promise<void> {
  const type = name.endsWith('.png') ? 'image/png' : 'text/csv'
  const transfer = await page.evaluateHandle(
    ([name, type, base64]) => {
      const transfer = new DataTransfer()
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      transfer.items.add(new File([bytes], name, { type }))
      return transfer
    },
    [name, type, Buffer.from(content as string).toString('base64')],
  )
  for (const event of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent(selector, event, { dataTransfer: transfer })
}

/** Serves the folder without any of the headers of `lacuna studio`. */
async function serveBare(): Promise<{ url: string; close(): Promise<void> }> {
  const types: Record<string, string> = {
    ...{ '.js': 'text/javascript', '.html': 'text/html', '.css': 'text/css' },
    ...{ '.svg': 'image/svg+xml', '.webp': 'image/webp', '.webmanifest': 'application/manifest+json' },
  }
  const server = createServer(async ({ url = '/' }, response) => {
    const path = new URL(url, 'http://x').pathname
    try {
      const body = await readFile(join(FOLDER, path === '/' ? 'index.html' : path))
      response.writeHead(200, { 'Content-Type': types[extname(path) || '.html'] ?? 'image/png' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
