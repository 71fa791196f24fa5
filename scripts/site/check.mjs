// Opens the built site in Chromium, from a plain server under a path of its own, on a wide screen, light and dark, and on a
// phone, and prints its figures: first and largest contentful paint, cumulative layout shift, bytes, findings of axe. Tries
// links, search, printing and an address without a page. Exits with 1 if a page has an error, is wider than its screen, moves
// while it loads, a request leaves the host, a file is missing, or something does not work. Chromium of Debian is used if it
// is installed, else that of playwright-core.
// @ts-check
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'
import { checkLinks } from './links.mjs'
import { checkPrint } from './print.mjs'
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

const WIDE = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
const VIEWS = /** @type {const} */ ([
  { view: 'light', colorScheme: 'light', viewport: WIDE },
  { view: 'dark', colorScheme: 'dark', viewport: WIDE },
  { view: 'phone', colorScheme: 'light', viewport: PHONE },
])
/** The cumulative layout shift that web.dev calls good. */
const MOST_SHIFT = 0.1
/** Collects layout shifts, and the time of the largest contentful paint, from the beginning of a page. */
const OBSERVE = `
  globalThis.shifts = []
  globalThis.largest = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts.push(value)
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) largest = startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })`

/** @param {string} dist the built site */
export async function checkSite(dist) {
  const pictures = process.env.SCREENSHOTS
  if (pictures) mkdirSync(pictures, { recursive: true })
  const server = await serveStatic(dist, 0, false, '/some/folder/')
  const chromiumOfDebian = '/usr/bin/chromium'
  const browser = await chromium.launch({
    executablePath: existsSync(chromiumOfDebian) ? chromiumOfDebian : undefined,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const { links, broken: faults } = checkLinks(dist)
  console.log(`${links} links and addresses, ${faults.length} of them broken`)
  const rows = []
  for (const { view, ...options } of VIEWS)
    for (const path of PAGES) {
      const name = path || 'home'
      const context = await browser.newContext(options)
      const page = await context.newPage()
      await page.addInitScript(OBSERVE)
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
      const largest = await page.evaluate('largest')
      const shift = await page.evaluate('shifts.reduce((sum, value) => sum + value, 0)')
      if (shift > MOST_SHIFT)
        faults.push(`${name}, ${view}: its parts move while it loads (${shift.toFixed(3)})`)
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
      await page.evaluate(AXE)
      const { violations } = await page.evaluate('axe.run(document)')
      for (const { id, nodes } of violations)
        console.log(`  axe, ${view} ${name}: ${id} (${nodes.length}) ${nodes[0].html.slice(0, 120)}`)
      rows.push({
        ...{ page: name, view, 'first paint, ms': Math.round(paint), 'largest, ms': Math.round(largest) },
        ...{ shift: Number(shift.toFixed(3)), kB: Math.round(bytes / 1000), axe: violations.length },
      })
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      if (overflow > 0) faults.push(`${name}, ${view}: ${overflow} pixels wider than the screen`)
      if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/\W/g, '-')}-${view}.png` })
      await context.close()
    }
  console.table(rows)
  await checkUse(browser, server.url, faults)
  await checkPrint(browser, server.url, faults, pictures)
  for (const path of server.missing) faults.push(`There is no file ${path}`)
  await checkNotFound(browser, server.url, faults)
  await browser.close()
  await server.close()
  for (const fault of new Set(faults)) console.error(fault)
  console.log(
    `${rows.length} pages, ${new Set(faults).size} faults, ${rows.reduce((sum, { axe }) => sum + axe, 0)} findings of axe`,
  )
  if (faults.length > 0) process.exitCode = 1
}

/** What a reader types into the search, and the end of the address that comes first. */
const SEARCHES = [
  ['--merge-modes', 'reference/commands.html#lacuna-complete-merge-modes'],
  // Of the commands predict and forecast.
  ['--interval', '-interval'],
  ['--fold-by', 'reference/commands.html#lacuna-complete-fold-by'],
  ['completeByFolds', 'docs/api.html#completebyfolds'],
]

/**
 * An address without a page, at any depth, has a page with a link to the home page.
 * @param {import('playwright-core').Browser} browser @param {string} url @param {string[]} faults
 */
async function checkNotFound(browser, url, faults) {
  const page = await browser.newPage()
  for (const path of ['nothing.html', 'docs/no/such/page.html']) {
    await page.goto(`${url}${path}`)
    await expectText(page, 'h1', /There is no such page/)
    await page.locator(`#home[href="${new URL(url).pathname}"]`).click({ timeout: PATIENCE })
    await expectText(page, 'h1', /Fill the gaps/)
    if (page.url() !== url) faults.push(`From ${path} the home page was said to be ${page.url()}`)
  }
}

/** Links, search and the studio work, and the first screen has the numbers. @param {import('playwright-core').Browser} browser @param {string} url @param {string[]} faults */
async function checkUse(browser, url, faults) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
  page.on('pageerror', ({ message }) => faults.push(message))
  await page.goto(url)
  for (const part of ['.live', '.numbers']) {
    const box = await page.locator(part).boundingBox()
    if (!box || box.y + box.height > 900) faults.push(`${part} is not on the first screen of 1400 × 900`)
  }
  // Changed before the first completion has ended: 0.7 of 72 × 128 cells are given, and nine tenths of them learned from.
  await page.locator('.live input[type=range]').fill('30')
  await expectText(page, '.live .state', /Learned from 5,[0-9]{3} cells/)
  await expectText(page, '.live figcaption', /given: 70%/)
  await page.getByRole('link', { name: 'I have a table' }).first().click()
  await expectText(page, 'h1', /I have a table/)
  if (page.url() !== `${url}paths/table.html`) faults.push(`A link led to ${page.url()}`)
  const icon = await page.locator('link[rel=icon]').getAttribute('href')
  if (!icon?.startsWith('data:')) faults.push(`The icon is at ${icon}, which is wrong in other folders`)
  await page.keyboard.press('Control+k')
  await page.locator('.VPLocalSearchBox input').fill('checkpoint')
  await expectText(page, '.VPLocalSearchBox .results', /Checkpoints/)
  for (const [words, address] of SEARCHES) {
    await page.locator('.VPLocalSearchBox input').fill(words)
    const first = page.locator(`.VPLocalSearchBox .results li:first-child a[href$="${address}"]`)
    await first.waitFor({ timeout: 5000 }).catch(async () => {
      const found = await page.locator('.VPLocalSearchBox .results li:first-child a').getAttribute('href')
      faults.push(`The search for ${words} finds ${found} first`)
    })
  }
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
  await studio.locator('a[href="../index.html"]').click({ timeout: PATIENCE })
  await expectText(studio, 'h1', /Fill the gaps/)
  console.log('The studio inside is isolated by its service worker and has threads.')
}

/** @param {import('playwright-core').Page} page @param {string} selector @param {RegExp} pattern */
const expectText = (page, selector, pattern) =>
  page.locator(selector).filter({ hasText: pattern }).first().waitFor({ timeout: PATIENCE })
