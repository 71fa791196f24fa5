/** The Restore view in Chromium. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { longestTaskMs } from '../mainThread.ts'
import { PATIENT, type Studio, startStudio, type Visit, visit } from '../studio.ts'

let studio: Studio

beforeAll(async () => {
  studio = await startStudio()
})

afterAll(() => studio?.close())

/** Opens the page with the sample photo, made smaller: half its size is a quarter of the work. */
async function visitWithPhoto(width: number, height: number, address = '#restore'): Promise<Visit> {
  const opened = await visit(studio, address)
  const sample = fileURLToPath(new URL('../../../packages/cli/dist/studio/sample.png', import.meta.url))
  const buffer = await sharp(sample).resize(width, height).png().toBuffer()
  const photo = { name: 'small.png', mimeType: 'image/png', buffer }
  await opened.page.getByLabel('Open a photo …').setInputFiles(photo)
  await opened.page.getByText(`small.png, ${width} × ${height}`).waitFor()
  return opened
}

const psnr = async (page: Page): Promise<number> =>
  Number.parseFloat((await page.getByTestId('psnr').textContent()) ?? '')

/** Pauses a run as soon as the page shows a PSNR above one: within the page, since a fast run would end meanwhile. */
const pauseAbove = (page: Page, least: number): Promise<void> =>
  page.evaluate(
    (least) =>
      new Promise<void>((resolve) => {
        const pauseIfAbove = (): boolean => {
          const shown = Number.parseFloat(document.querySelector('[data-testid=psnr]')?.textContent ?? '')
          if (!(shown > least)) return false
          const buttons = [...document.querySelectorAll('button')]
          buttons.find(({ textContent }) => textContent === 'Pause')?.click()
          resolve()
          return true
        }
        const observer = new MutationObserver(() => pauseIfAbove() && observer.disconnect())
        if (!pauseIfAbove())
          observer.observe(document.body, { subtree: true, childList: true, characterData: true })
      }),
    least,
  )

/** Counts, from now on, the pictures that are drawn, and notes the figures of quality that the page shows. */
async function watchFrames(page: Page): Promise<() => Promise<{ frames: number; figures: number[] }>> {
  const seen = await page.evaluateHandle(() => {
    const watched = { frames: 0, figures: [] as number[] }
    new MutationObserver(() => {
      const figure = Number.parseFloat(document.querySelector('[data-testid=psnr]')?.textContent ?? '')
      if (Number.isFinite(figure) && watched.figures.at(-1) !== figure) watched.figures.push(figure)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
    const { prototype } = CanvasRenderingContext2D
    const draw = prototype.drawImage
    prototype.drawImage = function (this: CanvasRenderingContext2D, ...args: unknown[]) {
      if (args[0] instanceof ImageBitmap) watched.frames++
      Reflect.apply(draw, this, args)
    }
    return watched
  })
  return () => seen.jsonValue()
}

/** Paints a stroke between two positions on the stage, as fractions of its width and height. */
async function paint(page: Page, from: [number, number], to: [number, number]): Promise<void> {
  const box = (await page.getByRole('application', { name: 'Picture' }).boundingBox())!
  await page.mouse.move(box.x + from[0] * box.width, box.y + from[1] * box.height)
  await page.mouse.down()
  await page.mouse.move(box.x + to[0] * box.width, box.y + to[1] * box.height, { steps: 5 })
  await page.mouse.up()
}

/** Presses a button that saves a file, and returns the file's content. */
async function save(page: Page, button: string): Promise<Buffer> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  return readFile(await saved.path())
}

const restore = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Restore', exact: true }).click()
const waitForResult = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Restore again' }).waitFor()

it('the page restores a photo with 80% of it hidden, and shows many pictures, none worse than the one before', async () => {
  const { page, complaints } = await visitWithPhoto(330, 220)
  const watched = await watchFrames(page)
  const longest = await longestTaskMs(page, async () => {
    await restore(page)
    await waitForResult(page)
  })
  expect(await psnr(page)).toBeGreaterThan(22)
  expect(longest).toBeLessThan(50)
  const { frames, figures: shown } = await watched()
  expect(frames).toBeGreaterThan(10)
  for (let n = 1; n < shown.length; n++)
    expect(shown[n]).toBeGreaterThanOrEqual(Math.max(...shown.slice(0, n)) - 0.11)

  const { width, height } = await sharp(await save(page, 'Save the picture')).metadata()
  expect([width, height]).toEqual([330, 220])
  const animation = await sharp(await save(page, 'Animation'), { animated: true }).metadata()
  expect([animation.format, animation.width, animation.pageHeight]).toEqual(['webp', 330, 220])
  expect(animation.pages).toBeGreaterThan(10)

  // The divider obeys the keyboard.
  const divider = page.getByRole('slider', { name: /Divider/ })
  await divider.focus()
  await page.keyboard.press('ArrowRight')
  expect(await divider.getAttribute('aria-valuenow')).toBe('52')

  // A reload loses nothing of importance, and another tab has a picture of its own.
  const before = await psnr(page)
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByText('sample.png, ').waitFor()
  await page.reload()
  await page.getByTestId('psnr').waitFor()
  expect(await psnr(page)).toBe(before)
  expect(complaints).toEqual([])
})

it('what was painted over is restored; then the brush still paints, and strokes and sliders can be undone', async () => {
  const { page, complaints } = await visitWithPhoto(240, 160, '#restore?damage=brush&brush=8')
  const start = page.getByRole('button', { name: 'Restore', exact: true })
  expect(await start.isDisabled()).toBe(true)
  await paint(page, [0.3, 0.3], [0.7, 0.5])
  await page.getByText(/of the picture is lost/).waitFor()
  await restore(page)
  await waitForResult(page)
  // The mean colour of the picture would be 12 dB.
  expect(await psnr(page)).toBeGreaterThan(15)

  // A stroke beside the divider paints; undo brings the result back.
  const lost = page.getByText(/of the picture is lost/)
  const before = await lost.textContent()
  await paint(page, [0.6, 0.7], [0.9, 0.8])
  await start.waitFor()
  await page.keyboard.press('Control+z')
  await waitForResult(page)
  await expect.poll(() => lost.textContent(), PATIENT).toBe(before)
  await page.keyboard.press('Control+Shift+z')
  await start.waitFor()
  await expect.poll(() => lost.textContent(), PATIENT).not.toBe(before)
  // By keyboard alone, with the eraser: something of the damage is gone.
  const more = await lost.textContent()
  await page.getByRole('radio', { name: 'Eraser' }).check({ force: true })
  await page.getByRole('application', { name: 'Picture' }).focus()
  for (let n = 0; n < 10; n++) await page.keyboard.press('Shift+ArrowUp')
  await expect.poll(() => lost.textContent(), PATIENT).not.toBe(more)

  // Zoom by keys, and back by the button that appears.
  await page.keyboard.press('+')
  await page.getByRole('button', { name: 'Fit' }).click()
  await page.getByRole('button', { name: 'Fit' }).waitFor({ state: 'hidden' })

  // A mask of another size is refused, a hole that is too large, too.
  await page.getByRole('radio', { name: 'Mask' }).check({ force: true })
  const white = (width: number, height: number): Promise<Buffer> =>
    sharp({ create: { width, height, channels: 3, background: '#fff' } })
      .png()
      .toBuffer()
  const maskInput = page.getByLabel('Open a mask …')
  const mask = { name: 'mask.png', mimeType: 'image/png' }
  await maskInput.setInputFiles({ ...mask, buffer: await white(160, 160) })
  const alert = page.getByRole('alert')
  await alert.getByText(/^mask\.png is 160 × 160, but the picture is 240 × 160/).waitFor()
  await page.getByLabel('Open a photo …').setInputFiles({ ...mask, buffer: Buffer.from('no picture') })
  await alert.getByText(/^mask\.png is no picture that this browser can open/).waitFor()
  const large = await sharp({ create: { width: 240, height: 160, channels: 3, background: '#000' } })
    .composite([{ input: await white(110, 76), left: 60, top: 40 }]) // 22% of the picture
    .png()
    .toBuffer()
  await maskInput.setInputFiles({ ...mask, buffer: large })
  await page.getByText(/too large for this method/).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/too large for this method/).waitFor({ state: 'hidden' })
  expect(complaints).toEqual([])
})

it('a photo of 4 million pixels comes out in its size, repaired, and its sliders never block the page', async () => {
  const [width, height] = [2400, 1800]
  // Smooth, but no row or column is like another.
  const small = await sharp({
    create: {
      width: 80,
      height: 60,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  })
    .png()
    .toBuffer()
  const photo = await sharp(small)
    .resize(width, height, { kernel: 'cubic' })
    .png({ compressionLevel: 1 })
    .toBuffer()
  const { page, complaints } = await visit(studio, '#restore?hide=50&brush=20')
  const file = { name: 'large.png', mimeType: 'image/png', buffer: photo }
  await page.getByLabel('Open a photo …').setInputFiles(file)
  await page.getByText('large.png, 2400 × 1800').waitFor()
  const longest = await longestTaskMs(page, async () => {
    for (const percent of ['45', '35']) {
      await page.getByLabel('Hide pixels at random').fill(percent)
      await page.getByText(`${percent}%`).waitFor()
    }
    await page.getByRole('radio', { name: 'Brush' }).first().check({ force: true })
    await paint(page, [0.4, 0.4], [0.43, 0.43])
    await page.getByText(/of the picture is lost/).waitFor()
  })
  expect(longest).toBeLessThan(50)
  await restore(page)
  await waitForResult(page)
  const [before, after] = await Promise.all(
    [photo, await save(page, 'Save the picture')].map((png) => sharp(png).removeAlpha().raw().toBuffer()),
  )
  expect(after.length).toBe(3 * width * height)
  let [changed, largest] = [0, 0]
  for (let at = 0; at < before.length; at++) {
    const difference = Math.abs(before[at] - after[at])
    if (difference > 0) changed++
    largest = Math.max(largest, difference)
  }
  // Within the stroke alone, and hardly to be seen.
  expect(changed).toBeGreaterThan(0)
  expect(changed).toBeLessThan(3 * 0.002 * width * height)
  expect(largest).toBeLessThan(30)
  expect(complaints).toEqual([])
})

it('a reload in the middle of a run keeps damage and settings, and offers to go on', async () => {
  const { page, complaints } = await visitWithPhoto(360, 240, '#restore?hide=70')
  await restore(page)
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await expect.poll(() => psnr(page), PATIENT).toBeGreaterThan(10)
  await page.reload()
  await page.getByText('A run was stopped when the page was reloaded').waitFor()
  await page.getByText('small.png, 360 × 240').waitFor()
  expect(await page.getByLabel('Hide pixels at random').inputValue()).toBe('70')
  await page.getByRole('button', { name: 'Go on' }).click()
  await waitForResult(page)
  expect(await psnr(page)).toBeGreaterThan(22)
  expect(complaints).toEqual([])
})

it('a finger paints on a phone, without moving the page', async () => {
  const { page } = await visit(studio, '#restore', { viewport: { width: 390, height: 844 }, hasTouch: true })
  await page.getByRole('radio', { name: 'Brush' }).first().check({ force: true })
  const box = (await page.getByRole('application', { name: 'Picture' }).boundingBox())!
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: at === undefined ? [] : [{ x: box.x + 0.5 * box.width, y: box.y + at * box.height }],
    })
  await touch('touchStart', 0.7)
  for (const at of [0.6, 0.5, 0.4, 0.3]) await touch('touchMove', at)
  await touch('touchEnd')
  await page.getByText(/of the picture is lost/).waitFor()
  expect(await page.evaluate(() => scrollY)).toBe(0)
  expect(await page.getByRole('button', { name: 'Undo' }).isEnabled()).toBe(true)
})

it('of two pictures that are opened one right after the other, the second one is shown and restored', async () => {
  const { page, complaints } = await visitWithPhoto(60, 40, '#restore?hide=50')
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const photos = await Promise.all(
    [900, 90].map((width) =>
      sharp({ create: { width, height: width / 1.5, channels: 3, background: '#888', noise } })
        .png({ compressionLevel: 1 })
        .toBuffer(),
    ),
  )
  const input = page.getByLabel('Open a photo …')
  await input.setInputFiles({ name: 'slow.png', mimeType: 'image/png', buffer: photos[0] })
  await input.setInputFiles({ name: 'quick.png', mimeType: 'image/png', buffer: photos[1] })
  await page.getByText('quick.png, 90 × 60').waitFor()
  await restore(page)
  await waitForResult(page)
  // What is saved is made of the picture that the worker has.
  const { width, height } = await sharp(await save(page, 'Save the picture')).metadata()
  expect([width, height]).toEqual([90, 60])
  expect(complaints).toEqual([])
})

it('a paused restoration continues with another rank and λ', async () => {
  const { page, complaints } = await visitWithPhoto(720, 480, '#restore?method=plain&rank=20')
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  // Even before it has begun.
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  const epochs = page.locator('dt:text-is("Epochs") + dd')
  const epoch = async (): Promise<number> => Number(await epochs.textContent())
  await expect.poll(epoch, PATIENT).toBeGreaterThan(3)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Continue' }).waitFor()
  const [paused, sharp] = [await epoch(), await psnr(page)]
  // At most the round at hand ends, however long one waits.
  await page.waitForTimeout(300)
  expect(await epoch()).toBeLessThanOrEqual(paused + 1)

  await page.getByLabel('Rank, how much detail').fill('28')
  await page.getByRole('button', { name: 'Continue' }).click()
  await pauseAbove(page, sharp + 1)
  expect(await epoch()).toBeGreaterThan(paused)

  // A λ that is far too large takes effect at once: it wipes the picture out.
  await page.getByLabel('Choose λ by itself').uncheck()
  await page.getByLabel('λ, how strongly to smooth').fill('3')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(() => psnr(page), PATIENT).toBeLessThan(sharp)
  expect(complaints).toEqual([])
})

it('the wheel with Ctrl zooms a picture that was not clicked, and without Ctrl scrolls the page, as the page says', async () => {
  const { page, complaints } = await visitWithPhoto(200, 150)
  await page.getByText('Zoom with Ctrl and the wheel').waitFor()
  const box = (await page.getByRole('application', { name: 'Picture' }).boundingBox())!
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  const fit = page.getByRole('button', { name: 'Fit' })
  await page.mouse.wheel(0, -300)
  expect(await fit.count()).toBe(0)
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -300)
  await page.keyboard.up('Control')
  await fit.waitFor()
  expect(complaints).toEqual([])
})
