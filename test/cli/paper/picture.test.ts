import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readPicture } from '#cli/paper/experiments/data.ts'
import type { Picture } from '#lacuna/image/index.js'
import { writePng } from '#lacuna/io/node/index.js'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-paper-picture-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Bright at the left, dark at the right. */
function shaded(channels: 1 | 3, maximum: 255 | 65535): Picture {
  const [width, height] = [60, 40]
  const data = new (maximum === 255 ? Uint8Array : Uint16Array)(width * height * channels)
  for (let at = 0; at < data.length; at++)
    data[at] = maximum * (1 - (Math.floor(at / channels) % width) / width)
  return { width, height, channels, maximum, data }
}

it.each([
  [1, 255],
  [3, 255],
  [1, 65535],
  [3, 65535],
] as const)(
  'readPicture scales a picture of %i channels with values up to %i, and keeps its shades',
  async (channels, maximum) => {
    const path = join(folder, `${channels}-${maximum}.png`)
    await writePng(path, shaded(channels, maximum))
    const small = await readPicture(path, 30 * 20)
    expect(small).toMatchObject({ width: 30, height: 20, channels, maximum })
    expect(small.data.length).toBe(30 * 20 * channels)
    for (let j = 2; j < 28; j++) {
      const shade = small.data[(10 * 30 + j) * channels] / maximum
      expect(Math.abs(shade - (1 - (2 * j + 0.5) / 60))).toBeLessThan(0.02)
    }
    expect(await readPicture(path, Infinity)).toMatchObject({ width: 60, height: 40 })
  },
)
