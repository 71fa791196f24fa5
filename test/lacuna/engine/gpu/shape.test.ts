/** How work is shared by the invocations of a workgroup, and how factors lie on a device: without a device. */
import { expect, it } from 'vitest'
import { padMatrices, unpadMatrices } from '#lacuna/engine/gpu/padding.js'
import { quadsOf, teamFor, tilesOf } from '#lacuna/engine/gpu/shape.js'

const shapeOf = (rank: number, subgroup = 1) => ({ order: 3, rank, weighted: false, subgroup })

it('a rank is padded to the next multiple of four, and not beyond it', () => {
  expect([1, 3, 4, 5, 8, 9, 64].map((rank) => quadsOf({ rank }))).toEqual([1, 1, 1, 2, 2, 3, 16])
  expect([4, 8, 12].map((rank) => tilesOf(shapeOf(rank)))).toEqual([1, 3, 6])
})

it('factors come back from a device as they were, and what they are padded with is zero', () => {
  for (const rank of [1, 3, 4, 5, 8]) {
    const factors = [7, 2].map((rows) => Float32Array.from({ length: rows * rank }, (_, at) => at + 1))
    const all = padMatrices(factors, shapeOf(rank))
    expect(all).toHaveLength(9 * 4 * Math.ceil(rank / 4))
    expect(all.filter((x) => x !== 0)).toHaveLength(9 * rank)
    expect(unpadMatrices(all, [7, 2], shapeOf(rank))).toEqual(factors)
  }
})

it('the sums of a team fit in three quarters of the shared memory that every device has, on narrow subgroups, too', () => {
  for (const rank of [1, 10, 64, 200, 256])
    for (const subgroup of [1, 4, 8, 32])
      for (const expected of [1, 100, 1e6]) {
        const { size, lanes, perLane, entries } = teamFor(shapeOf(rank, subgroup), expected)
        expect(size * perLane).toBeLessThanOrEqual(768)
        expect(lanes * perLane).toBeGreaterThanOrEqual(quadsOf({ rank }))
        expect(entries * lanes).toBe(size)
        if (subgroup > 1) expect(lanes).toBeLessThanOrEqual(subgroup)
      }
})

it('a team is larger where a window has more entries, up to 128 invocations', () => {
  expect([1, 200, 1e6].map((expected) => teamFor(shapeOf(16), expected).size)).toEqual([32, 128, 128])
  expect(teamFor(shapeOf(256, 4), 1e6)).toMatchObject({ size: 32, lanes: 4, perLane: 16 })
})
