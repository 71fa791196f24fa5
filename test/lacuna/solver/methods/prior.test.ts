import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { fitNoise } from '#lacuna/engine/cpu/steps/posterior/noise.js'
import type { Covariances } from '#lacuna/engine/engine.js'
import { readTensor } from '#lacuna/io/node/index.js'
import { meanError } from '#lacuna/model/index.js'
import { complete, defaults, type RunOptions, type Settings } from '#lacuna/solver/index.js'
import { covariancesOf } from '#lacuna/solver/methods/prior.js'
import { priorRemark } from '#lacuna/solver/run/loadRun.js'
import { type SparseTensor, split, synthetic } from '#lacuna/tensor/index.js'
import { refusal } from '../../../refusal.ts'

/** The smallest test RMSE, over modes, of predictions by the mean of each row of the mode. */
function rowMeansError(train: SparseTensor, test: SparseTensor): number {
  const errors = train.dims.map((rows, mode) => {
    const sums = new Float64Array(rows)
    const counts = new Float64Array(rows)
    train.values.forEach((x, e) => {
      sums[train.indices[mode][e]] += x
      counts[train.indices[mode][e]]++
    })
    const mean = train.values.reduce((sum, x) => sum + x, 0) / train.values.length
    const squares = test.values.reduce((sum, x, e) => {
      const p = test.indices[mode][e]
      return sum + (x - (counts[p] > 0 ? sums[p] / counts[p] : mean)) ** 2
    }, 0)
    return Math.sqrt(squares / test.values.length)
  })
  return Math.min(...errors)
}

describe('a learned prior', () => {
  it('a learned prior predicts no worse than the means of rows, on 30 problems of odd shapes', async () => {
    const shapes = [
      [20, 300],
      [300, 12],
      [40, 40],
      [8, 60, 9],
      [100, 15, 4],
      [6, 7, 8, 9],
    ]
    const engine = cpuEngine({ threads: 2 })
    const worse: string[] = []
    // Every shape with every noise, and every pair of values of any two settings.
    for (let seed = 0; seed < 30; seed++) {
      const [shape, noise] = [seed % 6, Math.floor(seed / 6)]
      const half = Math.floor(shape / 2)
      const dims = shapes[shape]
      const cells = dims.reduce((product, dim) => product * dim, 1)
      const entries = Math.round(cells * [0.15, 0.3, 0.6][(noise + half) % 3])
      const testEntries = Math.min(cells - entries, 400)
      const snrDb = [0, 5, 10, 20, Infinity][noise]
      const truth = [1, 2, 5][(noise + 2 * half) % 3]
      const { tensor, test } = synthetic({ dims, entries, rank: truth, snrDb, seed, testEntries })
      // Noise makes some values negative, which are as good as others.
      const rank = [1, 3, 10, 30][(shape + noise) % 4]
      const { model } = await complete(tensor, { rank, engine, seed })
      const error = model.error(test!).rmse
      const means = rowMeansError(tensor, test!)
      if (!(error <= means))
        worse.push(
          `${seed}: ${dims.join('×')}, ${entries} entries, ${snrDb} dB, rank ${truth}, R = ${rank}: ${error} > ${means}`,
        )
    }
    await engine.close()
    expect(worse).toEqual([])
  }, 120_000)

  it('a learned prior predicts pure noise by its mean, at ranks that could fit the noise', async () => {
    const key = stream(3, 78)
    for (const [rows, columns, count, rank] of [
      [300, 40, 600, 4],
      [300, 40, 600, 10],
      [300, 200, 3000, 10],
      [60, 40, 2000, 10],
    ]) {
      const cells = new Set<number>()
      for (let n = 0; cells.size < count; n++) cells.add(Math.floor(unit(draw(key, n)) * rows * columns))
      const places = Uint32Array.from(cells)
      const tensor = {
        dims: [rows, columns],
        indices: [places.map((at) => Math.floor(at / columns)), places.map((at) => at % columns)],
        values: Float32Array.from(places, (at) => 2 + 2 * unit(draw(key, 1e6 + at))),
      }
      const { train, test } = split(tensor, { test: 0.2 }, 1)
      const { model } = await complete(train, { rank })
      expect(model.error(test).rmse).toBeLessThan(1.05 * (await meanError(train, test)).rmse)
    }
  })

  it('sweeps under a learned prior follow the λ phase or take the last epochs, and are left out with an isotropic prior', async () => {
    const { tensor } = synthetic({ dims: [30, 25, 20], entries: 4000, rank: 3, snrDb: 10, seed: 1 })
    const lastSteps = async (options: RunOptions): Promise<string> =>
      (await complete(tensor, options)).stopped
    expect(await lastSteps({ rank: 5 })).toBe('learned')
    expect(await lastSteps({ rank: 5, prior: 'isotropic' })).toBe('tolerance')
    expect(await lastSteps({ rank: 5, lambda: 0.1 })).toBe('tolerance')
    expect(await lastSteps({ rank: 5, epochs: 40, tolerance: 0 })).toMatch(/epochs|learned/)
    expect(await lastSteps({ rank: 5, epochs: 10 })).toBe('epochs')
    // Next to no noise, and more of it.
    const withNoise = (snrDb: number) =>
      synthetic({ dims: [30, 25, 20], entries: 6000, rank: 2, snrDb, seed: 1 }).tensor
    expect(await lastSteps({ rank: 2 })).toBe('learned')
    expect((await complete(withNoise(70), { rank: 2 })).stopped).toBe('tolerance')
    expect((await complete(withNoise(50), { rank: 2 })).stopped).toBe('learned')
  })

  it('a learned prior takes twenty sweeps, with covariances of groups where those of rows take long', async () => {
    const { tensor } = synthetic({ dims: [30, 25, 20], entries: 4000, rank: 3, snrDb: 10, seed: 1 })
    const engine = cpuEngine({ threads: 1 })
    const steps: string[] = []
    const load = engine.load.bind(engine)
    engine.load = async (problem) => {
      const loaded = await load(problem)
      const iterate = loaded.iterate.bind(loaded)
      loaded.iterate = (run) => {
        for (let k = 0; k < run.count; k++) steps.push(run.step.kind)
        return iterate(run)
      }
      return loaded
    }
    await complete(tensor, { rank: 5, engine })
    await engine.close()
    expect(steps.filter((kind) => kind === 'posterior')).toHaveLength(20)
    expect(steps.slice(-20)).not.toContain('newton')
    const fast = { ...defaults.fast, rank: 10 }
    const learns = (dims: number[], entries: number, changes: Partial<Settings> = {}) =>
      covariancesOf({ ...fast, ...changes }, { dims, entries })
    const large = { rank: 64, prior: 'learned' } as const
    expect(learns([1000, 1000, 100], 1_000_000)).toBe('rows')
    expect(learns([1000, 1000, 100], 20_000_000)).toBe('rows')
    expect(learns([1000, 1000, 100], 40_000_000)).toBe('groups')
    expect(learns([1000, 1000, 100], 40_000_000, { prior: 'isotropic' })).toBeUndefined()
    expect(learns([1_000_000, 1000, 100], 1_000_000)).toBe('rows')
    expect(learns([10_000_000, 1000, 100], 1_000_000)).toBe('groups')
    expect(learns([13_000_000, 1000, 100], 1_000_000)).toBeUndefined()
    expect(learns([1000, 1000, 100], 40_000_000, { rank: 64 })).toBe('groups')
    expect(learns([1000, 1000, 100], 50_000_000, { rank: 64 })).toBeUndefined()
    expect(learns([1000, 1000, 100], 50_000_000, large)).toBe('groups')
    const remark = (entries: number, options: Partial<Settings>) =>
      priorRemark({ dims: [1000, 1000, 100], entries, rank: 64, momentumFactors: true }, options)
    expect(remark(50_000_000, { rank: 64 })?.[0]).toContain('no prior is learned at rank')
    expect(remark(50_000_000, large)).toBeUndefined()
    expect(remark(40_000_000, { rank: 64 })).toBeUndefined()
    expect(remark(50_000_000, { rank: 64, lambda: 0.1 })).toBeUndefined()
    expect(learns([1000, 1000, 100], 1_000_000, { lambda: 0.1 })).toBeUndefined()
    expect(learns([1000, 1000, 100], 1_000_000, { sample: 1 })).toBeUndefined()
    expect(learns([1000, 1000, 100], 1_000_000, { missing: 'zero' })).toBeUndefined()
  })

  it('with covariances of groups, a rank that is too large hurts no more than with those of rows', async () => {
    const dims = [400, 150, 20]
    const { tensor, test } = synthetic({
      dims,
      entries: 20_000,
      rank: 3,
      snrDb: 10,
      seed: 4,
      testEntries: 4000,
    })
    /** The test error at a rank, with these covariances instead of those that the sizes suggest. */
    const errorWith = async (covariances: Covariances | undefined, rank: number): Promise<number> => {
      const engine = cpuEngine({ threads: 2 })
      const load = engine.load.bind(engine)
      engine.load = (problem) => load({ ...problem, posterior: covariances })
      const { model } = await complete(tensor, { rank, engine, seed: 1 })
      await engine.close()
      return model.error(test!).rmse
    }
    const [right, large, rows, isotropic] = [
      await errorWith('groups', 3),
      await errorWith('groups', 16),
      await errorWith('rows', 16),
      await errorWith(undefined, 16),
    ]
    expect(large).toBeLessThan(1.02 * right)
    expect(large).toBeLessThan(1.01 * rows)
    expect(isotropic).toBeGreaterThan(1.03 * large)
  })

  it('factors of a learned prior are returned only if their validation error is smaller', async () => {
    const { tensor, test } = synthetic({
      dims: [30, 25, 20],
      entries: 2500,
      rank: 3,
      snrDb: 3,
      seed: 2,
      testEntries: 1000,
    })
    const result = await complete(tensor, { rank: 12, validation: test })
    const best = Math.min(...result.epochs.map(({ validation }) => validation!.relative))
    expect(result.validation!.relative).toBe(best)
    const isotropic = await complete(tensor, { rank: 12, validation: test, prior: 'isotropic' })
    expect(best).toBeLessThan(isotropic.validation!.relative)
  })

  it('options that do not go with a learned prior are refused', async () => {
    const { tensor } = synthetic({ dims: [5, 5], entries: 20, rank: 1, seed: 1 })
    for (const [options, message] of [
      [
        { prior: 'learned', lambda: 1 },
        "prior: 'learned' does not go with lambda: 1; leave one of them out.",
      ],
      [
        { prior: 'learned', solver: 'paper' },
        "prior: 'learned' does not go with solver: 'paper'; leave one of them out.",
      ],
      [
        { prior: 'learned', missing: 'zero' },
        "prior: 'learned' does not go with missing: 'zero'; leave one of them out.",
      ],
      [
        { noise: 'poisson', sample: 0.5 },
        "noise: 'poisson' does not go with sample: 0.5; leave one of them out.",
      ],
      [{ noise: 'rows' as 'row' }, "noise is 'rows'; there are 'auto', 'gaussian', 'poisson' or 'row'."],
      [{ loss: 'absolute' as 'huber' }, "loss is 'absolute'; there are 'squares' or 'huber'."],
      [
        { loss: 'huber', prior: 'isotropic' },
        "loss: 'huber' does not go with prior: 'isotropic'; leave one of them out.",
      ],
      [{ lags: { 1: [1] }, lambda: 1 }, 'lags does not go with lambda: 1; leave one of them out.'],
      [{ lags: { 1: [] } }, 'lags of 1 is ; it must be different whole numbers from 1.'],
      [{ lags: { 1: [1, 1] } }, 'lags of 1 is 1,1; it must be different whole numbers from 1.'],
      [{ lags: { 1: [5] } }, 'lags of 1 has 5, and there are only 5 rows; give distances below that.'],
      [{ lags: { hour: [1] } }, "lags names mode 'hour'; there are 1 to 2."],
      [
        { features: { 3: { columns: 1, values: new Float32Array(5) } } },
        "features names mode '3'; there are 1 to 2.",
      ],
      [
        { features: { 2: { columns: 2, values: new Float32Array(5) } } },
        'features of 2 has 5 values; 5 rows of 2 are 10.',
      ],
      [
        { features: { 2: { columns: 1, values: new Float32Array(5).fill(Number.NaN) } } },
        'features of 2 has values that are not finite.',
      ],
      [
        { features: { 2: { columns: 1, values: new Float32Array(5) } }, solver: 'paper' },
        "features does not go with solver: 'paper'; leave one of them out.",
      ],
    ] as [RunOptions, string][])
      await expect(complete(tensor, options)).rejects.toThrow(refusal(message))
  })
})

describe('noise', () => {
  it('fitNoise finds how the variance of the noise grows with the values', () => {
    const bins = (variance: (y: number) => number): Float64Array =>
      Float64Array.from({ length: 192 }, (_, at) => {
        const y = 2 ** ((Math.floor(at / 3) - 40) / 4)
        return at % 3 === 0 ? 100 : at % 3 === 1 ? 100 * y : 100 * variance(y)
      })
    const ratio = ([c0, c1]: readonly number[]): number => c1 / c0
    expect(
      ratio(
        fitNoise(
          bins((y) => 0.5 + 2 * y),
          1,
        ),
      ),
    ).toBeCloseTo(4, 1)
    expect(
      ratio(
        fitNoise(
          bins(() => 3),
          1,
        ),
      ),
    ).toBeLessThan(0.01)
    expect(
      ratio(
        fitNoise(
          bins((y) => y),
          1,
        ),
      ),
    ).toBeGreaterThan(50)
    expect(fitNoise(new Float64Array(192), 1)).toEqual([1, 0, 0])
  })

  it('with automatic noise small counts are predicted better than with Gaussian noise', async () => {
    // Counts with means from 1 to 400, Poisson by the normal law.
    const { tensor: clean, test } = synthetic({
      dims: [40, 30, 20],
      entries: 5000,
      rank: 2,
      seed: 3,
      testEntries: 4000,
    })
    const key = stream(5, 3)
    const normal = (e: number): number =>
      Math.sqrt(-2 * Math.log(unit(draw(key, 2 * e)) + 1e-12)) *
      Math.cos(2 * Math.PI * unit(draw(key, 2 * e + 1)))
    const tensor = {
      ...clean,
      values: clean.values.map((x, e) => Math.max(0, 100 * x ** 3 + normal(e) * Math.sqrt(100 * x ** 3))),
    }
    const truth = { ...test!, values: test!.values.map((x) => 100 * x ** 3) }
    const small = [...truth.values.keys()].filter((e) => truth.values[e] < 20)
    const errorOf = async (noise: 'auto' | 'gaussian'): Promise<number> => {
      const { model } = await complete(tensor, { rank: 6, noise })
      const predictions = model.predictMany(truth.indices)
      return small.reduce((sum, e) => sum + (predictions[e] - truth.values[e]) ** 2, 0)
    }
    expect(await errorOf('auto')).toBeLessThan(0.9 * (await errorOf('gaussian')))
  })
})

const data = new URL('../../../../../shared/data/', import.meta.url).pathname
describe.runIf(existsSync(data))('on real data', () => {
  const hangzhou = async (missing: number, part: 'train' | 'test'): Promise<SparseTensor> =>
    readTensor(`${data}hangzhou/RM${missing}.${part}.tns.gz`, { dims: [80, 108, 25] })

  it('on traffic data a rank that is too large does not raise the test error', async () => {
    const [train, test] = [await hangzhou(90, 'train'), await hangzhou(90, 'test')]
    const errors: number[] = []
    for (const rank of [8, 15, 30, 64]) errors.push((await complete(train, { rank })).model.error(test).rmse)
    expect(errors[3]).toBeLessThan(1.03 * Math.min(...errors))
    expect(Math.min(...errors)).toBeLessThan(35.2)
  })

  it('on a traffic matrix with short rows λ stays bounded, and predictions beat the means of rows', async () => {
    // The last two modes as one: 80 × 2700.
    const merged = (tensor: SparseTensor): SparseTensor => ({
      dims: [80, 2700],
      indices: [tensor.indices[0], tensor.indices[1].map((t, e) => 25 * t + tensor.indices[2][e])],
      values: tensor.values,
    })
    const [train, test] = [merged(await hangzhou(70, 'train')), merged(await hangzhou(70, 'test'))]
    expect((await complete(train, { rank: 20 })).model.error(test).rmse).toBeLessThan(50)
    expect((await complete(train, { rank: 20, prior: 'isotropic' })).model.error(test).rmse).toBeLessThan(
      rowMeansError(train, test),
    )
  })

  it('on traffic data with any two modes merged, a learned prior predicts no worse than the means of rows', async () => {
    const [train, test] = [await hangzhou(90, 'train'), await hangzhou(90, 'test')]
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      const c = 3 - a - b
      const merged = ({ dims, indices, values }: SparseTensor): SparseTensor => ({
        dims: [dims[c], dims[a] * dims[b]],
        indices: [indices[c], indices[a].map((p, e) => dims[b] * p + indices[b][e])],
        values,
      })
      const { model } = await complete(merged(train), { rank: 20 })
      const means = rowMeansError(merged(train), merged(test))
      expect(model.error(merged(test)).rmse).toBeLessThan(means)
    }
  })

  it('film ratings are predicted with an RMSE below 0.86 at rank 4 and at rank 20', async () => {
    const ratings = await readTensor(`${data}movielens/ratings.csv`, {
      modes: ['userId', 'movieId', 'week(timestamp)'],
      value: 'rating',
    })
    const { train, test } = split(ratings, { test: 0.1 }, 1)
    for (const rank of [4, 20])
      expect((await complete(train, { rank })).model.error(test).rmse).toBeLessThan(0.86)
  })
})
