import { beforeAll, describe, expect, it } from 'vitest'
import { CpEnsemble, decodeAnyModel, encodeEnsemble, type FoldedCompletion } from '#lacuna/folds.js'
import { complete, decodeModel, type SparseTensor, split, synthetic } from '#lacuna/index.js'
import {
  type ChosenByFolds,
  decodeSearch,
  encodeSearch,
  type FoldTrial,
  type SearchState,
} from '#lacuna/solver/index.js'
import { pickEntries } from '#lacuna/tensor/index.js'
import { foldsOf } from '#lacuna/tensor/split/folds.js'
import { shuffleEntries } from '../../engine/entrySets.ts'
import { chooseWhole, completeWhole, type WholeCompletion } from './whole.ts'

const chance = (e: number): number => Math.abs(Math.sin(12.9898 * (e + 1)) * 43758.5453) % 1
const normal = (e: number): number =>
  Math.sqrt(-2 * Math.log(chance(2 * e) + 1e-9)) * Math.cos(2 * Math.PI * chance(2 * e + 1))

/** Waves of rank 2, and on top of them a slow drift along the second mode that no low rank has. */
function waves(): SparseTensor {
  const dims = [14, 60, 8]
  const places: number[][] = []
  for (let i = 0; i < dims[0]; i++)
    for (let j = 0; j < dims[1]; j++) for (let k = 0; k < dims[2]; k++) places.push([i, j, k])
  const drift = (i: number, j: number, k: number): number => 1.5 * Math.sin(j / 5 + 2.4 * i + 1.7 * k * i)
  return {
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(places, (place) => place[mode])),
    values: Float32Array.from(places, ([i, j, k], e) =>
      Math.max(0, (3 + Math.sin(j / 3 + i)) * (2 + (k % 3)) + drift(i, j, k) + 0.5 * normal(e)),
    ),
  }
}

describe('folds', () => {
  const { train, test } = split(waves(), { test: 0.4 }, 1)
  const options = { rank: 4, seed: 3 }
  let result: WholeCompletion
  beforeAll(async () => {
    result = (await completeWhole(train, { ...options, threads: 2 }))!
  })

  it('an ensemble of folds predicts better than one model, and its out-of-fold error is close to the test error', async () => {
    const { model, outOfFold } = result
    const single = await complete(train, { ...options, threads: 1 })
    const error = model.error(test).rmse
    expect(error).toBeLessThan(0.95 * single.model.error(test).rmse)
    expect(outOfFold.error.rmse / error).toBeGreaterThan(0.95)
    expect(outOfFold.error.rmse / error).toBeLessThan(1.25)
    expect(outOfFold.verdict).toMatch(/^\d+% below the best baseline, /)
    expect(outOfFold.baselines.map(({ name }) => name)).toEqual([
      'the mean',
      'the mean of each mode_1',
      'the mean of each mode_2',
      'the mean of each mode_3',
      'biases of all modes',
    ])
  })

  it('cross-fitting finds the ordered mode by similar residuals, and correcting by neighbours lowers the error', () => {
    const { model, outOfFold } = result
    expect(model.neighbours!.lags[1]).toContain(1)
    expect(outOfFold.error.rmse).toBeLessThan(0.9 * outOfFold.withoutNeighbours!.rmse)
  })

  it('intervals of 50% and 90% contain these fractions of the test entries', () => {
    for (const level of [0.5, 0.9]) {
      let inside = 0
      test.values.forEach((x, e) => {
        const { value, low, high } = result.model.interval(
          test.indices.map((column) => column[e]),
          level,
        )
        expect(low).toBeLessThanOrEqual(value)
        if (x >= low && x <= high) inside++
      })
      expect(Math.abs(inside / test.values.length - level)).toBeLessThan(0.04)
    }
    expect(() => result.model.interval([0, 0, 0], 1)).toThrow('must lie between 0 and 1')
  })

  it('models of folds have the same bits on any number of threads, and do not depend on the values of their fold', async () => {
    const folds = foldsOf(
      train,
      [0, 1, 2].map((mode) => ({ mode, length: 1 })),
      5,
      3,
    )
    const other = { ...train, values: train.values.map((x, e) => (folds[e] === 0 ? 20 - x : x)) }
    const again = (await completeWhole(other, { ...options, threads: 1 }))!
    expect(again.model.members[0].factors).toEqual(result.model.members[0].factors)
    expect(again.model.members[1].factors).not.toEqual(result.model.members[1].factors)
    expect(again.outOfFold.error.rmse).toBeGreaterThan(result.outOfFold.error.rmse)
  })

  it('a decoded ensemble has the labels, neighbours and intervals of the encoded one, and predicts the same', () => {
    const labels = [undefined, undefined, [...'abcdefgh']]
    const modes = ['i', 'j', 'k'].map((name) => ({ name }))
    const { members, neighbours, intervals, observed, dims, training } = result.model
    const ensemble = new CpEnsemble({
      members,
      neighbours,
      intervals,
      observed,
      dims,
      training,
      labels,
      modes,
    })
    const bytes = encodeEnsemble(ensemble)
    const read = decodeAnyModel(bytes, 'e.npz') as CpEnsemble
    expect(read).toBeInstanceOf(CpEnsemble)
    expect(read.predictMany(test.indices)).toEqual(result.model.predictMany(test.indices))
    expect(read.interval({ i: '3', j: '7', k: 'c' })).toEqual(result.model.interval([2, 6, 2]))
    expect(read.slice([1, null, 2]).values[5]).toBeCloseTo(result.model.predict([1, 5, 2]), 4)
    expect(read.training.outOfFold).toEqual(JSON.parse(JSON.stringify(training.outOfFold)))
    expect(() => decodeModel(bytes, 'e.npz')).toThrow('e.npz: this is an ensemble of models')
  })

  it('where cells are missing in blocks, folds are blocks, too, and their error is not too small for such gaps', async () => {
    // Noise that is alike from hour to hour of a day, and new every day: in a gap of a whole day nothing tells of it.
    const dims = [16, 20, 16]
    const places: number[][] = []
    for (let i = 0; i < dims[0]; i++)
      for (let day = 0; day < dims[1]; day++) for (let h = 0; h < dims[2]; h++) places.push([i, day, h])
    const tensor = {
      dims,
      indices: dims.map((_, mode) => Uint32Array.from(places, (place) => place[mode])),
      values: Float32Array.from(places, ([i, day, h], e) =>
        Math.max(0, 10 + 3 * Math.sin(h / 3 + i) + 2 * normal(7000 + 20 * i + day) + 0.3 * normal(e)),
      ),
    }
    const isGap = (e: number): boolean => chance(900 + 20 * tensor.indices[0][e] + tensor.indices[1][e]) < 0.3
    const pick = (gap: boolean): SparseTensor =>
      pickEntries(
        tensor,
        Uint32Array.from(tensor.values.keys()).filter((e) => isGap(e) === gap),
      )
    const [known, gaps] = [pick(false), pick(true)]
    const { model, outOfFold } = (await completeWhole(known, { rank: 3, threads: 2 }))!
    expect(outOfFold.by).toBe('what has mode 1 and mode 2 in common')
    expect(outOfFold.error.rmse).toBeGreaterThan(0.9 * model.error(gaps).rmse)
    let inside = 0
    gaps.values.forEach((x, e) => {
      const { low, high } = model.interval(gaps.indices.map((column) => column[e]))
      if (x >= low && x <= high) inside++
    })
    expect(inside / gaps.values.length).toBeGreaterThan(0.82)
  })

  it('cross-fitting of constant values, and of one huge value, ends with finite intervals', async () => {
    const { tensor } = synthetic({ dims: [20, 20], entries: 300, rank: 1, seed: 1 })
    for (const value of [
      (e: number) => (e === 7 ? 1e9 : 0),
      (e: number) => (e === 7 ? 1e35 : 1e-6 * (1 + chance(e))),
      () => 5,
    ]) {
      const odd = { ...tensor, values: tensor.values.map((_, e) => value(e)) }
      const { model } = (await completeWhole(odd, { rank: 2, threads: 1 }, { folds: 3 }))!
      const { value: y, low, high } = model.interval([1, 1])
      expect([low <= y, y <= high, Number.isFinite(high)]).toEqual([true, true, true])
    }
  })

  it('top of an ensemble ranks rows by the predictions of the ensemble', () => {
    const { model } = result
    const [best, next] = model.top({ for: { mode_1: '3', mode_3: '2' }, of: 'mode_2', n: 2 })
    expect(best.predicted).toBeCloseTo(model.predict([2, best.row, 1]), 9)
    expect(next.predicted).toBeCloseTo(model.predict([2, next.row, 1]), 9)
    expect(best.predicted).toBeCloseTo(Math.max(...model.slice([2, null, 1]).values), 4)
  })

  it('the verdict on a model of pure noise is not to use it', async () => {
    const { tensor } = synthetic({ dims: [20, 15, 6], entries: 900, rank: 2, seed: 1 })
    const noise = { ...tensor, values: tensor.values.map((_, e) => chance(e)) }
    const { outOfFold } = (await completeWhole(noise, { rank: 3, threads: 1 }, { folds: 3 }))!
    expect(outOfFold.verdict).toMatch(/^no better than .*: do not use this model$/)
  })

  it('chooseByFolds finds the true rank of synthetic entries, with noise and without', async () => {
    for (const [rank, snrDb] of [
      [3, Infinity],
      [5, 15],
    ]) {
      const { tensor } = synthetic({ dims: [30, 25, 20], entries: 6000, rank, snrDb, seed: rank })
      const found = (await chooseWhole(tensor, { threads: 2 }, { folds: 3, findRank: 'smallest' }))!
      const [{ options, fit }, ...others] = found.candidates
      expect([options.rank, others.length]).toEqual([rank, 0])
      expect(fit.models[0].rank).toBe(rank)
      const tried = found.choice.trials.map((trial) => trial.rank)
      expect(tried).toEqual(tried.slice().sort((a, b) => a - b))
      expect(Math.max(...tried)).toBeLessThan(17)
    }
  })

  it('an interrupted cross-fit continues from its checkpoint with the same bits, and refuses other settings or entries', async () => {
    const abort = new AbortController()
    const saved: Uint8Array[] = []
    const cut = await completeWhole(
      train,
      { ...options, threads: 2, signal: abort.signal },
      {
        checkpointing: {
          every: 0.01,
          save: async (state) => void saved.push(Buffer.concat(encodeSearch(state))),
        },
        onModel: (fold) => {
          if (fold === 1) abort.abort()
        },
      },
    )
    expect(cut).toBeUndefined()
    const goOn = (bytes: Uint8Array, changed: object, more: object = {}, tensor = train) =>
      completeWhole(
        tensor,
        { ...options, threads: 1, ...changed },
        {
          ...more,
          checkpointing: { saved: decodeSearch(bytes, 'x.run'), every: Infinity, save: async () => {} },
        },
      )
    const factorsOf = ({ model }: FoldedCompletion) => model.members.map(({ factors }) => factors)
    // From the end, and from the middle of the first models.
    for (const bytes of [saved.at(-1)!, saved[0]])
      expect(factorsOf((await goOn(bytes, {}))!)).toEqual(factorsOf(result))
    expect(decodeSearch(saved.at(-1)!, 'x.run').runs.filter((run) => run?.progress.stopped)).not.toEqual([])
    await expect(goOn(saved[0], { rank: 5 })).rejects.toThrow(
      'The run was saved with rank: 4, and now it is 5',
    )
    await expect(goOn(saved[0], {}, { folds: 4 })).rejects.toThrow('saved with folds 5, and now it is 4')
    await expect(goOn(saved[0], {}, { starts: 2 })).rejects.toThrow('saved with starts 1, and now it is 2')
    await expect(goOn(saved[0], {}, { by: [{ mode: 1, length: 6 }] })).rejects.toThrow(
      'saved with foldBy 1+2+3, and now it is 2:6',
    )
    const other = { ...train, values: train.values.map((x) => 2 * x) }
    await expect(goOn(saved[0], {}, {}, other)).rejects.toThrow('saved with other entries')
    expect(() => decodeSearch(saved[0].subarray(0, 5000), 'x.run')).toThrow('damaged or cut short')
  })

  it('complete with folds gives the ensemble of completeByFolds from entries in any order, and reports epochs of every fold', async () => {
    const seen = new Set<number>()
    const found = await complete(shuffleEntries(train, 4), {
      ...options,
      folds: 5,
      onEpoch: (_, fold) => seen.add(fold),
    })
    expect(found!.model.predictMany(test.indices)).toEqual(result.model.predictMany(test.indices))
    expect(found!.model.intervals).toEqual(result.model.intervals)
    expect(found!.model.neighbours).toEqual(result.model.neighbours)
    expect(found!.model.training.outOfFold).toEqual(result.outOfFold)
    expect(found!.model.training.stability).toEqual(result.stability)
    expect(seen.size).toBe(5)
  })

  describe('choose settings', () => {
    // Noise in proportion to the values: of all kinds one that grows with them is best by far.
    const { tensor: clean } = synthetic({ dims: [24, 20, 15], entries: 2500, rank: 2, seed: 4 })
    const size = (e: number): number => 1 + (clean.indices[0][e] % 4) ** 3
    const tensor = {
      ...clean,
      values: clean.values.map((x, e) => Math.max(0, x * size(e) * (1 + 0.4 * normal(e)))),
    }
    const modelsOf = ({ candidates }: ChosenByFolds) => candidates[0].fit.models
    const choosing = { folds: 3, choose: true, findRank: 'smallest' as const }

    it('chooseByFolds chooses the smallest out-of-fold error, gives up hopeless trials early, and has the same bits on any threads', async () => {
      const found = (await chooseWhole(tensor, { threads: 1 }, choosing))!
      const { trials, chosen, isCut } = found.choice
      expect(isCut).toBe(false)
      // The best of each step on the way, and what is tried at the rank that was best.
      const whole = trials.filter(({ folds }) => folds === 3)
      expect(whole).toContain(chosen)
      for (const { rmse } of whole) expect(chosen.rmse).toBeLessThanOrEqual(1.001 * rmse)
      for (const { folds, rmse } of trials) if (folds < 3) expect(rmse).toBeGreaterThan(1.01 * chosen.rmse)
      expect(trials.some(({ folds }) => folds === 2)).toBe(true)
      // What was given up is as far above the best as on the folds that both have seen.
      const [auto, gaussian] = (['auto', 'gaussian'] as const).map(
        (noise) => trials.find((trial) => trial.rank === chosen.rank && trial.noise === noise)!,
      )
      const squares = ({ foldErrors }: FoldTrial): number => foldErrors[0].squares + foldErrors[1].squares
      expect(gaussian.rmse / auto.rmse).toBeCloseTo(Math.sqrt(squares(gaussian) / squares(auto)), 9)
      expect(trials.map(({ noise }) => noise)).toEqual(expect.arrayContaining(['gaussian', 'row']))
      expect(modelsOf(found).map(({ rank }) => rank)).toEqual([1, 2, 3].map(() => chosen.rank))
      const again = (await chooseWhole(tensor, { threads: 3 }, choosing))!
      expect(again.choice).toEqual(found.choice)
      expect(modelsOf(again)[2].factors).toEqual(modelsOf(found)[2].factors)
    })

    it('an interrupted search continues after the trials that were finished, with the same choice', async () => {
      const abort = new AbortController()
      let state: SearchState | undefined
      const tried: number[] = []
      const save = async (now: SearchState): Promise<void> => {
        state = now
      }
      const checkpointing = { every: Infinity, save }
      const cut = await chooseWhole(
        tensor,
        { threads: 1, signal: abort.signal },
        {
          ...choosing,
          checkpointing,
          onEpoch: () => state ?? (tried.length === 2 && abort.abort()),
          onTrial: ({ rank }) => void tried.push(rank),
        },
      )
      expect(cut).toBeUndefined()
      // Beside what is saved when it is cut, whenever it is due: also where no single model takes so long.
      const due: number[] = []
      const often = { every: 0, save: async ({ trials }: SearchState) => void due.push(trials.length) }
      const quick = { threads: 2, prior: 'isotropic', epochs: 3 } as const
      const { choice } = (await chooseWhole(tensor, quick, {
        folds: 2,
        findRank: 'best',
        checkpointing: often,
      }))!
      expect([...new Set(due)].sort()).toEqual([...Array(choice.trials.length + 1).keys()])
      expect(state!.trials.map(({ rank }) => rank)).toEqual([1, 2])
      const begun: number[] = []
      const found = (await chooseWhole(
        tensor,
        { threads: 1 },
        {
          ...choosing,
          checkpointing: { ...checkpointing, saved: state },
          onBegin: ({ rank }) => void begun.push(rank),
        },
      ))!
      expect(begun[0]).toBe(3)
      const alone = (await chooseWhole(tensor, { threads: 2 }, choosing))!
      expect(found.choice).toEqual(alone.choice)
      for (const [c, { fit }] of found.candidates.entries())
        expect(fit.models[0].factors).toEqual(alone.candidates[c].fit.models[0].factors)
    })

    it('chooseByFolds tries no other noise model where a prior cannot be learned', async () => {
      const asked = { threads: 1, prior: 'isotropic', epochs: 5, rank: 2 } as const
      const found = (await chooseWhole(tensor, asked, { folds: 2, choose: true }))!
      expect(found.choice.trials).toHaveLength(1)
    })
  })

  it('folds are refused with initial factors or validation entries, by which models would know held-out entries', async () => {
    for (const [name, leak] of Object.entries({
      initial: result.model.members[0],
      validation: test,
    }))
      await expect(complete(train, { ...options, folds: 3, [name]: leak })).rejects.toThrow(
        `folds does not go with ${name}; leave one of them out.`,
      )
  })

  it('folds are refused where there is only one, or there are more than entries allow', async () => {
    const few = pickEntries(train, Uint32Array.from([0, 1, 2]))
    await expect(completeWhole(few, options)).rejects.toThrow(
      '5 folds need at least as many entries, and there are 3; give more data, or fewer folds.',
    )
    await expect(completeWhole(train, options, { folds: 1 })).rejects.toThrow(
      'folds is 1; it must be a whole number from 2 to 100.',
    )
  })
})
