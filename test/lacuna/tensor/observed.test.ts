import { expect, test } from 'vitest'
import { observe, withZeros } from '#lacuna/tensor/index.js'
import { randomTensor } from '../../problems.ts'

const tensor = randomTensor({ dims: [7, 5, 6], entries: 120, seed: 3 })

test('observe counts and averages entries by row, with the same bits in any order', () => {
  const found = observe(tensor)
  expect(found.entries).toBe(tensor.values.length)
  expect([found.min, found.max]).toEqual([Math.min(...tensor.values), Math.max(...tensor.values)])
  tensor.dims.forEach((dim, mode) => {
    for (let row = 0; row < dim; row++) {
      const own = [...tensor.values].filter((_, e) => tensor.indices[mode][e] === row)
      expect(found.counts[mode][row]).toBe(own.length)
      const mean = own.length > 0 ? own.reduce((sum, x) => sum + x, 0) / own.length : 0
      expect(found.means[mode][row]).toBeCloseTo(mean, 6)
    }
  })
  const reversed = {
    ...tensor,
    indices: tensor.indices.map((column) => column.slice().reverse()),
    values: tensor.values.slice().reverse(),
  }
  expect(observe(reversed)).toEqual(found)
})

test('observe sums values of very different size, with the same bits in any order', () => {
  const values = Float32Array.from(
    { length: 3000 },
    (_, e) => (e % 3 === 0 ? 3e9 : e % 3 === 1 ? 1.5 : 0.0625) + (e % 7) / 8,
  )
  const wide = {
    dims: [3, 7],
    indices: [values.map((_, e) => e % 3), values.map((_, e) => e % 7)].map((column) =>
      Uint32Array.from(column),
    ),
    values,
  }
  const found = observe(wide)
  for (const row of [1, 2]) {
    const own = [...values].filter((_, e) => e % 3 === row)
    expect(found.means[0][row]).toBeCloseTo(own.reduce((sum, x) => sum + x, 0) / own.length, 4)
  }
  const backwards = {
    ...wide,
    indices: wide.indices.map((column) => column.slice().reverse()),
    values: values.slice().reverse(),
  }
  expect(observe(backwards)).toEqual(found)
})

test('withZeros counts unlisted cells as zeros in the means', () => {
  const found = observe(tensor)
  const all = withZeros(found, tensor.dims)
  expect(all.min).toBe(0)
  expect(all.mean).toBeCloseTo([...tensor.values].reduce((sum, x) => sum + x, 0) / (7 * 5 * 6), 6)
  expect(all.means[1][0]).toBeCloseTo((found.means[1][0] * found.counts[1][0]) / (7 * 6), 6)
  expect(all.counts).toEqual(found.counts)
})
