/** The first screen: what it loads, what it takes, and its examples. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { momentAt } from '../../packages/studio/src/home/moment.ts'
import { chooseView, looksLikeTable } from '../../packages/studio/src/shell/chooseView.ts'
import { dropFile, PATIENT, type Studio, startStudio, visit } from './studio.ts'

/** The most bytes that the first screen may load, as sent over the wire. */
const MOST_BYTES = 300_000

let studio: Studio

beforeAll(async () => {
  studio = await startStudio()
})

afterAll(() => studio?.close())

it('the first screen loads less than 300 kB, nothing twice, and starts no worker', async () => {
  const context = await studio.browser.newContext({ serviceWorkers: 'block' })
  const page = await context.newPage()
  const loads: Promise<{ url: string; bytes: number }>[] = []
  page.on('requestfinished', (request) =>
    loads.push(
      request.sizes().then(({ responseBodySize }) => ({ url: request.url(), bytes: responseBodySize })),
    ),
  )
  await page.goto(studio.url, { waitUntil: 'networkidle' })
  await page.getByText('nothing that you open leaves your machine').waitFor()
  const loaded = await Promise.all(loads)
  expect(loaded.some(({ url }) => url.endsWith('.webp'))).toBe(true)
  expect(new Set(loaded.map(({ url }) => url)).size).toBe(loaded.length)
  expect(loaded.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(MOST_BYTES)
  expect(page.workers()).toEqual([])
  await context.close()
})

it('the first picture is shown before its frames are loaded, and the sources of the examples can be read', async () => {
  const { page } = await visit(studio)
  const held: (() => Promise<void>)[] = []
  await page.route(/\.webp$/, (route) => void held.push(() => route.continue()))
  await page.reload()
  const picture = page.getByRole('img', { name: /^A photograph/ })
  const background = (): Promise<string> =>
    picture.evaluate((element) => getComputedStyle(element).backgroundImage)
  expect(await background()).toMatch(/^url\("data:image/)
  await expect.poll(() => held.length, PATIENT).toBeGreaterThan(0)
  for (const go of held) await go()
  await expect.poll(background, PATIENT).toBe('none') // hidden pixels are transparent

  const link = await page.getByRole('link', { name: 'sources and licences' }).getAttribute('href')
  const text = await (await fetch(new URL(link!, studio.url))).text()
  for (const author of ['danielbuechele', 'Felice Beato', 'Max Kuhn', 'COADS']) expect(text).toContain(author)
})

it('a table that is dropped on the header, and a pasted one, are opened in Complete', async () => {
  const { page, complaints } = await visit(studio)
  await page.getByRole('button', { name: 'Open a file …' }).waitFor()
  const rows = Array.from({ length: 30 }, (_, i) => `r${i % 6},c${i % 5},${1 + (i % 4)}`).join('\n')
  await dropFile(page, '.header', 'dropped.csv', `row,column,value\n${rows}\n`)
  await page.getByText('dropped.csv').first().waitFor()
  expect(await page.getByRole('tab', { name: 'Complete' }).getAttribute('aria-selected')).toBe('true')

  await page.evaluate(
    (text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', text)
      document.body.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    },
    `row\tcolumn\tvalue\n${rows.replaceAll(',', '\t')}\n`,
  )
  await page.getByText('pasted.tsv').first().waitFor()
  expect(complaints).toEqual([])
})

it('a picture that is dropped on Complete is opened in Restore', async () => {
  const { page } = await visit(studio, '#complete')
  await page.getByText('Drop a table').first().waitFor()
  await dropFile(page, '#view-complete > *', 'photo.png', 'no picture')
  await page.waitForURL(/#restore/)
})

it('an example completes its table with one click, and says where its data is from', async () => {
  const { page, complaints } = await visit(studio)
  await page.getByRole('button', { name: /^Spectra/ }).click()
  await page.getByRole('radio', { name: 'Components' }).waitFor()
  expect(await page.getByText('Data: Tecator, by the R package modeldata (MIT)').isVisible()).toBe(true)
  expect(complaints).toEqual([])
})

it('an example draws its scratches and restores its picture with one click', async () => {
  const { page, complaints } = await visit(studio)
  await page.getByRole('button', { name: /^A scratched print/ }).click()
  await page.getByTestId('psnr').filter({ hasText: 'dB' }).waitFor()
  expect(await page.getByText('with simulated scratches').isVisible()).toBe(true)
  expect(complaints).toEqual([])
})

it('pictures go to Restore, anything else to Complete', () => {
  const file = (name: string, type = ''): { name: string; type: string } => ({ name, type })
  expect(chooseView([file('a.JPG')])).toBe('restore')
  expect(chooseView([file('photo', 'image/avif')])).toBe('restore')
  expect(chooseView([file('a.png'), file('b.csv')])).toBe('complete')
  for (const name of ['ratings.csv', 'model.npz', 'x.tns', 'image.txt', 'session.json'])
    expect(chooseView([file(name)])).toBe('complete')
})

it('pasted text is a table if its rows have the same number of cells', () => {
  expect(looksLikeTable('a\tb\n1\t2\n')).toBe(true)
  expect(looksLikeTable('a;b;c\r\n1;2;3')).toBe(true)
  for (const text of ['one line, with a comma', 'Dear all,\nthank you.\n', 'a\nb\nc'])
    expect(looksLikeTable(text)).toBe(false)
})

it('the healing picture fades through all frames and rests at the last', () => {
  const shown = Array.from({ length: 120 }, (_, i) => momentAt(70 * i, 6))
  expect(shown[0]).toEqual({ frame: 0, fade: 0 })
  expect(new Set(shown.map(({ frame }) => frame))).toEqual(new Set([0, 1, 2, 3, 4, 5]))
  expect(shown.at(-1)).toEqual({ frame: 5, fade: 0 })
  for (const { frame, fade } of shown) expect(frame + Math.ceil(fade)).toBeLessThanOrEqual(5)
})
