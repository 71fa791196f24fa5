/** Cross-fitting where unlisted cells are zeros: sampled cells, the search of λ and rank, and what is refused. */
import { complete, type RunOptions, type SparseTensor } from 'lacuna'
import { completeByFolds, decodeSearch, encodeSearch, type SearchState } from 'lacuna/folds'
import { sampleCells, splitCells, splitSampledFold } from 'lacuna/internal'
import { beforeAll, describe, expect, it } from 'vitest'
import { bestStart } from '#lacuna/solver/select/crossFit/bestStart.js'
import type { FoldSearch } from '#lacuna/solver/select/search/index.js'
import { searchZeros } from '#lacuna/solver/select/searchZeros.js'
import type { TrialChanges } from '#lacuna/solver/select/trials.js'

/** A generator of numbers between 0 and 1 (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let x = Math.imul(state ^ (state >>> 15), 1 | state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return (((x ^ (x >>> 14)) >>> 0) + 0.5) / 2 ** 32
  }
}

/** Counts of events with rates of three components: most cells are zero. */
function drawCounts(dims: readonly number[], random: () => number): SparseTensor {
  const rank = 3
  const factors = dims.map((dim) => Array.from({ length: dim * rank }, () => Math.log(random()) ** 2))
  const indices: number[][] = dims.map(() => [])
  const values: number[] = []
  const cell = [0, 0, 0]
  for (cell[0] = 0; cell[0] < dims[0]; cell[0]++)
    for (cell[1] = 0; cell[1] < dims[1]; cell[1]++)
      for (cell[2] = 0; cell[2] < dims[2]; cell[2]++) {
        let rate = 0
        for (let r = 0; r < rank; r++)
          rate += 0.02 * factors.reduce((product, factor, mode) => product * factor[cell[mode] * rank + r], 1)
        // Arrivals of a Poisson process until time 1.
        let count = 0
        for (let time = -Math.log(random()); time < rate && count < 50; time -= Math.log(random())) count++
        if (count === 0) continue
        values.push(count)
        cell.forEach((index, mode) => void indices[mode].push(index))
      }
  return {
    dims: [...dims],
    indices: indices.map((column) => Uint32Array.from(column)),
    values: Float32Array.from(values),
  }
}

const keyOf = ({ indices }: SparseTensor, e: number): string => indices.map((column) => column[e]).join()

describe('cross-fitting of cells that are zero where they are not listed', () => {
  const dims = [40, 30, 20]
  let train: SparseTensor
  let test: SparseTensor
  beforeAll(() => {
    const split = splitCells(drawCounts(dims, seededRandom(7)), { test: 0.1 }, 3)
    train = split.train
    test = split.test
  })

  it('sampled cells have the values of their entries or zero, are not among the excluded, and a fold is not trained on', () => {
    const values = new Map(Array.from(train.values, (x, e) => [keyOf(train, e), x]))
    const unknown = new Set(Array.from(test.values, (_, e) => keyOf(test, e)))
    const sampled = sampleCells(train, 12_000, 5, [test])
    const { cells } = sampled
    const keys = Array.from(cells.values, (_, e) => keyOf(cells, e))
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.length).toBeLessThan(12_000)
    keys.forEach((key, e) => {
      expect(cells.values[e]).toBe(values.get(key) ?? 0)
      expect(unknown.has(key)).toBe(false)
    })
    const folds = Uint8Array.from(keys, (_, e) => e % 3)
    const { train: rest, out } = splitSampledFold(sampled, folds, 1)
    const hidden = new Set(Array.from(out.values, (_, e) => keyOf(out, e)))
    expect(hidden.size).toBe(folds.filter((fold) => fold === 1).length)
    const kept = Array.from(rest.values, (_, e) => keyOf(rest, e))
    expect(kept).toEqual([...values.keys()].filter((key) => !hidden.has(key)))
  })

  it('the best of λ and ranks predicts test cells better than one model, without bias, as its errors and intervals say', async () => {
    const options = { missing: 'zero', watch: { test }, threads: 1 } as const
    const { model: one } = await complete(train, options)
    const found = (await completeByFolds(train, options, {
      ...{ findRank: 'best', choose: true, ranks: [2, 4, 8], folds: 3 },
    }))!
    const { trials } = found.choice!
    expect(trials.some(({ lambda }) => lambda !== undefined)).toBe(true)
    expect(trials.find(({ rank, lambda }) => rank === 10 && lambda === undefined)).toBeDefined()
    const { rmse } = found.model.error(test)
    expect(rmse).toBeLessThan(0.97 * one.error(test).rmse)
    expect(found.outOfFold!.error.rmse / rmse).toBeGreaterThan(0.8)
    expect(found.outOfFold!.error.rmse / rmse).toBeLessThan(1.25)
    const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, x) => sum + x, 0)
    const predicted = sumOf(found.model.predictMany(test.indices)) / sumOf(test.values)
    expect(predicted).toBeGreaterThan(0.9)
    expect(predicted).toBeLessThan(1.1)
    const { low, high } = found.model.intervalMany(test.indices, 0.9)
    const inside = test.values.filter((x, e) => x >= low[e] && x <= high[e]).length / test.values.length
    expect(inside).toBeGreaterThan(0.87)
    expect(found.leftOut).toEqual([])
  })

  it('models of folds do not depend on the number of threads, and a signal that asks to finish ends the search', async () => {
    const options = { missing: 'zero', rank: 3 } as const
    const [a, b] = await Promise.all(
      [1, 2].map((threads) => completeByFolds(train, { ...options, threads }, { folds: 2 })),
    )
    expect(a!.model.members.map(({ factors }) => factors)).toEqual(
      b!.model.members.map(({ factors }) => factors),
    )
    const finish = new AbortController()
    const ended = (await completeByFolds(train, options, {
      ...{ findRank: 'best', choose: true, folds: 2, seconds: 1e6, finish: finish.signal },
      onTrial: () => finish.abort(),
    }))!
    expect(ended.choice!.trials).toHaveLength(1)
    expect(ended.choice!.isCut).toBe(true)
    expect(ended.outOfFold).toBeDefined()
  })

  it('starts are compared without the cells that are held out', async () => {
    const counts = drawCounts([10, 8, 6], seededRandom(4))
    const { train, test: out } = splitCells(counts, { test: 0.4 }, 1)
    /** The seed of the smallest training error. */
    const best = async (seeds: readonly number[], options: RunOptions): Promise<number> => {
      const errors: number[] = []
      for (const seed of seeds) errors.push((await complete(train, { ...options, seed })).train.rmse)
      return seeds[errors.indexOf(Math.min(...errors))]
    }
    let differ = 0
    for (let seed = 1; seed <= 5; seed++) {
      const options = { missing: 'zero', rank: 3, threads: 1, epochs: 5 } as const
      const watch = { out }
      const seeds = [seed, seed + 1009, seed + 2018]
      const wanted = await best(seeds, { ...options, watch })
      expect(await bestStart(train, { ...options, seed, watch }, 3)).toBe(wanted)
      if (wanted !== (await best(seeds, options))) differ++
    }
    expect(differ).toBeGreaterThan(0)
  })

  it('a search that was saved goes on with the trials of the uninterrupted one', async () => {
    const options = { missing: 'zero', rank: 3, threads: 1 } as const
    const search = { findRank: 'best', choose: true, ranks: [2, 3], folds: 2 } as const
    const states: SearchState[] = []
    const save = async (state: SearchState): Promise<void> => {
      states.push({ ...state, trials: [...state.trials] })
    }
    const whole = (await completeByFolds(train, options, { ...search, checkpointing: { every: 0, save } }))!
    const middle = states.find(({ trials }) => trials.length === 2)!
    const saved = decodeSearch(Buffer.concat(encodeSearch(middle)), 'saved')
    const begun: (number | undefined)[] = []
    const again = (await completeByFolds(train, options, {
      ...search,
      checkpointing: { saved, every: 1e9, save: async () => {} },
      onBegin: ({ lambda }) => void begun.push(lambda),
    }))!
    expect(begun.length).toBeLessThan(whole.choice!.trials.length)
    expect(again.choice).toEqual(whole.choice)
  })

  it('merged modes that were screened before the time was up are grown', async () => {
    const tried: { rank?: number; merged: string; folds: number }[] = []
    const trials: { rank: number; rmse: number; changes: TrialChanges }[] = []
    const mergedOf = ({ mergeModes }: TrialChanges): string => mergeModes?.join() ?? ''
    const search = {
      ...{ folds: 3, by: [0, 1, 2].map((mode) => ({ mode, length: 1 })), trials },
      ...{ pin: () => {}, isKnown: () => false },
      changesOf: (trial: (typeof trials)[number]) => trial.changes,
      // There is no time to screen the second pair, but later there is some to grow the first one.
      hasTimeFor: (changes: TrialChanges) => mergedOf(changes) !== '0,2',
      get best() {
        return trials.reduce((best, trial) => (trial.rmse < best.rmse ? trial : best))
      },
      get finished() {
        return trials.toSorted((a, b) => a.rmse - b.rmse)
      },
      attempt: async (changes: TrialChanges, { folds = 3 } = {}) => {
        const { rank = 10 } = changes
        tried.push({ rank, merged: mergedOf(changes), folds })
        const trial = { rank, rmse: 1, changes }
        if (folds === 3) trials.push(trial)
        return trial
      },
    } as unknown as FoldSearch
    const { leftOut } = await searchZeros(search, train, { lambda: 1 }, { ranks: [2, 8, 16], choose: true })
    expect(leftOut).toEqual(['some of the merged modes'])
    expect(tried.filter(({ merged }) => merged === '1,2').map(({ folds }) => folds)).toEqual([2, 3, 3])
    expect(tried.map(({ merged }) => merged)).not.toContain('0,1')
  })

  it('merged modes of which all trials of λ were given up are not grown', async () => {
    const merged: { rank?: number; lambda?: number | 'auto' }[] = []
    const trials: {
      rank: number
      rmse: number
      folds: number
      lambda?: number | 'auto'
      changes: TrialChanges
    }[] = []
    const search = {
      ...{ folds: 3, by: [0, 1, 2].map((mode) => ({ mode, length: 1 })), trials },
      ...{ pin: () => {}, isKnown: () => false, hasTimeFor: () => true },
      changesOf: (trial: (typeof trials)[number]) => trial.changes,
      get best() {
        return trials.reduce((best, trial) => (trial.rmse < best.rmse ? trial : best))
      },
      get finished() {
        return trials.filter(({ folds }) => folds === 3).sort((a, b) => a.rmse - b.rmse)
      },
      attempt: async (changes: TrialChanges, { folds = 3 } = {}) => {
        const { rank = 10, lambda, mergeModes } = changes
        const isMerged = mergeModes !== undefined
        if (isMerged && folds === 3) merged.push({ rank, lambda })
        const trial = { rank, lambda, changes, rmse: isMerged ? 1.1 : 1, folds: isMerged ? 2 : folds }
        if (folds === 3) trials.push(trial)
        return trial
      },
    } as unknown as FoldSearch
    await searchZeros(search, train, {}, { ranks: [2, 8, 16], choose: true })
    expect(merged.length).toBeGreaterThan(0)
    expect(merged.every(({ rank, lambda }) => rank === 10 && lambda !== undefined)).toBe(true)
  })

  it('groups of cells, and entries too sparse to be met by a sample, are refused', async () => {
    await expect(
      completeByFolds(train, { missing: 'zero' }, { by: [{ mode: 0, length: 1 }] }),
    ).rejects.toThrow("foldBy does not go with missing: 'zero', with which single cells are held out")
    const sparse = { ...train, dims: [4_000_000, 3_000_000, 2_000_000] }
    await expect(completeByFolds(sparse, { missing: 'zero' })).rejects.toThrow('too few to compare models by')
  })
})
