import { expect, it } from 'vitest'
import { below, draw, normal, stream, unit } from '#lacuna/base/random.js'
import { type CpEnsemble, completeByFolds, decodeAnyModel, encodeEnsemble } from '#lacuna/folds.js'
import type { RunOptions } from '#lacuna/index.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'

/** A value, given what would be there without noise, the cell, and a normal number. */
type Noise = (y: number, cell: readonly number[], z: number) => number

/** A tensor of low rank with noise; `skew` above 1 gives the last rows of a mode fewer entries. */
function lowRank(dims: number[], rank: number, noise: Noise, skew = 1): (seed: number) => SparseTensor {
  return (seed) => {
    const chance = (word: number, n: number): number => unit(draw(stream(seed, word), n))
    const cells = new Map<string, number[]>()
    for (let n = 0; cells.size < 4000; n++) {
      const cell = dims.map((dim, mode) => Math.floor(dim * chance(mode + 1, n) ** skew))
      cells.set(cell.join(), cell)
    }
    const list = [...cells.values()]
    return tensorOf(dims, list, (cell, e) => {
      let y = 0
      for (let r = 0; r < rank; r++)
        y += cell.reduce((product, row, mode) => product * chance(10 + mode, row * rank + r), 1)
      return Math.max(0, noise(y, cell, normal(stream(seed, 9), e)))
    })
  }
}

/** A tensor with a value in each of the cells. */
const tensorOf = (
  dims: number[],
  cells: readonly number[][],
  valueAt: (cell: readonly number[], e: number) => number,
): SparseTensor => ({
  dims,
  indices: dims.map((_, mode) => Uint32Array.from(cells, (cell) => cell[mode])),
  values: Float32Array.from(cells, valueAt),
})

/**
 * Sensors over days: those of a kind have a level that follows that of the day before, and a week has a rhythm.
 */
function days(count: number): (seed: number) => SparseTensor {
  const kinds = 5
  return (seed) => {
    const levels = Array.from({ length: kinds }, (_, kind) => {
      const level: number[] = [3]
      for (let day = 1; day < count; day++)
        level[day] = 3 + 0.7 * (level[day - 1] - 3) + 0.4 * normal(stream(seed, 1, kind), day)
      return level
    })
    const cells = Array.from({ length: 30 * 4 * count }, (_, at) => [
      at % 30,
      Math.floor(at / 30) % 4,
      Math.floor(at / 120),
    ]).filter((_, at) => unit(draw(stream(seed, 2), at)) < 0.5)
    return tensorOf([30, 4, count], cells, ([sensor, slot, day], e) => {
      const rhythm = 1 + 0.4 * Math.sin((2 * Math.PI * (day + seed)) / 7)
      const size = 0.5 + unit(draw(stream(seed, 3), sensor))
      const noise = 0.5 * normal(stream(seed, 4), e)
      return Math.max(0, size * levels[sensor % kinds][day] * rhythm * (1 + 0.3 * slot) + noise)
    })
  }
}

/** Hides rows of a mode; returns the other entries, and those of the hidden rows. */
function hideRows(tensor: SparseTensor, mode: number, isHidden: (row: number) => boolean) {
  const all = Uint32Array.from(tensor.values.keys())
  const column = tensor.indices[mode]
  return {
    train: pickEntries(
      tensor,
      all.filter((e) => !isHidden(column[e])),
    ),
    hidden: pickEntries(
      tensor,
      all.filter((e) => isHidden(column[e])),
    ),
  }
}

/** Counts the hidden values that lie in their intervals; `refused` have none. */
function countInside(model: CpEnsemble, hidden: SparseTensor) {
  const { low, high } = model.intervalMany(hidden.indices)
  let [inside, refused] = [0, 0]
  hidden.values.forEach((x, e) => {
    if (Number.isNaN(low[e])) refused++
    else if (x >= low[e] && x <= high[e]) inside++
  })
  return { inside, refused, cells: hidden.values.length }
}

const settings: RunOptions = { rank: 4, epochs: 40, threads: 2 }
const problems: Record<string, (seed: number) => SparseTensor> = {
  'even noise': lowRank([30, 25, 20], 3, (y, _, z) => y + 0.15 * z),
  'noise that grows': lowRank([32, 25, 20], 3, (y, _, z) => y * (1 + 0.3 * z)),
  counts: lowRank([34, 25, 20], 3, (y, _, z) => Math.round(10 * y + Math.sqrt(10 * y) * z)),
  'rows that differ in noise': lowRank([36, 25, 20], 3, (y, [row], z) => y + (row % 4 ? 0.1 : 0.5) * z),
  'rows of few entries': lowRank([90, 50, 20], 3, (y, _, z) => y + 0.2 * z, 1.7),
  'a matrix': lowRank([90, 110], 3, (y, _, z) => y + 0.2 * z),
  stars: lowRank([110, 90], 3, (y, _, z) => Math.min(10, Math.round(5 * y + z)), 1.3),
  'days, as if they had no order': days(40),
}

it('intervals of 90% contain 87 to 93% of the values in rows that had no entries, in every mode, on eight problems', async () => {
  const shares: Record<string, number> = {}
  const all = { inside: 0, cells: 0 }
  for (const [name, make] of Object.entries(problems)) {
    const sum = { inside: 0, cells: 0, refused: 0 }
    for (const seed of [1, 2, 3])
      for (const mode of make(seed).dims.keys()) {
        const tensor = make(seed)
        if (tensor.dims[mode] < 15) continue
        const isHidden = (row: number): boolean => below(draw(stream(seed, 77, mode), row), 6) === 0
        const { train, hidden } = hideRows(tensor, mode, isHidden)
        const { model } = (await completeByFolds(train, { ...settings, seed }))!
        const { inside, refused, cells } = countInside(model, hidden)
        sum.inside += inside
        sum.refused += refused
        sum.cells += cells
      }
    expect(sum.refused, name).toBe(0)
    shares[name] = sum.inside / sum.cells
    all.inside += sum.inside
    all.cells += sum.cells
  }
  expect(Object.entries(shares).filter(([, share]) => !(share >= 0.87 && share <= 0.93))).toEqual([])
  expect(Math.abs(all.inside / all.cells - 0.9)).toBeLessThan(0.015)
})

it('intervals of 90% contain 87 to 93% of the values one to seven days ahead, with and without lags, and are narrower with them', async () => {
  const width: number[] = []
  for (const lags of [undefined, { '3': [1, 7] }]) {
    const sum = { inside: 0, cells: 0, width: 0 }
    for (const seed of [1, 2, 3, 4, 5, 6, 7]) {
      const { train, hidden } = hideRows(days(50)(seed), 2, (day) => day >= 43)
      const { model } = (await completeByFolds(
        train,
        { ...settings, rank: 6, seed, lags },
        { choose: false },
      ))!
      const { inside, refused, cells } = countInside(model, hidden)
      expect(refused).toBe(0)
      sum.inside += inside
      sum.cells += cells
      const { low, high } = model.intervalMany(hidden.indices)
      low.forEach((x, e) => {
        sum.width += high[e] - x
      })
    }
    expect(Math.abs(sum.inside / sum.cells - 0.9)).toBeLessThan(0.03)
    width.push(sum.width / sum.cells)
  }
  expect(width[1]).toBeLessThan(width[0])
})

it('intervals hold with merged modes, links, attributes and gaps between days, too', async () => {
  const make = days(45)
  const values = Float32Array.from({ length: 90 }, (_, at) =>
    Math.sin((2 * Math.PI * (at >> 1)) / 7 + (at % 2)),
  )
  const variants: RunOptions[] = [
    { mergeModes: [[1, 2]] },
    { mergeModes: [[1, 2]], lags: { '3+2': [1, 4] } },
    { link: 'sqrt' },
    { features: { '3': { columns: 2, values } } },
    { lags: { '3': [1] } },
  ]
  for (const variant of variants) {
    const sum = { inside: 0, cells: 0 }
    for (const seed of [1, 2, 3, 4]) {
      const { train, hidden } = hideRows(make(seed), 2, (day) => (day + seed) % 6 === 0)
      const { model } = (await completeByFolds(
        train,
        { ...settings, rank: 6, ...variant, seed },
        { choose: false },
      ))!
      const { inside, refused, cells } = countInside(model, hidden)
      expect(refused).toBe(0)
      sum.inside += inside
      sum.cells += cells
    }
    expect(Math.abs(sum.inside / sum.cells - 0.9), JSON.stringify(variant).slice(0, 60)).toBeLessThan(0.04)
  }
})

it('a mode of few rows has no intervals for rows without entries, and says so; other cells have theirs', async () => {
  const { train } = hideRows(lowRank([30, 25, 6], 2, (y, _, z) => y + 0.1 * z)(1), 2, (row) => row === 5)
  const { model } = (await completeByFolds(train, settings))!
  const { low } = model.intervalMany([0, 1, 5].map((row) => Uint32Array.of(row, row)))
  expect([...low]).toEqual([NaN, NaN])
  expect(() => model.interval([0, 1, 5])).toThrow(
    'There is no interval for mode_3 6, of which there are no entries, or fewer than in training: too few other rows can be left out to tell how far predictions are off there.',
  )
  expect(model.interval([0, 1, 4]).high).toBeGreaterThan(0)
})

it('intervals in rows without entries survive a file; one without them refuses, and others are as before', async () => {
  const { train } = hideRows(lowRank([30, 25, 20], 2, (y, _, z) => y + 0.1 * z)(1), 0, (row) => row >= 27)
  const { model } = (await completeByFolds(train, settings))!
  const read = decodeAnyModel(encodeEnsemble(model), 'a.npz') as CpEnsemble
  expect(read.interval([28, 3, 4])).toEqual(model.interval([28, 3, 4]))
  const { emptyRows, ...intervals } = model.intervals!
  expect(emptyRows!.length).toBeGreaterThan(0)
  const { dims, members, observed, neighbours } = model
  const Kind = Object.getPrototypeOf(model).constructor as new (fields: object) => CpEnsemble
  const old = new Kind({ dims, members, observed, neighbours, intervals })
  const older = decodeAnyModel(encodeEnsemble(old), 'b.npz') as CpEnsemble
  expect(() => older.interval([28, 3, 4])).toThrow(
    'was learned without what they are made of, by an older version',
  )
  expect(older.interval([8, 3, 4])).toEqual(model.interval([8, 3, 4]))
})

it('intervals in rows without entries have the same bits on any number of threads and for any order of entries', async () => {
  const { train } = hideRows(lowRank([30, 25, 20], 2, (y, _, z) => y + 0.1 * z)(3), 1, (row) => row >= 21)
  const turned = pickEntries(train, Uint32Array.from(train.values.keys()).reverse())
  const [one, two] = [
    await completeByFolds(train, { ...settings, threads: 1 }),
    await completeByFolds(turned, { ...settings, threads: 2 }),
  ]
  expect(two!.model.intervals!.emptyRows).toEqual(one!.model.intervals!.emptyRows)
})
