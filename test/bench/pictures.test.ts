import { expect, it } from 'vitest'
import { damages } from '#bench/measure/pictures/damages.ts'
import { interpolateLinearly } from '#bench/measure/pictures/interpolate.ts'
import { cropMiddle } from '#bench/measure/pictures/measurePictures.ts'
import { hideAtRandom, type Picture, quality } from '#lacuna/image.js'

/** A picture by a function of its pixels. */
const paint = (width: number, height: number, colour: (x: number, y: number) => number[]): Picture => ({
  ...{ width, height, channels: 3, maximum: 255 },
  data: Uint8Array.from(
    Array.from({ length: width * height }, (_, p) => colour(p % width, Math.floor(p / width))).flat(),
  ),
})

it('linear interpolation restores a plane between its known pixels, and the nearest pixel beyond them', () => {
  const plane = paint(31, 23, (x, y) => [2 * x + 3 * y, 200 - 4 * x, 7 * y])
  const known = hideAtRandom(plane, { share: 0.8, seed: 3 })
  const corners = [0, 30, 22 * 31, 22 * 31 + 30]
  const inside = known.map((is, at) => (corners.includes(Math.floor(at / 3)) ? 1 : is))
  expect(quality(plane, interpolateLinearly(plane, inside)).psnr).toBe(Infinity)
  const square = known.map((_, at) => {
    const [x, y] = [Math.floor(at / 3) % 31, Math.floor(at / 93)]
    return x >= 5 && x < 25 && y >= 5 && y < 18 ? 1 : 0
  })
  const beyond = interpolateLinearly(plane, square)
  expect(Array.from(beyond.data.subarray(0, 3))).toEqual([2 * 5 + 3 * 5, 200 - 4 * 5, 7 * 5])
})

it('scratches and text hide a small part of a picture, and the middle of a picture is cut out', async () => {
  const picture = paint(120, 90, (x, y) => [x, y, 0])
  for (const name of ['scratches', 'text']) {
    const known = await damages[name](picture, 1)
    const hidden = known.reduce((count, is) => count + 1 - is, 0) / known.length
    expect(hidden, name).toBeGreaterThan(0.01)
    expect(hidden, name).toBeLessThan(0.4)
  }
  const middle = cropMiddle(picture, [20, 10])
  expect([middle.width, middle.height]).toEqual([20, 10])
  expect(Array.from(middle.data.subarray(0, 3))).toEqual([50, 40, 0])
})
