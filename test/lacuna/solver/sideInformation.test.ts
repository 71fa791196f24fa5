import { describe, expect, it } from 'vitest'
import { type CompleteOptions, complete } from '#lacuna/index.js'
import { Run } from '#lacuna/solver/run/run.js'
import { pickEntries, type SparseTensor, sparseTensor } from '#lacuna/tensor/index.js'

/** A fixed pseudorandom number between 0 and 1 for each e. */
const chance = (e: number): number => Math.abs(Math.sin(12.9898 * (e + 1)) * 43758.5453) % 1
/** A fixed number of the standard normal distribution for each e. */
const normal = (e: number): number =>
  Math.sqrt(-2 * Math.log(chance(2 * e) + 1e-9)) * Math.cos(2 * Math.PI * chance(2 * e + 1))

/** A tensor of these sizes with all cells observed, by a function of the cell and its number. */
function cells(
  dims: readonly number[],
  value: (i: number, j: number, k: number, e: number) => number,
): SparseTensor {
  const places: number[][] = []
  for (let i = 0; i < dims[0]; i++)
    for (let j = 0; j < dims[1]; j++) for (let k = 0; k < dims[2]; k++) places.push([i, j, k])
  const indices = dims.map((_, mode) => Uint32Array.from(places, (place) => place[mode]))
  const values = Float32Array.from(places, ([i, j, k], e) => value(i, j, k, e))
  return sparseTensor({ dims, indices, values })
}

/** Splits entries into those that are not held out, and those that are. */
function splitWhere(tensor: SparseTensor, isOut: (e: number) => boolean): [SparseTensor, SparseTensor] {
  const all = Uint32Array.from(tensor.values.keys())
  return [
    pickEntries(
      tensor,
      all.filter((e) => !isOut(e)),
    ),
    pickEntries(tensor, all.filter(isOut)),
  ]
}

/** The RMSE on test entries of a model of rank 4, without trials. */
async function rmse(train: SparseTensor, test: SparseTensor, options: CompleteOptions): Promise<number> {
  const { watch } = await complete(train, { rank: 4, threads: 1, choose: false, ...options, watch: { test } })
  return watch!.test.rmse
}

describe('neighbours', () => {
  const dims = [12, 60, 6]
  const wave = (i: number, j: number): number => 3 + Math.sin((2 * Math.PI * j) / 20 + i) + (i % 3)
  const tensor = cells(dims, (i, j, k, e) => Math.max(0, wave(i, j) * (1 + k / 5) + 0.2 * normal(e)))

  it('lags predict rows without entries, and a lag of the period improves them', async () => {
    // Each fifth row, and a block of four.
    const [train, test] = splitWhere(tensor, (e) => {
      const j = tensor.indices[1][e]
      return j % 5 === 2 || (j >= 30 && j < 34)
    })
    const alone = await rmse(train, test, {})
    const near = await rmse(train, test, { lags: { 2: [1] } })
    const period = await rmse(train, test, { lags: { 2: [1, 20] } })
    expect(near).toBeLessThan(0.5 * alone)
    expect(period).toBeLessThan(near)
  })

  it('lags of a mode whose neighbouring rows differ do not raise the test error by more than 3%', async () => {
    const shuffled = cells(dims, (i, j, k, e) =>
      Math.max(0, wave(i, (j * 37) % 60) * (1 + k / 5) + 0.2 * normal(e)),
    )
    const [train, test] = splitWhere(shuffled, (e) => chance(e + 7) < 0.7)
    const alone = await rmse(train, test, {})
    expect(await rmse(train, test, { lags: { 2: [1] } })).toBeLessThan(1.03 * alone)
  })

  it('a saved run with lags resumes with the same bits, and refuses other lags', async () => {
    const [train] = splitWhere(tensor, (e) => chance(e) < 0.5)
    const options = { rank: 3, threads: 1, lags: { 2: [1, 20] } }
    const whole = await Run.start(train, options)
    while (await whole.advance());
    const first = await Run.start(train, options)
    for (let round = 0; round < whole.reports.length - 7; round++) await first.advance()
    const second = await Run.resume(await first.state(), train, { threads: 2 })
    while (await second.advance());
    expect((await second.model()).factors).toEqual((await whole.model()).factors)
    await expect(Run.resume(await first.state(), train, { lags: { 2: [1] } })).rejects.toThrow(
      "The run was saved with lags: '2=1,20', and now it is 2=1; leave it as it was, or start anew.",
    )
    for (const run of [whole, first, second]) await run.close()
  })
})

describe('attributes', () => {
  // Of two kinds of rows, by an attribute; the other attribute says nothing.
  const dims = [40, 15, 5]
  const values = Float32Array.from({ length: 80 }, (_, at) => (at % 2 === 0 ? (at / 2) % 2 : chance(at)))
  const tensor = cells(dims, (i, j, k, e) => {
    const kind = i % 2 === 0 ? 1 + Math.sin(j) : 1 + Math.cos(j)
    return Math.max(0, 3 * kind * (1 + k / 3) + (chance(i) - 0.5) + 0.1 * normal(e))
  })
  const [train, test] = splitWhere(tensor, (e) => tensor.indices[0][e] >= 30)
  const features = { 1: { columns: 2, values } }

  it('attributes predict rows without entries', async () => {
    const alone = await rmse(train, test, {})
    expect(await rmse(train, test, { features })).toBeLessThan(0.3 * alone)
  })

  it('a saved run with attributes resumes only with the same attributes', async () => {
    const run = await Run.start(train, { rank: 2, threads: 1, features })
    await run.advance()
    const state = await run.state()
    const other = { 1: { columns: 2, values: values.map((x) => x + 1) } }
    for (const options of [{}, { features: other }])
      await expect(Run.resume(state, train, options)).rejects.toThrow('The run was saved with other entries')
    await (await Run.resume(state, train, { features })).close()
    await run.close()
  })
})

describe('noise that is uneven', () => {
  const dims = [15, 14, 12]
  const truth = (i: number, j: number, k: number): number =>
    (1 + (i % 4)) * (2 + Math.sin(j)) + (2 + Math.cos(i)) * (1 + (k % 3))
  const split = (tensor: SparseTensor): [SparseTensor, SparseTensor] => {
    const [train] = splitWhere(tensor, (e) => chance(e + 5) < 0.5)
    const [, test] = splitWhere(cells(dims, truth), (e) => chance(e + 5) < 0.5)
    return [train, test]
  }

  it("noise 'row' predicts better than 'gaussian' where some rows are noisier than others", async () => {
    const tensor = cells(dims, (i, j, k, e) =>
      Math.max(0, truth(i, j, k) + (j % 2 === 0 ? 4 : 0.1) * normal(e)),
    )
    const [train, test] = split(tensor)
    const even = await rmse(train, test, { noise: 'gaussian' })
    expect(await rmse(train, test, { noise: 'row' })).toBeLessThan(0.9 * even)
  })

  it('the Huber loss predicts data with outliers better than squared loss', async () => {
    const tensor = cells(dims, (i, j, k, e) =>
      chance(e + 3) < 0.03 ? 100 : Math.max(0, truth(i, j, k) + 0.5 * normal(e)),
    )
    const [train, test] = split(tensor)
    const believed = await rmse(train, test, { noise: 'gaussian' })
    expect(await rmse(train, test, { noise: 'gaussian', loss: 'huber' })).toBeLessThan(0.7 * believed)
  })
})

describe('trials', () => {
  const dims = [12, 60, 6]
  const wave = (i: number, j: number): number => 3 + Math.sin((2 * Math.PI * j) / 20 + i) + (i % 3)
  const smooth = cells(dims, (i, j, k, e) => Math.max(0, wave(i, j) * (1 + k / 5) + 0.2 * normal(e)))
  const options = { rank: 4, threads: 1, lags: { 2: [1] } }

  it('trials choose lags where they predict gaps like those of the data better', async () => {
    const [train, test] = splitWhere(smooth, (e) => smooth.indices[1][e] % 5 === 2)
    const { choice, model, watch } = await complete(train, { ...options, watch: { test } })
    expect(choice).toMatchObject({ by: 'what has mode 2 in common', chosen: { lags: true } })
    expect(choice!.trials.map(({ lags }) => lags)).toEqual([true, false, true, true])
    expect(model.training.choice).toBe(choice)
    expect(watch!.test.rmse).toBe(await rmse(train, test, { lags: { 2: [1] }, noise: choice!.chosen.noise }))
  })

  it('trials choose settings whose error is within 0.2% of the best trial', async () => {
    const [train] = splitWhere(smooth, (e) => chance(e + 7) < 0.8)
    // Far more attributes than rows.
    const values = Float32Array.from({ length: 12 * 40 }, (_, at) => (chance(at) < 0.1 ? 9 : 0))
    const { choice, settings } = await complete(train, {
      ...{ rank: 4, threads: 1, lags: { 1: [1] } },
      features: { 1: { columns: 40, values } },
    })
    expect(choice!.by).toBe('single entries')
    const best = Math.min(...choice!.trials.map(({ rmse }) => rmse))
    expect(choice!.chosen.rmse).toBeLessThan(1.002 * best)
    expect(Object.keys(settings.lags).length > 0).toBe(choice!.chosen.lags)
  })

  it('trials are compared by validation entries if there are any, and the run continues from their start', async () => {
    const [train, validation] = splitWhere(smooth, (e) => chance(e) < 0.2)
    const watch = { same: validation }
    const result = await complete(train, { rank: 3, threads: 1, choose: true, validation, watch })
    const { choice, settings } = result
    expect(choice!.by).toBeUndefined()
    expect(choice!.entries).toBe(validation.values.length)
    expect(choice!.trials.map(({ noise }) => noise)).toEqual(['auto', 'gaussian', 'row'])
    expect(settings.noise).toBe(choice!.chosen.noise)
    expect(result.watch!.same.rmse).toBe(result.validation!.rmse)
  })

  it('trials do not depend on watched sets', async () => {
    const [train, test] = splitWhere(smooth, (e) => chance(e) < 0.3)
    const other = { ...test, values: test.values.map((x) => 2 * x + 1) }
    const [one, two] = [
      await complete(train, { ...options, watch: { test } }),
      await complete(train, { ...options, watch: { test: other } }),
    ]
    expect(two.model.factors).toEqual(one.model.factors)
    expect(two.choice).toEqual(one.choice)
  })
})
