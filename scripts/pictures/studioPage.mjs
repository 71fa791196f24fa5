// The built studio in Chromium, for scripts that take pictures of it or save its files.
// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chromium } from 'playwright-core'

/** @typedef {import('playwright-core').Page} Page */

/**
 * Starts `lacuna studio` and Chromium, and ends them when the work is done.
 * @param {(open: (address: string, options: import('playwright-core').BrowserContextOptions) => Promise<Page>) => Promise<void>} work
 */
export async function withStudio(work) {
  const server = spawn(process.execPath, ['packages/cli/dist/lacuna.js', 'studio', '--no-open'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const [said] = await once(server.stdout, 'data')
    const [url] = /** @type {string[]} */ (/http:\S+/.exec(String(said)))
    await work(async (address, options) => {
      const context = await browser.newContext({ serviceWorkers: 'block', ...options })
      const page = await context.newPage()
      page.setDefaultTimeout(300_000)
      await page.goto(url + address)
      return page
    })
  } finally {
    await browser.close()
    server.kill()
  }
}

/** Opens an example of the first screen. @param {Page} page @param {string} title */
export async function openExample(page, title) {
  await page.getByRole('button', { name: new RegExp(`^${title}`) }).click()
}

/** Waits until an example of Restore is restored. @param {Page} page */
export async function waitForRestored(page) {
  await page.getByRole('button', { name: 'Restore again' }).waitFor()
}

/** Waits until an example of Complete has its verdict. @param {Page} page */
export async function waitForVerdict(page) {
  await page.getByRole('region', { name: 'Verdict' }).waitFor()
}

/**
 * Lights up a component of a model.
 * @param {Page} page @param {number} number of the component
 */
export async function chooseComponent(page, number) {
  await page
    .getByRole('button', { name: new RegExp(`Component ${number}`) })
    .first()
    .click()
}

/** Shows a page of a model. @param {Page} page @param {string} name */
export async function showModelPage(page, name) {
  await page.getByRole('radio', { name, exact: true }).check({ force: true })
}

/** Scrolls an element to the top of the screen. @param {import('playwright-core').Locator} target */
export async function showAtTop(target) {
  await target.first().evaluate((element) => {
    element.scrollIntoView({ block: 'start' })
    scrollBy(0, -16)
  })
}

/**
 * Drags a table over the page and drops it.
 * @param {Page} page @param {string} name @param {string} content
 * @param {() => Promise<unknown>} [whileOver] called before it is dropped
 */
export async function dropTable(page, name, content, whileOver) {
  const dataTransfer = await page.evaluateHandle(
    ([name, content]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content], name, { type: 'text/csv' }))
      return transfer
    },
    [name, content],
  )
  for (const event of ['dragenter', 'dragover']) await page.dispatchEvent('.header', event, { dataTransfer })
  await whileOver?.()
  await page.dispatchEvent('.header', 'drop', { dataTransfer })
}

/**
 * Paints a wave over the picture of Restore.
 * @param {Page} page @param {(at: number) => Promise<unknown>} [onStep] called after each of ten steps
 */
export async function paintStroke(page, onStep) {
  const box = await page.getByRole('application', { name: 'Picture' }).boundingBox()
  if (!box) throw new Error('There is no picture to paint on.')
  const place = (/** @type {number} */ at) =>
    /** @type {const} */ ([
      box.x + (0.3 + 0.035 * at) * box.width,
      box.y + (0.55 + 0.12 * Math.sin(at)) * box.height,
    ])
  await page.mouse.move(...place(0))
  await page.mouse.down()
  for (let at = 1; at <= 10; at++) {
    await page.mouse.move(...place(at), { steps: 8 })
    await onStep?.(at)
  }
  await page.mouse.up()
}

/** Enters five films for a row of one's own, on the example Films. @param {Page} page @param {() => Promise<unknown>} [onFilm] */
export async function rateFilms(page, onFilm) {
  await showModelPage(page, 'A row of your own')
  const search = page.getByPlaceholder(/^search /)
  for (const film of [
    'Alien (1979)',
    'Arrival (2016)',
    'Blade Runner (1982)',
    'Gravity (2013)',
    'The Matrix (1999)',
  ]) {
    await search.click()
    await search.fill(film)
    await page.keyboard.press('Enter')
    await onFilm?.()
  }
}

/** Moves the divider between the damaged and the restored picture. @param {Page} page @param {number} percent from the left */
export async function moveDivider(page, percent) {
  const divider = page.getByRole('slider', { name: /divider|compare/i }).first()
  await divider.focus()
  for (let presses = 0; presses < 100; presses++) {
    const now = Number(await divider.getAttribute('aria-valuenow'))
    if (Math.abs(now - percent) < 2) return
    await page.keyboard.press(now > percent ? 'ArrowLeft' : 'ArrowRight')
  }
}
