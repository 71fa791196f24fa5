/** From a file to a meaning in Chromium: questions are answered by clicks, and nothing else is needed to complete. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATIENT, type Studio, startStudio, visit } from '../studio.ts'
import { encodeWorkbook } from './workbook.ts'

/** The highest page that a table may make, in pixels. */
const HIGHEST_PAGE = 4000

let studio: Studio

beforeAll(async () => {
  studio = await startStudio()
})

afterAll(() => studio?.close())

/** Opens a file of this content in the page. */
const open = (page: Page, name: string, content: string | Buffer): Promise<void> =>
  page
    .getByLabel('Open a file …')
    .first()
    .setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) })

/** The size of the data that is shown. */
const size = (page: Page) => page.getByTestId('size')

/** Completes the data with few components, and waits for the result. */
async function complete(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Quick', exact: true }).click()
  await page.getByRole('radio', { name: 'Components' }).waitFor()
}

/** Presses an answer. */
const answer = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

describe('opening a table', () => {
  it('a messy table becomes data by clicking answers', async () => {
    const { page, complaints } = await visit(studio, '#complete?rank=2')
    const rows = Array.from({ length: 72 }, (_, i) => {
      const [shop, day] = [i % 6, Math.floor(i / 6)]
      return `s${shop};${1 + day}/4/2014;${1 + shop}.${100 + day},50 €`
    })
    const bad = ['s1;20 July 2014;1,00 €', 's2;3/4/2014', 's0;1/4/2014;9,00 €']
    await open(page, 'messy.csv', `${['shop;day;price', ...rows, ...bad].join('\n')}\n`)
    const quick = page.getByRole('button', { name: 'Quick', exact: true })
    await page.getByText('2 rows cannot be read:').waitFor()
    expect(await quick.isDisabled()).toBe(true)
    await answer(page, 'show them')
    await page.getByText('line 74: day is “20 July 2014”').waitFor()
    await page.getByText('line 75: 2 fields in “s2;3/4/2014”').waitFor()
    await answer(page, 'leave them out')
    await answer(page, 'April 1, 2014')
    await page.getByText('One row repeats the coordinates of an earlier one:').waitFor()
    await answer(page, 'add up')
    await expect.poll(() => quick.isEnabled(), PATIENT).toBe(true)
    expect(await size(page).textContent()).toBe('6 × 12')
    await complete(page)
    expect(complaints).toEqual([])
  })

  it('answers in quick succession keep the value and the date, and every role of a number is offered', async () => {
    const { page, complaints } = await visit(studio, '#complete')
    const rows = Array.from({ length: 72 }, (_, n) => {
      const sold = n % 2 > 0 ? `"1,${100 + n}"` : 800 + n
      return `1/${1 + Math.floor(n / 6)}/2023,shop ${n % 2},item ${n % 3},${sold}`
    })
    const bad = ['1/3/2023,shop 1,item 1,n/a?', 'garbage']
    await open(page, 'sold.csv', `${['date,shop,item,sold', ...rows, ...bad, rows[0]].join('\n')}\n`)
    await page.getByText('Every row is a value of sold by day(date), shop and item.').waitFor()
    const options = page.getByLabel('Role of sold').locator('option')
    expect(await options.allTextContents()).toEqual(['mode', 'value', 'weight', 'ignored'])
    await answer(page, '1101 (thousands)')
    await answer(page, 'January 2, 2023')
    await answer(page, 'leave them out')
    await answer(page, 'add up')
    await expect
      .poll(() => page.getByRole('button', { name: 'Quick', exact: true }).isEnabled(), PATIENT)
      .toBe(true)
    expect(await size(page).textContent()).toBe('12 × 2 × 3')
    expect(await page.getByLabel('Role of sold').inputValue()).toBe('value')
    expect(complaints).toEqual([])
  })

  it('a mode that identifies rows, a name that depends on an id and a weight are chosen by clicks', async () => {
    const { page, complaints } = await visit(studio, '#complete')
    const cells = Array.from({ length: 320 }, (_, n) => {
      const [shop, dose, hour] = [Math.floor(n / 40), Math.floor(n / 10) % 4, n % 10]
      return `${100 + shop},Shop ${shop},${[1, 2.5, 5, 10][dose]},${hour},${n / 8},${1 + (n % 5)}`
    })
    await open(page, 'all.csv', `${['shop_id,shop,dose,hour,level,weight', ...cells].join('\n')}\n`)
    const meaning = page.getByTestId('meaning')
    const expectMeaning = (text: string) => expect.poll(() => meaning.textContent(), PATIENT).toBe(text)
    await expectMeaning('Every row is a value of level by shop, dose and hour, weighted by weight.')
    await expect.poll(() => size(page).textContent(), PATIENT).toBe('8 × 4 × 10')
    await answer(page, 'level alone')
    await answer(page, 'shop_id')
    await expectMeaning('Every row is a value of level by shop_id, dose and hour.')
    await page.getByLabel('Role of dose').selectOption('ignored')
    await answer(page, 'dose tells them apart: use it as a mode')
    await expectMeaning('Every row is a value of level by shop_id, dose and hour.')
    await expect
      .poll(() => page.getByRole('button', { name: 'Quick', exact: true }).isEnabled(), PATIENT)
      .toBe(true)
    expect(complaints).toEqual([])
  })

  it('a table of 6,000 columns makes a page of bounded height, and is completed', async () => {
    const { page, complaints } = await visit(studio, '#complete?rank=1')
    const days = Array.from({ length: 6000 }, (_, d) =>
      new Date(Date.UTC(2008, 0, 1 + d)).toISOString().slice(0, 10),
    )
    const stations = Array.from(
      { length: 5 },
      (_, s) => `S${s},${days.map((_, d) => ((d + s) % 3 === 0 ? '' : (1 + s) * (1 + (d % 7)))).join()}`,
    )
    await open(page, 'wide.csv', `station,${days.join()}\n${stations.join('\n')}\n`)
    await expect.poll(() => size(page).textContent(), PATIENT).toBe('5 × 6,000')
    await page.getByText('The 6,000 columns 2008-01-01 … 2024-06-04 are').waitFor()
    const height = (): Promise<number> => page.evaluate(() => document.documentElement.scrollHeight)
    expect(await height()).toBeLessThan(HIGHEST_PAGE)
    expect(await page.getByRole('button', { name: 'days' }).getAttribute('aria-pressed')).toBe('true')
    await complete(page)
    // As columns of their own they are not shown all at once either.
    await answer(page, 'columns of their own')
    await answer(page, 'Change the columns')
    await page.getByRole('button', { name: /^Show 16 more of/ }).waitFor()
    expect(await height()).toBeLessThan(2 * HIGHEST_PAGE)
    expect(complaints).toEqual([])
  })

  it('a sheet of a workbook is opened, and another one by a click', async () => {
    const { page, complaints } = await visit(studio, '#complete')
    const sales = Array.from({ length: 12 }, (_, i) => [
      `shop ${i % 3}`,
      new Date(Date.UTC(2024, 0, 1 + Math.floor(i / 3))),
      i + 0.5,
    ])
    const book = encodeWorkbook({
      Notes: [['made by', 'hand']],
      Sales: [['shop', 'day', 'sales'], ...sales],
      Costs: [
        ['shop', 'kind', 'cost'],
        ...['a', 'b'].flatMap((s) => [
          [s, 'rent', 5],
          [s, 'heat', 2],
        ]),
      ],
    })
    await open(page, 'book.xlsx', book)
    await expect.poll(() => size(page).textContent(), PATIENT).toBe('3 × 4')
    await page.getByText('Every row is a value of sales by shop and day(day).').waitFor()
    await answer(page, 'Costs')
    await page.getByText('Every row is a value of cost by shop and kind.').waitFor()
    expect(complaints).toEqual([])
  })

  it('a pasted table is opened, and a change of roles does not need the file again', async () => {
    const { page, complaints } = await visit(studio, '#complete')
    const text = [
      'user\titem\tweek\tstars',
      ...'abc'.split('').map((u, i) => `${u}\tx${i % 2}\tw${i}\t${i + 1}`),
    ]
    await page.evaluate((pasted) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', pasted)
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    }, text.join('\n'))
    await expect.poll(() => size(page).textContent(), PATIENT).toBe('3 × 2 × 3')
    await page.getByLabel('Role of week').selectOption('ignored')
    await expect.poll(() => size(page).textContent(), PATIENT).toBe('3 × 2')
    await page.getByLabel('Role of stars').selectOption('weight')
    await page.getByText('Rows are counted by user and item, weighted by stars.').waitFor()
    expect(complaints).toEqual([])
  })
})

describe('the map of missing cells', () => {
  /** A table of 8 × 6 cells without those that `isGap` names. */
  const tableWithout = (isGap: (row: number, column: number) => boolean): string => {
    const cells = Array.from({ length: 48 }, (_, n) => [Math.floor(n / 6), n % 6])
    const lines = cells.filter(([row, column]) => !isGap(row, column)).map(([r, c]) => `r${r},c${c},${r + c}`)
    return `row,column,value\n${lines.join('\n')}\n`
  }

  it('names the field under the pointer, and is saved with its numbers', async () => {
    const { page, complaints } = await visit(studio, '#complete')
    await open(
      page,
      'gaps.csv',
      tableWithout((row, column) => row === 7 && column > 1),
    )
    const map = page.getByRole('img', { name: /^Observed cells by row and column: 92% of all/ })
    await map.scrollIntoViewIfNeeded()
    await map.locator('image').waitFor({ state: 'attached' })
    const { x, y, width, height } = (await map.boundingBox())!
    // The fullest rows and columns come first: the last field is a gap.
    await page.mouse.move(x + 0.5 * width, y + 0.5 * height)
    await page.mouse.move(x + (11.5 / 12) * width, y + (15.5 / 16) * height)
    await map.getByText('row r7').waitFor()
    await map.getByText('0% observed').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await page.getByLabel('Save: Observed cells').click()
        await page.getByRole('button', { name: 'CSV', exact: true }).and(page.locator(':visible')).click()
      })(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    expect(lines[0]).toBe('row,column,observed')
    expect(lines.length).toBe(1 + 48)
    expect(lines.filter((line) => line.endsWith(',0')).every((line) => line.startsWith('r7,'))).toBe(true)
    expect(lines.filter((line) => line.endsWith(',0')).length).toBe(4)
    expect(complaints).toEqual([])
  })

  it('is a sentence where nothing is missing', async () => {
    const { page } = await visit(studio, '#complete')
    await open(
      page,
      'full.csv',
      tableWithout(() => false),
    )
    await page.getByText('Nothing: every cell was observed.').waitFor()
    expect(await page.getByRole('img', { name: /^Observed cells/ }).count()).toBe(0)
  })
})
