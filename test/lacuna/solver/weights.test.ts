/** Weights of entries, as a user of the solver relies on them. */
import { expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { complete, Run } from '#lacuna/solver/index.js'
import { errorInDataUnits } from '#lacuna/solver/run/report.js'
import { crossFit } from '#lacuna/solver/select/crossFit/crossFit.js'
import { pickEntries, type SparseTensor, synthetic } from '#lacuna/tensor/index.js'
import { weighted } from '../../problems.ts'

const { tensor: truth } = synthetic({ dims: [25, 20, 15], entries: 2400, rank: 2, seed: 4 })
const all = Uint32Array.from(truth.values.keys())
const key = stream(7, 1)
const isBad = (e: number): boolean => e % 2 === 0
/** Every second entry is off by up to 1.5; most values are below 2. */
const noisy: SparseTensor = {
  ...truth,
  values: truth.values.map((x, e) => x + (isBad(e) ? 1.5 : 0.05) * (2 * unit(draw(key, e)) - 1)),
}
/** The entries whose number satisfies a condition. */
const pickWhere = (tensor: SparseTensor, where: (e: number) => boolean): SparseTensor =>
  pickEntries(tensor, all.filter(where))
const isHeldOut = (e: number): boolean => e % 5 === 0
const train = pickWhere(noisy, (e) => !isHeldOut(e))
const held = pickWhere(truth, isHeldOut)
const reliability = pickWhere(
  { ...noisy, weights: noisy.values.map((_, e) => (isBad(e) ? 0.01 : 1)) },
  (e) => !isHeldOut(e),
)
const withWeights = (of: (e: number) => number): SparseTensor => ({
  ...train,
  weights: train.values.map((_, e) => of(e)),
})

const engine = cpuEngine({ threads: 2 })
const settings = { rank: 3, seed: 2, engine }
const factorsOf = async (tensor: SparseTensor): Promise<Float32Array[]> => [
  ...(await complete(tensor, { ...settings, epochs: 60 })).model.factors,
]

it('a run learns little from entries of little weight', async () => {
  for (const noise of ['gaussian', 'auto'] as const) {
    const error = async (tensor: SparseTensor): Promise<number> =>
      (await complete(tensor, { ...settings, noise, watch: { held } })).watch!.held.rmse
    const [plain, weighed] = [await error(train), await error(reliability)]
    expect(weighed).toBeLessThan(0.4 * plain)
  }
})

it('only the proportions of weights matter: equal weights, and a common factor, change no bit', async () => {
  const plain = await factorsOf(train)
  expect(await factorsOf(withWeights(() => 0.3))).toEqual(plain)
  const some = (e: number): number => 1 + (e % 3)
  const once = await factorsOf(withWeights(some))
  expect(once).not.toEqual(plain)
  expect(await factorsOf(withWeights((e) => 2 ** 70 * some(e)))).toEqual(once)
})

it('errors of training and validation entries are weighted, those of watched sets are not', async () => {
  const set = weighted(held)
  const {
    model,
    train: own,
    validation,
    watch,
  } = await complete(weighted(train), {
    ...settings,
    epochs: 3,
    validation: set,
    watch: { set },
  })
  const rmse = (tensor: SparseTensor, weights: Float32Array = tensor.values.map(() => 1)): number => {
    const found = model.predictMany(tensor.indices)
    const squares = tensor.values.reduce((sum, x, e) => sum + weights[e] * (x - found[e]) ** 2, 0)
    return Math.sqrt(squares / weights.reduce((sum, w) => sum + w, 0))
  }
  expect(own.rmse).toBeCloseTo(rmse(train, weighted(train).weights), 5)
  expect(own.entries).toBe(train.values.length)
  expect(validation!.rmse).toBeCloseTo(rmse(held, set.weights), 5)
  expect(watch!.set.rmse).toBeCloseTo(rmse(held), 5)
  expect(Math.abs(validation!.rmse - watch!.set.rmse)).toBeGreaterThan(1e-4)
})

it('mean errors are sums divided by the sum of weights, not by the number of entries', () => {
  const probe = { entries: 10, weight: 2, squares: 32, absolutes: 8 }
  const scale = { dims: [], sets: {}, emptyRows: [], valueScale: 2, factorScale: 1, digest: '' }
  const summary = { relative: 0.5, rmse: 1, mae: 1, entries: 10 }
  expect(errorInDataUnits({ squares: 8, absolutes: 4 }, probe, scale)).toEqual(summary)
})

it('a saved run resumes only with the same weights', async () => {
  const tensor = weighted(train)
  const run = await Run.start(tensor, { ...settings, epochs: 2 })
  const state = await run.state()
  await run.close()
  await expect(Run.resume(state, train, { engine })).rejects.toThrow('saved with other entries')
  await (await Run.resume(state, tensor, { engine })).close()
})

it('cross-fitting uses the weights in every fold', async () => {
  const exact = pickWhere(truth, (e) => !isHeldOut(e)).values
  const error = async (tensor: SparseTensor): Promise<number> => {
    const { predictions } = (await crossFit(tensor, settings))!
    return exact.reduce((sum, x, e) => sum + (x - predictions[e]) ** 2, 0)
  }
  expect(await error(reliability)).toBeLessThan(0.3 * (await error(train)))
})

it('weights are refused where unlisted cells are zeros', async () => {
  await expect(complete(weighted(train), { ...settings, missing: 'zero' })).rejects.toThrow(
    "With missing: 'zero' all cells count alike, and the entries have weights; leave one of the two out.",
  )
})
