// Opens the built site in Chromium, from a plain server under a path of its own, and prints its figures: first paint, bytes,
// findings of axe. Exits with 1 if a page has an error, is wider than a phone, a request leaves the host, or something does not work.
// @ts-check
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'
import { checkLinks } from './links.mjs'
import { serveStatic } from './server.mjs'

const PAGES = [
  '',
  'gallery.html',
  'paths/table.html',
  'docs/data.html',
  'docs/tour/',
  'reference/commands.html',
  'docs/api.html',
]
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Milliseconds to wait for something to work; a page needs a hundredth of it. */
const PATIENCE = 60_000

/** @param {string} dist the built site */
export async function checkSite(dist) {
  const pictures = process.env.SCREENSHOTS
  if (pictures) mkdirSync(pictures, { recursive: true })
  const server = await serveStatic(dist, 0, false, '/some/folder/')
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const { links, broken: faults } = checkLinks(dist)
  console.log(`${links} links and addresses, ${faults.length} of them broken`)
  const rows = []
  for (const scheme of /** @type {const} */ (['light', 'dark']))
    for (const path of PAGES) {
      const context = await browser.newContext({
        colorScheme: scheme,
        viewport: { width: 1280, height: 900 },
      })
      const page = await context.newPage()
      /** @type {Promise<number>[]} */
      const sizes = []
      page.on('console', (message) => message.type() === 'error' && faults.push(`${path}: ${message.text()}`))
      page.on('pageerror', ({ message }) => faults.push(`${path}: ${message}`))
      page.on(
        'request',
        (request) =>
          !/^(data|blob):/.test(request.url()) &&
          !request.url().startsWith(server.url) &&
          faults.push(`${path} asks for ${request.url()}`),
      )
      page.on('response', (response) => {
        if (response.status() >= 400) faults.push(`${path}: ${response.url()} is missing`)
        const sizesOf = response.request().sizes()
        sizes.push(
          sizesOf.then(
            ({ responseBodySize }) => responseBodySize,
            () => 0,
          ),
        )
      })
      await page.goto(`${server.url}${path}`, { waitUntil: 'load' })
      if (path === '') await expectText(page, '.live .state', /Error on cells/)
      await page.waitForTimeout(300)
      const paint = await page.evaluate(
        'performance.getEntriesByName("first-contentful-paint")[0]?.startTime',
      )
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
      await page.evaluate(AXE)
      const { violations } = await page.evaluate('axe.run(document)')
      for (const { id, nodes } of violations)
        console.log(
          `  axe, ${scheme} ${path || 'home'}: ${id} (${nodes.length}) ${nodes[0].html.slice(0, 120)}`,
        )
      rows.push({
        page: path || 'home',
        scheme,
        'first paint, ms': Math.round(paint),
        kB: Math.round(bytes / 1000),
        axe: violations.length,
      })
      await page.setViewportSize({ width: 390, height: 844 })
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      if (overflow > 0) faults.push(`${path || 'home'} is ${overflow} pixels wider than a phone`)
      await page.setViewportSize({ width: 1280, height: 900 })
      if (pictures)
        await page.screenshot({ path: `${pictures}/${(path || 'home').replace(/\W/g, '-')}-${scheme}.png` })
      await context.close()
    }
  console.table(rows)
  await checkUse(browser, server.url, faults)
  await browser.close()
  await server.close()
  for (const fault of new Set(faults)) console.error(fault)
  console.log(
    `${rows.length} pages, ${new Set(faults).size} faults, ${rows.reduce((sum, { axe }) => sum + axe, 0)} findings of axe`,
  )
  if (faults.length > 0) process.exitCode = 1
}

/** Links, search and the studio work. @param {import('playwright-core').Browser} browser @param {string} url @param {string[]} faults */
async function checkUse(browser, url, faults) {
  const page = await browser.newPage()
  page.on('pageerror', ({ message }) => faults.push(message))
  await page.goto(url)
  await page.getByRole('link', { name: 'I have a table' }).first().click()
  await expectText(page, 'h1', /I have a table/)
  if (page.url() !== `${url}paths/table.html`) faults.push(`A link led to ${page.url()}`)
  await page.keyboard.press('Control+k')
  await page.locator('.VPLocalSearchBox input').fill('checkpoint')
  await expectText(page, '.VPLocalSearchBox .results', /Checkpoints/)
  const studio = await browser.newPage()
  studio.on('pageerror', ({ message }) => faults.push(message))
  await studio.goto(`${url}studio/`)
  // The service worker takes over and reloads the page once, with the headers that threads need.
  const isReady =
    'crossOriginIsolated && Boolean(navigator.serviceWorker.controller && document.querySelector("h1"))'
  const end = performance.now() + PATIENCE
  while (!(await studio.evaluate(isReady).catch(() => false))) {
    if (performance.now() > end) throw new Error('The studio inside the site is not isolated.')
    await studio.waitForTimeout(100)
  }
  console.log('The studio inside is isolated by its service worker and has threads.')
}

/** @param {import('playwright-core').Page} page @param {string} selector @param {RegExp} pattern */
const expectText = (page, selector, pattern) =>
  page.locator(selector).filter({ hasText: pattern }).first().waitFor({ timeout: PATIENCE })
