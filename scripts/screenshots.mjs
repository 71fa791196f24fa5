// Takes the pictures of docs/studio.md from the built studio: each view, light and dark, on a wide screen and on a phone.
// @ts-check
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import {
  chooseComponent,
  dropTable,
  moveDivider,
  openExample,
  paintStroke,
  rateFilms,
  showAtTop,
  showModelPage,
  waitForRestored,
  waitForVerdict,
  withStudio,
} from './pictures/studioPage.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

/** @typedef {import('playwright-core').Page} Page */

/** A table with questions: dates that could be read in two ways, thousands separators, units and repeated rows. */
const SALES = `date,shop,product,sold
${Array.from({ length: 240 }, (_, at) => {
  const [day, shop, product] = [1 + (at % 12), at % 5, at % 7]
  return `${day}/${1 + (Math.floor(at / 24) % 9)}/2024,Shop ${shop + 1},${'ABCDEFG'[product]},"${1 + (at % 3)},${String(100 + ((37 * at) % 900))} €"`
}).join('\n')}
`

/** Runs an example of Complete and shows a page of its model. @param {Page} page @param {string} example @param {string} name */
async function showExamplePage(page, example, name) {
  await openExample(page, example)
  await waitForVerdict(page)
  await showModelPage(page, name)
  await showAtTop(page.getByRole('heading', { name: 'The model' }))
}

/** @type {{ name: string, address: string, height: number, act: (page: Page) => Promise<unknown> }[]} */
const views = [
  {
    name: 'home',
    address: '#home',
    height: 900,
    async act(page) {
      await page.getByRole('button', { name: 'Play' }).waitFor() // reduced motion: the end of the healing
      await page.waitForLoadState('networkidle')
    },
  },
  {
    name: 'restore',
    address: '#home',
    height: 900,
    async act(page) {
      await openExample(page, 'A façade')
      await waitForRestored(page)
      await moveDivider(page, 32) // through the tower
    },
  },
  {
    name: 'complete',
    address: '#home',
    height: 1500,
    async act(page) {
      await openExample(page, 'Metro')
      await waitForVerdict(page)
    },
  },
  {
    name: 'map',
    address: '#home',
    height: 1100,
    async act(page) {
      await openExample(page, 'Sea winds')
      await waitForVerdict(page)
      await chooseComponent(page, 5) // the monsoon
      await page.getByRole('heading', { name: 'The model' }).scrollIntoViewIfNeeded()
      await page.evaluate(() => {
        const heading = [...document.querySelectorAll('h2')].find((h) => h.textContent === 'The model')
        heading?.scrollIntoView({ block: 'start' })
        scrollBy(0, -30)
      })
    },
  },
  {
    name: 'understood',
    address: '#home',
    height: 1000,
    async act(page) {
      await dropTable(page, 'sales.csv', SALES)
      await page.getByRole('heading', { name: 'What I understood' }).waitFor()
    },
  },
  {
    name: 'best',
    address: '#home',
    height: 1300,
    async act(page) {
      await openExample(page, 'Metro')
      await waitForVerdict(page)
      const best = page.getByRole('button', { name: 'Best', exact: true })
      await best.click()
      await page.getByRole('button', { name: 'Finish now' }).waitFor()
      await best.and(page.locator(':enabled')).waitFor() // a minute later
      await waitForVerdict(page)
    },
  },
  {
    name: 'slice',
    address: '#home',
    height: 1100,
    act: (page) => showExamplePage(page, 'Metro', 'Slice'),
  },
  {
    name: 'rank',
    address: '#home',
    height: 900,
    act: (page) => showExamplePage(page, 'Films', 'Best along a mode'),
  },
  {
    name: 'films',
    address: '#home',
    height: 1100,
    async act(page) {
      await openExample(page, 'Films')
      await waitForVerdict(page)
      await rateFilms(page)
      await page.getByRole('button', { name: 'What suits you?' }).click()
      await page.getByRole('list', { name: 'Ranking' }).getByRole('listitem').nth(9).waitFor()
      await showAtTop(page.getByRole('heading', { name: 'The model' }))
    },
  },
  {
    name: 'checks',
    address: '#home',
    height: 1400,
    act: (page) => showExamplePage(page, 'Metro', 'Checks'),
  },
  {
    name: 'brush',
    address: '#home',
    height: 900,
    async act(page) {
      await openExample(page, 'A scratched print')
      await waitForRestored(page)
      await page.getByRole('radio', { name: 'Brush' }).first().check({ force: true })
      await paintStroke(page)
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

const only = process.argv.slice(2)
await withStudio(async (open) => {
  for (const { name, address, height, act } of views) {
    if (only.length > 0 && !only.includes(name)) continue
    for (const screen of /** @type {const} */ (['wide', 'phone'])) {
      const isPhone = screen === 'phone'
      const viewport = isPhone ? { width: 390, height: 844 } : { width: 1200, height }
      const page = await open(address, { viewport, hasTouch: isPhone, reducedMotion: 'reduce' })
      await act(page)
      for (const theme of /** @type {const} */ (['light', 'dark'])) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
        await page.mouse.move(0, 0) // no chart shows what is under the pointer
        await page.waitForTimeout(1000) // charts are drawn again in the colours of the theme
        const file = `docs/studio/${name}${isPhone ? '-phone' : ''}-${theme}.webp`
        await sharp(await page.screenshot())
          .webp({ quality: 82, effort: 6 })
          .toFile(file)
        console.error(file)
      }
      await page.context().close()
    }
  }
})
