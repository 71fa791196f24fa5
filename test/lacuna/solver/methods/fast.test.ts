import { describe, expect, it } from 'vitest'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import type { Engine, LoadedProblem } from '#lacuna/engine/engine.js'
import { decodeModel, encodeModel } from '#lacuna/io/index.js'
import { type CompleteOptions, complete, defaults } from '#lacuna/solver/index.js'
import { type SparseTensor, synthetic } from '#lacuna/tensor/index.js'

const problem = synthetic({
  ...{ dims: [40, 30, 20], entries: 6000, rank: 4, snrDb: 25, seed: 2, testEntries: 500 },
})
const { tensor } = problem
const test = problem.test!

/** An engine that calls `harm` after every round. */
function harmfulEngine(harm: (problem: LoadedProblem) => Promise<void>): Engine {
  const engine = cpuEngine({ threads: 1 })
  return {
    description: 'harmful',
    plan: (size) => engine.plan(size),
    close: () => engine.close(),
    async load(given) {
      const problem = await engine.load(given)
      const iterate = problem.iterate.bind(problem)
      problem.iterate = async (run) => {
        const done = await iterate(run)
        await harm(problem)
        return done
      }
      return problem
    },
  }
}

describe('convergence', () => {
  it('the fast solver recovers a noiseless tensor of rank 5', async () => {
    const { tensor, test } = synthetic({
      ...{ dims: [60, 50, 40], entries: 20_000, rank: 5, seed: 3, testEntries: 2000 },
    })
    const { model } = await complete(tensor, { rank: 5 })
    expect(model.error(test!).relative).toBeLessThan(0.005)
  })

  it('the automatic λ predicts noisy data about as well as the best fixed λ', async () => {
    for (const seed of [6, 7]) {
      const { tensor, test } = synthetic({
        ...{ dims: [40, 30, 20], entries: 6000, rank: 4, snrDb: 10, seed, testEntries: 1000 },
      })
      const error = async (lambda: number | 'auto'): Promise<number> =>
        (await complete(tensor, { rank: 4, lambda, prior: 'isotropic' })).model.error(test!).relative
      const others: number[] = []
      for (const lambda of [0, 0.1, 1, 10]) others.push(await error(lambda))
      expect(await error('auto')).toBeLessThan(1.1 * Math.min(...others))
    }
  })

  it('the automatic λ predicts noisy data well at twice the true rank, too', async () => {
    const { tensor, test } = synthetic({
      ...{ dims: [40, 30, 20], entries: 6000, rank: 4, snrDb: 10, seed: 6, testEntries: 1000 },
    })
    const error = async (lambda: number | 'auto'): Promise<number> =>
      (await complete(tensor, { rank: 8, lambda, prior: 'isotropic' })).model.error(test!).relative
    const others: number[] = []
    for (const lambda of [0.1, 1, 10]) others.push(await error(lambda))
    expect(await error('auto')).toBeLessThan(1.1 * Math.min(...others))
  })

  it('rows with few entries are shrunk towards the mean row', async () => {
    // Ratings around 3 of which most rows have one or two: drawn to zero they would be predicted far too low.
    const rows = 300
    const indices = [0, 1].map((mode) =>
      Uint32Array.from({ length: 600 }, (_, e) =>
        mode === 0 ? e % rows : (7 * e + Math.floor(e / rows)) % 40,
      ),
    )
    const values = Float32Array.from({ length: 600 }, (_, e) => 2 + ((e * 37) % 21) / 10)
    const { model } = await complete({ dims: [rows, 40], indices, values }, { rank: 4 })
    const { values: predictions } = model.slice([null, null])
    const mean = predictions.reduce((sum, y) => sum + y, 0) / predictions.length
    expect(Math.abs(mean - 3)).toBeLessThan(0.3)
    expect(Math.min(...predictions)).toBeGreaterThan(1)
  })

  it('a run restores the best factors when the error explodes', async () => {
    for (const harm of [1e3, Number.NaN]) {
      let rounds = 0
      const engine = harmfulEngine(async (problem) => {
        if (++rounds !== 6) return
        const factors = await problem.readFactors()
        await problem.writeFactors(factors.map((factor) => factor.map((u) => u * harm)))
      })
      const { model, epochs } = await complete(tensor, { rank: 4, engine })
      await engine.close()
      expect(rounds).toBeGreaterThan(6)
      expect(epochs.every(({ train }) => Number.isFinite(train.relative))).toBe(true)
      expect(model.error(test).relative).toBeLessThan(0.03)
    }
  })

  it('samples smaller than the rank train a model: directions that they do not determine stay as they were', async () => {
    // Rows of the first mode have some 40 entries, of which 4 are sampled for 5 components.
    const { tensor, test } = synthetic({
      dims: [300, 250, 40],
      entries: 12_000,
      rank: 5,
      seed: 2,
      testEntries: 1000,
    })
    const { model } = await complete(tensor, { rank: 5, sample: 0.1, epochs: 40, tolerance: 0 })
    expect(model.error(test!).relative).toBeLessThan(0.01)
  })

  it('a fixed sample fraction works with Newton and with gradient steps', async () => {
    for (const [rank, sample] of [
      [4, 0.2],
      [4, 1],
      [30, 0.5],
    ]) {
      const { train, epochs } = await complete(tensor, { rank, sample, lambda: 0.1 })
      expect(train.relative).toBeLessThan(0.063)
      expect(epochs.every((report) => report.sample === sample && report.lambda === 0.1)).toBe(true)
    }
  })
})

describe('the result', () => {
  it('factors of the fast solver have the same bits on any number of threads, and differ by seed', async () => {
    // Mode 0 has rows of thousands of entries.
    const long = synthetic({ dims: [8, 300, 200], entries: 50_000, rank: 5, snrDb: 20, seed: 4 }).tensor
    const bytes = async (options: CompleteOptions): Promise<string> => {
      const { model } = await complete(long, { rank: 5, epochs: 6, ...options })
      return Buffer.concat(model.factors.map((factor) => Buffer.from(factor.buffer))).toString('base64')
    }
    for (const rank of [5, 26]) {
      const one = await bytes({ rank, threads: 1 })
      for (const threads of [2, 3, 4, 7]) expect(await bytes({ rank, threads })).toBe(one)
      expect(await bytes({ rank, seed: 2 })).not.toBe(one)
    }
  })

  it('the fast solver does not depend on the unit of the values', async () => {
    const relative = async (unit: number): Promise<number> => {
      const scaled: SparseTensor = { ...tensor, values: tensor.values.map((x) => x * unit) }
      return (await complete(scaled, { rank: 4 })).train.relative
    }
    const one = await relative(1)
    for (const unit of [1e-30, 1e-6, 1e6, 1e30])
      expect(Math.abs((await relative(unit)) / one - 1)).toBeLessThan(0.01)
  })

  it('rows without entries have the mean of the observed rows, and the model lists them', async () => {
    // Rows 3 and 7 of mode 0 and row 0 of mode 2 lose their entries.
    const kept = [...tensor.values.keys()].filter(
      (e) => ![3, 7].includes(tensor.indices[0][e]) && tensor.indices[2][e] !== 0,
    )
    const holey: SparseTensor = {
      dims: tensor.dims,
      indices: tensor.indices.map((column) => Uint32Array.from(kept, (e) => column[e])),
      values: Float32Array.from(kept, (e) => tensor.values[e]),
    }
    for (const solver of ['fast', 'paper'] as const) {
      const rank = 4
      const { model } = await complete(holey, { rank, solver, epochs: 3 })
      const unobserved = [[3, 7], [], [0]]
      expect(model.unobserved.map((rows) => [...rows])).toEqual(unobserved)
      const copy = decodeModel(encodeModel(model), 'model.npz')
      expect(copy.unobserved).toEqual(model.unobserved)
      expect(copy.factors).toEqual(model.factors)
      model.factors.forEach((factor, mode) => {
        const rows = Array.from({ length: tensor.dims[mode] }, (_, p) => [
          ...factor.subarray(p * rank, (p + 1) * rank),
        ])
        const observed = rows.filter((_, p) => !unobserved[mode].includes(p))
        for (const p of unobserved[mode])
          rows[p].forEach((u, r) => {
            const mean = observed.reduce((sum, row) => sum + row[r], 0) / observed.length
            expect(u / mean).toBeCloseTo(1, 4)
          })
      })
    }
  })

  it("the fast solver's training record has its settings, final sample and final λ", async () => {
    const { model, train, epochs, settings } = await complete(tensor, { rank: 4, seed: 8 })
    expect(settings).toEqual({ ...defaults.fast, rank: 4, seed: 8 })
    expect(model.training).toMatchObject({ solver: 'fast', rank: 4, seed: 8, lambda: 'auto', train })
    expect(JSON.parse(JSON.stringify(model.training))).toEqual(model.training)
    expect(train.relative).toBeCloseTo(model.error(tensor).relative, 5)
    // Without validation entries, the best of all reports is returned.
    expect(train.relative).toBeCloseTo(Math.min(...epochs.map((report) => report.train.relative)), 6)
    expect(model.training.finalLambda).toBeGreaterThan(0)
  })
})

describe('stopping', () => {
  const run = (options: CompleteOptions) => complete(tensor, { rank: 4, ...options })

  it('a fast run stops by tolerance when little is left to gain', async () => {
    const { stopped, epochs } = await run({ prior: 'isotropic' })
    expect(stopped).toBe('tolerance')
    const last = epochs.at(-1)!
    const before = epochs.findLast(({ epoch }) => epoch <= last.epoch - 5)!
    expect((before.train.relative - last.train.relative) / 5).toBeLessThan(1e-3 * 0.1)
    expect(last.sample).toBe(1)
  })

  it('a fast run stops by epochs, by seconds or by a signal', async () => {
    const byEpochs = await run({ epochs: 3 })
    expect(byEpochs.stopped).toBe('epochs')
    expect(byEpochs.epochs.at(-1)!.epoch).toBeGreaterThanOrEqual(3 - 1e-9)
    expect(byEpochs.epochs.at(-2)!.epoch).toBeLessThan(3)
    expect((await run({ seconds: 0.05, tolerance: 0, epochs: 1e6, lambda: 1 })).stopped).toBe('seconds')
    const abort = new AbortController()
    const aborted = await run({
      ...{ epochs: 1e6, tolerance: 0, lambda: 1, signal: abort.signal },
      onEpoch: ({ epoch }) => epoch >= 2 && abort.abort(),
    })
    expect(aborted.stopped).toBe('aborted')
    expect(aborted.train.relative).toBeLessThan(aborted.epochs[0].train.relative * 1.0001)
    const early = await run({ signal: AbortSignal.abort() })
    expect(early).toMatchObject({ stopped: 'aborted', epochs: { length: 0 } })
    expect(early.train.relative).toBeGreaterThan(0)
  })

  it('a fast run stops when the entries are matched exactly', async () => {
    const { tensor } = synthetic({ dims: [30, 25, 20], entries: 6000, rank: 2, seed: 3 })
    const { stopped, train } = await complete(tensor, { rank: 2, lambda: 0, tolerance: 0 })
    expect(stopped).toBe('exact')
    expect(train.relative).toBeLessThan(1e-5)
  })

  it('a fast run stops by patience, and returns the factors with the smallest validation error', async () => {
    const noisy = synthetic({
      ...{ dims: [30, 30, 10], entries: 2000, rank: 2, snrDb: 0, seed: 5, testEntries: 400 },
    })
    const result = await complete(noisy.tensor, {
      ...{ rank: 12, lambda: 0, tolerance: 0, validation: noisy.test, patience: 4 },
    })
    expect(result.stopped).toBe('patience')
    const errors = result.epochs.map(({ validation }) => validation!.relative)
    const smallest = Math.min(...errors)
    expect(errors.at(-1)).toBeGreaterThan(smallest)
    const best = result.epochs[errors.indexOf(smallest)].epoch
    expect(result.epochs.at(-1)!.epoch - best).toBeGreaterThanOrEqual(4 - 1e-9)
    expect(result.validation!.relative).toBe(smallest)
    expect(result.model.error(noisy.test!).relative).toBeCloseTo(smallest, 5)
    expect(result.train.relative).toBeCloseTo(result.model.error(noisy.tensor).relative, 5)
  })

  it('the best factors of a fast run are those of the validation error, not of the training error', async () => {
    const { validation, epochs } = await run({ validation: test, patience: 1000 })
    expect(validation!.relative).toBe(Math.min(...epochs.map((report) => report.validation!.relative)))
  })
})
