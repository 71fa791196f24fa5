import { expect, it } from 'vitest'
import { meanError } from '#lacuna/model/index.js'
import { complete } from '#lacuna/solver/index.js'
import { sparseTensor } from '#lacuna/tensor/index.js'
import { split } from '#lacuna/tensor/split/split.js'
import { syntheticRatings } from '#lacuna/tensor/synthetic/syntheticRatings.js'
import { refusal } from '../../../refusal.ts'

const options = { users: 400, items: 200, weeks: 20, entries: 30_000, seed: 1 }

it('Synthetic ratings are half stars from 0.5 to 5, one for a user and an item', () => {
  const tensor = syntheticRatings(options)
  expect(() => sparseTensor(tensor)).not.toThrow()
  expect(tensor.values.length).toBe(options.entries)
  expect(new Set(tensor.values)).toEqual(new Set([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]))
  const pairs = new Set(
    Array.from(tensor.values, (_, e) => `${tensor.indices[0][e]},${tensor.indices[1][e]}`),
  )
  expect(pairs.size).toBe(options.entries)
})

it('Synthetic ratings are the same for the same seed, others for another', () => {
  expect(syntheticRatings(options)).toEqual(syntheticRatings(options))
  expect(syntheticRatings(options).values).not.toEqual(syntheticRatings({ ...options, seed: 2 }).values)
})

it('Synthetic ratings have a long tail: the busiest tenth has several times its fraction', () => {
  const { dims, indices } = syntheticRatings({ ...options, users: 4000, items: 2000 })
  for (const mode of [0, 1]) {
    const head = indices[mode].filter((i) => i < dims[mode] / 10).length
    expect(head / options.entries).toBeGreaterThan(0.25)
    const tail = indices[mode].filter((i) => i >= dims[mode] / 2).length
    expect(tail / options.entries).toBeGreaterThan(0.15)
  }
})

it('A nonnegative model of rank 8 predicts synthetic ratings with less than half the error of the mean', async () => {
  const { train, test } = split(syntheticRatings(options), { test: 0.1 }, 1)
  const { model } = await complete(train, { rank: 8, sample: 0.2, lambda: 0.5, epochs: 100 })
  expect(model.error(test).rmse).toBeLessThan(0.5 * (await meanError(train, test)).rmse)
})

it('syntheticRatings refuses impossible sizes, and more than half of the pairs', () => {
  expect(() => syntheticRatings({ ...options, weeks: 0 })).toThrow('The size of mode 3 is 0')
  expect(() => syntheticRatings({ ...options, seed: NaN })).toThrow('The seed is NaN')
  expect(() => syntheticRatings({ ...options, entries: 0 })).toThrow(
    refusal('The number of ratings is 0; it must be a whole number from 1.'),
  )
  expect(() => syntheticRatings({ ...options, users: 2, items: 3, entries: 4 })).toThrow(
    refusal('4 ratings are more than half of the 2 × 3 pairs of a user and an item; ask for fewer.'),
  )
})
