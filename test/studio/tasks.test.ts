/** Five tasks of a new user, from the first screen on, with the clicks that docs/studio.md promises. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dropFile, type Studio, startStudio, visit } from './studio.ts'

let studio: Studio
beforeAll(async () => {
  studio = await startStudio()
})
afterAll(() => studio?.close())

/** The clicks of each task in the table of the documentation. */
const documented = new Map(
  Array.from(
    readFileSync(new URL('../../docs/studio.md', import.meta.url), 'utf8').matchAll(
      /^\| ([A-Z][^|]+?) \| [^|]+ \| (\d+) \|$/gm,
    ),
    ([, task, clicks]) => [task, Number(clicks)],
  ),
)

/** Opens the first screen, and counts what the user presses with the mouse: clicks, and strokes of the brush. */
async function begin(): Promise<{ page: Page; clicks(): Promise<number>; complaints: string[] }> {
  const { page, complaints } = await visit(studio)
  await page.getByRole('button', { name: 'Open a file …' }).waitFor()
  const counted = await page.evaluateHandle(() => {
    const count = { clicks: 0 }
    addEventListener('pointerdown', ({ isTrusted }) => isTrusted && count.clicks++, { capture: true })
    return count
  })
  return { page, complaints, clicks: async () => (await counted.jsonValue()).clicks }
}

const verdict = (page: Page) => page.getByRole('region', { name: 'Verdict' })
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()
/** Shows a page of the model. */
const choose = (page: Page, name: string): Promise<void> => page.getByRole('radio', { name }).check()
/** Presses a button that saves a file, and returns the name of the file. */
async function save(page: Page, name: string): Promise<string> {
  const [saved] = await Promise.all([page.waitForEvent('download'), press(page, name)])
  return saved.suggestedFilename()
}

const films = Array.from({ length: 40 }, (_, n) => 100 + n)
const ratings = films
  .flatMap((film, f) =>
    Array.from(
      { length: 30 },
      (_, u) => [`u${u},${film},${(u + f) % 2 ? 5 - (f % 3) : 1 + (u % 2)}`, u, f] as const,
    ),
  )
  .filter(([, u, f]) => (7 * u + 3 * f) % 5 < 3)
  .map(([line]) => line)
const table = `userId,movieId,rating\n${ratings.join('\n')}\n`

/** The tasks by their names in the documentation. */
const tasks: Record<string, (page: Page) => Promise<void>> = {
  async 'Restore my photo'(page) {
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
    const photo = await sharp({ create: { width: 160, height: 120, channels: 3, background: '#888', noise } })
      .png()
      .toBuffer()
    await dropFile(page, '.header', 'photo.png', photo)
    await page.getByText('photo.png, 160 × 120').waitFor()
    await page.getByRole('radio', { name: 'Brush' }).first().check({ force: true })
    const box = (await page.getByRole('application', { name: 'Picture' }).boundingBox())!
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.5 * box.height)
    await page.mouse.down()
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.5 * box.height, { steps: 4 })
    await page.mouse.up()
    await press(page, 'Restore')
    await page.getByRole('button', { name: 'Restore again' }).waitFor()
    expect(await save(page, 'Save the picture')).toBe('photo-restored.png')
  },
  async 'Complete my table'(page) {
    await dropFile(page, '.header', 'ratings.csv', table)
    await press(page, 'Quick')
    await verdict(page).waitFor()
    await choose(page, 'Save predictions')
    expect(await save(page, 'Save (.csv)')).toMatch(/^ratings.*\.csv$/)
  },
  async 'Is it any good?'(page) {
    await dropFile(page, '.header', 'ratings.csv', table)
    await press(page, 'Quick')
    // The verdict comes into view by itself.
    await verdict(page).waitFor()
    await expect.poll(async () => (await verdict(page).boundingBox())!.y).toBeLessThan(900)
    expect(await page.getByTestId('verdict').textContent()).toMatch(
      /error is (more than )?\d+% (below|above)/,
    )
  },
  async 'Ten films for me'(page) {
    await dropFile(page, '.header', 'ratings.csv', table)
    await press(page, 'Quick')
    await verdict(page).waitFor()
    const titles = films.map((film) => `${film},Film ${film}`).join('\n')
    await dropFile(page, '.header', 'movies.csv', `movieId,title\n${titles}\n`)
    await press(page, 'Names for movieId')
    await choose(page, 'A row of your own')
    const search = page.getByPlaceholder('search movieId')
    await search.click()
    for (const film of [102, 104, 106, 108, 109]) {
      await page.keyboard.type(`Film ${film}`)
      await page.keyboard.press('Enter')
      await expect.poll(() => search.inputValue()).toBe('')
    }
    await press(page, 'What suits you?')
    await page.getByRole('list', { name: 'Ranking' }).getByRole('listitem').nth(9).waitFor()
  },
  async 'Share it'(page) {
    await page.getByRole('button', { name: /^Films/ }).click()
    await verdict(page).waitFor()
    expect(await save(page, 'Report (.html)')).toBe('films-report.html')
  },
}

it.each(Object.entries(tasks))('“%s” takes the clicks that the documentation says', async (name, perform) => {
  const { page, clicks, complaints } = await begin()
  await perform(page)
  expect(await clicks()).toBe(documented.get(name))
  expect(complaints).toEqual([])
})
