import { beforeAll, expect, it } from 'vitest'
import { draw, stream } from '#lacuna/base/random.js'
import { type CpEnsemble, completeByFolds } from '#lacuna/folds.js'
import { synthetic } from '#lacuna/index.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'

/** A matrix of 100 rows, of which the model knows the first 80, and all entries of the others. */
function problem(seed: number): { known: SparseTensor; others: SparseTensor } {
  const { tensor } = synthetic({ dims: [100, 60], entries: 3600, rank: 2, snrDb: 12, seed })
  const values = tensor.values.map((x) => Math.max(0, x))
  const labels = tensor.dims.map((dim, mode) =>
    Array.from({ length: dim }, (_, row) => `${'ab'[mode]}${row}`),
  )
  const all = { ...tensor, values, modes: [{ name: 'a' }, { name: 'b' }] }
  const numbers = Uint32Array.from(values.keys())
  const of = (isOther: boolean): SparseTensor =>
    pickEntries(
      all,
      numbers.filter((e) => tensor.indices[0][e] >= 80 === isOther),
    )
  return {
    known: { ...of(false), dims: [80, 60], labels: [labels[0].slice(0, 80), labels[1]] },
    others: { ...of(true), labels },
  }
}

/** Divides entries: `count` of each row by chance, and the others. */
function divide(entries: SparseTensor, count: number, seed: number): [SparseTensor, SparseTensor] {
  const order = Array.from(entries.values.keys()).sort(
    (a, b) => draw(stream(seed, 7), a) - draw(stream(seed, 7), b),
  )
  const taken = new Map<number, number>()
  const given = new Set<number>()
  for (const e of order) {
    const row = entries.indices[0][e]
    if ((taken.get(row) ?? 0) >= count) continue
    taken.set(row, (taken.get(row) ?? 0) + 1)
    given.add(e)
  }
  const numbers = Uint32Array.from(entries.values.keys())
  return [true, false].map((is) =>
    pickEntries(
      entries,
      numbers.filter((e) => given.has(e) === is),
    ),
  ) as [SparseTensor, SparseTensor]
}

const settings = { rank: 3, epochs: 40, threads: 2 }
const { known, others } = problem(1)
let model: CpEnsemble
beforeAll(async () => {
  model = (await completeByFolds(known, settings))!.model
})

it('an ensemble predicts folded-in rows as the mean of its members with these rows folded in', () => {
  const [given, asked] = divide(others, 10, 1)
  const larger = model.foldIn(given)
  expect(larger.dims).toEqual([100, 60])
  expect(larger.label(0, 99)).toBe('a99')
  expect(larger.observed!.counts[0].subarray(80)).toEqual(new Uint32Array(20).fill(10))
  const cell = [asked.indices[0][0], asked.indices[1][0]]
  const single = model.members.map((member) => member.foldIn(given).predict(cell, { clip: false }))
  const mean = single.reduce((sum, y) => sum + y, 0) / single.length
  const y = larger.predict(cell, { clip: false })
  expect(larger.refine ? larger.refine(cell, mean) : mean).toBeCloseTo(y, 5)
  // Rows that were known keep their bits, and so do their intervals.
  expect(larger.interval([3, 4])).toEqual(model.interval([3, 4]))
})

it('new entries by label are folded in, and an update moves known rows, too', () => {
  const eve = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6'].map((b) => ({ a: 'eve', b, value: 1 }))
  const larger = model.foldIn(eve)
  expect(larger.interval({ a: 'eve', b: 'b7' }).high).toBeGreaterThan(0)
  expect(larger.predict([3, 4])).toBe(model.predict([3, 4]))
  const many = ['b1', 'b2', 'b3', 'b4'].map((b) => ({ a: 'a3', b, value: 9 }))
  const updated = model.foldIn(many, { update: true })
  expect(updated.predict([3, 1])).toBeGreaterThan(model.predict([3, 1]))
  expect(updated.observed!.counts[0][3]).toBe(model.observed!.counts[0][3] + 4)
  expect(updated.interval([3, 1]).low).toBeLessThan(updated.interval([3, 1]).high)
})

it('intervals of 90% contain 86 to 94% of the values in rows that were folded in from 1, 3, 10 and 25 entries', async () => {
  const sums = new Map<number, { inside: number; cells: number; width: number }>()
  for (const seed of [1, 2, 3, 4]) {
    const { known, others } = problem(seed)
    const { model } = (await completeByFolds(known, { ...settings, seed }))!
    for (const count of [1, 3, 10, 25]) {
      const [given, asked] = divide(others, count, seed)
      const { low, high } = model.foldIn(given).intervalMany(asked.indices)
      const sum = sums.get(count) ?? { inside: 0, cells: 0, width: 0 }
      sums.set(count, sum)
      asked.values.forEach((x, e) => {
        sum.cells++
        sum.width += high[e] - low[e]
        if (x >= low[e] && x <= high[e]) sum.inside++
      })
    }
  }
  for (const [count, { inside, cells }] of sums)
    expect(Math.abs(inside / cells - 0.9), `${count} entries`).toBeLessThan(0.04)
  const width = (count: number): number => sums.get(count)!.width / sums.get(count)!.cells
  expect(width(1)).toBeGreaterThan(1.1 * width(25))
})

it('an ensemble of merged modes takes in a new row and leaves all other predictions as they are', async () => {
  const { tensor } = synthetic({ dims: [21, 12, 8], entries: 1200, rank: 2, snrDb: 20, seed: 1 })
  const values = tensor.values.map((x) => Math.max(0, x))
  const [row] = tensor.indices
  const pick = (isPicked: (e: number) => boolean) =>
    pickEntries({ ...tensor, values }, Uint32Array.from(row.keys()).filter(isPicked))
  const known = { ...pick((e) => row[e] < 20), dims: [20, 12, 8] }
  const { model } = (await completeByFolds(known, { rank: 2, mergeModes: [[1, 2]] }))!
  const added = pick((e) => row[e] === 20)
  const folded = model.foldIn(added)
  expect(folded.dims).toEqual([21, 12, 8])
  expect(folded.predictMany(known.indices)).toEqual(model.predictMany(known.indices))
  const spread = Math.sqrt(added.values.reduce((sum, x) => sum + x * x, 0) / added.values.length)
  expect(folded.error(added).rmse).toBeLessThan(0.3 * spread)
  expect(() => model.foldIn(added, { update: true })).toThrow('cannot be updated; learn it anew')
  const few = model.foldIn(pickEntries(added, Uint32Array.of(0, 1, 2)))
  expect(() => few.interval([20, 1, 1])).toThrow(
    'how far off such a prediction may be, or they have few entries, which is not tried out where modes are merged or split.',
  )
})
