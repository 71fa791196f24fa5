/** Files and texts by which a restored picture is shared, without a browser. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { joinWebp } from '../../../packages/studio/src/restore/share/animatedWebp.ts'
import { wipeFrames } from '../../../packages/studio/src/restore/share/beforeAfter.ts'
import { imageCommand } from '../../../packages/studio/src/restore/share/command.ts'

const [width, height] = [31, 18]

/** A still WebP file of one colour, as a canvas would encode it. */
const still = async (
  colour: { r: number; g: number; b: number; alpha: number },
  options: object,
): Promise<Uint8Array> =>
  new Uint8Array(
    await sharp({ create: { width, height, channels: 4, background: colour } })
      .webp(options)
      .toBuffer(),
  )

describe('animated WebP', () => {
  it.each([
    ['lossless', { lossless: true }],
    ['lossy', { quality: 90 }],
  ])('frames of %s files are decoded with their colours, times and size', async (_, options) => {
    const colours = [
      { r: 200, g: 30, b: 40, alpha: 1 },
      { r: 20, g: 130, b: 40, alpha: 1 },
      { r: 20, g: 30, b: 240, alpha: 1 },
    ]
    const files = await Promise.all(colours.map((colour) => still(colour, options)))
    const animation = joinWebp(
      files.map((file, n) => ({ file, duration: 100 * (n + 1) })),
      { width, height },
    )
    const opened = sharp(animation, { animated: true })
    const info = await opened.metadata()
    expect([info.format, info.pages, info.width, info.pageHeight]).toEqual(['webp', 3, width, height])
    expect(info.delay).toEqual([100, 200, 300])
    expect(info.loop).toBe(0)
    const pixels = await opened.removeAlpha().raw().toBuffer()
    for (const [n, { r, g, b }] of colours.entries()) {
      const at = 3 * (n * width * height + 5 * width + 7)
      for (const [k, value] of [r, g, b].entries()) expect(Math.abs(pixels[at + k] - value)).toBeLessThan(8)
    }
  })

  it('transparent frames replace those before them', async () => {
    const [solid, clear] = await Promise.all([
      still({ r: 9, g: 9, b: 9, alpha: 1 }, { quality: 90 }),
      still({ r: 9, g: 9, b: 9, alpha: 0 }, { quality: 90 }),
    ])
    const animation = joinWebp(
      [solid, clear].map((file) => ({ file, duration: 50 })),
      { width, height },
    )
    const pixels = await sharp(animation, { animated: true }).ensureAlpha().raw().toBuffer()
    expect(pixels[3]).toBe(255)
    expect(pixels[4 * width * height + 3]).toBe(0)
  })

  it('refuses what is no WebP file', () => {
    expect(() => joinWebp([{ file: new Uint8Array(20), duration: 1 }], { width, height })).toThrow('no WebP')
    expect(() => joinWebp([], { width, height })).toThrow('at least one')
  })

  it('wipes from before to after and back', () => {
    const shown = wipeFrames().map((frame) => frame.shown)
    const whole = shown.indexOf(1)
    expect(shown[0]).toBe(0)
    expect(shown.slice(0, whole + 1)).toEqual([...shown.slice(0, whole + 1)].sort((a, b) => a - b))
    expect(shown.slice(whole)).toEqual([...shown.slice(whole)].sort((a, b) => b - a))
  })
})

it('the command line has the settings that differ from its defaults, and quotes names', () => {
  const setting = { method: 'patches', rank: 24, lambda: 'auto' } as const
  const pixels = { kind: 'pixels', hidden: 80 } as const
  expect(imageCommand({ name: 'photo.jpg', damage: pixels, ...setting })).toBe(
    'lacuna image photo.jpg --missing 0.8 -o photo-restored.png',
  )
  const drawn = { kind: 'brush', hidden: 80 } as const
  expect(
    imageCommand({ name: "aunt's photo.jpg", damage: drawn, method: 'plain', rank: 40, lambda: 0.3 }),
  ).toBe(
    String.raw`lacuna image 'aunt'\''s photo.jpg' --mask 'aunt'\''s photo-mask.png' --plain --rank 40 --lambda 0.3 -o 'aunt'\''s photo-restored.png'`,
  )
})
