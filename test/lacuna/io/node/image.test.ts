import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import type { Picture } from '#lacuna/image/index.js'
import { readImage, writePng } from '#lacuna/io/node/index.js'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-image-'))
const path = (name: string) => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))

function sample(channels: 1 | 3, maximum: 255 | 65535, width = 12, height = 7): Picture {
  const values = Array.from(
    { length: width * height * channels },
    (_, at) => (at * 7919 * 31) % (maximum + 1),
  )
  return {
    width,
    height,
    channels,
    maximum,
    data: maximum === 255 ? Uint8Array.from(values) : Uint16Array.from(values),
  }
}

describe('PNG', () => {
  it.each([
    [1, 255],
    [3, 255],
    [1, 65535],
    [3, 65535],
  ] as const)(
    'a PNG comes back bit for bit: %d channels up to %d, with and without holes',
    async (channels, maximum) => {
      const picture = sample(channels, maximum)
      await writePng(path('a.png'), picture)
      expect(await readImage(path('a.png'))).toEqual({ picture })
      const alpha = Uint8Array.from({ length: 84 }, (_, p) => (p % 3 ? 1 : 0))
      await writePng(path('b.png'), picture, alpha)
      const found = await readImage(path('b.png'))
      expect(found.picture).toEqual(picture)
      expect(found.alpha?.map((value) => (value > 0 ? 1 : 0))).toEqual(
        maximum === 255 ? alpha : Uint16Array.from(alpha),
      )
    },
  )
})

describe('other formats', () => {
  const picture = sample(3, 255, 40, 30)
  const source = () => sharp(picture.data, { raw: { width: 40, height: 30, channels: 3 } })

  it.each(['tiff', 'webp'] as const)('a picture in lossless %s is read exactly', async (format) => {
    const options = format === 'tiff' ? { compression: 'lzw' } : { lossless: true }
    await source()
      .toFormat(format, options as object)
      .toFile(path(`a.${format}`))
    expect(await readImage(path(`a.${format}`))).toEqual({ picture })
  })

  it.each(['jpeg', 'avif'] as const)('a picture in %s is read', async (format) => {
    await source()
      .toFormat(format)
      .toFile(path(`a.${format}`))
    expect((await readImage(path(`a.${format}`))).picture).toMatchObject({
      width: 40,
      height: 30,
      channels: 3,
    })
  })

  it('a photograph is rotated as its EXIF orientation says', async () => {
    await source().withMetadata({ orientation: 6 }).png().toFile(path('turned.png'))
    const { picture: upright } = await readImage(path('turned.png'))
    expect(upright).toMatchObject({ width: 30, height: 40 })
    // A quarter turn clockwise: the first pixel is the one that was at the bottom left.
    expect([...upright.data.subarray(0, 3)]).toEqual([...picture.data.subarray(29 * 40 * 3, 29 * 40 * 3 + 3)])
  })
})

describe('damaged and dangerous files', () => {
  it.each([
    ['none.png', 'there is no such file'],
    ['text.png', 'no picture that can be read'],
    ['empty.png', 'no picture that can be read'],
    ['cut.png', 'damaged or cut off'],
    ['cut.jpg', 'damaged or cut off'],
    ['flipped.png', 'damaged or cut off'],
    ['bomb.png', 'more than 100 million'],
    ['a.gif', 'this is gif'],
  ])('the picture file %s is refused in one sentence', async (name, message) => {
    const picture = sample(3, 255, 200, 150)
    await writePng(path('whole.png'), picture)
    const png = readFileSync(path('whole.png'))
    const raw = { raw: { width: 200, height: 150, channels: 3 as const } }
    const jpeg = await sharp(picture.data, raw).jpeg().toBuffer()
    const flipped = Buffer.from(png)
    flipped[png.length >> 1] ^= 255
    const bomb = Buffer.from(png) // claims 60000 × 60000 pixels
    bomb.writeUInt32BE(60_000, 16)
    bomb.writeUInt32BE(60_000, 20)
    const files: Record<string, Uint8Array | string> = {
      'text.png': 'hello',
      'empty.png': '',
      'cut.png': png.subarray(0, png.length >> 1),
      'cut.jpg': jpeg.subarray(0, jpeg.length >> 1),
      'flipped.png': flipped,
      'bomb.png': bomb,
      'a.gif': await sharp(picture.data, raw).gif().toBuffer(),
    }
    if (name in files) writeFileSync(path(name), files[name])
    const failure = await readImage(path(name)).catch((error: Error) => error)
    expect(failure).toMatchObject({ name: 'InputError' })
    expect((failure as Error).message).toContain(`${name}: `)
    expect((failure as Error).message).toContain(message)
    expect((failure as Error).message.split('\n')).toHaveLength(1)
  })
})
