/** Pictures of any size restored region by region, and drafts on the way. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawFacade } from '#lacuna/image/facade.js'
import { hideAtRandom, type Picture, quality, restore } from '#lacuna/image/index.js'
import {
  deepestFillable,
  findHoles,
  planRegions,
  restoreRegions,
  tileWeight,
  tooLargeHoles,
} from '#lacuna/image/regions/index.js'

/** A mask (height × width) with 1 in a rectangle. */
function rectangle(width: number, height: number, box: [number, number, number, number]): Uint8Array {
  const lost = new Uint8Array(width * height)
  for (let y = box[1]; y < box[1] + box[3]; y++) lost.fill(1, y * width + box[0], y * width + box[0] + box[2])
  return lost
}

/** The known values of a picture of three channels from a mask of lost pixels. */
const knownOf = (lost: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: 3 * lost.length }, (_, at) => 1 - lost[Math.floor(at / 3)])

/** A smooth coloured picture. */
function gradient(width: number, height: number): Picture {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)]
    return 40 + Math.round((150 * (at % 3 === 0 ? x / width : y / height)) / (1 + (at % 3)))
  })
  return { width, height, channels: 3, maximum: 255, data }
}

describe('holes', () => {
  it('have the depth of their middle', () => {
    const { pixels, deepest, meanDepth } = findHoles(rectangle(40, 30, [10, 5, 9, 21]), {
      width: 40,
      height: 30,
    })
    expect(pixels).toEqual([0, 9 * 21])
    expect(deepest[1]).toBe(5)
    expect(meanDepth[1]).toBeGreaterThan(2)
    expect(meanDepth[1]).toBeLessThan(3)
  })

  it('that touch only at a corner are two', () => {
    const lost = Uint8Array.from([1, 0, 0, 1])
    expect(findHoles(lost, { width: 2, height: 2 }).pixels).toEqual([0, 1, 1])
  })

  it('are too large from 5% of the square root of the area on, and never in random pixels', () => {
    const extent = { width: 400, height: 300 }
    expect(deepestFillable(extent)).toBeCloseTo(17.32, 2)
    expect(deepestFillable({ width: 40, height: 30 })).toBe(8)
    expect(tooLargeHoles(rectangle(400, 300, [100, 100, 34, 34]), extent)).toBeUndefined()
    const large = rectangle(400, 300, [100, 100, 36, 36])
    // A thin hole beside it is not too large.
    const thin = rectangle(400, 300, [10, 10, 4, 200])
    const both = large.map((is, p) => is | thin[p])
    expect(tooLargeHoles(both, extent)).toEqual(large)
    const random = hideAtRandom({ ...extent, channels: 1, maximum: 255 }, { share: 0.95 })
    expect(
      tooLargeHoles(
        Uint8Array.from(random, (is) => 1 - is),
        extent,
      ),
    ).toBeUndefined()
  })
})

describe('regions', () => {
  const rectangles = fc.array(fc.tuple(fc.nat(1399), fc.nat(1099), fc.integer({ min: 1, max: 90 })), {
    minLength: 1,
    maxLength: 6,
  })

  it('cover every hole once, with weights that sum to 1, and lie within the picture', () => {
    fc.assert(
      fc.property(rectangles, fc.constantFrom(2e4, 1e7), (boxes, mostWork) => {
        const extent = { width: 1400, height: 1100 }
        const lost = new Uint8Array(1400 * 1100)
        for (const [x, y, edge] of boxes)
          for (let row = y; row < Math.min(1100, y + edge); row++)
            lost.fill(1, row * 1400 + x, row * 1400 + Math.min(1400, x + edge))
        // A scratch across the borders of tiles.
        for (let row = 540; row < 546; row++) lost.fill(1, row * 1400 + 20, row * 1400 + 1380)
        const holes = findHoles(lost, extent)
        const { regions, factors } = planRegions(holes, extent, mostWork)
        for (const { left, top, width, height } of regions) {
          expect(Math.min(left, top)).toBeGreaterThanOrEqual(0)
          expect(left + width).toBeLessThanOrEqual(1400)
          expect(top + height).toBeLessThanOrEqual(1100)
        }
        for (let p = lost.indexOf(1); p >= 0; p = lost.indexOf(1, p + 17)) {
          const [x, y] = [p % 1400, Math.floor(p / 1400)]
          const weights = regions
            .filter(({ factor }) => factor === factors[holes.labels[p]])
            .map((region) => {
              const weight = tileWeight(region, extent, x, y)
              const inside =
                x >= region.left &&
                x < region.left + region.width &&
                y >= region.top &&
                y < region.top + region.height
              expect(inside || weight === 0).toBe(true)
              return weight
            })
          expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('of scratches in a large photo have full resolution, those of random pixels are reduced', () => {
    const extent = { width: 2800, height: 2100 }
    const lost = new Uint8Array(2800 * 2100)
    for (let line = 0; line < 14; line++)
      for (let y = 100; y < 2000; y++) lost.fill(1, y * 2800 + 200 * line + 5, y * 2800 + 200 * line + 11)
    const scratches = planRegions(findHoles(lost, extent), extent, 3e6)
    expect(new Set(scratches.regions.map(({ factor }) => factor))).toEqual(new Set([1]))
    expect(scratches.limited).toBe(false)
    const random = hideAtRandom({ ...extent, channels: 1, maximum: 255 }, { share: 0.8 })
    const pixels = planRegions(
      findHoles(
        Uint8Array.from(random, (is) => 1 - is),
        extent,
      ),
      extent,
      3e6,
    )
    expect(new Set(pixels.regions.map(({ factor }) => factor))).toEqual(new Set([4]))
    expect(pixels.limited).toBe(true)
  })

  it('keep known pixels bit for bit and fill all holes, narrow and wide, across tiles', async () => {
    const picture = gradient(1320, 300)
    // A wide hole and, across the border of two tiles, a narrow one.
    const lost = rectangle(1320, 300, [100, 120, 36, 36])
    for (let y = 20; y < 24; y++) lost.fill(1, y * 1320 + 500, y * 1320 + 800)
    const damaged = {
      ...picture,
      data: picture.data.map((value, at) => (lost[Math.floor(at / 3)] ? 0 : value)),
    }
    const known = knownOf(lost)
    const { picture: restored, regions } = await restoreRegions(damaged, known, { threads: 1, epochs: 2 })
    expect(regions.map(({ factor }) => factor)).toEqual([2, 1, 1])
    expect(restored.data.every((value, at) => !known[at] || value === picture.data[at])).toBe(true)
    expect(quality(picture, restored, known).psnr).toBeGreaterThan(40)
  })

  it('that were restored before are not restored again', async () => {
    const picture = drawFacade(320, 240)
    const known = knownOf(rectangle(320, 240, [100, 100, 6, 80]))
    const cache = new Map<string, Picture>()
    let solved = 0
    const options = { threads: 1, epochs: 1, cache, onDraft: () => void solved++ }
    const first = await restoreRegions(picture, known, options)
    expect(solved).toBeGreaterThan(0)
    solved = 0
    const again = await restoreRegions(picture, known, options)
    expect(solved).toBe(0)
    expect(again.picture.data).toEqual(first.picture.data)
    await restoreRegions(picture, knownOf(rectangle(320, 240, [100, 100, 7, 80])), options)
    expect(solved).toBeGreaterThan(0)
  })
})

it('drafts are many and become better by the held-out pixels, and nearly so by the lost ones', async () => {
  const picture = drawFacade(280, 200)
  const known = hideAtRandom(picture, { share: 0.8 })
  const errors: number[] = []
  const psnr: number[] = []
  const { picture: restored } = await restore(picture, known, {
    threads: 1,
    onDraft(draft) {
      errors.push(draft.error)
      psnr.push(quality(picture, draft.picture(), known).psnr)
    },
  })
  psnr.push(quality(picture, restored, known).psnr)
  expect(errors.length).toBeGreaterThan(8)
  for (let n = 1; n < errors.length; n++) expect(errors[n]).toBeLessThanOrEqual(errors[n - 1] + 1e-12)
  for (let n = 1; n < psnr.length; n++) expect(psnr[n]).toBeGreaterThan(Math.max(...psnr.slice(0, n)) - 0.1)
  expect(psnr.at(-1)).toBeGreaterThan(psnr[0] + 1)
})
