// The built studio in Chromium, for scripts that take pictures of it.
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
