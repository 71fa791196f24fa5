import { expect, it } from 'vitest'
import { draw, normal, stream, unit } from '#lacuna/base/random.js'
import { complete, type RunOptions, type SparseTensor } from '#lacuna/index.js'
import { attributeMeans } from '#lacuna/model/ensemble/emptyRows/attributes.js'
import { blankRows } from '#lacuna/model/ensemble/emptyRows/blankFactors.js'

const chance = (e: number, seed: number): number => unit(draw(stream(seed, 71), e))

/** Series that swing along the last mode, of 24 rows, with noise; some of its rows have no entries. */
function series(empty: readonly number[]): SparseTensor {
  const dims = [12, 5, 24]
  const cells: number[][] = []
  for (let at = 0; at < 12 * 5 * 24; at++) {
    const cell = [Math.floor(at / 120), Math.floor(at / 24) % 5, at % 24]
    if (!empty.includes(cell[2]) && chance(at, 3) < 0.7) cells.push(cell)
  }
  return {
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(cells, (cell) => cell[mode])),
    values: Float32Array.from(cells, ([a, b, t], e) =>
      Math.max(0, 3 + Math.sin(t / 3) * (1 + chance(a, 1)) + chance(b, 2) + 0.2 * normal(stream(5, 1), e)),
    ),
  }
}

const empty = [6, 7, 15, 22, 23]
const features = {
  '3': {
    columns: 2,
    values: Float32Array.from({ length: 48 }, (_, at) => Math.sin((at >> 1) / 3 + (at % 2))),
  },
}

/** The largest difference of blanked rows from those that the solver gave to rows without entries. */
async function largestDifference(options: RunOptions, mode = 2): Promise<number> {
  const { model } = await complete(series(empty), {
    rank: 3,
    threads: 1,
    epochs: 60,
    choose: false,
    ...options,
  })
  const isBlank = Uint8Array.from({ length: 24 }, (_, row) => Number(empty.includes(row)))
  const kind = options.lags ? 'between' : 'any'
  const attributes = options.features ? [{ mode: 2, ...features[3] }] : undefined
  const { factors } = blankRows(model, [{ mode, kind, isBlank }], attributes)
  let [largest, blanked] = [0, 0]
  for (const [f, factor] of factors.entries()) {
    const size = Math.max(...model.factors[f])
    if (factor !== model.factors[f]) blanked++
    factor.forEach((x, at) => {
      largest = Math.max(largest, Math.abs(x - model.factors[f][at]) / size)
    })
  }
  expect(blanked).toBeGreaterThan(0)
  return largest
}

it.each<[string, RunOptions]>([
  ['the mean of the others', {}],
  ['their expectation given the rows at lags', { lags: { '3': [1, 2] } }],
  ['what their attributes predict', { features }],
  ['what rows at lags and attributes predict', { lags: { '3': [1] }, features }],
  ['the mean of the others, if modes are merged', { mergeModes: [[0, 2]] }],
  [
    'their expectation given the rows at lags, if days and slots are one axis',
    { mergeModes: [[1, 2]], lags: { '3+2': [1, 5] } },
  ],
])('blanked rows get what the solver gives to rows without entries: %s', async (_, options) => {
  expect(await largestDifference(options)).toBeLessThan(1e-3)
})

it('under an autoregressive prior blanked rows get about what the solver gives to rows without entries', async () => {
  // The first rows have regressions of their own in the solver.
  expect(await largestDifference({ lags: { '3': [1, 2] }, timePrior: 'autoregressive' })).toBeLessThan(0.05)
})

it('blanked rows do not depend on what they were, and all others keep their bits', async () => {
  const { model } = await complete(series([]), { rank: 3, threads: 1, epochs: 60, lags: { '3': [1] } })
  const isBlank = new Uint8Array(24).fill(1, 20)
  const [, , known] = model.factors
  const changed = known.slice().fill(1e3, 20 * 3)
  const once = blankRows(model, [{ mode: 2, kind: 'beyond', isBlank }]).factors[2]
  const twice = blankRows(
    Object.assign(Object.create(Object.getPrototypeOf(model)), model, {
      factors: [...model.factors.slice(0, 2), changed],
    }),
    [{ mode: 2, kind: 'beyond', isBlank }],
  ).factors[2]
  expect(twice).toEqual(once)
  expect(once.subarray(0, 60)).toEqual(known.subarray(0, 60))
  expect(once.subarray(60)).not.toEqual(known.subarray(60))
})

it('attributes that explain rows exactly predict them, up to the ridge', () => {
  const rows = 200
  const values = Float32Array.from({ length: rows }, (_, q) => chance(q, 8))
  const factor = Float32Array.from({ length: 2 * rows }, (_, at) => (at % 2 ? 1 : 2) * values[at >> 1] + 1)
  const isKnown = new Uint8Array(rows).fill(1, 0, 150)
  const mean = Float64Array.of(0, 0)
  for (let at = 0; at < 300; at++) mean[at % 2] += factor[at] / 150
  const predicted = attributeMeans(factor, mean, isKnown, { mode: 0, columns: 1, values })
  for (let q = 150; q < rows; q++) expect(predicted(q)[0]).toBeCloseTo(factor[2 * q], 0)
})
