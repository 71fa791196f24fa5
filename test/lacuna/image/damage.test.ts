import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countHidden,
  hideAtRandom,
  holesOfAlpha,
  holesOfColour,
  holesOfMask,
  type Picture,
} from '#lacuna/image/index.js'
import { checkProperty } from '../../properties.ts'

const size = { width: 30, height: 20, channels: 3, maximum: 255 } as const

describe('hiding at random', () => {
  it('hideAtRandom hides exactly the fraction, whole pixels or single values, the same for the same seed', () => {
    checkProperty(
      fc.property(
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.integer({ min: 0 }),
        fc.boolean(),
        (share, seed, perChannel) => {
          const known = hideAtRandom(size, { share, seed, perChannel })
          const places = perChannel ? 1800 : 600
          expect(countHidden(known)).toBe(Math.round(share * places) * (perChannel ? 1 : 3))
          expect(hideAtRandom(size, { share, seed, perChannel })).toEqual(known)
          if (!perChannel) expect(known.every((is, at) => is === known[at - (at % 3)])).toBe(true)
        },
      ),
      { seed: 1, numRuns: 50 },
    )
    expect(hideAtRandom(size, { share: 0.5, seed: 1 })).not.toEqual(
      hideAtRandom(size, { share: 0.5, seed: 2 }),
    )
  })

  it('hideAtRandom spreads hidden pixels evenly', () => {
    const known = hideAtRandom({ ...size, width: 200, height: 200, channels: 1 }, { share: 0.9 })
    for (let part = 0; part < 4; part++) {
      const hidden = countHidden(known.subarray(part * 10_000, (part + 1) * 10_000))
      expect(Math.abs(hidden - 9000)).toBeLessThan(150) // five standard deviations
    }
  })

  it.each([0, 1, -0.1, Number.NaN])('hideAtRandom refuses the fraction %d', (share) => {
    expect(() => hideAtRandom(size, { share })).toThrow(/must lie between 0 and 1, ends excluded/)
  })

  it('hideAtRandom refuses to hide nothing or everything', () => {
    expect(() => hideAtRandom({ ...size, width: 2, height: 2 }, { share: 0.01 })).toThrow(
      /nothing to restore/,
    )
    expect(() => hideAtRandom({ ...size, width: 2, height: 2 }, { share: 0.99 })).toThrow(/nothing to learn/)
  })
})

describe('real holes', () => {
  it('holesOfAlpha makes holes of transparent pixels; half-transparent ones are known', () => {
    expect([...holesOfAlpha([0, 1, 128, 255], 3)]).toEqual([0, 0, 0, ...Array(9).fill(1)])
  })

  it('holesOfMask makes holes where the mask is white, for any channels and depth', () => {
    const grey: Picture = {
      width: 2,
      height: 1,
      channels: 1,
      maximum: 65535,
      data: Uint16Array.of(65535, 100),
    }
    const colour: Picture = {
      width: 2,
      height: 1,
      channels: 3,
      maximum: 255,
      data: Uint8Array.of(255, 255, 0, 255, 0, 0),
    }
    for (const mask of [grey, colour])
      expect([...holesOfMask({ ...size, width: 2, height: 1 }, mask)]).toEqual([0, 0, 0, 1, 1, 1])
    expect(() => holesOfMask(size, grey)).toThrow('The mask is 2×1, but the picture is 30×20')
  })

  it('holesOfColour makes holes of exactly the colour, at 8 and 16 bits', () => {
    const data = [255, 0, 255, 255, 0, 254]
    const picture: Picture = { width: 2, height: 1, channels: 3, maximum: 255, data: Uint8Array.from(data) }
    expect([...holesOfColour(picture, '#ff00FF')]).toEqual([0, 0, 0, 1, 1, 1])
    const deep: Picture = { ...picture, maximum: 65535, data: Uint16Array.from(data, (x) => 257 * x) }
    expect([...holesOfColour(deep, 'ff00ff')]).toEqual([0, 0, 0, 1, 1, 1])
    expect(() => holesOfColour(picture, 'pink')).toThrow('RRGGBB')
    expect(() => holesOfColour({ ...picture, width: 6, channels: 1 }, 'ff00ff')).toThrow('grey')
  })
})
