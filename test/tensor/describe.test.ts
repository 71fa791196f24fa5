import { expect, it } from 'vitest'
import { describeTensor } from '#dist/tensor/index.js'

it('counts values and the entries of rows, empty rows aside, however large a mode is', () => {
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
