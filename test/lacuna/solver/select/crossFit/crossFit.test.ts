import { expect, it } from 'vitest'
import { completeByFolds } from '#lacuna/folds.js'
import { synthetic } from '#lacuna/index.js'
import { crossFit } from '#lacuna/solver/select/crossFit/crossFit.js'

const { tensor } = synthetic({ dims: [12, 10, 8], entries: 600, rank: 2, seed: 1 })
const options = { threads: 1, rank: 2, prior: 'isotropic', epochs: 2 } as const

it('cross-fitting is not given up after its last fold, since then all models are there', async () => {
  const asked: number[] = []
  const fit = await crossFit(tensor, options, { folds: 3 }, undefined, {
    isHopeless: (first) => {
      asked.push(first.length)
      return first.length === 3
    },
  })
  expect(fit).toHaveProperty('models.length', 3)
  expect(new Set(asked)).toEqual(new Set([1, 2]))
})

it('cross-fitting is given up after the first folds that are hopeless, whichever is done first, with their errors', async () => {
  for (const threads of [1, 3])
    expect(
      await crossFit(tensor, { ...options, threads }, { folds: 3 }, undefined, {
        isHopeless: ({ length }) => length >= 1,
      }),
    ).toEqual({
      isAbandoned: true,
      foldErrors: [{ squares: expect.any(Number), entries: expect.any(Number) }],
    })
})

it('every model of a cross-fit has a start of its own, by the seed and its fold', async () => {
  const fit = await crossFit(tensor, { ...options, seed: 5 }, { folds: 3 })
  expect(fit!.models.map(({ training }) => training.seed)).toEqual([5, 6, 7])
})

it('groups that name a mode twice, or one that does not exist, are refused', async () => {
  const groupBy = (...modes: number[]): Promise<unknown> =>
    completeByFolds(tensor, options, { by: modes.map((mode) => ({ mode, length: 1 })) })
  await expect(groupBy(0, 0, 2)).rejects.toThrow('foldBy names mode 1 twice; name each mode once.')
  await expect(groupBy(3)).rejects.toThrow('There is no mode 3; there are 0 to 2.')
})
