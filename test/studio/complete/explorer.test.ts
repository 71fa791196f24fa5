/** Charts and the pages of a model in Chromium. */
import { readFile } from 'node:fs/promises'
import type { Download, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATIENT, type Studio, startStudio, type Visit, visit } from '../studio.ts'
import { completeQuickly } from './completing.ts'

let studio: Studio
beforeAll(async () => {
  studio = await startStudio()
})
afterAll(() => studio?.close())

/** The text of a downloaded file. */
const textOf = async (download: Download): Promise<string> => readFile(await download.path(), 'utf8')

/** Saves a chart by its menu. */
async function save(page: Page, label: string, kind: 'SVG' | 'PNG' | 'CSV'): Promise<Download> {
  await page.getByLabel(`Save: ${label}`, { exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('details[open] .menu-items').getByRole('button', { name: kind }).click(),
  ])
  return download
}

describe('a model of the sample', () => {
  let here: Visit
  beforeAll(async () => {
    here = await visit(studio, '#complete?rank=4')
    const { page } = here
    await page.getByRole('button', { name: 'Bicycle trips' }).click()
    await completeQuickly(page)
  })

  it('a chart shows values under the pointer, zooms, and is saved as SVG, PNG and CSV', async () => {
    const { page, complaints } = here
    const label = 'Relative error against epochs'
    const chart = page.getByRole('img', { name: label })
    await chart.locator('svg').first().waitFor()
    await chart.scrollIntoViewIfNeeded()
    const pointAtMiddle = async (): Promise<string> => {
      const { x, y, width, height } = (await chart.boundingBox())!
      await page.mouse.move(x + width / 2 + 1, y + height / 2)
      await page.mouse.move(x + width / 2, y + height / 2)
      return chart.locator('[aria-label="tip"]').evaluate((tip) => tip.textContent ?? '')
    }
    await expect
      .poll(pointAtMiddle, PATIENT)
      .toMatch(/epoch [\d.]+.*known entries: 0\.\d+.*held-out entries/s)

    const svg = await textOf(await save(page, label, 'SVG'))
    expect(svg).toContain('held-out entries')
    expect(svg).not.toContain('var(--')
    expect(svg).toMatch(/stroke="rgb\(0, 114, 178\)"/)
    const png = await readFile(await (await save(page, label, 'PNG')).path())
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    const csv = (await textOf(await save(page, label, 'CSV'))).trim().split('\n')
    expect(csv[0]).toBe('epoch,stage,known entries,held-out entries')
    expect(csv.length).toBeGreaterThan(5)

    await page.getByRole('button', { name: `Numbers: ${label}` }).click()
    expect(
      await page
        .getByRole('region', { name: `Numbers of: ${label}` })
        .locator('tbody tr')
        .count(),
    ).toBe(csv.length - 1)
    const lastTick = (): Promise<number> =>
      chart.locator('[aria-label="x-axis tick label"] text').last().textContent().then(Number)
    const before = await lastTick()
    const dragOver = async (): Promise<number> => {
      const box = (await chart.boundingBox())! // what is above may have grown
      await page.mouse.move(box.x + 60, box.y + 40)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width / 3, box.y + 40, { steps: 3 })
      await page.mouse.up()
      return lastTick()
    }
    await expect.poll(dragOver, PATIENT).toBeLessThan(before / 2)
    await page.getByRole('button', { name: `Show all: ${label}` }).click()
    await expect.poll(lastTick, PATIENT).toBe(before)
    expect(complaints).toEqual([])
  })

  it('a chosen component is lit up on every page, with its profile and its part of a slice', async () => {
    const { page, complaints } = here
    await page.getByRole('button', { name: /^Component 2: [\d.]+% of all predictions$/ }).click()
    const lit = page.getByRole('listitem', { name: 'Component 2', exact: true })
    await expect.poll(() => lit.getAttribute('aria-current'), PATIENT).toBe('true')
    const detail = page.getByRole('region', { name: 'Component 2 in detail' })
    await detail.getByRole('img', { name: 'Component 2 along hour' }).locator('svg').first().waitFor()
    expect(await detail.getByRole('table').count()).toBeGreaterThan(0)
    await page.getByRole('radio', { name: 'Slice', exact: true }).check()
    await page
      .getByRole('img', { name: /^Due to component 2/ })
      .locator('image')
      .waitFor()
    await page.getByRole('radio', { name: 'Best along a mode' }).check()
    // Stations are ranked, not hours or weekdays, over which the mean is taken.
    expect(await page.getByLabel('Rank the rows of').locator('option:checked').textContent()).toBe('station')
    await page.locator('.ranking li').first().waitFor()
    const marked = page.locator('.ranking li.lit')
    const chips = page.locator('.ranking .chip[aria-pressed="true"]')
    expect(await marked.count()).toBe(await chips.count())
    // A reason chooses its component in turn.
    const reason = page.locator('.ranking .chip[aria-pressed="false"]').first()
    const [, other] = /^Component (\d)/.exec((await reason.getAttribute('aria-label'))!)!
    await reason.click()
    await page.getByText(`Component ${other} is lit up on every page`).waitFor()
    expect(complaints).toEqual([])
  })

  it('checks of the model and its report as one page without requests are there', async () => {
    const { page, complaints } = here
    await page.getByRole('radio', { name: 'Checks', exact: true }).check()
    await page.getByText(/held-out entries the error is [\d.]+ \(RMSE\)/).waitFor()
    const csv = await textOf(await save(page, 'Residuals', 'CSV'))
    expect(csv.trim().split('\n')).toHaveLength(32)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Report (.html)' }).click(),
    ])
    const report = await textOf(download)
    expect(report).toContain('<h1>bicycle-trips</h1>')
    expect(report.match(/<section class="card"/g)).toHaveLength(4)
    expect(report).toMatch(/held-out entries the error is/)
    expect(report).not.toMatch(/<script|src=|https?:\/\/(?!www\.w3\.org)/)
    expect(complaints).toEqual([])
  })
})

it('five ratings give ten titles with reasons and support; only gaps are saved', async () => {
  const { page, complaints } = await visit(studio, '#complete?rank=2')
  const rows = Array.from({ length: 1200 }, (_, n) => ({ user: n % 30, film: Math.floor(n / 30) }))
    .filter(({ user, film }) => (7 * user + 3 * film) % 5 < 3)
    .map(
      ({ user, film }) =>
        `u${user},${100 + film},${(user + film) % 2 === 0 ? 5 - (film % 3) : 1 + (user % 2)}`,
    )
  await page
    .getByLabel('Open a file …')
    .first()
    .setInputFiles({
      name: 'stars.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`user,film,stars\n${rows.join('\n')}\n`),
    })
  await page.getByText('30 × 40', { exact: true }).waitFor()
  expect(await page.getByTestId('density').textContent()).toBe('60%')
  await completeQuickly(page)
  const titles = Array.from({ length: 40 }, (_, n) => `${100 + n},"Film, number ${n}"`)
  await page.getByLabel('Names of rows …').setInputFiles({
    name: 'films.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`film,title\n${titles.join('\n')}\n`),
  })
  await page.getByText('40 names of film from films.csv').waitFor()
  await page.getByRole('radio', { name: 'A row of your own' }).check()
  for (const [n, stars] of [2, 4, 6, 8, 9].entries()) {
    await page.getByLabel('film', { exact: true }).fill(`Film, number ${stars}`)
    await page.getByRole('spinbutton', { name: /^Value/ }).fill(String(5 - (n % 2)))
    await page.getByRole('button', { name: 'Add', exact: true }).click()
  }
  const given = page.getByLabel('Given values').getByRole('listitem')
  await expect.poll(() => given.count(), PATIENT).toBe(5)
  await page.getByRole('button', { name: 'What suits you?' }).click()
  const ranking = page.locator('.ranking li')
  await ranking.nth(9).waitFor()
  expect(await ranking.count()).toBe(10)
  const texts = await ranking.allTextContents()
  for (const text of texts) {
    expect(text).toMatch(/^Film, number \d+ because of Film, number \d/)
    expect(text).not.toMatch(/^Film, number (2|4|6|8|9) /)
    expect(text).toMatch(/[\d.]+ · \d+ entries/)
  }
  await page.getByRole('radio', { name: 'Save predictions' }).check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save (.csv)' }).click(),
  ])
  const table = (await textOf(download)).trim().split('\n')
  expect(table.length - 1).toBe(31 * 40 - rows.length - 5) // the new row is one of the table
  expect(table[1]).toMatch(/^u\d+,"Film, number \d+",,/)
  expect(complaints).toEqual([])
})

it('a row of one’s own is solved again with other values, checks what is typed, and survives a reload', async () => {
  const { page, complaints } = await visit(studio)
  await page.getByRole('button', { name: /^Films/ }).click()
  await page.getByTestId('verdict').waitFor()
  const openOwn = () => page.getByRole('radio', { name: 'A row of your own' }).check()
  await openOwn()
  const search = page.getByPlaceholder('search film')
  const value = page.getByRole('spinbutton', { name: /^Value/ })
  const refused = page.getByTestId('refused')
  const given = page.getByLabel('Given values').getByRole('listitem')
  const ranking = page.getByRole('list', { name: 'Ranking' }).getByRole('listitem')
  const rate = async (title: string, stars: string) => {
    await search.fill(title)
    await value.fill(stars)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
  }
  const ask = async (): Promise<string[]> => {
    await page.getByRole('button', { name: 'What suits you?' }).click()
    await page.getByText('This is the answer to the values before').waitFor({ state: 'detached' })
    await ranking.nth(9).waitFor()
    return ranking.allTextContents()
  }
  const size = await page.getByTestId('size').textContent()
  await rate('The Matrix (1999)', '50')
  await expect
    .poll(() => refused.textContent(), PATIENT)
    .toContain('50 is outside the values of the data, 0.5 to 5')
  await rate('Te Matrix', '5')
  await refused.getByRole('button', { name: 'The Matrix (1999)' }).click()
  await rate('the godfather (1972)', '5')
  await expect
    .poll(() => given.allTextContents(), PATIENT)
    .toEqual(['The Matrix (1999) 5remove', 'The Godfather (1972) 5remove'])
  const high = await ask()
  await page.getByRole('radio', { name: 'Slice' }).check()
  await openOwn()
  expect(await ranking.allTextContents()).toEqual(high)
  await rate('The Matrix (1999)', '0.5')
  await rate('The Godfather (1972)', '0.5')
  await expect.poll(() => given.first().textContent(), PATIENT).toContain('0.5')
  const low = await ask()
  expect(low).not.toEqual(high)
  expect(await page.getByTestId('size').textContent()).toBe(size)

  await search.fill('half a tit')
  await page.waitForTimeout(300) // until what was typed is stored
  await page.reload()
  await page.getByTestId('verdict').waitFor()
  await openOwn()
  await ranking.first().waitFor()
  expect(await ranking.allTextContents()).toEqual(low)
  expect(await search.inputValue()).toBe('half a tit')
  await rate('The Matrix (1999)', '5')
  await rate('The Godfather (1972)', '5')
  await expect.poll(() => given.first().textContent(), PATIENT).toContain('5remove')
  expect(await ask()).toEqual(high)

  await page.getByLabel('Name of the new viewer').fill('Viewer 007')
  await page.getByRole('button', { name: 'What suits Viewer 007?' }).click()
  await page.getByText('“Viewer 007” is a row of viewer in the data; give yours another name.').waitFor()
  expect(complaints).toEqual([])
})

it('an error is shown in the window, wherever it was scrolled to', async () => {
  const { page } = await visit(studio)
  await page.getByRole('button', { name: /^Films/ }).click()
  await page.getByTestId('verdict').waitFor()
  await page.getByRole('radio', { name: 'Save predictions' }).check()
  await page.getByRole('radio', { name: 'cells that I list' }).check()
  await page.getByLabel(/^A line per cell/).fill('viewer,x\na,b')
  await page.getByRole('button', { name: 'Save (.csv)' }).click()
  const notice = page.getByRole('alert')
  await notice.getByText('no column for film').waitFor()
  const { y, height } = (await notice.boundingBox())!
  expect(y).toBeGreaterThanOrEqual(0)
  expect(y + height).toBeLessThan(900)
})

it('a slice of a wide file is saved in the shape of the file, with its stations in order', async () => {
  const { page } = await visit(studio, '#complete?rank=1')
  const days = Array.from({ length: 8 }, (_, d) => `2024-01-0${d + 1}`)
  const rows = Array.from(
    { length: 12 },
    (_, s) => `S${s},${days.map((_, d) => ((s + 3 * d) % 5 ? (s + 1) * (d + 2) : '')).join()}`,
  )
  await page
    .getByLabel('Open a file …')
    .first()
    .setInputFiles({
      ...{ name: 'wide.csv', mimeType: 'text/csv' },
      buffer: Buffer.from(`station,${days.join()}\n${rows.join('\n')}\n`),
    })
  await page.getByText('12 × 8', { exact: true }).waitFor()
  await completeQuickly(page)
  await page.getByRole('radio', { name: 'Save predictions' }).check()
  await page.getByRole('radio', { name: 'a slice as a table' }).check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save (.csv)' }).click(),
  ])
  const table = (await textOf(download)).trim().split('\n')
  expect(table[0]).toBe(`station,${days.join()}`)
  expect(table.slice(1).map((line) => line.split(',')[0])).toEqual(rows.map((line) => line.split(',')[0]))
})

it('greyed buttons of a run say what is missing: here an answer about text that is not UTF-8', async () => {
  const { page } = await visit(studio, '#complete?rank=1')
  const rows = Array.from(
    { length: 60 },
    (_, n) => `${n % 2 ? 'M\u00fcnchen' : 'K\u00f6ln'};${n >> 1};${n + 1}`,
  )
  await page
    .getByLabel('Open a file …')
    .first()
    .setInputFiles({
      ...{ name: 'umsatz.csv', mimeType: 'text/csv' },
      buffer: Buffer.from(`Ort;Woche;Umsatz\n${rows.join('\n')}\n`, 'latin1'),
    })
  const quick = page.getByRole('button', { name: 'Quick', exact: true })
  const hint = page.getByTestId('start-hint')
  await expect.poll(() => hint.textContent(), PATIENT).toBe('Answer the question about umsatz.csv first.')
  expect(await quick.isDisabled()).toBe(true)
  expect(await quick.getAttribute('aria-describedby')).toBe(await hint.getAttribute('id'))
  await page.getByRole('cell', { name: 'München' }).first().waitFor()
  await page.getByRole('button', { name: 'Read as Western European (Windows-1252)' }).click()
  await expect.poll(() => hint.textContent(), PATIENT).toContain('Quick learns one model')
  await completeQuickly(page)
})
