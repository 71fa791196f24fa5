/**
 * Whatever the data and the options: no exception, factors that are finite and ≥ 0, never worse than the
 * start.
 */
import { afterAll, expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { CpModel } from '#lacuna/model/index.js'
import { type CompleteOptions, complete } from '#lacuna/solver/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { randomFactors, randomTensor } from '../../problems.ts'

/** A value for a cell from a uniform random number and the cell's own value. */
const kinds: Record<string, (u: number, x: number) => number> = {
  uniform: (_, x) => x,
  constant: () => 7,
  zeros: () => 0,
  'mostly zeros': (u, x) => (u < 0.9 ? 0 : x),
  tiny: (_, x) => x * 1e-30,
  huge: (_, x) => x * 1e30,
  'heavy-tailed counts': (u) => Math.min(1e6, Math.floor(u ** -1.2)),
  'some outliers': (u, x) => (u < 0.02 ? 1e6 : x),
  'some negative': (u, x) => (u < 0.2 ? -x : x),
}
/** Of one thread and of two: to start one for each problem would take longer than to solve it. */
const engines = [1, 2].map((threads) => cpuEngine({ threads }))
afterAll(() => Promise.all(engines.map((engine) => engine.close())))

const sizes = ['a single entry', 'one entry a row', 'few entries', 'many entries'] as const

interface Trial {
  name: string
  tensor: SparseTensor
  initial: Float32Array[]
  options: CompleteOptions
}

/** A random problem by its number: a tensor, initial factors and options. */
function trial(number: number): Trial {
  const key = stream(number, 77)
  let draws = 0
  const pick = <T>(list: readonly T[]): T => list[draw(key, draws++) % list.length]
  const kind = Object.keys(kinds)[number % Object.keys(kinds).length]
  const size = pick(sizes)
  const order = 2 + (draw(key, draws++) % 4)
  const dims = Array.from({ length: order }, () => pick([1, 2, 5, 9, 14]))
  const bare = bareTensor(size, dims, number)
  const values = bare.values.map((x, e) => kinds[kind](unit(draw(key, 1000 + e)), x))
  const tensor = { ...bare, values }
  const rank = pick([1, 2, 5, 12, 40])
  const options: CompleteOptions = {
    rank,
    sample: pick(['auto', 'auto', 0.01, 0.1, 0.5, 1] as const),
    lambda: pick(['auto', 'auto', 0, 0.1, 1e6] as const),
    epochs: 12,
    seed: number,
    engine: engines[number % 2],
  }
  const mean = values.reduce((sum, x) => sum + Math.abs(x), 0) / values.length
  const sigma = mean > 0 ? 2 * (mean / rank) ** (1 / order) : 1
  const initial = randomFactors(dims, rank, number).map((factor) => factor.map((u) => u * sigma))
  const { sample, lambda } = options
  const name = `${number}: ${kind}, ${size} of ${dims.join('×')}, rank ${rank}, c ${sample}, λ ${lambda}`
  return { name, tensor, initial, options }
}

function bareTensor(size: (typeof sizes)[number], dims: number[], seed: number): SparseTensor {
  if (size === 'a single entry') return randomTensor({ dims, entries: 1, seed })
  if (size === 'few entries') return randomTensor({ dims, entries: 20, seed })
  if (size === 'many entries') return randomTensor({ dims, entries: 1500, seed })
  const rows = Math.min(...dims)
  return {
    dims,
    indices: dims.map(() => Uint32Array.from({ length: rows }, (_, p) => p)),
    values: Float32Array.from({ length: rows }, (_, p) => 1 + p),
  }
}

it('complete gives finite models for 200 random problems of odd sizes, values and settings', {
  timeout: 180_000,
}, async () => {
  for (let number = 0; number < 200; number++) {
    const { name, tensor, initial, options } = trial(number)
    const { dims } = tensor
    const { model, train, epochs } = await complete(tensor, { ...options, initial }).catch((error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error })
    })
    for (const factor of model.factors)
      expect(
        factor.every((u) => u >= 0 && u < Infinity),
        name,
      ).toBe(true)
    const before = new CpModel({ dims, rank: model.rank, factors: initial }).error(tensor).relative
    expect(train.relative, name).toBeLessThanOrEqual(before * 1.0001 + 1e-6)
    // Of zeros alone there is no relative error but 0 and 1; float64 sees what float32 no longer does.
    const error = tensor.values.some((x) => x !== 0) ? 'relative' : 'rmse'
    const again = model.error(tensor, { clip: false })[error]
    const rounding = error === 'relative' ? 5e-4 : 1e-6 * (1 + again)
    expect(Math.abs(again - train[error]), name).toBeLessThanOrEqual(rounding)
    expect(epochs.length, name).toBeGreaterThan(0)
    for (const { train, ...report } of epochs)
      for (const number of [...Object.values(train), ...Object.values(report)])
        expect(Number.isFinite(number), name).toBe(true)
  }
})

it('factors stay finite where few entries of very different size determine a row and λ is 0', async () => {
  const dims = [5, 4, 5, 5, 3, 2, 4, 3]
  for (const seed of [1, 2, 3]) {
    const tensor = randomTensor({ dims, entries: 300, seed })
    tensor.values.forEach((_, e) => {
      if (e % 50 === 0) tensor.values[e] = 1e20
    })
    const options = { rank: 3, sample: 0.01, lambda: 0, epochs: 40, seed }
    const { model, train, epochs } = await complete(tensor, options)
    for (const report of epochs) expect(Number.isFinite(report.train.rmse)).toBe(true)
    expect(model.error(tensor).relative).toBeCloseTo(train.relative, 3)
    expect(train.relative).toBeLessThanOrEqual(
      Math.min(...epochs.map((report) => report.train.relative)) + 1e-6,
    )
  }
})
