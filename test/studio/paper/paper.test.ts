/** The Paper view in Chromium. */
import { formatResults } from 'lacuna-figures/results'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleResults } from '../../cli/paper/sample.ts'
import { type Studio, startStudio, visit } from '../studio.ts'

let studio: Studio

beforeAll(async () => {
  studio = await startStudio()
})

afterAll(() => studio?.close())

it('the page shows a report of lacuna paper with claims and four figures, and refuses other files', async () => {
  const { page, complaints } = await visit(studio, '#paper')
  const results = sampleResults()
  const open = (text: string): Promise<void> =>
    page
      .getByLabel('Open results.json …')
      .setInputFiles({ name: 'results.json', mimeType: 'application/json', buffer: Buffer.from(text) })

  await open('{"format": "something else"}')
  expect(await page.getByRole('alert').textContent()).toContain('these are no results of lacuna paper')

  await open(formatResults(results))
  for (const { statement } of results.claims) await page.getByText(statement).waitFor()
  const figures = page.locator('.report-figures svg.lacuna-figure')
  await figures.nth(3).waitFor()
  expect(await figures.count()).toBe(4)
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(complaints).toEqual([])
})

it('the page runs figure 2 and draws curves of every c and of the fast solver', async () => {
  const { page, complaints } = await visit(studio, '#paper')
  const section = page.getByRole('region', { name: 'Figure 2' })
  await section.getByRole('button', { name: 'Run it here' }).click()
  await section.getByRole('button', { name: 'Stop' }).waitFor()
  await section.getByRole('button', { name: 'Run it here' }).waitFor()
  for (const text of ['paper, c = 0.05', 'paper, c = 0.2', 'paper, c = 0.5', 'fast'])
    await section.getByText(text, { exact: true }).waitFor()
  expect(await section.getByText('S2: 30 dB').count()).toBeGreaterThan(0)
  expect(complaints).toEqual([])
})

it('figure 1 shows the error of the hidden pixels, and the footer leads to the paper', async () => {
  const { page, complaints } = await visit(studio)
  await page.getByRole('link', { name: 'The paper’s figures' }).click()
  const section = page.getByRole('region', { name: 'Figure 1' })
  await section.getByRole('button', { name: 'Run it here' }).click()
  await section.getByRole('img', { name: 'Relative error of the hidden pixels against epochs' }).waitFor()
  await section.getByRole('button', { name: 'Stop' }).click()
  await section.getByRole('button', { name: 'Run it here' }).waitFor()
  // Pictures side by side do not cover each other.
  const [original, corrupted] = await Promise.all(
    ['Original', /^Corrupted/].map((name) => section.getByRole('img', { name }).boundingBox()),
  )
  expect(original!.x + original!.width).toBeLessThanOrEqual(corrupted!.x)
  expect(complaints).toEqual([])
})
