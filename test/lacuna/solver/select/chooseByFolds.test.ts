/**
 * The rules by which a rank is chosen, with errors that are given: a search that was saved knows them, so
 * that nothing is learned but what is chosen.
 */
import { expect, it } from 'vitest'
import { synthetic } from '#lacuna/index.js'
import { chooseByFolds, type FoldTrial, settingsOf } from '#lacuna/solver/index.js'
import { gapsOf } from '#lacuna/tensor/gaps.js'
import { chooseWhole } from './whole.ts'

const { tensor } = synthetic({ dims: [12, 10, 8], entries: 500, rank: 2, seed: 1 })
const options = { threads: 1, prior: 'isotropic', epochs: 2 } as const
const folds = 2

/** Runs chooseByFolds on stubbed trials with these errors and standard errors, by rank. */
function chosenOf(
  findRank: 'smallest' | 'best',
  errors: Record<number, number>,
  { spread = 0, withModels = false, ranks }: { spread?: number; withModels?: boolean; ranks?: number[] } = {},
) {
  const foldErrors = [0, 1].map(() => ({ squares: 1, entries: 250 }))
  const trials = Object.entries(errors).map(
    ([rank, rmse]): FoldTrial => ({
      ...{ rank: Number(rank), noise: 'auto', lags: '', features: false, merged: '', split: '' },
      ...{ rmse, spread, folds, foldErrors },
    }),
  )
  const by = gapsOf(tensor)
  const settings = settingsOf(options)
  const saved = { settings, folds, starts: 1, by, seconds: 0, trials, runs: [] }
  const begun: number[] = []
  return chooseWhole(tensor, options, {
    ...{ folds, findRank, ranks, withModels, onBegin: ({ rank }: { rank: number }) => void begun.push(rank) },
    checkpointing: { saved, every: Infinity, save: async () => {} },
  }).then((found) => ({ ...found!, begun }))
}

it.each([
  // By less than a standard error above the best, and by no more than 0.5%.
  { of: 1.004, spread: 0.1, rank: 2 },
  { of: 1.006, spread: 0.1, rank: 3 },
  { of: 1.0009, spread: 0.001, rank: 2 },
  { of: 1.0011, spread: 0.001, rank: 3 },
])(
  'the smallest rank is one whose error is within a standard error of the best and within 0.5% of it: %o',
  async ({ of, spread, rank }) => {
    const { choice, begun } = await chosenOf('smallest', { 1: 2, 2: of, 3: 1, 4: 1, 6: 1 }, { spread })
    expect(choice.chosen.rank).toBe(rank)
    expect(begun).toEqual([])
  },
)

it('ranks are no longer raised when two in a row gain less than 0.5% together', async () => {
  const slow = { 1: 2, 2: 1, 3: 0.998, 4: 0.996, 6: 0.9 }
  expect((await chosenOf('smallest', slow)).choice.trials.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])
  const quick = { 1: 2, 2: 1, 3: 0.998, 4: 0.994, 6: 0.993, 8: 0.992 }
  const { choice } = await chosenOf('smallest', quick, { spread: 1 })
  expect(choice.trials.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 6, 8])
})

it('the models of all ranks that were tried are candidates where the best is wanted, the best first', async () => {
  const errors = { 8: 1.05, 10: 1.1, 16: 1, 32: 0.996, 64: 1.2 }
  const { choice, candidates, begun } = await chosenOf('best', errors, { withModels: true })
  expect(choice.chosen.rank).toBe(32)
  expect(begun).toEqual([])
  expect(candidates.map(({ trial }) => trial.rank)).toEqual([32, 16, 10, 64])
  for (const { trial, fit } of candidates)
    expect(fit.models.map(({ rank }) => rank)).toEqual([trial.rank, trial.rank])
})

it.each<{ errors: Record<number, number>; tried: number[] }>([
  { errors: { 10: 1, 16: 1, 32: 0.99, 64: 0.9 }, tried: [10, 16, 32, 64] },
  // No step up helps: steps down follow, and the largest rank in any case.
  { errors: { 2: 1, 4: 0.89, 8: 0.9, 10: 1, 16: 1, 32: 1, 64: 1 }, tried: [2, 4, 8, 10, 16, 32, 64] },
  { errors: { 8: 0.996, 10: 1, 16: 1, 32: 0.996, 64: 1 }, tried: [10, 16, 32, 64] },
])('ranks are raised while the error falls by 0.5%, or else lowered: %o', async ({ errors, tried }) => {
  const { choice, begun } = await chosenOf('best', errors)
  expect(begun).toEqual([])
  expect(choice.trials.map(({ rank }) => rank)).toEqual(tried)
})

it('only the ranks that are given are tried', async () => {
  const { choice } = await chosenOf('best', { 10: 1, 5: 1.1, 7: 0.9 }, { ranks: [5, 7] })
  expect(choice.trials.map(({ rank }) => rank)).toEqual([5, 7, 10])
})

it('the model of the smallest rank is the only candidate where that is wanted', async () => {
  const errors = { 1: 1.003, 2: 1, 3: 1, 4: 1 }
  const { candidates } = await chosenOf('smallest', errors, { spread: 1, withModels: true })
  expect(candidates.map(({ trial }) => trial.rank)).toEqual([1])
})

it('a search that there is not, and ranks that are no whole numbers from 1, are refused', async () => {
  const choose = (options: object) => chooseByFolds(tensor, {}, options)
  await expect(choose({ findRank: 'bset' })).rejects.toThrow('findRank is bset; it must be smallest or best.')
  for (const rank of [0, 1.5])
    await expect(choose({ findRank: 'best', ranks: [rank, 3] })).rejects.toThrow(
      `ranks has ${rank}; they must`,
    )
})
