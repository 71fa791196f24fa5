/** Links: models of √x and log(1 + x), whose predictions are means in data units. */
import { afterAll, describe, expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { decodeAnyModel, encodeEnsemble, encodeModel } from '#lacuna/io/array/index.js'
import { type CpEnsemble, CpModel } from '#lacuna/model/index.js'
import { linkTensor } from '#lacuna/model/predict/link.js'
import { complete, decodeRun, encodeRun, Run } from '#lacuna/solver/index.js'
import { completeByFolds } from '#lacuna/solver/select/completeByFolds.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'
import { weighted } from '../../problems.ts'
import { refusal } from '../../refusal.ts'
import { allCoordinates } from '../../reshapings.ts'

const engine = cpuEngine({ threads: 2 })
afterAll(() => engine.close())

/** A Poisson number by inversion. @param u uniform in [0, 1) */
function poisson(rate: number, u: number): number {
  let [k, p] = [0, Math.exp(-rate)]
  for (let sum = p; u > sum && k < 200; sum += p) p *= rate / ++k
  return k
}

/**
 * A tensor with a value in every cell, drawn around a product of rows that differ tenfold, 0.4 to 4 each.
 * @param sample draws a value around a product, given uniform numbers by their position
 */
function drawTensor(
  dims: readonly number[],
  seed: number,
  sample: (product: number, uniform: (at: number) => number) => number,
): SparseTensor {
  const key = stream(seed, 3)
  const rows = dims.map((dim, mode) =>
    Array.from({ length: dim }, (_, row) => 10 ** (unit(draw(key, 1e6 * (mode + 1) + row)) - 0.4)),
  )
  const cells = allCoordinates(dims)
  return {
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(cells, (cell) => cell[mode])),
    values: Float32Array.from(cells, (cell, e) => {
      const product = cell.reduce((product, row, mode) => product * rows[mode][row], 1)
      return sample(product, (at) => unit(draw(key, 1e7 * at + e)))
    }),
  }
}

/** Splits a tensor at random: a third is held out. */
function splitThird(tensor: SparseTensor): { train: SparseTensor; test: SparseTensor } {
  const numbers = Uint32Array.from(tensor.values.keys())
  const isHeldOut = (e: number): boolean => draw(stream(9, 9), e) % 3 === 0
  return {
    train: pickEntries(
      tensor,
      numbers.filter((e) => !isHeldOut(e)),
    ),
    test: pickEntries(tensor, numbers.filter(isHeldOut)),
  }
}

/** Poisson counts with rates from 0.1 to 60. */
const { train, test } = splitThird(drawTensor([40, 30, 20], 1, (rate, uniform) => poisson(rate, uniform(0))))
/** Values whose logarithms of 1 + x have normal noise (Box and Muller) around 2 + their product / 10. */
const logNormal = splitThird(
  drawTensor([40, 30, 20], 2, (product, uniform) => {
    const normal = Math.sqrt(-2 * Math.log(1 - uniform(0))) * Math.cos(2 * Math.PI * uniform(1))
    return Math.expm1(Math.max(0, 2 + product / 10 + 0.4 * normal))
  }),
)
const settings = { rank: 3, seed: 2, engine }
const mean = (values: Float32Array): number => values.reduce((sum, x) => sum + x / values.length, 0)

describe('predictions of held-out values have their mean', () => {
  it.each([
    { of: 'Poisson counts', data: { train, test }, link: 'sqrt', prior: 'learned' },
    { of: 'Poisson counts', data: { train, test }, link: 'sqrt', prior: 'isotropic' },
    { of: 'log-normal values', data: logNormal, link: 'log1p', prior: 'learned' },
    { of: 'log-normal values', data: logNormal, link: 'log1p', prior: 'isotropic' },
  ] as const)(
    'predictions of $of with the link $link and a prior that is $prior, which would be too small without the variance',
    async ({ data, link, prior }) => {
      const { model } = await complete(data.train, { ...settings, link, prior })
      expect(model.link?.name).toBe(link)
      expect(model.prior?.kind).toBe(prior === 'learned' ? 'learned' : undefined)
      const meanOf = (model: CpModel): number =>
        mean(model.predictMany(data.test.indices)) / mean(data.test.values)
      expect(Math.abs(meanOf(model) - 1)).toBeLessThan(0.02)
      const naive = new CpModel({ ...model.fields, link: { ...model.link!, variance: [0, 0, 0] } })
      expect(meanOf(naive)).toBeLessThan(0.95)
    },
  )
})

it('a model with a link is that of the transformed values, to the bit, and its errors are in data units', async () => {
  const heavy = weighted(train)
  const options = { ...settings, validation: test, watch: { same: test } }
  for (const link of ['sqrt', 'log1p'] as const) {
    const linked = await complete(heavy, { ...options, link })
    const roots = linkTensor(test, link)
    const plain = await complete(linkTensor(heavy, link), {
      ...options,
      validation: roots,
      watch: { same: roots },
    })
    expect(linked.model.factors).toEqual(plain.model.factors)
    expect(linked.epochs.map(({ train }) => train)).toEqual(plain.epochs.map(({ train }) => train))
    expect(linked.validation).toEqual(linked.model.error(test))
    expect(linked.watch).toEqual({ same: linked.validation })
    // Weights count in the error of training: they sum to `total`.
    const predicted = linked.model.predictMany(heavy.indices)
    const total = heavy.weights!.reduce((sum, w) => sum + w, 0)
    const squares = heavy.weights!.reduce((sum, w, e) => sum + w * (heavy.values[e] - predicted[e]) ** 2, 0)
    expect(linked.train.rmse).toBeCloseTo(Math.sqrt(squares / total), 4)
    expect(linked.train.entries).toBe(train.values.length)
    expect(linked.model.training).toMatchObject({ link, train: linked.train, validation: linked.validation })
    expect(linked.model.observed!.max).toBe(Math.max(...train.values))
  }
})

it('the variance of a model with a link is that of values around its predictions, in data units', async () => {
  for (const [link, data] of [
    ['sqrt', { train, test }],
    ['log1p', logNormal],
  ] as const) {
    const { model } = await complete(data.train, { ...settings, link, noise: 'gaussian' })
    let ratio = 0
    data.test.values.forEach((x, e) => {
      const cell = data.test.indices.map((column) => column[e])
      const { model: expected, noise } = model.variance(cell)
      expect(expected).toBeGreaterThan(0)
      expect(noise).toBeGreaterThan(expected)
      const squares = (x - model.predict(cell, { clip: false })) ** 2
      ratio += squares / (expected + noise) / data.test.values.length
    })
    expect(ratio, link).toBeGreaterThan(0.85)
    expect(ratio, link).toBeLessThan(1.15)
  }
})

it('threads, the order of entries and an interruption change no bit of a model with a link, which must stay the same', async () => {
  const { model } = await complete(train, { ...settings, link: 'sqrt' })
  const backwards = pickEntries(train, Uint32Array.from(train.values.keys()).reverse())
  const { engine: _, ...ownThreads } = settings
  const other = await complete(backwards, { ...ownThreads, threads: 1, link: 'sqrt' })
  const first = await Run.start(train, { ...settings, link: 'sqrt' })
  for (let round = 0; round < 8; round++) await first.advance()
  const saved = Buffer.concat(encodeRun(await first.state()))
  await first.close()
  const state = decodeRun(saved, 'saved')
  expect(state.settings.link).toBe('sqrt')
  await expect(Run.resume(state, train, { ...settings, link: 'log1p' })).rejects.toEqual(
    refusal(
      "The run was saved with link: 'sqrt', and now it is log1p; leave it as it was, or start anew.",
      'checkpoint',
    ),
  )
  const second = await Run.resume(state, backwards, settings)
  while (await second.advance());
  const resumed = await second.model()
  await second.close()
  for (const same of [other.model, resumed]) {
    expect(same.factors).toEqual(model.factors)
    expect(same.link).toEqual(model.link)
  }
})

it('an ensemble with a link has errors and intervals in data units, and files keep the link', async () => {
  const result = await completeByFolds(train, { ...settings, link: 'sqrt' }, { folds: 3 })
  const { model, outOfFold } = result!
  expect(model.members.map(({ link }) => link?.name)).toEqual(['sqrt', 'sqrt', 'sqrt'])
  const error = model.error(test).rmse
  expect(outOfFold!.error.rmse / error).toBeGreaterThan(0.75)
  expect(outOfFold!.error.rmse / error).toBeLessThan(1.25)
  const { low, high } = model.intervalMany(test.indices, 0.8)
  const inside = test.values.reduce((sum, x, e) => sum + (x >= low[e] && x <= high[e] ? 1 : 0), 0)
  expect(inside / test.values.length).toBeGreaterThan(0.74)
  expect(low.every((x) => x >= 0)).toBe(true)
  const opened = decodeAnyModel(encodeEnsemble(model), 'ensemble.npz') as CpEnsemble
  expect(opened.predictMany(test.indices)).toEqual(model.predictMany(test.indices))
  const [member] = model.members
  const single = decodeAnyModel(encodeModel(member), 'model.npz') as CpModel
  expect(single.link).toEqual(member.link)
  expect(single.variance([1, 2, 3])).toEqual(member.variance([1, 2, 3]))
})

it('a run goes on from a model with a link, and from no model of another one', async () => {
  const { model } = await complete(train, { ...settings, link: 'sqrt', epochs: 10 })
  const { rank, ...rest } = settings
  const next = await complete(train, { ...rest, initial: model, epochs: 2 })
  expect(next.settings.link).toBe('sqrt')
  await expect(complete(train, { ...rest, initial: model, link: 'log1p' })).rejects.toEqual(
    refusal(
      "The initial model was learned with link: 'sqrt', and now it is log1p; leave link out to go on as it was.",
    ),
  )
})

it('a link is refused for negative values, zeros of missing cells, and under another name', async () => {
  const negative = { ...train, values: train.values.map((x, e) => (e === 7 ? -2 : x)) }
  await expect(complete(negative, { ...settings, link: 'sqrt' })).rejects.toEqual(
    refusal(
      "link: 'sqrt' needs values from 0, and there is -2; leave it out, or set negative values to zero (negative: 'clip').",
      'value',
    ),
  )
  await expect(complete(train, { ...settings, link: 'sqrt', missing: 'zero' })).rejects.toEqual(
    refusal(
      "missing: 'zero' does not go with link: 'sqrt', under which cells without an entry would be predicted above zero; leave one of them out.",
    ),
  )
  await expect(complete(train, { ...settings, link: 'cube' as 'sqrt' })).rejects.toEqual(
    refusal("link is 'cube'; there are 'identity', 'sqrt' or 'log1p'."),
  )
})
