import fc from 'fast-check'
import { expect, it } from 'vitest'
import { draw } from '#lacuna/base/random.js'
import { findDuplicates } from '#lacuna/tensor/duplicates/findDuplicates.js'
import { sparseTensor } from '#lacuna/tensor/index.js'
import { checkProperty } from '../../../properties.ts'

/** What a Map says: the first entry with each entry's coordinates. */
function firstByMap(columns: readonly Uint32Array[]): number[] {
  const first = new Map<string, number>()
  return Array.from(columns[0], (_, entry) => {
    const key = columns.map((column) => column[entry]).join()
    if (!first.has(key)) first.set(key, entry)
    return first.get(key)!
  })
}

function expectAsByMap(columns: readonly Uint32Array[]): void {
  const expected = firstByMap(columns)
  const firstOf = findDuplicates(columns, columns[0].length)
  if (expected.every((first, entry) => first === entry)) expect(firstOf).toBeUndefined()
  else expect(Array.from(firstOf!, (first, entry) => (first === 0 ? entry : first - 1))).toEqual(expected)
}

/** `count` entries of three modes with so many different indices each. */
function columns(count: number, dims: readonly number[], seed: number): Uint32Array[] {
  return dims.map((dim, mode) => Uint32Array.from({ length: count }, (_, e) => draw(seed + mode, e) % dim))
}

it('findDuplicates agrees with a Map on few entries, with any indices and orders', () => {
  const index = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 ** 32 - 2 }))
  const cells = fc
    .integer({ min: 2, max: 5 })
    .chain((order) =>
      fc.array(fc.array(index, { minLength: order, maxLength: order }), { minLength: 1, maxLength: 200 }),
    )
  checkProperty(
    fc.property(cells, (entries) => {
      expectAsByMap(entries[0].map((_, mode) => Uint32Array.from(entries, (cell) => cell[mode])))
    }),
    { seed: 1, numRuns: 300 },
  )
})

// Beyond 2¹⁵ entries there are several parts.
it.each([
  ['a few equal', 120_000, [400, 300, 50]],
  ['most equal', 70_000, [10, 10, 10]],
  ['all equal', 40_000, [1, 1, 1]],
  ['one part, just full', 2 ** 15, [200, 200, 1]],
  ['two parts, just', 2 ** 15 + 1, [200, 200, 1]],
])('findDuplicates agrees with a Map on many entries, %s', (_, count, dims) => {
  expectAsByMap(columns(count, dims, 1))
})

it('findDuplicates finds nothing in a full grid, and the one entry that is in it twice', () => {
  const dims = [60, 50, 30]
  const grid = dims.map((_, mode) =>
    Uint32Array.from(
      { length: 90_000 },
      (_, e) => [Math.floor(e / 1500), Math.floor(e / 30) % 50, e % 30][mode],
    ),
  )
  expect(findDuplicates(grid, 90_000)).toBeUndefined()
  for (const column of grid) column[89_999] = column[123]
  const firstOf = findDuplicates(grid, 90_000)!
  expect(firstOf[89_999]).toBe(124)
  expect(firstOf.subarray(0, 89_999).every((first) => first === 0)).toBe(true)
})

it('A tensor of many buckets is merged in the order of first entries, and its first duplicate named', () => {
  const count = 80_000
  const dims = [100, 80, 12]
  const indices = columns(count, dims, 7)
  const values = Float32Array.from({ length: count }, (_, e) => 1 + (e % 5))
  const firsts = firstByMap(indices)
  const kept = [...new Set(firsts)]
  const sums = new Map<number, number>()
  for (const [e, first] of firsts.entries()) sums.set(first, (sums.get(first) ?? 0) + values[e])
  const copy = () => ({ dims, indices: indices.map((column) => column.slice()), values: values.slice() })
  const merged = sparseTensor(copy(), { duplicates: 'sum' })
  expect(merged.indices.map((column) => [...column])).toEqual(
    indices.map((column) => kept.map((first) => column[first])),
  )
  expect([...merged.values]).toEqual(kept.map((first) => sums.get(first)))
  const second = firsts.findIndex((first, e) => first !== e)
  expect(() => sparseTensor(copy())).toThrow(
    `entry ${second}: coordinates (${indices.map((column) => column[second] + 1).join(', ')}) ` +
      `were already given by entry ${firsts[second]};`,
  )
})
