/** Files of other programs in Chromium: MATLAB, HDF5, NetCDF-4, Arrow and Feather, by the readers of the library. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CompressionType,
  columnFromArray,
  float64,
  setCompressionCodec,
  tableFromColumns,
  tableToIPC,
  utf8,
} from '@uwdata/flechette'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decodeModel } from '#lacuna/index.js'
import { dropFile, FOLDER, PATIENT, type Studio, startStudio, visit, waitForShown } from '../studio.ts'
import { completeQuickly, waitForStored } from './completing.ts'

/** Files that the reference tools of their formats have made; each array is 3 × 4 × 5 with two gaps. */
const golden = (name: string): Buffer =>
  readFileSync(join(fileURLToPath(new URL('../../lacuna/io/science/files/', import.meta.url)), name))

let studio: Studio

beforeAll(async () => {
  studio = await startStudio()
})

afterAll(() => studio?.close())

/** Opens a file of this content by the button. */
const open = (page: Page, name: string, buffer: Buffer): Promise<void> =>
  page.getByLabel('Open a file …').first().setInputFiles({ name, mimeType: '', buffer })

/** The button of an answer. */
const answer = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

/** Presses a button, and returns the file that it saves. */
async function save(page: Page, name: string): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), answer(page, name).click()])
  return readFile(await download.path())
}

/** Waits until data of this file and size is shown. */
const expectData = (page: Page, name: string, size: string): Promise<void> =>
  page.locator('section[aria-label="The data"]', { hasText: name }).getByText(size, { exact: true }).waitFor()

it('arrays of MATLAB, HDF5 and NetCDF-4 are opened, and one of several is chosen by a click', async () => {
  const { page, complaints } = await visit(studio, '#complete?rank=1&heldout=0')
  const chunks: string[] = []
  page.on('request', (request) => chunks.push(request.url()))
  const hasH5 = (): boolean => chunks.some((url) => /hdf5/.test(url))
  const accept = await page.getByLabel('Open a file …').first().getAttribute('accept')
  for (const ending of ['.mat', '.h5', '.hdf5', '.nc', '.arrow', '.feather'])
    expect(accept?.split(',')).toContain(ending)

  await open(page, 'plain.mat', golden('plain.mat'))
  await expectData(page, 'plain.mat', '3 × 4 × 5')
  await page.getByText('58', { exact: true }).waitFor() // the observed entries

  // Two arrays have three axes, so that nothing can be guessed, and nothing is learned before the answer.
  await open(page, 'packed.mat', golden('packed.mat'))
  await page.getByText('There are 3 arrays in the file; the data is').waitFor()
  expect(await page.getByTestId('size').count()).toBe(0)
  expect(await answer(page, 'Quick').isDisabled()).toBe(true)
  const session = await save(page, 'Save the session')
  await answer(page, 'S (3 × 4, sparse)').click()
  await expectData(page, 'packed.mat', '3 × 4')
  expect(hasH5()).toBe(false)

  // MATLAB 7.3 is HDF5: the only array of three axes is read, and others are offered.
  await dropFile(page, '.header', 'v73.mat', golden('v73.mat'))
  await expectData(page, 'v73.mat', '3 × 4 × 5')
  expect(hasH5()).toBe(true)
  expect(await answer(page, 'X (3 × 4 × 5, float64)').getAttribute('aria-pressed')).toBe('true')
  await answer(page, 'data.X (4 × 5, float64)').click()
  await expectData(page, 'v73.mat', '4 × 5')

  // A session that was saved before the answer asks again.
  await open(page, 'packed.lacuna', session)
  await answer(page, 'data.X (3 × 4 × 5, double)').waitFor()
  expect(await page.getByTestId('size').count()).toBe(0)

  await open(page, 'era.nc', golden('era.nc'))
  await expectData(page, 'era.nc', '3 × 4 × 5')
  await page.getByText('era.nc: takes t2m (time × lat × station: 3 × 4 × 5, int16); there are also').waitFor()

  await open(page, 'soil.h5', await twoArrays())
  await answer(page, 'air (station × hour: 6 × 8, float32)').click()
  await expectData(page, 'soil.h5', '6 × 8')
  await completeQuickly(page)
  const model = decodeModel(await save(page, 'Model (.npz)'), 'model.npz')
  expect(model.dims).toEqual([6, 8])
  expect(model.labels).toEqual([['a', 'b', 'c', 'd', 'e', 'f'], undefined])
  expect(model.modes?.map(({ name }) => name)).toEqual(['station', 'hour'])
  expect(model.predict([5, 7])).toBeCloseTo(48, 1)
  await page.getByText('The same on the command line').click()
  expect(await page.getByTestId('Command').textContent()).toContain('soil.h5 --variable air')
  expect(await page.getByTestId('TypeScript').textContent()).toContain("{ variable: 'air' }")

  // A test file needs the same rows, and the choice survives a reload.
  const onTest = page.getByLabel('Evaluate on a test file …')
  await onTest.setInputFiles({ name: 'test.h5', mimeType: '', buffer: await twoArrays('abcdeg') })
  await page.getByText('test.h5: the row g of station is not that of the model;').waitFor()
  await onTest.setInputFiles({ name: 'test.h5', mimeType: '', buffer: await twoArrays() })
  await page.getByText('On test.h5 the error is').waitFor()
  await waitForStored(page, ':run:')
  await page.reload()
  await expectData(page, 'soil.h5', '6 × 8')
  expect(await answer(page, 'air (station × hour: 6 × 8, float32)').getAttribute('aria-pressed')).toBe('true')

  // What cannot be read has the sentence of the library, and leaves what is shown.
  const faults: [name: string, content: Buffer, sentence: string][] = [
    ['cut.h5', golden('data.h5').subarray(0, 9000), 'cut.h5: this is no whole HDF5 file;'],
    ['cut.mat', golden('plain.mat').subarray(0, 500), 'cut.mat: this is no whole MATLAB file;'],
    ['classic.nc', golden('classic.nc'), 'classic.nc: this is NetCDF-3 (classic), which is not read;'],
    ['cut.arrow', golden('lz4.arrow').subarray(0, 9000), 'cut.arrow: this is no whole Arrow file'],
    ['data.zarr.zip', golden('data.zarr.zip'), 'data.zarr.zip: the studio does not open Zarr;'],
  ]
  for (const [name, content, sentence] of faults) {
    await open(page, name, content)
    await page.getByText(sentence).waitFor()
    await expectData(page, 'soil.h5', '6 × 8')
  }
  await open(page, 'hostile.h5', golden('hostile.h5'))
  await page.getByText('takes 2.5 PiB, more than the 2.0 GiB that fit in memory here').waitFor()
  expect(complaints).toEqual([])
})

it('an Arrow file and a Feather file packed by zstd are tables with roles for their columns', async () => {
  const { page, complaints } = await visit(studio, '#complete')
  await open(page, 'sites.arrow', golden('lz4.arrow'))
  await expect.poll(() => page.getByLabel(/^Role of /).count(), PATIENT).toBe(8)
  await open(page, 'shops.feather', zstdTable())
  await waitForShown(page, page.getByText('Every row is a value of sales by shop and week.'))
  await expectData(page, 'shops.feather', '5 × 6')
  expect(complaints).toEqual([])
})

it('where the HDF5 library cannot be fetched, the page says what to do', async () => {
  const { page } = await visit(studio, '#complete')
  await page.context().route(/hdf5_hl/, (route) => route.abort())
  await open(page, 'era.nc', golden('era.nc'))
  await page
    .getByText(/HDF5 needs the package h5wasm, which cannot be loaded .*; reload the page\./)
    .waitFor()
})

it('the licences of what the workers bundle are beside the page', () => {
  const text = readFileSync(join(FOLDER, 'licenses.md'), 'utf8')
  for (const name of ['h5wasm', '@uwdata/flechette', 'hyparquet', 'fzstd', 'preact'])
    expect(text.split(`\n## ${name} - `)).toHaveLength(2)
  expect(text).toContain('The HDF Group')
})

/** An HDF5 file of two arrays of two axes: air, which is 6 × 8 of rank 1 with a gap and named rows, and soil. */
async function twoArrays(stations = 'abcdef'): Promise<Buffer> {
  const h5 = await import('h5wasm')
  const { FS } = await h5.ready
  const file = new h5.File('/two.h5', 'w')
  const data = Float32Array.from({ length: 48 }, (_, e) => (1 + Math.floor(e / 8)) * (1 + (e % 8)))
  data[0] = NaN
  const air = file.create_dataset({ name: 'air', data, shape: [6, 8], dtype: '<f' })
  file.create_dataset({ name: 'soil', data, shape: [8, 6], dtype: '<f' })
  file.create_dataset({ name: 'station', data: [...stations], dtype: 'S' }).make_scale('station')
  air.attach_scale(0, '/station')
  air.set_dimension_label(0, 'station')
  air.set_dimension_label(1, 'hour')
  file.close()
  return Buffer.from(FS.readFile('/two.h5') as Uint8Array)
}

/** A Feather file of sales by shop and week, whose names of shops are long and packed by zstd. */
function zstdTable(): Buffer {
  const rows = Array.from({ length: 30 }, (_, row) => row)
  const texts = (text: (row: number) => string) => columnFromArray(rows.map(text), utf8())
  const table = tableFromColumns([
    ['shop', texts((row) => 'abcde'[row % 5].repeat(40))],
    ['week', texts((row) => `w${Math.floor(row / 5)}`)],
    [
      'sales',
      columnFromArray(
        rows.map((row) => row + 0.5),
        float64(),
      ),
    ],
  ])
  let packed = 0
  setCompressionCodec(CompressionType.ZSTD, {
    encode(bytes) {
      const frame = zstdFrame(bytes)
      if (frame.length < bytes.length) packed++
      return frame
    },
    decode: () => {
      throw new Error('not needed')
    },
  })
  const file = Buffer.from(tableToIPC(table, { format: 'file', codec: CompressionType.ZSTD }) ?? [])
  expect(packed).toBeGreaterThan(0) // others are left as they are
  return file
}

/** Packs runs of equal bytes as a frame of zstd (RFC 8878), a block each: Node has zstd only from version 22.15 on. */
function zstdFrame(bytes: Uint8Array): Uint8Array {
  const head = Buffer.alloc(9)
  head.writeUInt32LE(0xfd2fb528, 0)
  head[4] = 0xa0 // a single segment, whose size has four bytes
  head.writeUInt32LE(bytes.length, 5)
  const blocks = [head]
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    while (end < bytes.length && bytes[end] === bytes[start]) end++
    const block = Buffer.alloc(4, bytes[start])
    const isLast = end === bytes.length ? 1 : 0
    block.writeUIntLE(isLast | (1 << 1) | ((end - start) << 3), 0, 3) // of the type RLE
    blocks.push(block)
  }
  return Buffer.concat(blocks)
}
