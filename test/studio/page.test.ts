/** The page as a whole: themes, small screens, keyboard, and hosts that do not isolate it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { completeQuickly } from './complete/completing.ts'
import { longestTaskMs } from './mainThread.ts'
import { PATIENT, type Studio, startStudio, visit } from './studio.ts'

let studio: Studio
let bare: Studio

beforeAll(async () => {
  studio = await startStudio()
  bare = await startStudio({ isolated: false })
})

afterAll(async () => {
  await studio?.close()
  await bare?.close()
})

/** How many pixels of the page are beyond the right edge of the screen. */
const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

it("the page follows the system's dark theme and remembers the user's choice", async () => {
  const { page } = await visit(studio, '', { colorScheme: 'dark' })
  const brightness = (): Promise<number> =>
    page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.documentElement)
        .backgroundColor.match(/[\d.]+/g)!
        .map(Number)
      return (r + g + b) / 3
    })
  expect(await brightness()).toBeLessThan(60)
  await page.getByRole('button', { name: 'Light theme' }).click()
  expect(await brightness()).toBeGreaterThan(200)
  await page.reload()
  await page.getByRole('button', { name: 'Dark theme' }).waitFor()
  expect(await brightness()).toBeGreaterThan(200)
})

it('the page fits a phone, and every view can be reached by the keyboard', async () => {
  const { page, complaints } = await visit(studio, '', {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
  })
  await page.getByRole('heading', { name: 'Lacuna fills what is missing' }).waitFor()
  const overflow = (): Promise<number> => sidewaysScroll(page)
  expect(await overflow()).toBe(0)
  await page.getByRole('tab', { name: 'Restore' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Restore', exact: true }).waitFor()
  expect(await overflow()).toBe(0)
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tabpanel', { name: 'Complete' }).waitFor()
  expect(await overflow()).toBe(0)
  await page.getByRole('button', { name: 'Bicycle trips' }).click()
  await completeQuickly(page)
  const verdict = page.getByRole('region', { name: 'Verdict' })
  await expect.poll(async () => (await verdict.boundingBox())!.y, PATIENT).toBeLessThan(370)
  for (const name of ['Components', 'Slice', 'Predict a cell', 'Best along a mode']) {
    await page.getByRole('radio', { name }).check()
    expect(await overflow()).toBe(0)
  }
  expect(complaints).toEqual([])
})

it.each(['#home', '#restore', '#complete'])(
  'in %s at twice the size, the first thing to press is on the screen, and nothing is cut off',
  async (address) => {
    const { page } = await visit(studio, address, { viewport: { width: 640, height: 450 } })
    if (address === '#complete') {
      await page.getByRole('button', { name: 'Bicycle trips' }).click()
      await page.getByTestId('size').waitFor()
    }
    const primary = page.locator('.button.primary:visible').first()
    await primary.waitFor()
    const { y, height } = (await primary.boundingBox())!
    expect(y + height).toBeLessThanOrEqual(450)
    expect(await sidewaysScroll(page)).toBe(0)
  },
)

it('no task takes 50 ms of processor time while a slider moves or a view is chosen', async () => {
  const { page } = await visit(studio, '#complete?rank=3')
  await page.getByRole('button', { name: 'Bicycle trips' }).click()
  await completeQuickly(page)
  const slider = page.getByLabel(/^Rank/).first()
  let longest = Infinity
  // Other processes on the same core only lengthen a task: the least of three measurements is nearest to the page's own.
  for (let attempt = 0; attempt < 3 && longest >= 50; attempt++) {
    await page.getByRole('tab', { name: 'Complete' }).click()
    await slider.focus()
    const measured = await longestTaskMs(page, async () => {
      for (let step = 0; step < 20; step++) await page.keyboard.press('ArrowRight')
      await page.getByRole('link', { name: 'Lacuna Studio' }).click()
      await page.getByRole('button', { name: /^Spectra/ }).waitFor()
    })
    longest = Math.min(longest, measured)
  }
  expect(longest).toBeLessThan(50)
})

it('a page that no service worker can isolate shows that it runs on one thread, and computes the same bits', async () => {
  const results: string[] = []
  for (const host of [bare, studio]) {
    const { page, complaints } = await visit(host, '#complete?rank=3')
    expect(await page.getByText('the page is not isolated').isVisible()).toBe(host === bare)
    await page.getByRole('button', { name: 'Bicycle trips' }).click()
    await completeQuickly(page)
    await page.getByRole('radio', { name: 'Predict a cell' }).check()
    const prediction = page.getByTestId('prediction')
    results.push((await prediction.textContent()) ?? '')
    const threads = Number(await page.locator('dt:text-is("Threads") + dd').textContent())
    expect(threads).toBe(host === bare ? 1 : await page.evaluate(() => navigator.hardwareConcurrency))
    expect(complaints).toEqual([])
  }
  expect(results[0]).toBe(results[1])
})
