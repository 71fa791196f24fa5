// Takes the pictures of docs/studio.md from the built studio: each view, light and dark.
// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import sharp from 'sharp'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
mkdirSync('docs', { recursive: true })

/** @typedef {import('playwright-core').Page} Page */

/** @type {{ name: string, address: string, height: number, act: (page: Page) => Promise<unknown> }[]} */
const views = [
  {
    name: 'restore',
    address: '#restore?hide=80',
    height: 940,
    async act(page) {
      await page.getByRole('button', { name: 'Restore', exact: true }).click()
      await page.getByRole('button', { name: 'Go on' }).waitFor()
    },
  },
  {
    name: 'complete',
    address: '#complete',
    height: 1300,
    async act(page) {
      await page.getByRole('button', { name: 'Bicycle trips' }).click()
      await page.getByRole('button', { name: 'Complete', exact: true }).click()
      await page.getByRole('button', { name: 'Go on' }).waitFor()
    },
  },
  {
    name: 'paper',
    address: '#paper',
    height: 1420,
    async act(page) {
      for (const figure of [0, 1]) {
        await page.getByRole('button', { name: 'Run it here' }).nth(figure).click()
        await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'visible' })
        await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' })
      }
    },
  },
]

const server = spawn(process.execPath, ['packages/cli/dist/lacuna.js', 'studio', '--no-open'], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
const [said] = await once(server.stdout, 'data')
const [studioUrl] = /** @type {string[]} */ (/http:\S+/.exec(String(said)))
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  for (const { name, address, height, act } of views) {
    const context = await browser.newContext({ viewport: { width: 1200, height } })
    const page = await context.newPage()
    page.setDefaultTimeout(300_000)
    await page.goto(studioUrl + address)
    await act(page)
    for (const theme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme: theme })
      await page.mouse.move(0, 0)
      await page.waitForTimeout(1000)
      // 256 colours are enough for a page, and a third of the bytes.
      await sharp(await page.screenshot())
        .png({ palette: true, colours: 192, dither: 0.5, effort: 10 })
        .toFile(`docs/studio-${name}-${theme}.png`)
      console.error(`docs/studio-${name}-${theme}.png`)
    }
    await context.close()
  }
} finally {
  await browser.close()
  server.kill()
}
