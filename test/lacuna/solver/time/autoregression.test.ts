/** Runs with an autoregressive prior of the rows in time. */
import { describe, expect, it } from 'vitest'
import { decodeModel, encodeModel } from '#lacuna/io/array/index.js'
import { complete, decodeRun, encodeRun, Run, type RunOptions } from '#lacuna/solver/index.js'
import { pickEntries, type SparseTensor, sparseTensor } from '#lacuna/tensor/index.js'

const [STATIONS, TIMES] = [14, 200]

/** A fixed pseudorandom number between 0 and 1 for each e. */
const chance = (e: number): number => Math.abs(Math.sin(12.9898 * (e + 1)) * 43758.5453) % 1

/** Two waves with changing phases, of which stations have parts of their own; some cells of all. */
function waves(): SparseTensor {
  const cells: number[][] = []
  for (let i = 0; i < STATIONS; i++)
    for (let t = 0; t < TIMES; t++) if (chance(300 * i + t) < 0.7) cells.push([i, t])
  const values = cells.map(([i, t], e) => {
    const slow = 2 + Math.sin((2 * Math.PI * t) / 40)
    const fast = 2 + Math.cos((2 * Math.PI * t) / 13)
    return (1 + (i % 4)) * slow + (1 + chance(i)) * fast + 0.2 * (chance(e + 9) - 0.5)
  })
  const indices = [0, 1].map((mode) => Uint32Array.from(cells, (cell) => cell[mode]))
  return sparseTensor({
    dims: [STATIONS, TIMES],
    modes: [{ name: 'station' }, { name: 'time' }],
    indices,
    values: Float32Array.from(values),
  })
}

const tensor = waves()
const all = Uint32Array.from(tensor.values.keys())
const where = (is: (t: number) => boolean): SparseTensor =>
  pickEntries(
    tensor,
    all.filter((e) => is(tensor.indices[1][e])),
  )
const options: RunOptions & { choose: false } = {
  ...{ rank: 3, threads: 1, choose: false, noise: 'gaussian' },
  lags: { time: [1, 40, 13] },
  timePrior: 'autoregressive',
}

describe('a run with an autoregressive prior', () => {
  it('forecasts the steps after the last entry by the recursion that the model stores, better than without lags', async () => {
    const train = where((t) => t < 185)
    const test = where((t) => t >= 185)
    const { watch: without } = await complete(train, { ...options, lags: {}, watch: { test } })
    const { model, watch } = await complete(train, { ...options, watch: { test } })
    expect(watch!.test.rmse).toBeLessThan(0.5 * without!.test.rmse)
    const { rank, factors, prior } = model
    expect(decodeModel(encodeModel(model), 'model').prior!.lags).toEqual(prior!.lags)
    const [{ factor, axis, unit, lags, weights, isAutoregressive }] = prior!.lags!
    expect({ factor, axis, unit, lags, isAutoregressive }).toEqual({
      factor: 1,
      axis: [1],
      unit: 1,
      lags: [1, 13, 40],
      isAutoregressive: true,
    })
    for (let t = 185; t < TIMES; t++)
      for (let r = 0; r < rank; r++) {
        const mean = prior!.means[1][r]
        const forecast = lags.reduce(
          (sum, lag, k) => sum + weights[k] * (factors[1][(t - lag) * rank + r] - mean),
          mean,
        )
        const row = factors[1][t * rank + r]
        expect(Math.abs(row - Math.max(0, forecast))).toBeLessThan(1e-4 * Math.max(1, row))
      }
  })

  it('predicts steps without entries in the middle better than without lags', async () => {
    const isOut = (t: number): boolean => (t > 60 && t < 68) || t % 11 === 4
    const test = where(isOut)
    const rmse = async (given: RunOptions): Promise<number> =>
      (
        await complete(
          where((t) => !isOut(t)),
          { ...options, ...given, watch: { test } },
        )
      ).watch!.test.rmse
    expect(await rmse({})).toBeLessThan(0.5 * (await rmse({ lags: {} })))
  })

  it('resumes with the same bits, and not with the other prior', async () => {
    const train = where((t) => t < 190)
    const whole = await Run.start(train, options)
    while (await whole.advance());
    const first = await Run.start(train, options)
    for (let round = 0; round < whole.reports.length - 7; round++) await first.advance()
    const saved = Buffer.concat(encodeRun(await first.state()))
    const second = await Run.resume(decodeRun(saved, 'saved'), train, { threads: 2 })
    while (await second.advance());
    expect((await second.model()).factors).toEqual((await whole.model()).factors)
    await expect(Run.resume(await first.state(), train, { timePrior: 'coupled' })).rejects.toThrow(
      "The run was saved with timePrior: 'autoregressive', and now it is coupled; leave it as it was, or start anew.",
    )
    for (const run of [whole, first, second]) await run.close()
  })
})
