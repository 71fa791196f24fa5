// Makes docs/tour.webp, the animation at the top of the README: half a minute of the studio, taken from the built page. A
// table is dropped, understood, completed and judged; winds are shown on a map; a photograph is restored.
// @ts-check
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { createServer } from 'vite'
import {
  chooseComponent,
  moveDivider,
  openExample,
  waitForRestored,
  waitForVerdict,
  withStudio,
} from './pictures/studioPage.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

/** @typedef {import('playwright-core').Page} Page */

const SIZE = { width: 1120, height: 720 }
/** The size of the animation, and its quality from 1 to 100. */
const WIDTH = 900
const QUALITY = 60

/** @type {{ png: Buffer, ms: number }[]} */
const frames = []

/** Adds the page as it is. @param {Page} page @param {number} ms how long it is shown */
async function take(page, ms) {
  frames.push({ png: await page.screenshot(), ms })
}

/** Adds several frames while something moves. @param {Page} page @param {number} count @param {number} ms between two of them */
async function film(page, count, ms) {
  for (let i = 0; i < count; i++) {
    await take(page, ms)
    await page.waitForTimeout(ms)
  }
}

/** Shows a sentence at the bottom of the following frames. @param {Page} page @param {string} text */
async function say(page, text) {
  await page.evaluate((text) => {
    document.querySelector('#tour-caption')?.remove()
    const caption = document.createElement('div')
    caption.id = 'tour-caption'
    caption.textContent = text
    caption.style.cssText =
      'position:fixed;left:50%;bottom:22px;translate:-50%;z-index:99;padding:10px 22px;border-radius:99px;' +
      'background:#0b2b2bee;color:#fff;font:600 19px system-ui,sans-serif;white-space:nowrap'
    document.body.append(caption)
  }, text)
}

/** Scrolls an element to the top of the screen. @param {import('playwright-core').Locator} target */
async function showAtTop(target) {
  await target.evaluate((element) => {
    element.scrollIntoView({ block: 'start' })
    scrollBy(0, -16)
  })
}

/** Goes back to the first screen. @param {Page} page */
async function goHome(page) {
  await page.getByRole('link', { name: 'Lacuna Studio' }).click()
  await page.getByRole('button', { name: 'Open a file …' }).waitFor()
}

/** Drags a table over the page, shows that, and drops it. @param {Page} page @param {string} name @param {string} content */
async function dropTable(page, name, content) {
  const dataTransfer = await page.evaluateHandle(
    ([name, content]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content], name, { type: 'text/csv' }))
      return transfer
    },
    [name, content],
  )
  await page.dispatchEvent('.home', 'dragover', { dataTransfer })
  await take(page, 1700)
  await page.dispatchEvent('.home', 'drop', { dataTransfer })
}

/** The table of the example Metro, by the page's own module. @returns {Promise<string>} */
async function metroTable() {
  const server = { middlewareMode: true, watch: null, ws: /** @type {const} */ (false) }
  const vite = await createServer({ configFile: false, appType: 'custom', logLevel: 'error', server })
  const { metroTable } = await vite.ssrLoadModule('/packages/studio/src/examples/measured.ts')
  const table = await metroTable()
  await vite.close()
  return table
}

const table = await metroTable()
await withStudio(async (open) => {
  const page = await open('#home', { viewport: SIZE })
  await page.waitForLoadState('networkidle')
  await say(page, 'Lacuna fills what is missing')
  await film(page, 6, 600) // the picture heals

  await page.locator('#tour-caption').evaluate((caption) => caption.remove()) // the page says what can be dropped
  await dropTable(page, 'chicago-rides.csv', table)
  const quick = page.getByRole('button', { name: 'Quick', exact: true })
  await quick.and(page.locator(':enabled')).waitFor()
  await page.waitForTimeout(1500)
  await say(page, 'It says what it understood')
  await take(page, 2600)
  await quick.click()
  await waitForVerdict(page)
  await page.waitForTimeout(1500)
  await say(page, 'Seconds later: how good is it?')
  await showAtTop(page.getByRole('region', { name: 'Verdict' }))
  await take(page, 3200)
  await say(page, 'What it learned: stations, weeks and weekdays that go together')
  await showAtTop(page.getByRole('heading', { name: 'The model' }))
  await page.waitForTimeout(500)
  await take(page, 3200)

  await goHome(page)
  await openExample(page, 'Sea winds')
  await page.locator('.place-chart svg').first().waitFor() // the verdict before it was that of the other table
  await page.waitForTimeout(1500)
  await say(page, 'Places are a map: winds over the sea')
  await showAtTop(page.getByRole('heading', { name: 'The model' }))
  await page.waitForTimeout(500)
  await take(page, 2500)
  for (const [number, caption] of /** @type {const} */ ([
    [3, 'A component: winter storms of the north'],
    [5, 'Another: the monsoon of the Arabian Sea'],
  ])) {
    await chooseComponent(page, number)
    await page.waitForTimeout(800)
    await showAtTop(page.getByRole('heading', { name: 'The model' }))
    await say(page, caption)
    await take(page, 2500)
  }

  await goHome(page)
  await openExample(page, 'A façade')
  await page.getByTestId('psnr').filter({ hasText: 'dB' }).waitFor()
  await say(page, 'A photograph: four pixels of five are gone')
  await page.evaluate(() => scrollTo(0, 0))
  await moveDivider(page, 96)
  await take(page, 2000)
  await waitForRestored(page)
  await page.evaluate(() => scrollTo(0, 0))
  await say(page, 'Restored, in the page; nothing leaves the machine')
  for (const percent of [80, 64, 48, 32, 18, 4]) {
    await moveDivider(page, percent)
    await take(page, 450)
  }
  await take(page, 3000)
})

const height = Math.round((WIDTH * SIZE.height) / SIZE.width)
const small = await Promise.all(frames.map(({ png }) => sharp(png).resize(WIDTH, height).png().toBuffer()))
const { size } = await sharp(small, { join: { animated: true } })
  .webp({ quality: QUALITY, effort: 6, delay: frames.map(({ ms }) => ms), loop: 0 })
  .toFile('docs/tour.webp')
const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1000
console.error(
  `docs/tour.webp: ${frames.length} frames, ${seconds.toFixed(0)} s, ${(size / 1e6).toFixed(2)} MB`,
)
