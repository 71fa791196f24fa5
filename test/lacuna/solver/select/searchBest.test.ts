import { beforeAll, describe, expect, it } from 'vitest'
import { draw } from '#lacuna/base/random.js'
import {
  decodeAnyModel,
  decodeSearch,
  encodeEnsemble,
  encodeSearch,
  type FoldedCompletion,
  type SearchState,
} from '#lacuna/folds.js'
import type { CpEnsemble } from '#lacuna/model/index.js'
import { chooseByFolds } from '#lacuna/solver/select/chooseByFolds.js'
import { proposeAutoregression, proposeLinks, proposeShapes } from '#lacuna/solver/select/proposals.js'
import type { FoldSearch } from '#lacuna/solver/select/search/foldSearch.js'
import { searchBest } from '#lacuna/solver/select/searchBest.js'
import type { TrialChanges } from '#lacuna/solver/select/trials.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { completeWhole } from './whole.ts'

/** A number from 0 to 1 by some indices. */
const chance = (...indices: number[]): number => {
  let hash = 7
  for (const index of indices) hash = draw(hash, index)
  return hash / 2 ** 32
}

/** A tensor of the cells for which `isKnown` holds, with values by cell. */
function tensorOf(
  dims: readonly number[],
  isKnown: (cell: readonly number[]) => boolean,
  valueAt: (cell: readonly number[]) => number,
): SparseTensor {
  const cells: number[][] = [[]]
  for (const dim of dims) {
    const longer = cells.flatMap((cell) => Array.from({ length: dim }, (_, i) => [...cell, i]))
    cells.splice(0, cells.length, ...longer)
  }
  const known = cells.filter(isKnown)
  return {
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(known, (cell) => cell[mode])),
    values: Float32Array.from(known, valueAt),
  }
}

/** A search with time for every trial, whose errors follow from the changes. */
function searchByErrors(errorOf: (changes: TrialChanges) => number): FoldSearch {
  const trials: { rmse: number; changes: TrialChanges }[] = []
  return {
    ...{ folds: 5, trials, by: [0, 1, 2].map((mode) => ({ mode, length: 1 })), foldsOfRefit: 0 },
    ...{ pin: () => {}, reserveRefit: () => {}, isKnown: () => false },
    ...{ hasTimeFor: () => true, changesOf: ({ changes }: { changes: TrialChanges }) => changes },
    get best() {
      return trials.reduce((best, trial) => (trial.rmse < best.rmse ? trial : best))
    },
    get finished() {
      return trials.toSorted((a, b) => a.rmse - b.rmse)
    },
    attempt: async (changes: TrialChanges, { folds = 5 } = {}) => {
      const rmse = errorOf(changes)
      const foldErrors = Array.from({ length: folds }, () => ({ squares: rmse ** 2, entries: 1 }))
      const trial = { rank: changes.rank ?? 10, rmse, folds, foldErrors, changes }
      if (folds === 5) trials.push(trial)
      return trial
    },
  } as unknown as FoldSearch
}

// Trips: each pair of origin and destination has its own course, and each destination has hours of its own,
// none of which a low rank over three modes has.
const trips = tensorOf(
  [9, 9, 24],
  (cell) => chance(1, ...cell) < 0.5,
  ([i, j, k]) =>
    20 * chance(2, i, j) ** 2 * (1 + Math.sin(k / 4 + 3 * chance(3, i, j))) +
    14 * chance(6, j, k) +
    3 * chance(4, i, j, k),
)
/** Trips whose values vary so little that no link is proposed. */
const flat = { ...trips, values: trips.values.map((x) => x + 100) }
const options = { threads: 2, epochs: 30 }
const best = { folds: 3, findRank: 'best', choose: true, ranks: [2, 4, 6] } as const

let result: FoldedCompletion & { outOfFold: NonNullable<FoldedCompletion['outOfFold']> }
let model: CpEnsemble
beforeAll(async () => {
  result = (await completeWhole(trips, options, best))!
  model = result.model
})

describe('the search for the best settings', () => {
  const byEntry = [0, 1, 2].map((mode) => ({ mode, length: 1 }))

  it('proposes pairs of modes that are not too many rows, and no merged rows that a fold leaves empty', () => {
    const merged = (by: typeof byEntry, dims = trips.dims): unknown =>
      proposeShapes({ ...trips, dims }, {}, by).map(({ mergeModes }) => mergeModes?.[0])
    expect(merged(byEntry)).toEqual([undefined, [0, 1], [0, 2], [1, 2]])
    expect(merged([byEntry[0], byEntry[2]])).toEqual([undefined, [0, 1], [1, 2]])
    // 486 entries per merged row of 2 × 972 entries at most.
    expect(merged(byEntry, [9, 9, 900])).toEqual([undefined, [0, 1]])
  })

  it('proposes lags and series along a time axis, and periods as splits', () => {
    const by = [{ mode: 0, length: 1 }]
    const series = { modes: [2, 1], lags: { '3+2': [1, 9] } }
    expect(proposeShapes(trips, {}, by, series)).toEqual([
      {},
      { lags: series.lags },
      { mergeModes: [[1, 2]], lags: series.lags },
    ])
    const time = { modes: [2], lags: { 3: [1, 6] }, period: 6 }
    const labels = [undefined, undefined, Array.from({ length: 24 }, (_, hour) => String(hour))]
    const byTime = [{ mode: 2, length: 6 }]
    expect(proposeShapes({ ...trips, labels }, {}, byTime, time)).toEqual([
      {},
      { lags: time.lags },
      { mergeModes: [[0, 1]] },
      { split: [{ mode: 2, into: 6 }] },
      { mergeModes: [[0, 1]], split: [{ mode: 2, into: 6 }] },
    ])
    // Without labels each other mode may count blocks of time.
    const proposed = proposeShapes(trips, {}, byTime, { modes: [2], lags: time.lags })
    expect(proposed.slice(2, 4)).toEqual([
      { mergeModes: [[0, 2]], lags: { '1+3': [1, 24] } },
      { mergeModes: [[1, 2]], lags: { '2+3': [1, 24] } },
    ])
  })

  it('tries a mode of time split by its period, and shows it as typed', async () => {
    const hourly = tensorOf(
      [6, 72],
      (cell) => chance(8, ...cell) < 0.7,
      ([i, k]) => 5 + 4 * Math.sin((2 * Math.PI * (k + i)) / 12) + chance(9, i, k),
    )
    const modes = [{ name: 'sensor' }, { name: 'time' }]
    const { choice } = (await completeWhole({ ...hourly, modes }, options, { ...best, ranks: [2, 4] }))!
    expect(choice!.trials.map(({ split }) => split)).toContain('2:12')
  })

  it('proposes a seasonal autoregression where time is one mode', () => {
    const lags = { '3+2': [1, 9, 63] }
    expect(proposeAutoregression({ mergeModes: [[1, 2]], lags })).toEqual([
      { timePrior: 'autoregressive', lags: { '3+2': [1, 9, 10, 63, 64] } },
    ])
    expect(proposeAutoregression({ lags })).toEqual([])
    expect(proposeAutoregression({ mergeModes: [[1, 2]] })).toEqual([])
  })

  it('proposes merged pairs and a split beside a reshaping that is given', () => {
    const time = { modes: [2], lags: { 3: [1, 6] }, period: 6 }
    const split = [{ mode: 2, into: 6 }]
    expect(proposeShapes(trips, { split }, byEntry, time)).toEqual([{}, { mergeModes: [[0, 1]] }])
    const merged = [[0, 1]]
    expect(proposeShapes(trips, { mergeModes: merged }, byEntry, time)).toEqual([
      {},
      { lags: time.lags },
      { split },
    ])
    const four = {
      ...trips,
      dims: [9, 9, 4, 6],
      indices: [...trips.indices.slice(0, 2), trips.indices[0], trips.indices[1]],
    }
    expect(
      proposeShapes(
        four,
        { mergeModes: merged },
        [0, 1, 2, 3].map((mode) => ({ mode, length: 1 })),
      ),
    ).toEqual([{}, { mergeModes: [...merged, [2, 3]] }])
  })

  it('proposes nothing where lags or features are given, or all modes are reshaped, and no link where one is given', () => {
    const by = [{ mode: 0, length: 1 }]
    expect(proposeShapes(trips, { lags: { 3: [1] } }, by)).toEqual([{}])
    expect(proposeShapes(trips, { mergeModes: [[0, 1]] }, by)).toEqual([{}])
    expect(proposeShapes(trips, { lags: { 3: [1] }, split: [{ mode: 2, into: 6 }] }, byEntry)).toEqual([{}])
    expect(proposeLinks(trips, {})).toEqual([{ link: 'sqrt' }])
    expect(proposeLinks(trips, { link: 'identity' })).toEqual([])
    expect(proposeLinks({ ...trips, values: trips.values.map((x) => x + 100) }, {})).toEqual([])
    expect(proposeLinks({ ...trips, values: trips.values.with(0, -0.01) }, {})).toEqual([])
  })

  it('finds that pairs are entities, from screening on two folds to models of all folds', () => {
    const { trials, chosen } = result.choice!
    expect(chosen.merged).toBe('1,2')
    const screened = trials.filter(({ isScreening }) => isScreening)
    expect(screened.every(({ folds, rank }) => folds === 2 && rank === 6)).toBe(true)
    // Four shapes, each with and without a square root; the modes as given were tried on all folds before.
    expect(screened).toHaveLength(7)
    expect(trials.some(({ rank, merged, link }) => rank === 6 && merged === '' && !link)).toBe(true)
    expect(trials.some(({ rank }) => rank === 10)).toBe(true)
  })

  it('keeps the options as given, at rank 10 and at the largest rank, as candidates however bad they are', async () => {
    const found = await chooseByFolds(trips, options, best)
    const candidates = found && 'candidates' in found ? found.candidates : []
    const errors = candidates.map(({ trial }) => trial.rmse)
    const given = candidates.filter(({ trial: { merged, lags, link } }) => !merged && !lags && !link)
    expect(given.map(({ trial: { rank } }) => rank)).toEqual(expect.arrayContaining([6, 10]))
    // They are the worst of all candidates.
    const worst = Math.max(...given.map(({ trial }) => trial.rmse))
    expect(errors.every((rmse) => rmse <= worst)).toBe(true)
  })

  it('tries the largest rank first that takes at most half of the time that is left, and keeps it and the first trial', async () => {
    // A search whose trials take as many seconds as their rank, of `left` seconds.
    const tried = async (
      left: number,
      foldsOfRefit = 0,
    ): Promise<{ ranks: number[]; pinned: Set<number>; leftOut: string[] }> => {
      const ranks: number[] = []
      const pinned = new Set<number>()
      const trials: { rank: number; rmse: number; foldErrors: [] }[] = []
      const search = {
        folds: 5,
        trials,
        hasTimeFor: ({ rank = 10 }, folds = 5) => left > (rank * folds) / 5,
        attempt: async ({ rank = 10 }) => {
          if (ranks.includes(rank)) return trials.find((trial) => trial.rank === rank)
          left -= rank
          ranks.push(rank)
          trials.push({ rank, rmse: 1 / rank, foldErrors: [] })
          return trials.at(-1)
        },
        pin: ({ rank }: { rank: number }) => pinned.add(rank),
        reserveRefit: () => {},
        isKnown: ({ rank = 10 }) => ranks.includes(rank),
        foldsOfRefit,
      } as unknown as FoldSearch
      const { leftOut } = await searchBest(search, trips, {}, { ranks: [2, 4, 8, 16, 32, 64], choose: false })
      return { ranks, pinned, leftOut }
    }
    const first = async (left: number, count: number): Promise<number[]> =>
      (await tried(left)).ranks.slice(0, count)
    expect(await first(1000, 2)).toEqual([10, 64])
    expect(await first(130, 2)).toEqual([10, 32])
    expect(await first(60, 2)).toEqual([10, 16])
    expect(await first(20, 1)).toEqual([10])
    // Where the models are refitted in the end, their time counts, too: 1.25 times that of the trial.
    expect((await tried(130, 6.25)).ranks.slice(0, 2)).toEqual([10, 32])
    expect((await tried(100, 6.25)).ranks.slice(0, 2)).toEqual([10, 16])
    expect(await first(100, 2)).toEqual([10, 32])
    // Rank 64 follows later where there is time.
    for (const left of [1000, 300])
      expect([...(await tried(left)).pinned]).toEqual(expect.arrayContaining([10, 64]))
    // A rank that was tried first is not among those left out.
    expect(await tried(140)).toMatchObject({ ranks: [10, 64, 16, 32], leftOut: [] })
    expect((await tried(60)).leftOut).toEqual(['ranks above 32', 'rank 64'])
  })

  it('raises ranks first of reshapings that are better at a small rank than all trials before, then of the modes as given', async () => {
    /** The order in which trials of rank 16 are made, if merged modes have so many times the error. */
    const orderOf = async (ratio: number): Promise<string[]> => {
      const shapes: string[] = []
      const search = searchByErrors(({ rank, mergeModes }) => {
        const shape = mergeModes ? mergeModes[0].join() : 'given'
        if (rank === 16) shapes.push(shape)
        return shape === '0,1' ? ratio : shape === 'given' ? 1 : 1.2
      })
      await searchBest(search, flat, {}, { ranks: [2, 4, 8, 16, 32], choose: true })
      return [...new Set(shapes)]
    }
    expect(await orderOf(0.9)).toEqual(['0,1', 'given', '0,2', '1,2'])
    expect(await orderOf(1.1)).toEqual(['given', '0,1', '0,2', '1,2'])
  })

  it('tries smaller ranks where that of the screening was as good on its folds as the best of larger ones', async () => {
    /** The ranks that are tried of merged modes on all folds. */
    const ranksOf = async (errors: Record<number, number>): Promise<number[]> => {
      const ranks: number[] = []
      const search = searchByErrors(({ rank = 10, mergeModes }) => {
        if (mergeModes?.[0].join() !== '0,1') return 2
        ranks.push(rank)
        return errors[rank]
      })
      await searchBest(search, flat, {}, { ranks: [2, 4, 8, 16, 32, 64], choose: true })
      return [...new Set(ranks.slice(1))]
    }
    const above = { 16: 0.9, 32: 0.89, 64: 0.95 }
    expect(await ranksOf({ ...above, 8: 0.88, 4: 0.8, 2: 0.85 })).toEqual([16, 32, 64, 8, 4, 2])
    expect(await ranksOf({ ...above, 8: 0.91, 4: 0.8, 2: 0.85 })).toEqual([16, 32, 64])
  })

  it('tries a noise model that is better at the best trial at the best trials of other modes, too', async () => {
    const shapes = async (gain: number): Promise<unknown[]> => {
      const found: unknown[] = []
      const search = searchByErrors(({ rank = 10, noise, mergeModes }) => {
        if (noise === 'row') found.push(mergeModes?.[0].join())
        return (
          (mergeModes?.[0].join() === '0,1' ? 1 : 1.2) * (1 + 1 / rank) * (noise === 'row' ? 1 - gain : 1)
        )
      })
      await searchBest(search, flat, {}, { ranks: [2, 4, 8, 16], choose: true })
      return found
    }
    expect(await shapes(0.05)).toEqual(['0,1', undefined, '0,2', '1,2'])
    expect(await shapes(-0.05)).toEqual(['0,1'])
  })

  it('raises ranks with a link only where it gains half a percent at the rank of the screening', async () => {
    /** The links of trials at rank 16 on the modes as given, if a square root lowers errors by a fraction. */
    const linksGrown = async (gain: number): Promise<unknown[]> => {
      const links: unknown[] = []
      const search = searchByErrors(({ rank, link, mergeModes }) => {
        if (rank === 16 && !mergeModes) links.push(link)
        return (mergeModes ? 9 : 1) * (link ? 1 - gain : 1)
      })
      await searchBest(search, trips, {}, { ranks: [2, 4, 8, 16], choose: true })
      return [...new Set(links)]
    }
    // The logarithm follows as a single change of the best trial.
    expect(await linksGrown(0.02)).toEqual([undefined, 'sqrt', 'log1p'])
    expect(await linksGrown(0.004)).toEqual([undefined])
  })

  it('is never worse out of fold than its best trial, and combines trials where that helps', () => {
    const { trials, combined } = result.choice!
    const smallest = Math.min(...trials.filter(({ folds }) => folds === 3).map(({ rmse }) => rmse))
    expect((result.outOfFold.withoutNeighbours ?? result.outOfFold.error).rmse).toBeLessThanOrEqual(
      1.0001 * smallest,
    )
    expect(combined!.length).toBeGreaterThan(1)
    expect(model.members).toHaveLength(3 * combined!.length)
    expect(model.weights).toHaveLength(model.members.length)
    for (const [c, { weight }] of combined!.entries())
      expect(model.weights![3 * c]).toBeCloseTo(weight / 3, 12)
  })

  it('continues after an interruption with the same trials, weights and models', async () => {
    const abort = new AbortController()
    let saved: SearchState | undefined
    let trials = 0
    const save = async (state: SearchState): Promise<void> => {
      saved = state
    }
    const checkpointing = { every: Infinity, save }
    const cut = await completeWhole(
      trips,
      { ...options, signal: abort.signal },
      { ...best, checkpointing, onTrial: () => ++trials === 12 && abort.abort() },
    )
    expect(cut).toBeUndefined()
    expect(saved!.trials.length).toBeGreaterThanOrEqual(11)
    const begun: string[] = []
    const resumed = (await completeWhole(
      trips,
      { ...options, threads: 1 },
      {
        ...best,
        checkpointing: {
          ...checkpointing,
          saved: decodeSearch(Buffer.concat(encodeSearch(saved!)), 'saved'),
        },
        onBegin: (trial) => void begun.push(JSON.stringify(trial)),
      },
    ))!
    expect(begun.length).toBeLessThan(result.choice!.trials.length - 10)
    expect(resumed.choice).toEqual(result.choice)
    expect(resumed.model.weights).toEqual(model.weights)
    expect(resumed.model.predictMany(trips.indices)).toEqual(model.predictMany(trips.indices))
  })

  it('has the same bits on any threads and in any order of the entries', async () => {
    const order = Array.from(trips.values, (_, e) => e).sort((a, b) => chance(5, a) - chance(5, b))
    const shuffled = {
      dims: trips.dims,
      indices: trips.indices.map((column) => Uint32Array.from(order, (e) => column[e])),
      values: Float32Array.from(order, (e) => trips.values[e]),
    }
    const again = (await completeWhole(shuffled, { ...options, threads: 1 }, best))!
    expect(again.model.weights).toEqual(model.weights)
    expect(again.model.predictMany(trips.indices)).toEqual(model.predictMany(trips.indices))
    expect(again.model.intervals).toEqual(model.intervals)
  })
})

describe('a combination of models of different shapes', () => {
  it('predicts the weighted sum of its members in every way', () => {
    const cell = [3, 4, 5]
    expect(
      new Set(model.members.map(({ reshapedModes }) => JSON.stringify(reshapedModes))).size,
    ).toBeGreaterThan(1)
    const sum = model.members.reduce(
      (sum, member, k) => sum + model.weights![k] * member.predict(cell, { clip: false }),
      0,
    )
    const refined = model.refine ? model.refine(cell, sum) : sum
    const y = model.predict(cell, { clip: false })
    expect(y).toBeCloseTo(Math.max(0, refined), 5)
    expect(
      model.predictMany(
        cell.map((i) => Uint32Array.of(i)),
        { clip: false },
      )[0],
    ).toBeCloseTo(y, 5)
    expect(model.slice([3, 4, null], { clip: false }).values[5]).toBeCloseTo(y, 4)
    const [first] = model.top({ for: { mode_1: 4, mode_2: 5 }, of: 'mode_3', n: 1, clip: false })
    const along = model.slice([3, 4, null], { clip: false }).values
    expect(first.predicted).toBeCloseTo(Math.max(...along), 4)
  })

  it('is the same when it is read from its file', () => {
    const read = decodeAnyModel(encodeEnsemble(model), 'best.npz') as CpEnsemble
    expect(read.weights).toEqual(model.weights)
    expect(read.predictMany(trips.indices)).toEqual(model.predictMany(trips.indices))
    expect(read.interval([1, 2, 3])).toEqual(model.interval([1, 2, 3]))
  })

  it('shows the components of its best candidate', () => {
    const [component] = model.components()
    expect(component.modes.map(({ modes }) => modes)).toEqual([[0, 1], [2]])
    expect(component.found!.of).toBe(3)
  })
})
