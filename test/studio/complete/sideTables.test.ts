/** Tables beside the data, and session files: what describes rows stays with the data, whatever happens to the page. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { describeAttributes, withTable } from '../../../packages/studio/src/complete/sideTables.ts'
import { decodeSession, encodeSession } from '../../../packages/studio/src/complete/state/sessionFile.ts'
import type { SessionContent } from '../../../packages/studio/src/complete/state/sessionStore.ts'
import { hashStream } from '../../../packages/studio/src/complete/worker/hashStream.ts'
import { packFiles, unpackFiles } from '../../../packages/studio/src/complete/worker/packFiles.ts'
import {
  featuresOf,
  inspectSideTable,
  readSideTable,
} from '../../../packages/studio/src/complete/worker/readSideTable.ts'
import { PATIENT, type Studio, startStudio, visit, waitForShown } from '../studio.ts'
import { completeQuickly, waitForStored } from './completing.ts'
import { settingsOf } from './fakeWorker.ts'

const tensor: SparseTensor = {
  dims: [2, 4],
  indices: [Uint32Array.of(0, 1), Uint32Array.of(0, 3)],
  values: Float32Array.of(1, 2),
  modes: [{ name: 'user' }, { name: 'film' }],
  labels: [
    ['ann', 'bo'],
    ['10', '20', '30', '40'],
  ],
}
const movies = new File(
  [
    'film,title,genres,year\n10,Alien,Horror|SciFi,1979\n20,Brazil,SciFi,1985\n30,Heat,Crime,1995\n50,Up,,2009\n',
  ],
  'movies.csv',
)

describe('a table beside the data', () => {
  it('offers names, and attributes that several rows share', async () => {
    expect(await inspectSideTable(tensor, movies)).toEqual({
      ...{ mode: 'film', hasNames: true, attributes: ['genres', 'year'] },
    })
    const numbers = new File(['film,rating\n10,3\n20,4\n30,5\n'], 'numbers.csv')
    expect(await inspectSideTable(tensor, numbers)).toMatchObject({ hasNames: false, attributes: ['rating'] })
    for (const text of [
      'a,b\n1,2\n',
      // Data again: labels of two modes, or of one that repeat.
      'user,film,stars\nann,10,3\nbo,20,4\n',
      'film,words\n10,a\n10,b\n20,c\n20,d\n',
    ])
      expect(await inspectSideTable(tensor, new File([text], 'other.csv'))).toBeUndefined()
  })

  it('gives attributes as numbers in the order of the rows of the data', async () => {
    const table = await readSideTable(tensor, movies, 'attributes')
    expect(describeAttributes([table])).toBe('film=movies.csv:genres,year')
    const { film, ...others } = featuresOf(tensor, [table])!
    expect(others).toEqual({})
    expect(film.values.length).toBe(4 * film.columns)
    const row = (n: number): number[] =>
      Array.from(film.values.slice(n * film.columns, (n + 1) * film.columns))
    expect(row(0)).not.toEqual(row(1)) // 1979 and 1985
    const renamed = { ...tensor, modes: [{ name: 'user' }, { name: 'movie' }] }
    expect(featuresOf(renamed, [table])).toBeUndefined()
    const later = { ...table, file: 'later.csv' }
    expect(withTable([table], later)).toEqual([later])
  })
})

describe('a session file', () => {
  const packing = { packFiles, unpackFiles, hashFile: (file: File) => hashStream(file.stream()) }
  const file = new File(['who,what,v\na,b,1\n'], 'my.data.csv')
  const content = async (): Promise<SessionContent> => ({
    summary: {
      ...{
        id: 'one',
        hash: await packing.hashFile(file),
        name: file.name,
        size: file.size,
        changed: 7,
        runs: 1,
      },
      reading: { negative: 'clip', merge: 'error' },
    },
    file,
    tables: [{ kind: 'names', mode: 'who', file: 'n.csv', names: [['a', 'Ann']] }],
    runs: [
      {
        ...{ hash: await packing.hashFile(file), bytes: Uint8Array.of(1, 2, 3), folded: ['x,b,2'] },
        run: {
          ...{ id: 3, began: 5, status: 'done', history: [], trials: [], tests: [], kind: 'quick' },
          settings: settingsOf(2),
        },
      },
    ],
  })

  it('has the file, its reading, its runs with their models, and its tables', async () => {
    const before = await content()
    const packed = await encodeSession(before, packing)
    expect(packed.name).toBe('my.lacuna')
    const after = await decodeSession(packed, packing)
    expect({ ...after, file: undefined }).toEqual({
      ...before,
      file: undefined,
      summary: { ...before.summary, id: '' },
    })
    expect([after.file.name, await after.file.text()]).toEqual([file.name, await file.text()])
  })

  it('is refused if it is none, of a later version, or not whole', async () => {
    const other = new File([await packFiles({ a: Uint8Array.of(1) })], 'a.lacuna')
    await expect(decodeSession(other, packing)).rejects.toThrow('a.lacuna: this is not a session')
    const packed = await encodeSession(await content(), packing)
    const files = await unpackFiles(packed)
    const again = async (changes: Record<string, Uint8Array>) =>
      decodeSession(new File([await packFiles({ ...files, ...changes })], 'b.lacuna'), packing)
    await expect(again({ data: new TextEncoder().encode('who,what,v\na,b,2\n') })).rejects.toThrow('damaged')
    const description = new TextDecoder().decode(files['session.json'])
    const later = new TextEncoder().encode(description.replace('"version":1', '"version":2'))
    await expect(again({ 'session.json': later })).rejects.toThrow('later version')
    const without = new TextEncoder().encode(description.replace('"summary":', '"other":'))
    await expect(again({ 'session.json': without })).rejects.toThrow(
      'b.lacuna: summary is not an object in its session.json; save the session again.',
    )
    const cut = new File([(await packed.arrayBuffer()).slice(0, -30)], 'c.lacuna')
    await expect(decodeSession(cut, packing)).rejects.toThrow('c.lacuna: the zip file is truncated')
  })
})

describe('in the page', () => {
  let studio: Studio
  beforeAll(async () => {
    studio = await startStudio()
  })
  afterAll(() => studio?.close())

  const fileOf = (name: string, text: string) => ({ name, mimeType: '', buffer: Buffer.from(text) })
  const open = (page: Page, name: string, text: string) =>
    page.getByLabel('Open a file …').first().setInputFiles(fileOf(name, text))
  const ids = Array.from({ length: 12 }, (_, n) => 100 + n)
  const ratings = ids.flatMap((film, i) =>
    Array.from({ length: 20 }, (_, user) => `u${user},${film},${1 + ((i * user) % 5)}`),
  )
  const titles = ids.map((id) => `${id},Film ${id},${id % 2 ? 'Drama' : 'Comedy|Drama'}`)

  it('a second file is asked about; its names and attributes and a row of one’s own survive a reload and a move', async () => {
    const { page, complaints } = await visit(studio, '#complete?rank=2')
    await open(page, 'ratings.csv', `userId,movieId,rating\n${ratings.join('\n')}\n`)
    const size = page.getByTestId('size')
    await expect.poll(() => size.textContent(), PATIENT).toBe('20 × 12')
    // Before anything is learned, too.
    await open(page, 'movies.csv', `movieId,title,genres\n${titles.join('\n')}\n`)
    const asked = page.getByRole('region', { name: 'Second file' })
    await asked.getByRole('button', { name: 'Names for movieId' }).click()
    await asked.getByRole('button', { name: 'Attributes of movieId: genres' }).click()
    const tables = page.getByRole('list', { name: 'Tables beside the data' }).getByRole('listitem')
    await expect.poll(() => tables.count(), PATIENT).toBe(2)
    expect(await size.textContent()).toBe('20 × 12')
    await completeQuickly(page)
    const named = page.getByText(/^Film 1\d\d$/).first()
    await named.waitFor()
    await page.getByText('The same on the command line').click()
    await page.getByText('--features movieId=movies.csv:genres').waitFor()

    await page.getByRole('radio', { name: 'A row of your own' }).check()
    await page.getByPlaceholder('search movieId').fill('Film 103')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'What suits you?' }).click()
    await page.getByRole('list', { name: 'Ranking' }).getByRole('listitem').first().waitFor()
    await waitForStored(page, ':run:', ({ folded }) => folded?.length === 1)
    await page.reload()
    await named.waitFor()
    await expect.poll(() => tables.count(), PATIENT).toBe(2)
    await checkOwnRow(page)

    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the session' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('ratings.lacuna')
    const verdict = await page.getByTestId('verdict').textContent()
    const elsewhere = await visit(studio, '#complete')
    const buffer = await readFile((await saved.path())!)
    await elsewhere.page
      .getByLabel('Open a file …')
      .first()
      .setInputFiles({ name: 'ratings.lacuna', mimeType: '', buffer })
    await waitForShown(elsewhere.page, elsewhere.page.getByText(/^Film 1\d\d$/))
    expect(await elsewhere.page.getByTestId('verdict').textContent()).toBe(verdict)
    await checkOwnRow(elsewhere.page)
    // What the file has is a session of this browser now.
    await elsewhere.page.reload()
    await elsewhere.page
      .getByText(/^Film 1\d\d$/)
      .first()
      .waitFor()
    await elsewhere.page
      .getByLabel('Open a file …')
      .first()
      .setInputFiles({ name: 'x.lacuna', mimeType: '', buffer: buffer.subarray(0, 900) })
    await elsewhere.page.getByRole('alert').getByText('truncated or damaged').waitFor()
    expect(await elsewhere.page.getByTestId('size').textContent()).toBe('20 × 12')
    expect([...complaints, ...elsewhere.complaints]).toEqual([])
  })

  /** The row that was folded in is there, and held-out entries are known, as before the reload. */
  async function checkOwnRow(page: Page): Promise<void> {
    await page.getByRole('radio', { name: 'Predict a cell' }).check()
    await page.getByRole('combobox', { name: 'userId' }).fill('you')
    await expect.poll(() => page.getByTestId('prediction').textContent(), PATIENT).toMatch(/\d/)
    await page.getByRole('radio', { name: 'Checks' }).check()
    await page
      .getByText(/held-out entries/)
      .first()
      .waitFor()
    await page.getByRole('radio', { name: 'Components' }).check()
  }

  it('a file that replaces another is a step back, with its runs', async () => {
    const { page, complaints } = await visit(studio, '#complete?rank=2')
    await open(page, 'ratings.csv', `userId,movieId,rating\n${ratings.join('\n')}\n`)
    await completeQuickly(page)
    await page.getByLabel('Rank, how many components').fill('3')
    await completeQuickly(page)
    await waitForStored(page, ':summary', ({ runs }) => runs === 2)
    await open(page, 'other.csv', 'a,b,v\nx,y,1\nx,z,2\nw,y,3\n')
    await expect.poll(() => page.getByTestId('size').textContent(), PATIENT).toBe('2 × 2')
    await page.getByRole('button', { name: 'Back to ratings.csv' }).click()
    await expect.poll(() => page.getByTestId('size').textContent(), PATIENT).toBe('20 × 12')
    await expect.poll(() => page.getByRole('listitem', { name: /^Component/ }).count(), PATIENT).toBe(3)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('a file that is too large to be stored can be gone back to in the same tab, with its runs', async () => {
    const { page, complaints } = await visit(studio, '#complete?rank=2')
    // Reading a file of that size takes seconds: one is only taken for so large, by the page and not by its worker.
    await page.evaluate(() => {
      const { get } = Object.getOwnPropertyDescriptor(Blob.prototype, 'size')!
      Object.defineProperty(File.prototype, 'size', {
        get(this: File) {
          return get!.call(this) + (this.name === 'large.csv' ? 200e6 : 0)
        },
      })
    })
    await open(page, 'large.csv', `userId,movieId,rating\n${ratings.join('\n')}\n`)
    await waitForShown(page, page.getByTestId('not-stored'))
    await completeQuickly(page)
    const verdict = await page.getByTestId('verdict').textContent()
    await open(page, 'other.csv', 'a,b,v\nx,y,1\nx,z,2\nw,y,3\n')
    await expect.poll(() => page.getByTestId('size').textContent(), PATIENT).toBe('2 × 2')
    await page.getByText('until this page is closed or reloaded').waitFor()
    await page.getByRole('button', { name: 'Back to large.csv' }).click()
    await expect.poll(() => page.getByTestId('size').textContent(), PATIENT).toBe('20 × 12')
    await expect.poll(() => page.getByTestId('verdict').textContent(), PATIENT).toBe(verdict)
    await page.getByRole('listitem', { name: 'Component 1' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('rows that are counted are zero where there are none, also for the best run, unless it is chosen otherwise', async () => {
    const { page, complaints } = await visit(studio, '#complete?rank=2')
    const events = Array.from(
      { length: 400 },
      (_, n) => `s${Math.floor(12 * ((0.618 * n) % 1) ** 2)},h${Math.floor(10 * ((0.7548 * n) % 1) ** 2)}`,
    )
    await open(page, 'events.csv', `station,hour\n${events.join('\n')}\n`)
    await expect.poll(() => page.getByTestId('size').textContent(), PATIENT).toMatch(/ × /)
    const answers = page.locator('[data-kind="absent"]')
    expect(await answers.getByRole('button', { name: /^zero/ }).getAttribute('aria-pressed')).toBe('true')
    await completeQuickly(page)
    // The baselines count zeros, too.
    const verdict = page.getByRole('region', { name: 'Verdict' })
    expect(await verdict.getByRole('row').allTextContents()).toEqual([
      expect.stringMatching(/^Predicted by/),
      expect.stringMatching(/^this model/),
      expect.stringMatching(/^the mean\d/),
      expect.stringMatching(/^the mean of each station\d/),
      expect.stringMatching(/^the mean of each hour\d/),
      expect.stringMatching(/^the product of the means of all modes\d/),
    ])
    await page.getByText('The same on the command line').click()
    await page.getByText('--missing zero').waitFor()
    await page.getByRole('button', { name: 'Best', exact: true }).click()
    await expect.poll(() => page.getByRole('table', { name: 'Trials' }).count(), PATIENT).toBe(1)
    const finish = page.getByRole('button', { name: 'Finish now' })
    if (await finish.isVisible()) await finish.click({ timeout: 5000 }).catch(() => {}) // it may have ended
    await page.getByText(/models were combined/).waitFor()
    expect(await page.getByTestId('verdict').textContent()).toMatch(/the (mean|product)/)
    await page.getByText('--best').waitFor()
    await answers.getByRole('button', { name: /^unknown/ }).click()
    await page.getByTestId('stale').waitFor()
    expect(page.url()).toContain('missing=unknown')

    // What was chosen for one file is not taken for another one.
    await open(page, 'ratings.csv', `userId,movieId,rating\n${ratings.join('\n')}\n`)
    await page.getByRole('heading', { name: 'ratings.csv' }).waitFor()
    await page.getByText('More', { exact: true }).click()
    const cells = page.getByLabel('Cells that are not listed')
    await cells.selectOption('zero')
    expect(page.url()).toContain('missing=zero')
    await open(page, 'other.csv', 'a,b,v\nx,y,1\nx,z,2\nw,y,3\n')
    await page.getByRole('heading', { name: 'other.csv' }).waitFor()
    await expect.poll(() => cells.inputValue(), PATIENT).toBe('')
    expect(complaints).toEqual([])
  })
})
