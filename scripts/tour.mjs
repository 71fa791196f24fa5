// Makes docs/tour.webp, the animation at the top of the README: half a minute of the studio, taken from the built page. A
// table is dropped, understood, completed and judged; winds are shown on a map; films are rated; a photograph is restored
// and painted on.
// @ts-check
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { createServer } from 'vite'
import {
  chooseComponent,
  dropTable,
  moveDivider,
  openExample,
  paintStroke,
  rateFilms,
  showAtTop,
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

/** Shows a sentence in the header of the following frames. @param {Page} page @param {string} text */
async function say(page, text) {
  await page.evaluate((text) => {
    document.querySelector('#tour-caption')?.remove()
    const caption = document.createElement('div')
    caption.id = 'tour-caption'
    caption.textContent = text
    caption.style.cssText =
      'position:fixed;left:50%;top:11px;translate:-50%;z-index:99;padding:9px 22px;border-radius:99px;' +
      'background:#0b2b2b;color:#fff;font:600 19px system-ui,sans-serif;white-space:nowrap'
    document.body.append(caption)
  }, text)
}

/** Goes back to the first screen. @param {Page} page */
async function goHome(page) {
  await page.getByRole('link', { name: 'Lacuna Studio' }).click()
  await page.getByRole('button', { name: 'Open a file …' }).waitFor()
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
  const theModel = page.getByRole('heading', { name: 'The model' })
  await page.waitForLoadState('networkidle')
  await say(page, 'Lacuna fills what is missing')
  await film(page, 12, 280) // the picture heals

  await say(page, 'Drop a table with gaps')
  await dropTable(page, 'chicago-rides.csv', table, () => take(page, 1400))
  const quick = page.getByRole('button', { name: 'Quick', exact: true })
  await quick.and(page.locator(':enabled')).waitFor()
  await page.waitForTimeout(1500)
  await say(page, 'It says what it understood')
  await take(page, 2000)
  await quick.click()
  await waitForVerdict(page)
  await page.waitForTimeout(1500)
  await say(page, 'Seconds later: how good is it?')
  await showAtTop(page.getByRole('region', { name: 'Verdict' }))
  await take(page, 2600)
  await say(page, 'What it learned: stations, weeks and weekdays that go together')
  await showAtTop(theModel)
  await page.waitForTimeout(500)
  await take(page, 2200)
  await say(page, 'Best tries other settings, and combines the best')
  await page.evaluate(() => scrollTo(0, 0))
  await page.getByRole('button', { name: 'Best', exact: true }).click()
  const finish = page.getByRole('button', { name: 'Finish now' })
  await finish.waitFor()
  await showAtTop(page.getByRole('heading', { name: /tries|tried|trials/i }).or(finish))
  for (let frame = 0; frame < 6; frame++) {
    await page.waitForTimeout(2500)
    await take(page, 450)
  }

  await goHome(page)
  await openExample(page, 'Sea winds')
  await page.locator('.place-chart svg').first().waitFor() // the verdict before it was that of the other table
  await page.waitForTimeout(1500)
  for (const [number, caption] of /** @type {const} */ ([
    [3, 'Places are a map: winter storms of the north'],
    [5, 'Another component: the monsoon of the Arabian Sea'],
  ])) {
    await chooseComponent(page, number)
    await page.waitForTimeout(800)
    await showAtTop(theModel)
    await say(page, caption)
    await take(page, 1900)
  }

  await goHome(page)
  await openExample(page, 'Films')
  await page
    .getByText(/simulated/i)
    .first()
    .waitFor()
  await waitForVerdict(page)
  await page.waitForTimeout(1000)
  await say(page, 'Rate five films …')
  await rateFilms(page, async () => {
    await showAtTop(theModel)
    await take(page, 320)
  })
  await page.getByRole('button', { name: 'What suits you?' }).click()
  await page.getByRole('list', { name: 'Ranking' }).getByRole('listitem').nth(9).waitFor()
  await say(page, '… and get ten, with reasons')
  await take(page, 2400)

  await goHome(page)
  await openExample(page, 'A façade')
  await page.getByTestId('psnr').filter({ hasText: 'dB' }).waitFor()
  await say(page, 'A photograph: four pixels of five are gone')
  await page.evaluate(() => scrollTo(0, 0))
  await moveDivider(page, 96)
  await take(page, 1600)
  await waitForRestored(page)
  await page.evaluate(() => scrollTo(0, 0))
  await say(page, 'Restored in the page')
  for (const percent of [88, 76, 64, 52, 40, 28, 16, 4]) {
    await moveDivider(page, percent)
    await take(page, 230)
  }
  await take(page, 1000)
  await page.getByRole('radio', { name: 'Brush' }).first().check({ force: true })
  await say(page, 'Or paint over what should go')
  await paintStroke(page, () => take(page, 110))
  await page.getByRole('button', { name: /^Restore/ }).click()
  await page.waitForTimeout(500)
  await waitForRestored(page)
  await page.evaluate(() => scrollTo(0, 0))
  await say(page, 'Nothing leaves the machine')
  await take(page, 2600)
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
