import { describeComponents } from 'lacuna-figures/describe'
import { describe, expect, it } from 'vitest'
import { CpModel, modeKinds } from '#lacuna/model/index.js'
import { randomModel } from './answers.ts'

/**
 * Two components over ten hours and five shops: mornings in the first two, evenings in the next two, both in the
 * last.
 */
const hours = Array.from({ length: 10 }, (_, hour) => [
  hour < 5 ? 5 - hour : 0.1,
  hour < 5 ? 0.1 : hour - 4,
]).flat()
const shops = new CpModel({
  dims: [10, 5],
  rank: 2,
  factors: [Float32Array.from(hours), Float32Array.of(4, 0.1, 1, 0.1, 0.1, 2, 0.1, 1, 6, 6)],
  modes: [{ name: 'hour', type: 'BIGINT' }, { name: 'shop' }],
  labels: [
    hours.slice(0, 10).map((_, hour) => String(8 + hour)),
    ['bakery', 'kiosk', 'bar', 'cinema', 'station'],
  ],
})

describe('components', () => {
  it('have shares that add up to one, the largest first, and profiles up to one', () => {
    const components = randomModel([9, 12, 4], 4).components()
    const shares = components.map(({ share }) => share)
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10)
    expect(shares).toEqual([...shares].sort((a, b) => b - a))
    expect(components.map(({ number }) => number)).toEqual([1, 2, 3, 4])
    for (const { modes } of components) for (const { profile } of modes) expect(Math.max(...profile)).toBe(1)
  })

  it('are described by the rows that are most specific to them', () => {
    const [mornings, evenings] = shops.components({ strongest: 2 })
    expect(mornings.modes[1].strongest.map(({ label }) => label)).toEqual(['bakery', 'kiosk'])
    expect(evenings.modes[1].strongest.map(({ label }) => label)).toEqual(['bar', 'cinema'])
    expect(mornings.modes[1].strongest[0].weight).toBeCloseTo(4 / 6, 6) // the station has more of everything
    // The bakery has next to nothing but mornings.
    expect(mornings.modes[1].strongest[0].lift).toBeCloseTo(1 / mornings.share, 0)
    expect(evenings.modes[0].strongest.map(({ label }) => label)).toEqual(['17', '16'])
  })

  it('list rows with many entries first, but only by the square root of their entries', () => {
    const named = (weights: number[], counts: number[]): number[] => {
      const model = new CpModel({
        dims: [4, 2],
        rank: 2,
        // The first two rows have the first component alone, in these sizes.
        factors: [Float32Array.of(weights[0], 0, weights[1], 0, 0, 9, 0, 9), Float32Array.of(1, 1, 1, 1)],
        observed: {
          ...{ entries: 200, min: 0, max: 9, mean: 1 },
          counts: [Uint32Array.of(...counts, 50, 50), Uint32Array.of(100, 100)],
          means: [new Float32Array(4).fill(1), new Float32Array(2).fill(1)],
        },
      })
      const own = model.components().find(({ column }) => column === 0)!
      return own.modes[0].strongest.map(({ row }) => row)
    }
    expect(named([2, 1], [4, 100])).toEqual([1, 0])
    expect(named([2, 1], [9, 25])).toEqual([0, 1])
  })

  it('list no rows with fewer than minEntries entries', () => {
    const model = randomModel([9, 12], 3)
    const counts = model.observed!.counts[1]
    for (const { modes } of model.components({ strongest: 12, minEntries: 5 }))
      for (const { row } of modes[1].strongest) expect(counts[row]).toBeGreaterThanOrEqual(5)
  })

  it('are described in a sentence: a range of an ordered mode, and the labels of a named one', () => {
    const { components } = describeComponents(shops, (mode, row) => shops.label(mode, row), { strongest: 2 })
    expect(components[0].sentence).toMatch(/^hour 8 to 1\d \(×1\.\d\); shop bakery, kiosk\.$/)
  })
})

describe('modes', () => {
  it('are ordered by smoothness, name or type, and latitude or longitude by name', () => {
    const smooth = (dim: number, at: number): number => 2 + Math.sin((6 * at) / dim)
    const rough = (_: number, at: number): number => 1 + ((at * 7919) % 13)
    const kinds = (name: string, type: string | undefined, value: typeof smooth) =>
      modeKinds(
        new CpModel({
          dims: [40, 5],
          rank: 1,
          factors: [
            Float32Array.from({ length: 40 }, (_, at) => value(40, at)),
            Float32Array.from({ length: 5 }, () => 1),
          ],
          modes: [{ name, ...(type && { type }) }, { name: 'x' }],
          labels: [
            Array.from({ length: 40 }, (_, row) =>
              type === 'DATE' ? new Date(86400000 * row).toISOString().slice(0, 10) : String(row),
            ),
            ['a', 'b', 'c', 'd', 'e'],
          ],
        }),
      ).map(({ kind }) => kind)
    expect(kinds('station', 'BIGINT', rough)).toEqual(['named', 'named'])
    expect(kinds('station', 'BIGINT', smooth)).toEqual(['ordered', 'named'])
    expect(kinds('slot', 'BIGINT', rough)).toEqual(['ordered', 'named'])
    expect(kinds('seen', 'DATE', rough)).toEqual(['ordered', 'named'])
    const map = randomModel([6, 7], 2, {
      modes: [{ name: 'round(Lat, 2)' }, { name: 'Lon' }],
      labels: [6, 7].map((dim) => Array.from({ length: dim }, (_, row) => String(40 + row / 10))),
    })
    expect(modeKinds(map).map(({ place }) => place)).toEqual(['latitude', 'longitude'])
  })
})
