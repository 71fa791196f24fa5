/** When a search by folds gives up a trial: by errors of another one that are made up relative to its own. */
import { beforeAll, expect, it, vi } from 'vitest'
import { synthetic } from '#lacuna/index.js'
import type { FoldError } from '#lacuna/model/evaluate/foldErrors.js'
import { settingsOf } from '#lacuna/solver/index.js'
import { FoldSearch } from '#lacuna/solver/select/search/foldSearch.js'
import type { FoldTrial } from '#lacuna/solver/select/trials.js'
import { gapsOf } from '#lacuna/tensor/gaps.js'

const { tensor } = synthetic({ dims: [12, 10, 8], entries: 600, rank: 2, seed: 1 })
const options = { threads: 1, prior: 'isotropic', epochs: 2 } as const
const folds = 3

/** Makes a trial of rank 2 in a search that has a finished one of rank 4 with these errors. */
async function trialAfter(foldErrors: FoldError[]): Promise<FoldTrial> {
  const rmse = Math.sqrt(foldErrors.reduce((sum, { squares }) => sum + squares, 0) / 600)
  const best: FoldTrial = {
    ...{ rank: 4, noise: 'auto', lags: '', features: false, merged: '', split: '' },
    ...{ rmse, spread: 0, folds, foldErrors },
  }
  const by = gapsOf(tensor)
  const saved = { settings: settingsOf(options), folds, starts: 1, by, seconds: 0, trials: [best], runs: [] }
  const search = new FoldSearch(tensor, options, {
    folds,
    checkpointing: { saved, every: Infinity, save: async () => {} },
  })
  await search.attempt({ rank: 4 })
  return (await search.attempt({ rank: 2 }))!
}

let own: FoldError[]
beforeAll(async () => {
  own = (await new FoldSearch(tensor, options, { folds }).attempt({ rank: 2 }))!.foldErrors
})

/** Errors of a best trial that those of the new trial exceed by these factors, per fold. */
const errorsBelow = (...factors: number[]): FoldError[] =>
  own.map(({ squares, entries }, fold) => ({ squares: squares / factors[fold] ** 2, entries }))

it('a trial is given up when it is more than 1% above the best on each of the first two folds', async () => {
  expect((await trialAfter(errorsBelow(1.015, 1.015, 1))).folds).toBe(2)
  expect((await trialAfter(errorsBelow(1.005, 1.015, 1))).folds).toBe(3)
  expect((await trialAfter(errorsBelow(1.015, 1.005, 1))).folds).toBe(3)
})

it('a trial that is bad on its first fold alone is not given up, nor one that is bad on the last', async () => {
  expect((await trialAfter(errorsBelow(10, 0.9, 10))).folds).toBe(3)
})

it('the error of a trial that was given up is as far above the best as on the folds that both have', async () => {
  const { rmse, folds } = await trialAfter(errorsBelow(2, 2, 1))
  expect(folds).toBe(2)
  const squares = errorsBelow(2, 2, 1).reduce((sum, error) => sum + error.squares, 0)
  expect(rmse / Math.sqrt(squares / 600)).toBeCloseTo(2, 6)
})

it('a pinned trial stays a candidate, with its models in memory, when eight others are better', async () => {
  const ranks = Array.from({ length: 10 }, (_, at) => at + 1)
  /** Tries all ranks, pins one of them, and returns the trials with the largest errors. */
  const tryRanks = async (search: FoldSearch, pinned?: number): Promise<FoldTrial[]> => {
    for (const rank of ranks) {
      const trial = (await search.attempt({ rank }, { tolerance: Infinity }))!
      if (rank === pinned) search.pin(trial)
    }
    return search.finished.toReversed()
  }
  const [{ rank }] = await tryRanks(new FoldSearch(tensor, options, { folds }))
  const search = new FoldSearch(tensor, options, { folds })
  const [worst, secondWorst] = await tryRanks(search, rank)
  expect(worst.rank).toBe(rank)
  expect(search.hasModels(worst)).toBe(true)
  expect(search.candidates).toContain(worst)
  expect(search.hasModels(secondWorst)).toBe(false)
  expect(search.candidates).not.toContain(secondWorst)
})

/**
 * Makes a trial in a search with a clock that each model moves.
 * @param takes the seconds that a model takes, by its fold
 */
async function searchByClock(
  threads: number,
  takes: (fold: number) => number,
  folds?: number,
  seconds?: number,
): Promise<{ reserved: number; hasTimeForTwoFolds: boolean }> {
  let clock = performance.now()
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock)
  try {
    const onModel = (fold: number): void => {
      clock += 1000 * takes(fold)
    }
    const search = new FoldSearch(tensor, { ...options, threads }, { onModel, seconds }, false)
    expect((await search.attempt({ rank: 2 }, { folds }))!.folds).toBe(folds ?? 5)
    return {
      reserved: search.deadline.modelSeconds,
      hasTimeForTwoFolds: search.hasTimeFor({ rank: 2 }, 2),
    }
  } finally {
    now.mockRestore()
  }
}

it('the time of a trial on all folds follows from that of its first folds by how many models run side by side', async () => {
  // Two of five folds take a second; a quarter of what all take is reserved for the model after the search.
  const takes = (fold: number): number => (fold < 2 ? 0.5 : 0)
  expect((await searchByClock(1, takes, 2)).reserved).toBeCloseTo(2.5 / 4)
  expect((await searchByClock(5, takes, 2)).reserved).toBeCloseTo(1 / 4)
})

it('the first folds of a trial take as long as all where models run side by side', async () => {
  // All folds took a second, 0.55 s are left for models: two in turn take 0.4 s, and 0.1 s of a model after the search.
  const takes = (): number => 0.2
  expect((await searchByClock(1, takes, undefined, 1.8)).hasTimeForTwoFolds).toBe(true)
  expect((await searchByClock(5, takes, undefined, 1.8)).hasTimeForTwoFolds).toBe(false)
})
