/** Models that were fitted without a fold are fitted again to all entries, once settings and weights are chosen. */
import { beforeAll, describe, expect, it } from 'vitest'
import { completeByFolds, type FoldedCompletion } from '#lacuna/folds.js'
import { type SparseTensor, synthetic } from '#lacuna/index.js'
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
    const { models, refitted } = await refit(train, candidates.slice(0, 1), { hasTimeFor })
    const { fit } = candidates[0]
    expect(refitted).toBe(2)
    expect(factorsOf(models.slice(0, 2))).toEqual(factorsOf(result.model.members.slice(0, 2)))
    expect(models[2]).toBe(fit.models[2])
    expect(asked).toEqual(Array(3).fill(fit.seconds / 2))
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

  it('corrects by the residuals of the new models, where neighbours correct', () => {
    const { model } = result
    const indices = train.indices
    const neighbours = {
      ...{ lags: [[], [], []], isRelative: false, least: 1, weights: [0, 0, 0] },
      ...{ indices, residuals: new Float32Array(train.values.length) },
    }
    const corrected = replaceMembers(
      { ...model, neighbours } as unknown as typeof model,
      model.members,
      train,
    )
    const residuals = train.values.map(
      (value, entry) => value - model.predict(indices.map((column) => column[entry])),
    )
    for (const [entry, residual] of corrected.neighbours!.residuals.entries())
      expect(residual).toBeCloseTo(residuals[entry], 4)
  })

  it('has time reserved by a search with a limit where folds are blocks, and not where they are single entries', async () => {
    const reserved = async (by: typeof byFiber): Promise<number> => {
      const found = await chooseByFolds(train, options, { ...best, by, seconds: 1e6 })
      return (found as { deadline: { modelSeconds: number } }).deadline.modelSeconds
    }
    expect(await reserved(byFiber)).toBeGreaterThan(0)
    expect(await reserved([...byEntry(train)])).toBe(0)
  })
})
