import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readTensor } from '#lacuna/io/node/index.js'
import { complete } from '#lacuna/solver/index.js'
import { type SparseTensor, split } from '#lacuna/tensor/index.js'

/** Beside the repository, not in it: the sets keep their own terms. */
const data = (name: string) => fileURLToPath(new URL(`../../../../../shared/data/${name}`, import.meta.url))
const skip = !existsSync(data('README.md'))

/** The RMSE of predicting each entry by the mean of the training entries in its row of the first mode. */
function rowMeanRmse(train: SparseTensor, held: SparseTensor): number {
  const sums = new Float64Array(train.dims[0])
  const counts = new Float64Array(train.dims[0])
  train.values.forEach((x, e) => {
    sums[train.indices[0][e]] += x
    counts[train.indices[0][e]]++
  })
  const squares = held.values.reduce((sum, x, e) => {
    const row = held.indices[0][e]
    return sum + (x - sums[row] / counts[row]) ** 2
  }, 0)
  return Math.sqrt(squares / held.values.length)
}

describe.skipIf(skip)('of the data sets in ../shared/data, if they are there,', () => {
  test('kinetic is a dense array with NaN where nothing was measured, and is learned', async () => {
    const tensor = await readTensor(data('kinetic/kinetic.npy'))
    expect(tensor.dims).toEqual([64, 12, 10, 60])
    expect(tensor.values.length).toBe(459_046)
    const { train, test } = split(tensor, { test: 0.1 }, 1)
    const { model } = await complete(train, { rank: 5, epochs: 10 })
    expect(model.error(test).rmse).toBeLessThan(rowMeanRmse(train, test) / 2)
  })

  test('hangzhou comes in train and test files of one size, and is learned', async () => {
    const dims = [80, 108, 25]
    const [train, test] = await Promise.all(
      ['train', 'test'].map((part) => readTensor(data(`hangzhou/RM30.${part}.tns.gz`), { dims })),
    )
    expect(train.values.length + test.values.length).toBe(209_763)
    const { model } = await complete(train, { rank: 10, epochs: 10 })
    expect(model.error(test).rmse).toBeLessThan(rowMeanRmse(train, test) / 2)
  })
})
