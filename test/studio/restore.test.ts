/** The Restore view in Chromium. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { longestTaskMs } from './mainThread.ts'
import { type Studio, startStudio, type Visit, visit } from './studio.ts'

/** Other work may share the machine. */
const PATIENT = { timeout: 120_000, interval: 200 }
const SLOW_MS = 240_000

let studio: Studio

beforeAll(async () => {
  studio = await startStudio()
})

afterAll(() => studio?.close())

/** Opens the page with the sample photo, made smaller: half its size is a quarter of the work. */
async function visitWithPhoto(width: number, height: number, address = ''): Promise<Visit> {
  const opened = await visit(studio, address)
  const sample = fileURLToPath(new URL('../../packages/cli/dist/studio/sample.png', import.meta.url))
  const buffer = await sharp(sample).resize(width, height).png().toBuffer()
  const photo = { name: 'small.png', mimeType: 'image/png', buffer }
  await opened.page.getByLabel('Open a photo …').setInputFiles(photo)
  await opened.page.getByText(`small.png, ${width} × ${height}`).waitFor()
  return opened
}

const psnr = async (page: Page): Promise<number> =>
  Number.parseFloat((await page.getByTestId('psnr').textContent()) ?? '')

it(
  'the page restores a photo with 80% of it hidden, and draws frames meanwhile',
  async () => {
    const { page, complaints } = await visitWithPhoto(360, 240)
    const frames = await page.evaluateHandle(() => {
      const count = { frames: 0 }
      const next = (): void => {
        count.frames++
        requestAnimationFrame(next)
      }
      next()
      return count
    })
    const longest = await longestTaskMs(page, async () => {
      await page.getByRole('button', { name: 'Restore', exact: true }).click()
      await page.getByRole('button', { name: 'Go on' }).waitFor()
    })
    expect(await psnr(page)).toBeGreaterThan(22)
    expect(longest).toBeLessThan(50)
    expect(await frames.evaluate((count) => count.frames)).toBeGreaterThan(20)

    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the picture' }).click(),
    ])
    const png = await readFile(await saved.path())
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([360, 240])

    // The divider obeys the keyboard.
    const divider = page.getByRole('slider', { name: /Divider/ })
    await divider.focus()
    await page.keyboard.press('ArrowRight')
    expect(await divider.getAttribute('aria-valuenow')).toBe('52')

    // A reload loses nothing of importance.
    const before = await psnr(page)
    await page.waitForTimeout(800)
    await page.reload()
    await page.getByTestId('psnr').waitFor()
    expect(await psnr(page)).toBe(before)
    expect(complaints).toEqual([])
  },
  SLOW_MS,
)

it(
  'the page restores what was painted over',
  async () => {
    const { page, complaints } = await visitWithPhoto(240, 160, '#restore?damage=brush&brush=8')
    const layer = page.getByLabel('Paint damage here')
    const box = (await layer.boundingBox())!
    expect(await page.getByRole('button', { name: 'Restore', exact: true }).isDisabled()).toBe(true)
    await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.3 * box.height)
    await page.mouse.down()
    await page.mouse.move(box.x + 0.7 * box.width, box.y + 0.5 * box.height, { steps: 8 })
    await page.mouse.up()
    await page.getByText(/of the picture is lost/).waitFor()
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByRole('button', { name: 'Go on' }).waitFor()
    // The mean colour of the picture would be 12 dB.
    expect(await psnr(page)).toBeGreaterThan(15)
    expect(complaints).toEqual([])
  },
  SLOW_MS,
)

it(
  'a paused restoration continues with another rank and λ',
  async () => {
    const { page, complaints } = await visitWithPhoto(720, 480, '#restore?method=plain&rank=20')
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    // Even before it has begun.
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    const epochs = page.locator('dt:text-is("Epochs") + dd')
    const epoch = async (): Promise<number> => Number(await epochs.textContent())
    await expect.poll(epoch, PATIENT).toBeGreaterThan(3)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.waitForTimeout(500) // the round at hand ends
    const [paused, sharp] = [await epoch(), await psnr(page)]
    await page.waitForTimeout(300)
    expect(await epoch()).toBe(paused)

    await page.getByLabel('Rank, how much detail').fill('28')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect.poll(epoch, PATIENT).toBeGreaterThan(paused + 1)
    await expect.poll(() => psnr(page), PATIENT).toBeGreaterThan(sharp + 1)

    // A λ that is far too large takes effect at once: it wipes the picture out.
    await page.getByLabel('Choose λ by itself').uncheck()
    await page.getByLabel('λ, how strongly to smooth').fill('3')
    await expect.poll(() => psnr(page), PATIENT).toBeLessThan(sharp)
    expect(complaints).toEqual([])
  },
  SLOW_MS,
)
