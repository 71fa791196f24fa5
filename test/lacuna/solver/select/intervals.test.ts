import { expect, it } from 'vitest'
import { draw, normal, stream, unit } from '#lacuna/base/random.js'
import { completeByFolds } from '#lacuna/folds.js'
import { split, synthetic } from '#lacuna/index.js'
import {
  findScaleEnds,
  intervalAt,
  intervalLimits,
  learnIntervals,
} from '#lacuna/model/ensemble/intervals.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'

/** A value for what would be there without noise, by its cell and by chance. */
type Noise = (y: number, cell: number[], e: number) => number

const chance = (e: number, seed: number): number => unit(draw(stream(seed, 77), e))
const gauss = (e: number): number => normal(stream(5, 78), e)

/** A tensor of low rank, whose cells in the first rows are observed the more often the larger `skew` is. */
function problem(dims: number[], entries: number, rank: number, noise: Noise, skew = 1): SparseTensor {
  const { factors } = synthetic({ dims, entries: 1, rank, seed: dims[0] })
  const cells = new Map<string, number[]>()
  for (let n = 0; cells.size < entries; n++) {
    const cell = dims.map((dim, mode) => Math.floor(dim * chance(n * dims.length + mode, entries) ** skew))
    cells.set(cell.join(), cell)
  }
  const places = [...cells.values()]
  return {
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(places, (cell) => cell[mode])),
    values: Float32Array.from(places, (cell, e) => {
      let y = 0
      for (let r = 0; r < rank; r++)
        y += cell.reduce((product, row, mode) => product * factors[mode][row * rank + r], 1)
      return Math.max(0, noise(y, cell, e))
    }),
  }
}

const loud = (row: number): number => (row % 4 === 0 ? 0.5 : 0.1)
const problems: Record<string, SparseTensor> = {
  'even noise': problem([30, 25, 20], 9000, 3, (y, _, e) => y + 0.15 * gauss(e)),
  'noise that grows': problem([32, 25, 20], 9000, 3, (y, _, e) => y * (1 + 0.3 * gauss(e))),
  counts: problem([34, 25, 20], 9000, 3, (y, _, e) => Math.round(10 * y + Math.sqrt(10 * y) * gauss(e))),
  'rows that differ in noise': problem([36, 25, 20], 9000, 3, (y, [row], e) => y + loud(row) * gauss(e)),
  'rows of few entries': problem([120, 60, 20], 9000, 3, (y, _, e) => y + 0.2 * gauss(e), 2),
  'a matrix': problem([120, 150], 9000, 3, (y, _, e) => y + 0.2 * gauss(e)),
  'a matrix with rows of few entries': problem([200, 160], 8000, 2, (y, _, e) => y + 0.2 * gauss(e), 2),
  'four modes': problem([14, 12, 12, 10], 9000, 2, (y, _, e) => y + 0.1 * gauss(e)),
  outliers: problem([38, 25, 20], 9000, 3, (y, _, e) => y + 0.1 * gauss(e) * (e % 20 === 0 ? 6 : 1)),
  'noise to one side': problem([40, 25, 20], 9000, 3, (y, _, e) => y + 0.3 * gauss(e) ** 2),
  stars: problem([150, 100], 8000, 3, (y, _, e) => Math.min(10, Math.round(5 * y + gauss(e))), 1.5),
  'no model at all': problem([42, 25, 20], 9000, 1, (_, __, e) => 1 + chance(e, 9)),
}

it('intervals of 90% contain 88 to 92% of entries that were not trained on, also in rows of few entries', async () => {
  const few = { inside: 0, entries: 0 }
  const shares: Record<string, number> = {}
  for (const [name, tensor] of Object.entries(problems)) {
    const { train, test } = split(tensor, { test: 0.5 }, 1)
    const options = { rank: 4, epochs: 15, threads: 2 }
    const { model } = (await completeByFolds(train, options))!
    const { values, low, high } = model.intervalMany(test!.indices)
    const support = test!.values.map((_, e) =>
      Math.min(...test!.indices.map((column, mode) => model.observed!.counts[mode][column[e]])),
    )
    const tenth = support.toSorted()[Math.floor(support.length / 10)]
    const inside = test!.values.map((x, e) => Number(x >= low[e] && x <= high[e]))
    shares[name] = inside.reduce((sum, is) => sum + is, 0) / inside.length
    inside.forEach((is, e) => {
      if (support[e] > tenth) return
      few.inside += is
      few.entries++
    })
    expect(model.interval(test!.indices.map((column) => column[7])).high).toBeCloseTo(high[7], 4)
    expect(model.predict(test!.indices.map((column) => column[7]))).toBeCloseTo(values[7], 4)
    const width = (isOfThem: (e: number) => boolean): number => {
      const some = [...low.keys()].filter(isOfThem)
      return some.reduce((sum, e) => sum + high[e] - low[e], 0) / some.length
    }
    const isLoud = (e: number): boolean => test!.indices[0][e] % 4 === 0
    if (name === 'rows that differ in noise')
      expect(width(isLoud)).toBeGreaterThan(2.2 * width((e) => !isLoud(e)))
    if (name === 'rows of few entries') {
      // What a few residuals say of a row is mostly chance.
      const factors = model.intervals!.scale.rows[0].filter((_, row) => model.observed!.counts[0][row] <= 25)
      expect(factors.length).toBeGreaterThan(5)
      for (const factor of factors) expect(Math.abs(Math.log(factor))).toBeLessThan(0.4)
    }
    if (name === 'noise that grows')
      expect(width((e) => values[e] > 0.6)).toBeGreaterThan(5 * width((e) => values[e] < 0.2))
  }
  expect(Object.entries(shares).filter(([, share]) => !(share >= 0.88 && share <= 0.92))).toEqual([])
  expect(Math.abs(few.inside / few.entries - 0.9)).toBeLessThan(0.02)
})

it('intervals are wider where rows have fewer entries, even if each of them has too few to tell', () => {
  // 1500 rows of two entries each, and 50 of 60; in the former predictions are off by three times as much.
  const rows = [
    ...Array.from({ length: 3000 }, (_, e) => e >> 1),
    ...Array.from({ length: 3000 }, (_, e) => 1500 + (e % 50)),
  ]
  const indices = [Uint32Array.from(rows), Uint32Array.from(rows, (_, e) => e % 300)]
  const isRare = (row: number): boolean => row < 1500
  const values = Float32Array.from(rows, (row, e) => 10 + (isRare(row) ? 3 : 1) * gauss(e))
  const support = Uint32Array.from(rows, (row) => (isRare(row) ? 1 : 59))
  const predictions = new Float32Array(6000).fill(10)
  const unseen = { indices: [0, 1].map(() => new Uint32Array(1)), predictions: Float32Array.of(10) }
  const nothing = { variances: new Float32Array(1), support: new Uint32Array(1) }
  const intervals = learnIntervals(
    { dims: [1550, 300], indices, values },
    { predictions, support },
    { ...unseen, ...nothing },
    5,
  )
  const width = (row: number, entries: number): number => {
    const [low, high] = intervalAt(intervals, [row, 3], 10, entries, 0.9)
    return high - low
  }
  const mean = (from: number, to: number, entries: number): number => {
    let sum = 0
    for (let row = from; row < to; row++) sum += width(row, entries) / (to - from)
    return sum
  }
  expect(mean(0, 1500, 2) / (2 * 1.645 * 3)).toBeCloseTo(1, 1)
  expect(mean(1500, 1550, 60) / (2 * 1.645)).toBeCloseTo(1, 1)
})

it('intervals end at the ends of a scale that many entries attain, and at 0, but not at a record', () => {
  const stars = Float32Array.from({ length: 1000 }, (_, e) => 1 + (e % 5))
  const degrees = Float32Array.from({ length: 1000 }, (_, e) => 4 + 16 * chance(e, 3))
  expect([findScaleEnds(stars), findScaleEnds(degrees)]).toEqual([
    [true, true],
    [false, false],
  ])
  // Six of a thousand that are equal may be chance.
  expect(findScaleEnds(degrees.map((x, e) => (e < 6 ? 21 : x)))).toEqual([false, false])
  const range = { min: 4, max: 20 }
  expect(intervalLimits({ scaleEnds: [false, false] }, range)).toEqual([0, Infinity])
  expect(intervalLimits({ scaleEnds: [true, true] }, range)).toEqual([4, 20])
  expect(intervalLimits({ scaleEnds: [false, false] }, { min: -1, max: 2 })).toEqual([-Infinity, Infinity])
  // Files of older versions do not say it.
  expect(intervalLimits({}, range)).toEqual([4, 20])
})
