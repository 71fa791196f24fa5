/** Runs of the Complete view in Chromium: none is overwritten, two can be compared, and a page goes back to any. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import { PATIENT, type Studio, startStudio, visit } from '../studio.ts'
import { completeQuickly, waitForStored } from './completing.ts'

let studio: Studio
beforeAll(async () => {
  studio = await startStudio()
})
afterAll(() => studio?.close())

it('runs are listed with settings and scores, compared, shown again, and marked stale by other settings', async () => {
  const { page, complaints } = await visit(studio, '#complete')
  await page.getByRole('button', { name: 'Bicycle trips' }).click()
  await completeQuickly(page)
  const components = page.getByRole('listitem', { name: /^Component/ })
  await expect.poll(() => components.count(), PATIENT).toBe(4)
  const first = await components.allTextContents()

  const rank = page.getByLabel('Rank, how many components')
  const stale = page.getByTestId('stale')
  expect(await stale.count()).toBe(0)
  await rank.fill('2')
  await expect.poll(() => stale.textContent(), PATIENT).toContain('settings have changed')
  await completeQuickly(page)
  await expect.poll(() => components.count(), PATIENT).toBe(2)
  await expect.poll(() => stale.count(), PATIENT).toBe(0)

  const list = page.getByRole('region', { name: 'Runs' })
  const rows = list.locator('table').first().locator('tbody tr')
  await expect.poll(() => rows.count(), PATIENT).toBe(2)
  expect(await rows.first().textContent()).toContain('rank 4')
  expect(await rows.nth(1).textContent()).toContain('rank 2')
  await page.getByLabel('Compare run 1').check()
  await page.getByLabel('Compare run 2').check()
  const compared = page.getByTestId('comparison').locator('tbody tr')
  expect(await compared.first().textContent()).toBe('Rank42')
  const errors = (await compared.nth(1).locator('td').allTextContents()).map(Number)
  expect(errors[0]).toBeLessThan(errors[1]) // the sample has four components

  let second = 0
  await waitForStored(page, ':summary$', ({ runs, shown = 0 }) => {
    second = shown
    return runs === 2
  })
  await rows.first().getByRole('button', { name: 'Show' }).click()
  await expect.poll(() => components.allTextContents(), PATIENT).toEqual(first)
  await expect.poll(() => rank.inputValue(), PATIENT).toBe('4')
  await expect.poll(() => stale.count(), PATIENT).toBe(0)
  // A reload shows the run that was chosen, not the last one.
  await waitForStored(page, ':summary$', ({ shown = second }) => shown < second)
  await page.reload()
  await expect.poll(() => components.allTextContents(), PATIENT).toEqual(first)
  await expect.poll(() => rows.first().getAttribute('aria-current'), PATIENT).toBe('true')
  await expect.poll(() => rank.inputValue(), PATIENT).toBe('4')

  // A run with a lag of a mode that is not there fails, says so, and leaves the shown one.
  await page.getByText('More', { exact: true }).click()
  await page.getByLabel(/^Lags/).fill('nowhere=1')
  await page.getByRole('button', { name: 'Quick', exact: true }).click()
  await expect.poll(() => rows.nth(2).textContent(), PATIENT).toContain('nowhere')
  expect(await rows.nth(2).textContent()).toContain('failed')
  await expect.poll(() => components.count(), PATIENT).toBe(4)
  await list.getByRole('button', { name: 'Remove run 3' }).click()
  await list.getByRole('button', { name: 'Remove run 2' }).click()
  await expect.poll(() => list.count(), PATIENT).toBe(0)
  expect(await components.count()).toBe(4)
  expect(complaints).toEqual([])
})

it('the best run lists what it tries, can be finished early, and is compared with baselines', async () => {
  const { page, complaints } = await visit(studio, '#complete?seconds=1800')
  await page.getByRole('button', { name: 'Bicycle trips' }).click()
  await page.getByRole('button', { name: 'Best', exact: true }).click()
  const trials = page.getByRole('table', { name: 'Trials' }).locator('tbody tr')
  await expect.poll(() => trials.count(), PATIENT).toBeGreaterThan(1)
  expect(await trials.first().textContent()).toMatch(/^rank \d+/)
  await page.getByRole('button', { name: 'Finish now' }).click()
  const verdict = page.getByRole('region', { name: 'Verdict' })
  await verdict.waitFor()
  expect(await verdict.getByRole('heading').first().textContent()).toBe('Worth using')
  expect(await verdict.textContent()).toContain('when you asked to finish')
  expect(await verdict.textContent()).toMatch(/[\d.]+% of the entries lie within their 90% intervals/)
  await verdict.getByRole('img', { name: 'Observed against predicted values' }).waitFor()
  expect(complaints).toEqual([])
})

it('a search for the rank that is finished early ends with a model', async () => {
  const { page, complaints } = await visit(studio, '#complete?rank=auto')
  await page.getByRole('button', { name: 'Bicycle trips' }).click()
  await page.getByLabel('Find the rank by cross-validation').check() // the sample has set it
  await page.getByRole('button', { name: 'Quick', exact: true }).click()
  const verdict = page.getByRole('region', { name: 'Verdict' })
  // On a fast machine the run may end first.
  const press = page.getByRole('button', { name: 'Finish now' }).click()
  await Promise.race([press, verdict.waitFor()])
  press.catch(() => {})
  await verdict.waitFor()
  expect(await verdict.textContent()).toMatch(/Chosen by trials: rank \d+/)
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(complaints).toEqual([])
})

it('a run on noise is called no better than guessing, and an address with a bad rank is told', async () => {
  const { page } = await visit(studio, '#complete?rank=100000&heldout=400')
  await expect.poll(() => page.getByRole('alert').textContent(), PATIENT).toContain('heldout=400')
  const key = stream(3, 1)
  const lines = Array.from({ length: 4000 }, (_, n) => {
    const cell = [n % 20, Math.floor(n / 20) % 20, Math.floor(n / 400)]
    return [
      ...cell.map((index, mode) => `${'abc'[mode]}${index}`),
      (100 * unit(draw(key, n))).toFixed(2),
    ].join()
  })
  const table = { name: 'noise.csv', mimeType: '', buffer: Buffer.from(`a,b,c,v\n${lines.join('\n')}\n`) }
  await page.getByLabel('Open a file …').first().setInputFiles(table)
  await page.getByTestId('size').waitFor()
  expect(await page.getByLabel('Rank, how many components').inputValue()).toBe('6')
  await completeQuickly(page)
  const verdict = page.getByRole('region', { name: 'Verdict' })
  expect(await verdict.getByRole('heading').first().textContent()).toBe('No better than guessing')
  expect(await page.getByTestId('verdict').textContent()).toContain('do not use this model')
  // A link that is followed on the open page changes its settings.
  await page.evaluate(() => {
    location.hash = '#complete?rank=9'
  })
  await expect.poll(() => page.getByLabel('Rank, how many components').inputValue(), PATIENT).toBe('9')
  await page.goBack()
  await expect.poll(() => page.getByLabel('Rank, how many components').inputValue(), PATIENT).toBe('6')
})
