/** The studio on a GPU: SwiftShader, which is part of Chromium. */
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PATIENT, type Studio, startStudio, visit } from './studio.ts'

let studio: Studio

beforeAll(async () => {
  studio = await startStudio({ hasGpu: true })
})
afterAll(() => studio?.close())

/** Bands of colour: of rank 2, and a little noise. */
async function drawPicture(width: number, height: number): Promise<Buffer> {
  const data = Buffer.alloc(3 * width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++)
        data[3 * (y * width + x) + c] =
          60 + 50 * Math.sin(x / 4) + 40 * Math.cos(y / 5) + 30 * c + ((7 * x + 13 * y) % 5)
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

/** Opens a picture under a name. */
async function openPicture(page: Page, name: string, width: number, height: number): Promise<void> {
  const file = { name, mimeType: 'image/png', buffer: await drawPicture(width, height) }
  await page.getByLabel('Open a photo …').setInputFiles(file)
  await page.getByText(`${name}, ${width} × ${height}`).waitFor()
}

/** Opens a small picture under a name and restores it. Returns the PSNR. */
async function restorePicture(page: Page, name: string): Promise<number> {
  await openPicture(page, name, 48, 32)
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByRole('button', { name: 'Restore again' }).waitFor()
  return Number.parseFloat((await page.getByTestId('psnr').textContent()) ?? '')
}

it('the page restores a picture on the GPU named in its header as well as on the CPU', async () => {
  const { page, complaints } = await visit(studio, '?gpu=software#restore?method=plain&rank=3&hide=50')
  const onCpu = await restorePicture(page, 'bands.png')
  const checkbox = page.getByLabel(/GPU: .*swiftshader/i)
  expect(await checkbox.isChecked()).toBe(false)
  await checkbox.click() // the page reloads
  await expect.poll(() => checkbox.isChecked().catch(() => false), PATIENT).toBe(true)
  const onGpu = await restorePicture(page, 'again.png') // the page still has the other one
  expect(onCpu).toBeGreaterThan(20)
  expect(Math.abs(onGpu - onCpu)).toBeLessThan(0.5)
  expect(await page.getByText(/^google swiftshader$/).count()).toBe(1) // among the figures of the run
  expect(complaints).toEqual([])
})

it('an emulated GPU is not offered unless the address asks for it', async () => {
  const { page } = await visit(studio, '#home')
  const hasAdapter = await page.evaluate(async () => (await navigator.gpu.requestAdapter()) !== null)
  expect(hasAdapter).toBe(true)
  await page.getByText(/threads?$/).waitFor()
  await page.evaluate(async () => (await navigator.gpu.requestAdapter())?.info) // the header has asked before
  expect(await page.getByText(/GPU:/).count()).toBe(0)
})

it('the page tells that the GPU was lost during a run', async () => {
  const { page } = await visit(studio, '?gpu=software#restore?method=plain&rank=3&hide=50')
  const checkbox = page.getByLabel(/GPU: .*swiftshader/i)
  await checkbox.click() // the page reloads
  await expect.poll(() => checkbox.isChecked().catch(() => false), PATIENT).toBe(true)
  // So large that the run has not ended when the GPU is lost.
  await openPicture(page, 'bands.png', 360, 240)
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  const session = await studio.browser.newBrowserCDPSession()
  await page.getByTestId('psnr').filter({ hasText: 'dB' }).waitFor()
  await session.send('Browser.crashGpuProcess')
  await page
    .getByRole('alert')
    .getByText(/graphics card was lost/)
    .waitFor()
})
