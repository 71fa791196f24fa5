/** Models that were fitted without a fold are fitted again to all entries, once settings and weights are chosen. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { defaultEngine } from '#lacuna/engine/defaultEngine.js'
import type { Engine, LoadedProblem } from '#lacuna/engine/engine.js'
import {
  completeByFolds,
  decodeSearch,
  encodeSearch,
  type FoldedCompletion,
  type SearchState,
} from '#lacuna/folds.js'
import { InputError, type SparseTensor, synthetic } from '#lacuna/index.js'
import { replaceMembers } from '#lacuna/model/index.js'
import { type Candidate, chooseByFolds } from '#lacuna/solver/select/chooseByFolds.js'
import { refit } from '#lacuna/solver/select/refit.js'
import { byEntry } from '#lacuna/tensor/index.js'

// Fibers along the last mode: each fold leaves out whole ones. Entries are few, so that a fifth of them counts.
const { tensor: all } = synthetic({ dims: [24, 20, 12], entries: 2400, rank: 6, snrDb: 20, seed: 4 })
const isHidden = (entry: number): boolean => (all.indices[0][entry] * 7 + all.indices[1][entry] * 3) % 5 === 0
const cellOf = (entry: number): number =>
  all.indices.reduce((cell, column, mode) => cell * all.dims[mode] + column[entry], 0)
// In C order, as the correction by neighbours has them.
const numbers = Array.from(all.values, (_, entry) => entry).sort((a, b) => cellOf(a) - cellOf(b))
const part = (entries: number[]): SparseTensor => ({
  dims: all.dims,
  indices: all.indices.map((column) => Uint32Array.from(entries, (entry) => column[entry])),
  values: Float32Array.from(entries, (entry) => all.values[entry]),
})
const train = part(numbers.filter((entry) => !isHidden(entry)))
const hidden = part(numbers.filter(isHidden))

const options = { rank: 6, threads: 1, seed: 2, epochs: 60 }
const byFiber = [0, 1].map((mode) => ({ mode, length: 1 }))
const best = { folds: 3, findRank: 'best', ranks: [6], by: byFiber } as const

/**
 * The engine of threads, with another way to load problems.
 * @param around called with a function that loads, and whether the problem is of all entries
 */
function engineOf(
  threads: number,
  around: (load: () => Promise<LoadedProblem>, isWhole: boolean) => Promise<LoadedProblem>,
): Engine {
  const engine = defaultEngine(threads)
  const load = engine.load.bind(engine)
  engine.load = (given) => around(() => load(given), given.tensor.values.length === train.values.length)
  return engine
}

/** Runs with a clock that stands still. */
async function withoutTime<T>(run: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    return await run()
  } finally {
    clock.mockRestore()
  }
}

describe('refitting', () => {
  let result: FoldedCompletion
  let candidates: Candidate[]
  const told: string[] = []
  beforeAll(async () => {
    const onRefit = (model: number, models: number): number => told.push(`${model} of ${models}`)
    result = (await completeByFolds(train, options, { ...best, onRefit }))!
    const found = await chooseByFolds(train, options, best)
    candidates = (found as { candidates: Candidate[] }).candidates
  })
  const factorsOf = (models: readonly { factors: unknown }[]): unknown[] =>
    models.map(({ factors }) => factors)

  it('gives models of all entries, each from its own start, that predict hidden fibers better than those before', () => {
    const { model } = result
    expect(told).toEqual(['0 of 3', '1 of 3', '2 of 3'])
    const before = replaceMembers(model, candidates[0].fit.models, train)
    expect(model.error(hidden).rmse).toBeLessThan(0.99 * before.error(hidden).rmse)
    expect(new Set(factorsOf(model.members).map((factors) => JSON.stringify(factors))).size).toBe(3)
    expect(model.members.map(({ training }) => training.seed)).toEqual([2, 3, 4])
    expect(result.took.refit).toBeGreaterThan(0)
    expect(result.leftOut).toEqual([])
  })

  it('leaves errors and intervals as they were: those of models that had not seen the entries', async () => {
    const plain = (await completeByFolds(train, options, { ...best, findRank: undefined }))!
    expect(result.outOfFold!.error).toEqual(plain.outOfFold!.error)
    expect(result.model.intervals!.scale).toEqual(plain.model.intervals!.scale)
    expect(plain.took).not.toHaveProperty('refit')
    expect(factorsOf(plain.model.members)).toEqual(factorsOf(candidates[0].fit.models))
  })

  it('fits as many models as there is time for, in their order, and leaves the others as they were', async () => {
    const asked: number[] = []
    const hasTimeFor = (seconds: number): boolean => asked.push(seconds) < 3
    const { models, refitted } = await withoutTime(() => refit(train, candidates.slice(0, 1), { hasTimeFor }))
    const { fit } = candidates[0]
    expect(refitted).toBe(2)
    expect(factorsOf(models.slice(0, 2))).toEqual(factorsOf(result.model.members.slice(0, 2)))
    expect(models[2]).toBe(fit.models[2])
    expect(asked).toHaveLength(3)
    for (const seconds of asked) expect(seconds).toBeCloseTo(fit.seconds / 2, 9)
  })

  it('expects a model to take as long as the longest one so far, and gives one up at the time limit', async () => {
    const asked: number[] = []
    const clock = vi.spyOn(performance, 'now')
    let seconds = 0
    clock.mockImplementation(() => 1000 * seconds)
    const hasTimeFor = (expected: number): boolean => {
      asked.push(expected)
      return true
    }
    // The second model takes twice the expected time of the first, and no time is left for the third.
    const { fit } = candidates[0]
    const left = [100, 100, 0]
    const { models, refitted } = await refit(train, candidates.slice(0, 1), {
      hasTimeFor,
      secondsLeft: () => left.shift()!,
      onRefit(model) {
        if (model === 0) queueMicrotask(() => (seconds += fit.seconds))
      },
    }).finally(() => clock.mockRestore())
    expect(asked[0]).toBeCloseTo(fit.seconds / 2, 9)
    expect(asked[1]).toBeCloseTo(fit.seconds, 9)
    expect(refitted).toBe(2)
    expect(models[2]).toBe(fit.models[2])
  })

  it('stops when interrupted, with the models so far', async () => {
    const abort = new AbortController()
    const [candidate] = candidates
    const { models, refitted } = await refit(
      train,
      [{ ...candidate, options: { ...candidate.options, signal: abort.signal } }],
      { hasTimeFor: () => true, onRefit: (model) => model === 1 && abort.abort() },
    )
    expect(refitted).toBe(1)
    expect(models.slice(1)).toEqual(candidate.fit.models.slice(1))
  })

  it('fits models side by side where there are threads, as they were fitted before, with the same bits in the same order', async () => {
    let open = 0
    let most = 0
    const engine = engineOf(2, async (load) => {
      most = Math.max(most, ++open)
      const problem = await load()
      const { close } = problem
      problem.close = async () => {
        open--
        await close.call(problem)
      }
      return problem
    })
    const asked: number[] = []
    const hasTimeFor = (seconds: number): boolean => asked.push(seconds) > 0
    const [candidate] = candidates
    const onTwo = { ...candidate, options: { ...candidate.options, threads: 2, engine } }
    const { models, refitted } = await withoutTime(() => refit(train, [onTwo, candidate], { hasTimeFor }))
    await engine.close()
    expect(refitted).toBe(6)
    const { members } = result.model
    expect(factorsOf(models)).toEqual(factorsOf([...members, ...members]))
    expect(most).toBe(2)
    // The first two of three take a round of two, and the last one another; on one thread each takes a third.
    const seconds = (candidate.fit.seconds * 3) / 2
    const parts = asked.map((expected) => expected / seconds)
    for (const [at, part] of [1 / 2, 1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3].entries())
      expect(parts[at]).toBeCloseTo(part, 9)
  })

  it('keeps a model that there is too little memory to fit to all entries, and says so', async () => {
    let whole = 0
    const engine = engineOf(1, (load, isWhole) => {
      if (isWhole ? ++whole === 2 : whole === 3) throw new InputError('memory', 'There is too little memory.')
      return load()
    })
    const { model, leftOut, outOfFold } = (await completeByFolds(train, { ...options, engine }, best))!
    await engine.close()
    const { members } = result.model
    expect(factorsOf(model.members)).toEqual(factorsOf([members[0], candidates[0].fit.models[1], members[2]]))
    expect(leftOut).toEqual([
      'the fit of 1 of 3 models to all entries, for which there was too little memory',
      'the error at random cells',
    ])
    expect(outOfFold!.atRandomCells).toBeUndefined()
    expect(result.outOfFold!.atRandomCells).toBeDefined()
  })

  it('is left out, and the error at random cells, where the search is asked to finish, and the report says so', async () => {
    const finish = new AbortController()
    const { model, leftOut, outOfFold } = (await completeByFolds(train, options, {
      ...{ ...best, seconds: 1e6, finish: finish.signal },
      onTrial: () => finish.abort(),
    }))!
    expect(factorsOf(model.members)).toEqual(factorsOf(candidates[0].fit.models))
    expect(leftOut.slice(-2)).toEqual([
      'the fit of 3 of 3 models to all entries',
      'the error at random cells',
    ])
    expect(outOfFold!.atRandomCells).toBeUndefined()
  })

  it('saves the search when it begins and when it is interrupted, and then goes on to the same bits', async () => {
    // While the first, the second or the last of three models is fitted, or then the one of the error at random cells.
    for (const at of [1, 2, 3, 4]) {
      const abort = new AbortController()
      const states: SearchState[] = []
      const save = async (state: SearchState): Promise<void> => void states.push(state)
      const savedBefore: number[] = []
      let loads = 0
      const engine = engineOf(1, (load, isWhole) => {
        if (isWhole || loads > 0) loads++
        if (loads === 1) savedBefore.push(states.length)
        if (loads === at) abort.abort()
        return load()
      })
      const cut = await completeByFolds(
        train,
        { ...options, engine, signal: abort.signal },
        { ...best, checkpointing: { every: 1e9, save } },
      )
      await engine.close()
      expect(cut).toBeUndefined()
      expect(savedBefore).toEqual([1])
      expect(states.map(({ trials }) => trials.length)).toEqual([1, 1])
      const begun: unknown[] = []
      const resumed = (await completeByFolds(train, options, {
        ...best,
        checkpointing: {
          saved: decodeSearch(Buffer.concat(encodeSearch(states[1])), 'saved'),
          every: Infinity,
          save,
        },
        onBegin: (trial) => void begun.push(trial),
      }))!
      expect(begun).toEqual([])
      expect(factorsOf(resumed.model.members)).toEqual(factorsOf(result.model.members))
      expect(resumed.model.intervals).toEqual(result.model.intervals)
      expect(resumed.outOfFold).toEqual(result.outOfFold)
    }
  })

  it('does not save a search that is to be saved only if it is interrupted', async () => {
    let saves = 0
    const save = async (): Promise<void> => void saves++
    await completeByFolds(
      train,
      { ...options, epochs: 2 },
      { ...best, checkpointing: { every: Infinity, save } },
    )
    expect(saves).toBe(0)
  })

  it.each([
    ['absolute', false],
    ['relative', true],
  ])('corrects by the %s residuals of the new models, where neighbours correct', (_, isRelative) => {
    const { members } = result.model
    const { indices, values } = train
    const [least, weights, shrinkage] = [1, [0.8, -0.5, 0], 3]
    const neighbours = {
      ...{ lags: [[], [], []], isRelative, least, weights, indices },
      // Residuals of the models before, which must not be used.
      residuals: new Float32Array(values.length).fill(100),
    }
    const replaceWith = (neighbours?: object): typeof result.model =>
      replaceMembers({ ...result.model, neighbours } as unknown as typeof result.model, members, train)
    const [plain, corrected] = [replaceWith(), replaceWith(neighbours)]
    const cellAt = (columns: readonly ArrayLike<number>[], e: number): number[] =>
      columns.map((column) => column[e])
    const unitOf = (y: number): number => (isRelative ? Math.max(y, least) : 1)
    const residuals = Array.from(values, (value, e) => {
      const y = plain.predict(cellAt(indices, e), { clip: false })
      return (value - y) / unitOf(y)
    })
    let most = 0
    for (let e = 0; e < hidden.values.length; e += 7) {
      const cell = cellAt(hidden.indices, e)
      // The mean residual of the entries that differ from the cell in one mode alone, shrunk to 0.
      const means = cell.map((_, mode) => {
        const around = residuals.filter((_, other) =>
          cell.every((index, m) => (indices[m][other] === index) === (m !== mode)),
        )
        return around.reduce((sum, residual) => sum + residual, 0) / (around.length + shrinkage)
      })
      const y = plain.predict(cell, { clip: false })
      const change = unitOf(y) * weights.reduce((sum, weight, mode) => sum + weight * means[mode], 0)
      most = Math.max(most, Math.abs(change))
      expect(corrected.predict(cell, { clip: false })).toBeCloseTo(Math.max(0, y + change), 4)
    }
    expect(most).toBeGreaterThan(0.01)
  })

  it('has time reserved by a search with a limit where folds are blocks, and not where they are single entries', async () => {
    const reserved = async (by: typeof byFiber): Promise<number> => {
      const found = await chooseByFolds(train, options, { ...best, by, seconds: 1e6 })
      return (found as { deadline: { reservedSeconds: number } }).deadline.reservedSeconds
    }
    expect(await reserved(byFiber)).toBeGreaterThan(0)
    expect(await reserved([...byEntry(train)])).toBe(0)
  })
})
