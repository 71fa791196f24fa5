import { describe, expect, it } from 'vitest'
import {
  blacken,
  drawFacade,
  hideAtRandom,
  type Picture,
  paperSettings,
  quality,
  restore,
  sideBySide,
} from '#lacuna/image/index.js'
import { patchGrid } from '#lacuna/image/patches.js'

const facade = drawFacade(144, 96)
const known = hideAtRandom(facade, { share: 0.9, seed: 1 })

describe('quality', () => {
  it('quality of a picture that is off by d everywhere is 20 log10(white / d) dB', () => {
    const truth: Picture = {
      width: 2,
      height: 2,
      channels: 1,
      maximum: 255,
      data: Uint8Array.of(100, 100, 100, 100),
    }
    const off = { ...truth, data: Uint8Array.of(110, 90, 110, 100) }
    const on = Uint8Array.of(0, 0, 0, 1)
    expect(quality(truth, off, on).psnr).toBeCloseTo(20 * Math.log10(25.5), 10)
    expect(quality(truth, off, on)).toMatchObject({ relative: 0.1, values: 3 })
    expect(quality(truth, truth)).toEqual({ relative: 0, psnr: Infinity, values: 4 })
  })
})

describe('restore', () => {
  it('restore beats the paper’s setting by far with 90% of a drawn picture hidden, and keeps known values', async () => {
    const { picture, aborted } = await restore(facade, known)
    expect(aborted).toBe(false)
    const ours = quality(facade, picture, known).psnr
    const paper = await restore(facade, known, { ...paperSettings, epochs: 60 })
    const theirs = quality(facade, paper.picture, known).psnr
    expect(ours).toBeGreaterThan(18)
    expect(ours).toBeGreaterThan(theirs + 3)
    for (const found of [picture, paper.picture])
      expect(found.data.filter((_, at) => known[at])).toEqual(facade.data.filter((_, at) => known[at]))
  })

  const gradient: Picture = {
    ...facade,
    data: Uint8Array.from(facade.data, (_, at) => {
      const [i, j] = [Math.floor(at / 432) / 96, (Math.floor(at / 3) % 144) / 144]
      return 40 + 150 * Math.abs(Math.sin(2 * i + j)) + 40 * j * (at % 3)
    }),
  }
  const scratches = Uint8Array.from(facade.data, (_, at) => {
    const p = Math.floor(at / 3)
    const [i, j] = [p / 144, p % 144]
    return Math.abs(j - i - 10) < 2 || Math.abs(j + 1.5 * i - 150) < 2.5 ? 0 : 1
  })
  const sparse = hideAtRandom(facade, { share: 0.7, seed: 1 })

  // Linear interpolation on Delaunay triangles, by SciPy, in dB.
  it.each([
    ['a façade with 90% hidden', facade, known, 18.47, 1],
    ['a façade with 70% hidden', facade, sparse, 20.15, 2],
    ['a façade with scratches', facade, scratches, 20.34, 2],
    ['a smooth picture with 90% hidden', gradient, known, 29.06, 1],
    ['a smooth picture with 70% hidden', gradient, sparse, 31.49, 2],
    ['a smooth picture with scratches', gradient, scratches, 56.15, 0],
  ])('restore is better than linear interpolation: %s', async (_, picture, shown, linear, gain) => {
    const restored = await restore(picture, shown, { epochs: 3 })
    expect(quality(picture, restored.picture, shown).psnr).toBeGreaterThan(linear + gain)
  })

  it('restore uses the values of all channels where these are hidden apart, also where few are', async () => {
    const psnrOf = async (share: number): Promise<number> => {
      const shown = hideAtRandom(facade, { share, seed: 1, perChannel: true })
      return quality(facade, (await restore(facade, shown, { epochs: 3 })).picture, shown).psnr
    }
    expect(await psnrOf(0.5)).toBeGreaterThan((await psnrOf(0.85)) + 1)
  })

  it('restore learns from the known pixels and from a ninth of the guessed ones', async () => {
    const { stages } = await restore(facade, known, { epochs: 1 })
    const hidden = known.reduce((sum, is) => sum + (1 - is), 0)
    // Of the known ones, one in twenty is held out.
    const taught = 0.95 * (known.length - hidden)
    const { tops, lefts, rows, columns } = patchGrid(facade, 12, 3)
    const cover = (tops.length * lefts.length * rows * columns) / (144 * 96)
    expect(stages.map(({ entries }) => entries / (cover * (taught + hidden / 9)))).toEqual([
      expect.closeTo(1, 1),
    ])
  })

  it('restore does not depend on hidden values, and gives the same bits for any number of threads', async () => {
    const small = drawFacade(64, 48)
    const kept = hideAtRandom(small, { share: 0.8, perChannel: true, seed: 3 })
    const one = await restore(small, kept, { threads: 1, epochs: 2 })
    const two = await restore(blacken(small, kept), kept, { threads: 2, epochs: 2 })
    expect(two.picture).toEqual(one.picture)
    expect((await restore(small, kept, { epochs: 2, seed: 2 })).picture).not.toEqual(one.picture)
  })

  it('restore accepts 16-bit grey, and pictures smaller than a patch', async () => {
    const data = Uint16Array.from({ length: 9 * 50 }, (_, p) => 20_000 + 700 * (p % 50))
    const grey: Picture = { width: 50, height: 9, channels: 1, maximum: 65535, data }
    const kept = hideAtRandom(grey, { share: 0.7, seed: 1 })
    const { picture } = await restore(grey, kept)
    expect(picture).toMatchObject({ channels: 1, maximum: 65535 })
    expect(quality(grey, picture, kept).psnr).toBeGreaterThan(30)
    const tiny = { ...grey, width: 2, height: 1, data: Uint16Array.of(7, 0) }
    expect((await restore(tiny, Uint8Array.of(1, 0))).picture.data[0]).toBe(7)
  })

  it('restore fills a hole larger than any patch, and replaces known values only when asked to', async () => {
    const hole = Uint8Array.from(facade.data, (_, at) => {
      const p = Math.floor(at / 3)
      return Math.hypot((p % 144) - 70, p / 144 - 48) < 22 ? 0 : 1
    })
    const { picture } = await restore(facade, hole, { epochs: 2 })
    expect(quality(facade, picture, hole).psnr).toBeGreaterThan(
      quality(facade, blacken(facade, hole), hole).psnr + 5,
    )
    const replaced = await restore(facade, known, { method: 'plain', rank: 3, epochs: 3, replaceKnown: true })
    expect(
      quality(
        facade,
        replaced.picture,
        known.map((is) => 1 - is),
      ).psnr,
    ).toBeLessThan(40)
  })

  it('restore refuses a picture without known values, and holes of another picture', async () => {
    await expect(restore(facade, new Uint8Array(facade.data.length))).rejects.toThrow(
      'Nothing of the picture is known',
    )
    await expect(restore(facade, new Uint8Array(3))).rejects.toThrow('given for 3 values')
  })

  it('restore stops when it is aborted, with a whole picture', async () => {
    const abort = new AbortController()
    const { picture, aborted } = await restore(facade, known, {
      signal: abort.signal,
      onEpoch: () => abort.abort(),
    })
    expect(aborted).toBe(true)
    expect(quality(facade, picture, known).psnr).toBeGreaterThan(15)
  })
})

describe('the drawn picture', () => {
  it('drawFacade draws the same picture each time and at any size', () => {
    expect(drawFacade(144, 96)).toEqual(facade)
    const large = drawFacade(288, 192)
    const halved = facade.data.map((_, at) => {
      const [i, j, k] = [Math.floor(at / 432), Math.floor(at / 3) % 144, at % 3]
      const corner = (2 * i * 288 + 2 * j) * 3 + k
      return (
        (large.data[corner] + large.data[corner + 3] + large.data[corner + 864] + large.data[corner + 867]) /
        4
      )
    })
    expect(quality(facade, { ...facade, data: halved }).psnr).toBeGreaterThan(25)
  })
})

describe('side by side', () => {
  it('sideBySide leaves the panels as they are, with white between them', () => {
    const joined = sideBySide([facade, blacken(facade, known)])
    expect(joined).toMatchObject({ width: 144 * 2 + 2, height: 96 })
    expect([...joined.data.subarray(0, 144 * 3)]).toEqual([...facade.data.subarray(0, 144 * 3)])
    expect([...joined.data.subarray(144 * 3, 146 * 3)]).toEqual(Array(6).fill(255))
  })
})
