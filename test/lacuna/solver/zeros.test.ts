import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import { readTensor } from '#lacuna/io/node/index.js'
import { complete } from '#lacuna/solver/index.js'
import { type SparseTensor, splitCells } from '#lacuna/tensor/index.js'
import { refusal } from '../../refusal.ts'

/** Counts of rank 2 in blocks, most cells being zero and not listed. */
function counts(): SparseTensor {
  const dims = [30, 24, 20]
  const columns: number[][] = dims.map(() => [])
  const values: number[] = []
  const key = stream(1, 5)
  for (let i = 0; i < 30; i++)
    for (let j = 0; j < 24; j++)
      for (let k = 0; k < 20; k++) {
        const mean = i < 8 && j < 6 ? (k % 5) + 1 : i >= 20 && j >= 15 && k < 6 ? 3 : 0
        const x = Math.floor(mean * (0.5 + unit(draw(key, values.length))))
        if (x === 0) continue
        for (const [m, index] of [i, j, k].entries()) columns[m].push(index)
        values.push(x)
      }
  return {
    dims,
    indices: columns.map((column) => Uint32Array.from(column)),
    values: Float32Array.from(values),
  }
}

/** The sum of a function over all cells. */
const sumOver = (predict: (i: number, j: number, k: number) => number): number => {
  let sum = 0
  for (let i = 0; i < 30; i++)
    for (let j = 0; j < 24; j++) for (let k = 0; k < 20; k++) sum += predict(i, j, k)
  return sum
}

it('with missing zeros the predictions of all cells sum to the number of events', async () => {
  const tensor = counts()
  const events = tensor.values.reduce((sum, x) => sum + x, 0)
  const total = async (missing: 'zero' | 'unknown'): Promise<number> => {
    const { model } = await complete(tensor, { rank: 3, missing })
    return sumOver((...cell) => model.predict(cell))
  }
  expect((await total('zero')) / events).toBeCloseTo(1, 1)
  expect((await total('unknown')) / events).toBeGreaterThan(2)
})

it('with missing zeros the training error is over all cells but those held out', async () => {
  const { train, test } = splitCells(counts(), { test: 0.05 }, 2)
  const result = await complete(train, { rank: 3, missing: 'zero', watch: { test } })
  const { model } = result
  expect(result.watch!.test.rmse).toBeCloseTo(model.error(test).rmse, 5)
  const known = new Map([...train.values.keys()].map((e) => [coordinatesOf(train, e), train.values[e]]))
  const held = new Set([...test.values.keys()].map((e) => coordinatesOf(test, e)))
  let cells = 0
  const squares = sumOver((...cell) => {
    if (held.has(cell.join())) return 0
    cells++
    return (model.predict(cell) - (known.get(cell.join()) ?? 0)) ** 2
  })
  expect(result.train.rmse / Math.sqrt(squares / cells)).toBeCloseTo(1, 4)
  expect(model.unobserved?.every(({ length }) => length === 0)).toBe(true)
})

/** The coordinates of an entry as text. */
const coordinatesOf = ({ indices }: SparseTensor, e: number): string =>
  indices.map((column) => column[e]).join()

it("with missing zeros tensors with a mode of one row are fitted exactly, and the run stops as 'exact'", async () => {
  const column = {
    dims: [5, 1],
    indices: [Uint32Array.of(0, 1), new Uint32Array(2)],
    values: Float32Array.of(1, 3),
  }
  const row = {
    dims: [1, 4],
    indices: [new Uint32Array(3), Uint32Array.of(0, 1, 3)],
    values: Float32Array.of(5, 3, 3),
  }
  for (const tensor of [column, row])
    for (const seed of [1, 2, 3, 4]) {
      const { stopped, train, model } = await complete(tensor, { rank: 2, missing: 'zero', seed })
      expect(stopped).toBe('exact')
      expect(train.rmse).toBeLessThanOrEqual(2.3 * train.mae + 1e-6)
      expect(model.error(tensor).relative).toBeLessThan(1e-5)
    }
})

it('options that do not go with missing zeros are refused', async () => {
  const tensor = counts()
  const twice = {
    dims: [4, 4],
    indices: [Uint32Array.of(0, 0), Uint32Array.of(1, 1)],
    values: Float32Array.of(4, 4),
  }
  await expect(complete(twice, { missing: 'zero' })).rejects.toThrow(/some are listed twice/)
  await expect(complete(tensor, { missing: 'zero', sample: 0.5 })).rejects.toThrow(/all cells at every step/)
  await expect(complete(tensor, { missing: 'zero', solver: 'paper' })).rejects.toThrow(/paper's solver/)
  await expect(complete(tensor, { missing: 'none' as 'zero' })).rejects.toThrow(
    refusal("missing is 'none'; there are 'unknown' or 'zero'."),
  )
})

const uber = new URL('../../../../shared/data/uber/uber-raw-data-apr14.csv.gz', import.meta.url).pathname
it.runIf(existsSync(uber))(
  'with missing zeros a model of Uber’s April pickups predicts their total number',
  async () => {
    const tensor = await readTensor(uber, {
      modes: ['weekday("Date/Time")', 'hour("Date/Time")', 'round(Lat, 2)', 'round(Lon, 2)'],
      dates: ['%m/%d/%Y %H:%M:%S'],
    })
    const { train, model } = await complete(tensor, { rank: 6, missing: 'zero' })
    expect(train.rmse).toBeLessThan(1.7)
    // Over all cells: the sum over the components of the products of their columns' sums.
    const columns = model.factors.map((factor, mode) =>
      Array.from({ length: 6 }, (_, r) => {
        let sum = 0
        for (let p = 0; p < model.dims[mode]; p++) sum += factor[6 * p + r]
        return sum
      }),
    )
    const predicted = columns[0].reduce(
      (sum, _, r) => sum + columns.reduce((product, column) => product * column[r], 1),
      0,
    )
    expect(predicted).toBeGreaterThan(500_000)
    expect(predicted).toBeLessThan(600_000)
  },
)
