import { describe, expect, it, test } from 'vitest'
import { countsRemark, describeTensor, looksLikeCounts, type SparseTensor } from '#lacuna/tensor/index.js'

it('describeTensor counts values and entries of rows, without empty rows, in modes of any size', () => {
  const description = describeTensor({
    dims: [4, 4_000_000_000],
    indices: [Uint32Array.of(0, 2, 2, 2), Uint32Array.of(5, 5, 7, 3_999_999_999)],
    values: Float32Array.of(-1, 0, 2, 3),
  })
  expect(description).toMatchObject({ order: 2, entries: 4, density: 4 / 16e9 })
  expect(description.values).toEqual({
    min: -1,
    max: 3,
    mean: 1,
    rms: Math.sqrt(14 / 4),
    negative: 1,
    zero: 1,
  })
  expect(description.modes).toEqual([
    { rows: 4, empty: 2, min: 1, median: 3, max: 3, mean: 2 },
    { rows: 4_000_000_000, empty: 3_999_999_997, min: 1, median: 1, max: 2, mean: 4 / 3 },
  ])
})

describe('counts of events', () => {
  const tensor = (values: number[], more: Partial<SparseTensor> = {}): SparseTensor => ({
    dims: [10, 10],
    indices: [0, 1].map((mode) =>
      Uint32Array.from(values, (_, e) => (mode === 0 ? e % 10 : Math.floor(e / 10))),
    ),
    values: Float32Array.from(values),
    ...more,
  })

  test.each<[string, SparseTensor, boolean]>([
    ['of which one is the most frequent', tensor([1, 1, 1, 2, 2, 7]), true],
    ['of rows of a table', tensor([2, 2, 3], { modes: [{ name: 'a' }, { name: 'b' }] }), true],
    ['that have a name, and of which one is rare', tensor([4, 5, 5, 1], { valueName: 'stars' }), false],
    ['with a zero: it was observed', tensor([1, 1, 0]), false],
    ['with a fraction', tensor([1, 1, 1.5]), false],
    ['of every cell', tensor(Array<number>(100).fill(1)), false],
    ['of which there is only one', tensor([1]), false],
  ])('%s', (_, data, expected) => {
    expect(looksLikeCounts(data)).toBe(expected)
    expect(countsRemark(data) !== undefined).toBe(expected)
  })
})
