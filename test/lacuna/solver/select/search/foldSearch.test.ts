/**
 * When a search by folds gives up a trial, by errors of another one that are made up relative to its own; what it expects
 * of times; what it knows after it was saved; and which folds it continues with.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { decodeSearch, encodeSearch, type SearchState } from '#lacuna/folds.js'
import { synthetic } from '#lacuna/index.js'
import type { FoldError } from '#lacuna/model/evaluate/foldErrors.js'
import { type SearchCheckpointing, settingsOf } from '#lacuna/solver/index.js'
import { FoldSearch } from '#lacuna/solver/select/search/foldSearch.js'
import type { FoldTrial } from '#lacuna/solver/select/trials.js'
import { gapsOf } from '#lacuna/tensor/gaps.js'
import { byEntry, type FoldBy } from '#lacuna/tensor/index.js'

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
      reserved: search.deadline.reservedSeconds,
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

/** The search after its file was written and read. */
const reopened = (state: SearchState): SearchState => {
  const pieces = encodeSearch(state)
  return decodeSearch(Uint8Array.from(pieces.flatMap((piece) => [...piece])), 'search.run')
}

it.each([
  ['only the second trial has', 0.3],
  ['both trials have', 1000],
])('a resumed search compares trials as before, where %s much of the error in a block', async (_, added) => {
  const values = tensor.values.slice()
  const isAdded = (e: number): boolean => tensor.indices[0][e] === 3 && tensor.indices[1][e] === 4
  for (let e = 0; e < values.length; e++) if (isAdded(e)) values[e] += added
  const blocks = { ...tensor, values }
  const by = [0, 1].map((mode) => ({ mode, length: 1 }))
  const settings = { ...options, epochs: 100 }
  let state: SearchState | undefined
  const save = async (next: SearchState): Promise<void> => {
    if (next.trials.length > 0) state ??= reopened(next)
  }
  const make = (checkpointing: SearchCheckpointing): FoldSearch =>
    new FoldSearch(blocks, settings, { folds, by, checkpointing })
  const search = make({ every: 0, save })
  const first = await search.attempt({ rank: 1 })
  expect(first!.criterion !== undefined).toBe(added === 1000)
  const second = await search.attempt({ rank: 2 })
  const resumed = make({ saved: state, every: Infinity, save: async () => {} })
  expect(await resumed.attempt({ rank: 1 })).toEqual(first)
  expect(await resumed.attempt({ rank: 2 })).toEqual(second)
  expect(resumed.weights).toEqual(search.weights)
  // The second trial alone would limit the block.
  const alone = make({ every: Infinity, save: async () => {} })
  await alone.attempt({ rank: 2 })
  expect(alone.weights).toBeDefined()
})

it('a resumed search knows how long its trials took, also one that it continues', async () => {
  const states: SearchState[] = []
  const save = async (next: SearchState): Promise<void> => void states.push(reopened(next))
  let clock = performance.now()
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock)
  try {
    const onModel = (): void => {
      clock += 1000
    }
    const limits = { onModel, seconds: 100, folds }
    const search = new FoldSearch(tensor, options, { ...limits, checkpointing: { every: 0, save } })
    await search.attempt({ rank: 4 })
    search.reserveRefit()
    const saved = states.findLast(({ trials }) => trials.length > 0)!
    expect(saved.times!.best).toBeCloseTo(3)
    const resume = (seconds: number, saved: SearchState): FoldSearch =>
      new FoldSearch(tensor, options, {
        ...{ ...limits, seconds, checkpointing: { saved, every: Infinity, save: async () => {} } },
      })
    // The same trial would take three seconds; the search has taken three of its limit.
    expect(resume(20, saved).hasTimeFor({ rank: 4 })).toBe(true)
    expect(resume(6, saved).hasTimeFor({ rank: 4 })).toBe(false)
    // The first trial, of which one model has been fitted: its second is added to those of the others.
    const begun = states.find(({ trials, runs }) => trials.length === 0 && runs[0]?.progress.stopped)!
    for (const run of begun.runs) if (run) run.progress.seconds = 1
    states.length = 0
    const continued = new FoldSearch(tensor, options, {
      ...limits,
      onModel(fold) {
        if (!begun.runs[fold]) clock += 1000
      },
      checkpointing: { saved: { ...begun, seconds: 1 }, every: 0, save },
    })
    await continued.attempt({ rank: 4 })
    expect(states.at(-1)!.times!.best).toBeCloseTo(3)
  } finally {
    now.mockRestore()
  }
})

describe('folds of a saved search', () => {
  const whole = [0, 1].map((mode) => ({ mode, length: 1 }))
  const mixed: FoldBy = [...whole, { mode: 2, length: 1, divided: 0.75 }]
  const resume = (by: FoldBy, search: { by?: FoldBy } = {}): FoldSearch => {
    const saved = { settings: settingsOf(options), folds, starts: 1, by, seconds: 0, trials: [], runs: [] }
    return new FoldSearch(tensor, options, {
      ...{ folds, ...search },
      checkpointing: { saved, every: Infinity, save: async () => {} },
    })
  }

  it('single entries beside whole groups are kept, which nobody can type', () => {
    expect(resume(mixed).by).toEqual(mixed)
    expect(() => resume([...mixed, { mode: 7, length: 1 }])).toThrow('start anew')
  })

  it('the message about other folds names what can be typed', () => {
    expect(() => resume(mixed, { by: whole })).toThrow(
      'The run was saved without foldBy, with folds of single entries and of whole groups; leave it out again, or start anew.',
    )
    expect(() => resume(whole, { by: mixed })).toThrow(
      "The run was saved with foldBy: '1+2', which is left out now; give it again, or start anew.",
    )
    expect(() => resume(whole, { by: byEntry(tensor) })).toThrow(
      'The run was saved with foldBy 1+2, and now it is 1+2+3; leave it as it was, or start anew.',
    )
  })
})
