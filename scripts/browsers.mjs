// The essential part of the browser tests in any browser: the library computes the bits of Node, with threads, and the
// studio opens without an error.
//   npm run browsers -- [chromium] [firefox] [webkit]
// Chromium and Firefox of Debian are used if they are installed, else the browsers of playwright-core.
// @ts-check
import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as playwright from 'playwright-core'
import { complete, synthetic } from '#lacuna/index.js'
import { openFirefox } from './browsers/bidi.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** @type {Record<string, string>} */
const TYPES = {
  '.js': 'text/javascript',
  '.html': 'text/html',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
}
const PAGE =
  '<!doctype html><link rel="icon" href="data:,"><script type="importmap">{ "imports": { "fflate": "/node_modules/fflate/esm/browser.js" } }</script>'
const problem = { dims: [60, 50, 40], entries: 20_000, rank: 3, seed: 1 }
const options = { rank: 5, epochs: 8, seed: 3 }

const wanted = process.argv.slice(2)
const server = createServer(async ({ url = '/' }, response) => {
  const { pathname } = new URL(url, 'http://localhost')
  const headers = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  }
  const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
  const body = pathname === '/' ? PAGE : await readFile(join(root, path)).catch(() => undefined)
  response.writeHead(body ? 200 : 404, {
    ...headers,
    'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
  })
  response.end(body)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
const address = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`

const { model } = await complete(synthetic(problem).tensor, options)
const hash = createHash('sha256')
for (const { buffer } of model.factors) hash.update(new Uint8Array(buffer))
const expected = hash.digest('hex')

for (const name of wanted.length > 0 ? wanted : ['chromium']) await check(name)
server.close()

/** Opens a page of a browser. @param {string} name @returns {Promise<import('./browsers/bidi.mjs').DrivenPage & { version: string }>} */
async function open(name) {
  const firefox = '/usr/bin/firefox-esr'
  if (name === 'firefox' && existsSync(firefox)) {
    const page = await openFirefox(firefox)
    return { ...page, version: await page.evaluate('navigator.userAgent') }
  }
  const type = { chromium: playwright.chromium, firefox: playwright.firefox, webkit: playwright.webkit }[name]
  if (!type) throw new Error(`${name} is no browser; name chromium, firefox or webkit.`)
  const executablePath =
    name === 'chromium' && existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined
  const browser = await type.launch({
    executablePath,
    args: name === 'chromium' ? ['--no-sandbox', '--disable-gpu'] : [],
  })
  const page = await browser.newPage()
  /** @type {string[]} */
  const errors = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', ({ message }) => errors.push(message))
  return {
    errors,
    version: `${name} ${browser.version()}`,
    goto: async (url) => void (await page.goto(url)),
    evaluate: (expression) => page.evaluate(expression),
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  }
}

/** Runs the checks in a browser; a failure sets the exit code. @param {string} name */
async function check(name) {
  const page = await open(name)
  const failures = []
  await page.goto(`${address}/`)
  const found = await page.evaluate(`(async () => {
    const lacuna = await import('/packages/lacuna/dist/browser.js')
    const { tensor } = lacuna.synthetic(${JSON.stringify(problem)})
    const hashes = []
    for (const threads of [1, 2]) {
      const { model } = await lacuna.complete(tensor, { ...${JSON.stringify(options)}, threads })
      const bytes = await crypto.subtle.digest('SHA-256', await new Blob(model.factors).arrayBuffer())
      hashes.push([...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join(''))
    }
    return { hashes, isolated: crossOriginIsolated }
  })()`)
  if (!found.isolated) failures.push('the page is not isolated and has no threads')
  if (found.hashes.some((/** @type {string} */ hash) => hash !== expected))
    failures.push('the factors differ from those of Node')
  await page.goto(`${address}/packages/cli/dist/studio/`)
  const text = await page.evaluate(`new Promise((resolve) => {
    const look = () => document.querySelector('h1') ? resolve(document.body.innerText) : setTimeout(look, 50)
    look()
  })`)
  if (!/Restore|Complete/.test(text)) failures.push('the studio does not show its tasks')
  failures.push(...page.errors)
  if (process.env.SCREENSHOT) writeFileSync(process.env.SCREENSHOT, await page.screenshot())
  await page.close()
  console.log(
    `${page.version}: ${failures.length > 0 ? failures.join('; ') : 'the bits of Node on 1 and 2 threads; the studio opens'}`,
  )
  if (failures.length > 0) process.exitCode = 1
}
