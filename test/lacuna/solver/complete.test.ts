import { describe, expect, it } from 'vitest'
import { meanError } from '#lacuna/model/index.js'
import { ntc, relativeError } from '#lacuna/reference/ntc.js'
import { type CompleteOptions, type Completion, complete as completeBy } from '#lacuna/solver/index.js'
import { type SparseTensor, synthetic } from '#lacuna/tensor/index.js'
import { randomFactors, toMatrix } from '../../problems.ts'
import { refusal } from '../../refusal.ts'
import { engineSampler } from '../engine/engineSampler.ts'

/** `complete` with the paper's solver; fast.test.ts tests the fast one. */
const complete = (of: SparseTensor, options: CompleteOptions): Promise<Completion> =>
  completeBy(of, { solver: 'paper', ...options })

const problem = synthetic({
  dims: [40, 30, 20],
  entries: 6000,
  rank: 4,
  snrDb: 25,
  seed: 2,
  testEntries: 500,
})
const tensor = problem.tensor
const test = problem.test!

describe('convergence', () => {
  it("the error of the paper's solver falls as that of the reference does", async () => {
    const initial = randomFactors(tensor.dims, 4, 1)
    for (const [sample, maxInner] of [
      [0.1, 1],
      [0.5, 1],
      [0.5, 3],
    ]) {
      const settings = { rank: 4, lambda: 0.01, sample, maxInner, seed: 1 }
      const { epochs } = await complete(tensor, { ...settings, initial, epochs: 8 })
      const picks = engineSampler(tensor, 1, 4).paper
      let U = initial.map((factor) => toMatrix(factor, 4))
      for (const [i, { train }] of epochs.entries()) {
        const iterations = Math.round(1 / sample)
        U = ntc(tensor, U, {
          lambda: 0.01,
          c: sample,
          maxInner,
          iterations,
          first: i * iterations,
          sample: picks,
        })
        expect(Math.abs(train.relative / relativeError(tensor, U) - 1)).toBeLessThan(1e-3)
      }
    }
  })

  it("the paper's solver recovers a noiseless tensor of rank 10", async () => {
    const { tensor, test } = synthetic({
      dims: [60, 50, 40],
      entries: 40_000,
      rank: 10,
      seed: 3,
      testEntries: 2000,
    })
    const { model } = await complete(tensor, { rank: 10, sample: 0.05, lambda: 1e-4, epochs: 200 })
    expect(model.error(test!).relative).toBeLessThan(0.002)
  })

  it("the paper's solver works for matrices and for order 5, with λ = 0 too", async () => {
    for (const dims of [
      [80, 60],
      [9, 8, 7, 6, 5],
    ]) {
      const { tensor, test } = synthetic({ dims, entries: 2500, rank: 2, seed: 4, testEntries: 200 })
      const { model } = await complete(tensor, { rank: 2, lambda: 0, sample: 0.2, epochs: 150 })
      expect(model.error(test!).relative).toBeLessThan(0.1 * (await meanError(tensor, test!)).relative)
    }
  })
})

describe('the result', () => {
  const bytes = async (options: CompleteOptions, of = tensor): Promise<string> => {
    const { model } = await complete(of, { rank: 5, epochs: 5, ...options })
    return Buffer.concat(model.factors.map((factor) => Buffer.from(factor.buffer))).toString('base64')
  }

  it("factors of the paper's solver have the same bits on any number of threads, and differ by seed", async () => {
    const one = await bytes({ threads: 1 })
    for (const threads of [2, 3, 4, 7]) expect(await bytes({ threads })).toBe(one)
    expect(await bytes({ seed: 2 })).not.toBe(one)
  })

  it('a run from initial factors continues as if there had been no break', async () => {
    const half = await complete(tensor, { rank: 5, epochs: 5, sample: 1 })
    // With c = 1 a step uses every entry, whatever the iteration's number.
    expect(await bytes({ sample: 1, epochs: 5, initial: half.model })).toBe(
      await bytes({ sample: 1, epochs: 10 }),
    )
  })

  it("the paper's solver does not depend on the unit of the values", async () => {
    const relative = async (unit: number): Promise<number> => {
      const scaled: SparseTensor = { ...tensor, values: tensor.values.map((x) => x * unit) }
      // λ has a unit too: that of the values to the power 2 − 2/N.
      const { train, model } = await complete(scaled, { rank: 5, epochs: 20, lambda: 0.01 * unit ** (4 / 3) })
      expect(model.factors.every((factor) => factor.every((u) => u >= 0 && u < Infinity))).toBe(true)
      return train.relative
    }
    const one = await relative(1)
    for (const unit of [1e-30, 1e-6, 1e6, 1e30])
      expect(Math.abs((await relative(unit)) / one - 1)).toBeLessThan(1e-3)
  })

  it('the training record of a model has its settings and errors', async () => {
    const { model, train } = await complete(tensor, { rank: 3, epochs: 2, seed: 8 })
    expect(model.training).toMatchObject({
      solver: 'paper',
      rank: 3,
      seed: 8,
      epochs: 2,
      stopped: 'epochs',
      train,
    })
    expect(JSON.parse(JSON.stringify(model.training))).toEqual(model.training)
    const { relative, rmse, mae } = model.error(tensor, { clip: false })
    expect(train.relative).toBeCloseTo(relative, 5)
    expect(train.rmse).toBeCloseTo(rmse, 5)
    expect(train.mae).toBeCloseTo(mae, 5)
  })

  it('models of constant, tiny and nearly empty tensors are finite', async () => {
    const constant: SparseTensor = {
      dims: [3, 3],
      indices: [Uint32Array.of(0, 1, 2), Uint32Array.of(0, 1, 2)],
      values: new Float32Array(3).fill(7),
    }
    const single: SparseTensor = {
      dims: [5, 4, 3],
      indices: [Uint32Array.of(4), Uint32Array.of(3), Uint32Array.of(0)],
      values: Float32Array.of(2),
    }
    const zero: SparseTensor = { ...single, values: Float32Array.of(0) }
    for (const of of [constant, single, zero]) {
      for (const lambda of [0, 0.1]) {
        const { model, train } = await complete(of, { rank: 6, lambda, sample: 1, epochs: 30 })
        expect(train.rmse).toBeLessThan(of === constant || of === single ? 0.5 : 1e-3)
        expect(model.factors.every((factor) => factor.every((u) => u >= 0 && u < Infinity))).toBe(true)
      }
    }
  })
})

describe('stopping', () => {
  it('a run stops by epochs, seconds, tolerance, patience or a signal, and reports which', async () => {
    const run = (options: CompleteOptions) => complete(tensor, { rank: 4, ...options })
    expect(await run({ epochs: 3 })).toMatchObject({ stopped: 'epochs', epochs: { length: 3 } })
    expect((await run({ seconds: 0.2, epochs: 1e6 })).stopped).toBe('seconds')
    const settled = await run({ tolerance: 0.01, epochs: 1000 })
    expect(settled.stopped).toBe('tolerance')
    const [before, last] = settled.epochs.slice(-2).map(({ train }) => train.relative)
    expect(Math.abs(before - last)).toBeLessThanOrEqual(0.01 * before)
    const abort = new AbortController()
    const aborted = await run({
      epochs: 1e6,
      signal: abort.signal,
      onEpoch: ({ epoch }) => epoch === 4 && abort.abort(),
    })
    expect(aborted.stopped).toBe('aborted')
    expect(aborted.epochs.length).toBeGreaterThanOrEqual(4)
    expect((await run({ signal: AbortSignal.abort() })).stopped).toBe('aborted')
  })

  it('complete returns the factors with the smallest validation error', async () => {
    const noisy = synthetic({
      dims: [30, 30, 10],
      entries: 2000,
      rank: 2,
      snrDb: 0,
      seed: 5,
      testEntries: 400,
    })
    const result = await complete(noisy.tensor, {
      rank: 12,
      lambda: 1e-6,
      epochs: 500,
      validation: noisy.test,
      patience: 6,
    })
    expect(result.stopped).toBe('patience')
    const errors = result.epochs.map(({ validation }) => validation!.relative)
    const smallest = Math.min(...errors)
    expect(errors.at(-1)).toBeGreaterThan(smallest) // it went on and got worse …
    expect(errors.indexOf(smallest)).toBe(errors.length - 7)
    expect(result.model.error(noisy.test!).relative).toBeCloseTo(smallest, 5) // … but the best was kept
    expect(result.validation!.relative).toBe(smallest)
  })
})

it('complete refuses invalid options, each with a sentence', async () => {
  const cases: [CompleteOptions, string][] = [
    [{ rank: 0 }, 'rank is 0; it must be a whole number from 1.'],
    [{ rank: 257 }, 'The rank is 257; it can be at most 256.'],
    [{ rank: Infinity }, 'rank is Infinity; it must be a whole number from 1.'],
    [{ sample: 0 }, 'sample is 0; it must be above 0 and at most 1.'],
    [{ lambda: -1 }, 'lambda is -1; it must be a finite number from 0.'],
    [{ epochs: 2.5 }, 'epochs is 2.5; it must be a whole number from 1.'],
    [{ lambda: 'auto' }, "lambda is 'auto', which the paper's solver does not know; give a number."],
    [{ sample: 'auto' }, "sample is 'auto', which the paper's solver does not know; give a number."],
    [{ solver: 'fast', maxInner: 2 }, "maxInner is 2; only the paper's solver takes inner steps."],
    [{ solver: 'magic' as 'fast' }, "solver is 'magic'; there are 'fast' or 'paper'."],
    [{ threads: 0 }, 'threads is 0; it must be a whole number from 1 to 1024.'],
    [{ patience: 3 }, 'patience counts epochs without a better validation error; give validation too.'],
    [
      { rank: 4, initial: randomFactors([40, 30, 21], 4, 1) },
      'Factor 3 has 84 values; 20 rows of rank 4 need 80.',
    ],
    [
      { validation: { ...test, dims: [41, 30, 20] } },
      'validation is of size 41×30×20, the training entries of 40×30×20.',
    ],
  ]
  for (const [options, message] of cases)
    await expect(complete(tensor, options)).rejects.toThrow(refusal(message))
})

it('complete refuses a problem that does not fit into memory before it allocates, and names the bytes it needs', async () => {
  const huge = { ...tensor, dims: [2 ** 31, 2 ** 31, 2 ** 31] }
  await expect(complete(huge, { rank: 100 })).rejects.toThrow(
    /factors of 2147483648×2147483648×2147483648 at rank 100 take \d\.\d TiB; each part .* has at most 4 GiB/,
  )
})

it.each(['fast', 'paper'] as const)(
  'values below the range of float32 squares are refused: %s',
  async (solver) => {
    const tiny = { ...tensor, values: tensor.values.map(() => 1e-42) }
    await expect(completeBy(tiny, { solver, rank: 2, epochs: 2 })).rejects.toThrow(
      expect.objectContaining({
        name: 'InputError',
        message: expect.stringContaining('too small or too large for sums in float32; scale them'),
      }),
    )
  },
)
