// Makes docs/tour.webp, the animation at the top of the README: half a minute of the studio, from the first screen to a restored
// picture, films with reasons and a map, taken from the built page.
// @ts-check
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { openExample, waitForRestored, waitForVerdict, withStudio } from './pictures/studioPage.mjs'

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

/** Moves the pointer over an element and shows that for a moment. @param {Page} page @param {import('playwright-core').Locator} target */
async function pointAt(page, target) {
  await target.scrollIntoViewIfNeeded()
  await target.hover()
  await take(page, 900)
}

/** Scrolls an element to the top of the screen. @param {import('playwright-core').Locator} target */
async function showAtTop(target) {
  await target.evaluate((element) => {
    element.scrollIntoView({ block: 'start' })
    scrollBy(0, -16)
  })
}

await withStudio(async (open) => {
  const page = await open('#home', { viewport: SIZE })
  await page.waitForLoadState('networkidle')
  await film(page, 5, 700) // the picture heals

  const facade = page.getByRole('button', { name: /^A façade/ })
  await pointAt(page, facade)
  await facade.click()
  await page.getByTestId('psnr').filter({ hasText: 'dB' }).waitFor()
  await take(page, 1200)
  await waitForRestored(page)
  await page.evaluate(() => scrollTo(0, 0))
  await take(page, 1800)
  const divider = page.getByRole('slider', { name: /divider|compare/i }).first()
  if (await divider.count()) {
    await divider.focus()
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight']) {
      for (let i = 0; i < 6; i++) await page.keyboard.press(key)
      await take(page, 350)
    }
  }
  await take(page, 1000)

  await page.getByRole('link', { name: 'Lacuna Studio' }).click()
  const films = page.getByRole('button', { name: /^Films/ })
  await pointAt(page, films)
  await films.click()
  await waitForVerdict(page)
  await page.waitForTimeout(1200)
  await page.evaluate(() => scrollTo(0, 0))
  await take(page, 1800)
  await showAtTop(page.getByRole('region', { name: 'Verdict' }))
  await take(page, 2600)
  await showAtTop(page.getByRole('heading', { name: 'The model' }))
  await page.waitForTimeout(500)
  await take(page, 2200)
  await page.getByRole('radio', { name: 'Best along a mode' }).check()
  await page.waitForTimeout(800)
  await take(page, 2600)

  await page.getByRole('link', { name: 'Lacuna Studio' }).click()
  await openExample(page, 'Taxis')
  await waitForVerdict(page)
  await page.waitForTimeout(1200)
  await showAtTop(page.getByRole('heading', { name: 'The model' }))
  await page.waitForTimeout(500)
  await take(page, 3000)
  for (const number of [2, 3, 4]) {
    const component = page.getByRole('button', { name: new RegExp(`Component ${number}`) })
    if ((await component.count()) === 0) continue
    await component.first().click()
    await page.waitForTimeout(600)
    await take(page, 1500)
  }
  await page.getByRole('link', { name: 'Lacuna Studio' }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.waitForTimeout(400)
  await take(page, 2500)
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
