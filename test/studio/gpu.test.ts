/** The page on a graphics card: SwiftShader, which Chromium brings. */
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Studio, startStudio, visit } from './studio.ts'

let studio: Studio

beforeAll(async () => {
  studio = await startStudio({ hasCard: true })
})
afterAll(() => studio?.close())

/** Bands of colour: of rank 2, and a little noise. */
async function picture(): Promise<Buffer> {
  const [width, height] = [48, 32]
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

/** Opens the picture, restores it, and says how well. */
async function restored(page: Page): Promise<number> {
  const file = { name: 'bands.png', mimeType: 'image/png', buffer: await picture() }
  await page.getByLabel('Open a photo …').setInputFiles(file)
  await page.getByText('bands.png, 48 × 32').waitFor()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByRole('button', { name: 'Go on' }).waitFor()
  return Number.parseFloat((await page.getByTestId('psnr').textContent()) ?? '')
}

it('restores a picture on the card that its header names, as well as on the CPU', {
  timeout: 300_000,
}, async () => {
  const { page, complaints } = await visit(studio, '#restore?method=plain&rank=3&hide=50')
  const onCpu = await restored(page)
  const card = page.getByLabel(/GPU: .*swiftshader/i)
  expect(await card.isChecked()).toBe(false)
  await card.click() // the page begins anew
  await expect.poll(() => card.isChecked().catch(() => false), { timeout: 60_000 }).toBe(true)
  const onCard = await restored(page)
  expect(onCpu).toBeGreaterThan(20)
  expect(Math.abs(onCard - onCpu)).toBeLessThan(0.5)
  expect(await page.getByText(/^google swiftshader$/).count()).toBe(1) // among the figures of the run
  expect(complaints).toEqual([])
})
