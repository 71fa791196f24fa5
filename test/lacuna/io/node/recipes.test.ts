import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { readTable, readTensor } from '#lacuna/io/node/index.js'
import { complete } from '#lacuna/solver/index.js'
import { type SparseTensor, split } from '#lacuna/tensor/index.js'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-recipes-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Beside the repository, not in it: the sets keep their own terms. */
const data = (name: string) => fileURLToPath(new URL(`../../../../../shared/data/${name}`, import.meta.url))
const skip = !existsSync(data('README.md'))

/** The error of predicting each entry by the mean of the training entries in its row of the first mode. */
function rowMeanRmse(train: SparseTensor, test: SparseTensor): number {
  const sums = new Float64Array(train.dims[0])
  const counts = new Float64Array(train.dims[0])
  train.indices[0].forEach((row, e) => {
    sums[row] += train.values[e]
    counts[row]++
  })
  const mean = train.values.reduce((sum, x) => sum + x, 0) / train.values.length
  let squares = 0
  test.indices[0].forEach((row, e) => {
    squares += (test.values[e] - (counts[row] > 0 ? sums[row] / counts[row] : mean)) ** 2
  })
  return Math.sqrt(squares / test.values.length)
}

describe('movielens', () => {
  // The first and the last rating of MovieLens 10M, and its largest ids: 730 weeks.
  const first = [1, 122, 5, 789652009]
  const last = [71567, 65133, 4.5, 1231131736]

  test.each([
    ['ratings.dat', '::', ''],
    ['u.data', '\t', ''],
    ['ratings.csv', ',', 'userId,movieId,rating,timestamp\n'],
  ])(
    'the recipe movielens reads %s as user × movie × week since the first rating, with raw ids',
    async (name, delimiter, header) => {
      const path = join(folder, name)
      const middle = [2, 3, 1, 789652009 + 604800]
      writeFileSync(path, header + [last, middle, first].map((row) => `${row.join(delimiter)}\n`).join(''))
      const tensor = await readTable(path, { recipe: 'movielens' })
      expect(tensor.dims).toEqual([71567, 65133, 730])
      expect(tensor.indices.map((column) => [...column])).toEqual([
        [71566, 1, 0],
        [65132, 2, 121],
        [729, 1, 0],
      ])
      expect([...tensor.values]).toEqual([4.5, 1, 5])
    },
  )

  test.skipIf(skip)(
    'the small MovieLens set (if ../shared/data is there) has its counts, and is predicted better than by users’ means',
    async () => {
      const path = data('movielens/ratings.csv')
      const coded = await readTable(path, { modes: ['userId', 'movieId'], value: 'rating' })
      expect(coded).toMatchObject({ dims: [610, 9724], values: { length: 100_836 } })
      const tensor = await readTable(path, { recipe: 'movielens' })
      expect(tensor).toMatchObject({ dims: [610, 193_609, 1174], values: { length: 100_836 } })
      const { train, validation, test } = split(tensor, { validation: 0.1, test: 0.1 }, 1)
      const { model } = await complete(train, { rank: 10, validation })
      expect(model.error(test).rmse).toBeLessThan(rowMeanRmse(train, test))
    },
  )
})

test.skipIf(skip)(
  'uber: three months (if ../shared/data is there) have their counts, and are predicted better than by days’ means',
  { timeout: 180_000 },
  async () => {
    const months = ['apr', 'may', 'jun'].map((month) => data(`uber/uber-raw-data-${month}14.csv.gz`))
    const tensor = await readTable(months, { recipe: 'uber' })
    expect(tensor).toMatchObject({ dims: [91, 24, 887, 1410], values: { length: 1_378_268 } })
    expect(tensor.values.reduce((sum, x) => sum + x, 0)).toBe(1_880_795)
    expect(tensor.values.reduce((most, x) => Math.max(most, x), 0)).toBe(71)
    expect(tensor.values.every((x) => x >= 1 && Number.isInteger(x))).toBe(true)
    const days = Array.from({ length: 91 }, (_, day) =>
      new Date(Date.UTC(2014, 3, 1 + day)).toISOString().slice(0, 10),
    )
    expect(tensor.labels?.[0]).toEqual(days)
    expect(tensor.labels?.[1]).toEqual(Array.from({ length: 24 }, (_, hour) => String(hour)))
    const { train, test } = split(tensor, { test: 0.1 }, 1)
    const { model } = await complete(train, { rank: 4, epochs: 3 })
    expect(model.error(test).rmse).toBeLessThan(rowMeanRmse(train, test))
  },
)

test.skipIf(skip)(
  'hangzhou (if ../shared/data is there) is predicted better than by stations’ means',
  async () => {
    const train = await readTensor(data('hangzhou/RM70.train.tns.gz'), { dims: [80, 108, 25] })
    const test = await readTensor(data('hangzhou/RM70.test.tns.gz'), { dims: [80, 108, 25] })
    expect(train.values.length + test.values.length).toBe(209_763)
    const { model } = await complete(train, { rank: 10, epochs: 30 })
    expect(model.error(test).rmse).toBeLessThan(rowMeanRmse(train, test) / 2)
  },
)
