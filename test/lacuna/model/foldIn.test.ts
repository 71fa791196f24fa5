import { describe, expect, it } from 'vitest'
import { complete } from '#lacuna/index.js'
import { CpModel } from '#lacuna/model/index.js'
import { observe, pickEntries, type SparseTensor, split, syntheticRatings } from '#lacuna/tensor/index.js'
import { cellsOf, predictByDefinition, randomModel, tensorOf } from './answers.ts'

const pick = (tensor: SparseTensor, isMeant: (entry: number) => boolean): SparseTensor =>
  pickEntries(tensor, Uint32Array.from(tensor.values.keys()).filter(isMeant))

/** Ratings of which a tenth of the users comes later. */
const all = syntheticRatings({ users: 150, items: 120, weeks: 3, entries: 5000, seed: 2 })
const two = { ...all, dims: all.dims.slice(0, 2), indices: all.indices.slice(0, 2) }
const { train, test } = split(two, { test: 0.1 }, 1)
const isNew =
  (tensor: SparseTensor) =>
  (e: number): boolean =>
    tensor.indices[0][e] % 10 === 3
const old = pick(train, (e) => !isNew(train)(e))
const later = pick(train, isNew(train))
const laterTest = pick(test, isNew(test))
const options = { rank: 6, prior: 'learned' } as const

describe('a row solved by fold-in', () => {
  it('is predicted as well as by a model of all entries, and all other rows stay unchanged', async () => {
    const { model } = await complete(old, options)
    const { model: together } = await complete(train, options)
    const folded = model.foldIn(later)
    expect(folded.error(laterTest).rmse).toBeLessThan(1.05 * together.error(laterTest).rmse)
    expect(folded.error(laterTest).rmse).toBeLessThan(0.9 * model.error(laterTest).rmse)
    expect(folded.factors[1]).toEqual(model.factors[1])
    for (let user = 0; user < 150; user++)
      if (user % 10 !== 3)
        expect(folded.factors[0].subarray(6 * user, 6 * user + 6)).toEqual(
          model.factors[0].subarray(6 * user, 6 * user + 6),
        )
    expect(folded.observed!.counts[0][13]).toBe(observe(train).counts[0][13])
  })

  it('is the same from the entries in any order, and so is an updated one', () => {
    const model = new CpModel({
      ...{ dims: [2, 4], rank: 1, training: { finalLambda: 1e-6 } },
      factors: [Float32Array.of(1, 1), Float32Array.of(1, 1, 1, 1)],
      observed: observe(tensorOf([2, 4], cellsOf([2, 4]), [1, 1, 1, 1, 1, 1, 1, 1])),
    })
    // In float64 their sum depends on the order: 1 is lost beside 3e16.
    const cells = [0, 1, 2, 3].map((item) => [2, item])
    const entries = tensorOf([3, 4], cells, [3e16, 1, -3e16, 7])
    const backwards = pickEntries(entries, Uint32Array.of(2, 0, 3, 1))
    for (const update of [false, true]) {
      const [one, other] = [entries, backwards].map((given) => model.foldIn(given, { update }))
      expect(other.factors).toEqual(one.factors)
    }
  })

  it('is the same if values are in other units', async () => {
    const times = (tensor: SparseTensor): SparseTensor => ({
      ...tensor,
      values: tensor.values.map((x) => 1024 * x),
    })
    const { model } = await complete(old, options)
    const { model: large } = await complete(times(old), options)
    expect(large.range).toEqual(model.range!.map((x) => 1024 * x))
    const errors = [model.foldIn(later).error(laterTest), large.foldIn(times(later)).error(times(laterTest))]
    expect(errors[1].rmse / errors[0].rmse).toBeCloseTo(1024, 1)
    expect(large.prior!.sigma2 / model.prior!.sigma2).toBeCloseTo(1024 ** 2, -2)
  })

  it('with few entries is predicted better under a learned prior than under λ alone', async () => {
    const { model } = await complete(old, options)
    const seen = new Map<number, number>()
    const few = pick(later, (e) => {
      const user = later.indices[0][e]
      seen.set(user, (seen.get(user) ?? 0) + 1)
      return seen.get(user)! <= 3
    })
    const loose = new CpModel({ ...model.fields, prior: undefined, training: { finalLambda: 1e-6 } })
    const held = model.foldIn(few).error(laterTest).rmse
    expect(held).toBeLessThan(1.02 * model.error(laterTest).rmse) // which has the mean of all users
    expect(held).toBeLessThan(0.8 * loose.foldIn(few).error(laterTest).rmse)
  })

  it('has the factors that explain its entries, by label, in any mode', () => {
    const model = randomModel([8, 30, 4], 3, { training: { value: 'stars', finalLambda: 0 } })
    const truth = [0.7, 0, 0.4]
    const entries = Array.from({ length: 40 }, (_, e) => {
      const [film, week] = [e % 30, e % 4]
      const k = [0, 1, 2].map((r) => model.factors[1][3 * film + r] * model.factors[2][3 * week + r])
      return {
        user: 'eve',
        film: `f${film}`,
        week: `w${week}`,
        stars: truth.reduce((sum, a, r) => sum + a * k[r], 0),
      }
    })
    const folded = model.foldIn(entries)
    expect(folded.dims).toEqual([9, 30, 4])
    expect(folded.label(0, 8)).toBe('eve')
    truth.forEach((a, r) => void expect(folded.factors[0][24 + r]).toBeCloseTo(a, 3))
    expect(folded.predict({ user: 'eve', film: 'f3', week: 'w1' }, { clip: false })).toBeCloseTo(
      predictByDefinition(folded, [8, 3, 1]),
      10,
    )
    expect(folded.observed!.counts[0][8]).toBe(40)
    // Films that were known have not learned from it.
    model.observed!.counts[1].forEach((count, film) => {
      if (count > 0) expect(folded.observed!.counts[1][film]).toBe(count)
    })
  })

  it('takes the uncertainty of the other rows into account, by the formula for rank 1', () => {
    // All rows of a mode are equal and have as many entries, so that V is one number per mode: V = σ² / (n H + P), where
    // H is the product of a² + V over the other modes and P = σ²Σ⁻¹. A few rounds bring V to where it stays.
    const rows = [6, 7, 8]
    const [values, counts, precisions] = [
      [0.9, 0.6, 1.1],
      [4, 9, 3],
      [2, 5, 3],
    ]
    const sigma2 = 0.5
    const moment = (V: readonly number[], j: number): number => values[j] ** 2 + V[j]
    const uncertain = (V: readonly number[], mode: number, n: number): number =>
      sigma2 / (n * V.reduce((H, _, j) => (j === mode ? H : H * moment(V, j)), 1) + sigma2 * precisions[mode])
    let V = [0, 0, 0]
    for (let round = 0; round < 100; round++) V = V.map((_, mode) => uncertain(V, mode, counts[mode]))
    const mean = 0.8
    const model = new CpModel({
      dims: rows,
      rank: 1,
      factors: rows.map((dim, mode) => new Float32Array(dim).fill(values[mode])),
      observed: {
        ...{ entries: 24, min: 0, max: 9, mean: 1 },
        counts: rows.map((dim, mode) => new Uint32Array(dim).fill(counts[mode])),
        means: rows.map((dim) => new Float32Array(dim).fill(1)),
      },
      prior: {
        ...{ kind: 'learned', sigma2, noise: [1, 0, 0], least: 0 },
        means: rows.map(() => Float32Array.of(mean)),
        precisions: precisions.map((precision) => Float32Array.of(precision)),
      },
    })
    const given = [1, 0.2, 1.5]
    const folded = model.foldIn(
      tensorOf(
        [7, 7, 8],
        given.map((_, e) => [6, e, e]),
        given,
      ),
    )
    // The rows that the new entries meet have one entry more.
    const others = [1, 2].map((j) => values[j] ** 2 + uncertain(V, j, counts[j] + 1))
    const k = values[1] * values[2]
    const P = sigma2 * precisions[0]
    const row =
      (given.reduce((sum, x) => sum + x * k, 0) + P * mean) / (given.length * others[0] * others[1] + P)
    expect(folded.factors[0][6] / row).toBeCloseTo(1, 2)
    // As if the other rows were certain it would be another number by far.
    const certain = (given.reduce((sum, x) => sum + x * k, 0) + P * mean) / (given.length * k ** 2 + P)
    expect(certain / row).toBeGreaterThan(1.1)
  })

  it('adds its entries to the statistics; entries of existing rows alone change nothing', () => {
    const model = randomModel([8, 9], 2, { training: { finalLambda: 0.1 } })
    const counts = model.observed!.counts[0]
    const user = counts.findIndex((count) => count > 0)
    const film = model.observed!.counts[1].findIndex((count) => count > 0)
    const known = model.foldIn([{ user: `u${user}`, film: `f${film}`, value: 0 }])
    expect(known.observed).toEqual(model.observed)
    expect(known.factors).toEqual(model.factors)
    const { observed } = model.foldIn([{ user: 'eve', film: `f${film}`, value: 4 }])
    expect(observed).toMatchObject({ entries: 101, min: 0.1, max: 4 })
    expect(observed!.mean).toBeCloseTo((100 * 0.7 + 4) / 101, 6)
    expect([observed!.counts[0][8], observed!.means[0][8]]).toEqual([1, 4])
    const all = new CpModel({ ...model.fields, training: { missing: 'zero' } })
    const more = all.foldIn([{ user: 'eve', film: `f${film}`, value: 4 }]).observed!
    expect(more.mean).toBeCloseTo((72 * 0.7 + 4) / 81, 6)
    expect(more.means[0][8]).toBeCloseTo(4 / 9, 6)
  })

  it('can be solved together with new rows of another mode', () => {
    const model = randomModel([20, 30], 2, { training: { finalLambda: 1e-3 } })
    const entries = Array.from({ length: 30 }, (_, e) => ({
      user: 'eve',
      film: `f${e}`,
      value: 1 + (e % 3),
    })).concat(
      Array.from({ length: 19 }, (_, e) => ({ user: `u${e}`, film: 'new', value: 2 })),
      [{ user: 'eve', film: 'new', value: 2 }],
    )
    const folded = model.foldIn(entries)
    expect(folded.dims).toEqual([21, 31])
    const { values } = folded.slice([null, 30], { clip: false })
    const mean = values.reduce((sum, y) => sum + y, 0) / values.length
    expect(mean).toBeGreaterThan(1)
    expect(mean).toBeLessThan(2.5)
    expect(folded.unobserved.map((rows) => rows.length)).toEqual([0, 0])
  })

  it('is determined by all cells if unlisted cells are zeros', async () => {
    const counts = { ...train, values: train.values.map(() => 1) }
    const zeros = { rank: 3, missing: 'zero' } as const
    const { model: together } = await complete(counts, zeros)
    const isOne = (e: number): boolean => counts.indices[0][e] === 3
    expect(together.range).toEqual([0, 1])
    // All but that user's row is taken from the model of all.
    const without = new CpModel({
      ...together.fields,
      factors: together.factors.map((factor, mode) =>
        mode === 0 ? factor.map((x, at) => (Math.floor(at / 3) === 3 ? 0 : x)) : factor,
      ),
      observed: {
        ...together.observed!,
        counts: together.observed!.counts.map((rows, mode) =>
          mode === 0 ? rows.map((n, row) => (row === 3 ? 0 : n)) : rows,
        ),
      },
    })
    const folded = without.foldIn(pick(counts, isOne))
    for (let r = 0; r < 3; r++) expect(folded.factors[0][9 + r]).toBeCloseTo(together.factors[0][9 + r], 1)
  })

  it.each([
    [[{ user: 'eve', film: 'f1', value: -1 }], 'Row 1: value is -1'],
    [[{ user: 'eve', value: 1 }], 'Row 1: there is no film; give a label for each mode: user, film.'],
    [[], 'There are no entries to fold in.'],
  ])('is refused in a sentence: %j', (entries, message) => {
    expect(() => randomModel([3, 4], 2).foldIn(entries)).toThrow(message)
  })
})

describe('an update by fold-in', () => {
  it('without the old entries comes within 2% of the error of learning from all entries', async () => {
    const { train: before, test: more } = split(train, { test: 0.1 }, 3)
    const { model } = await complete(before, options)
    const { model: together } = await complete(train, options)
    const updated = model.foldIn(more, { update: true })
    expect(updated.error(test).rmse).toBeLessThan(1.02 * together.error(test).rmse)
    expect(updated.error(test).rmse).toBeLessThan(model.error(test).rmse)
    expect(updated.observed!.entries).toBe(train.values.length)
  })

  it('moves a row the less, the more training entries it had', () => {
    const base = randomModel([20, 30], 2)
    const counts = (n: number) => base.dims.map((dim) => new Uint32Array(dim).fill(n))
    const moved = (n: number): number => {
      const model = new CpModel({
        ...base.fields,
        observed: { ...base.observed!, counts: counts(n) },
        training: { finalLambda: 1e-3 },
      })
      const updated = model.foldIn([{ user: 'u1', film: 'f1', value: 9 }], { update: true })
      return Math.abs(updated.predict([1, 1], { clip: false }) - model.predict([1, 1], { clip: false }))
    }
    expect(moved(5)).toBeGreaterThan(3 * moved(100))
  })

  it('is refused if the model does not store the number of entries of its rows', () => {
    const { observed, ...fields } = randomModel([3, 4], 2).fields
    expect(() =>
      new CpModel(fields).foldIn([{ user: 'u1', film: 'f1', value: 1 }], { update: true }),
    ).toThrow('written by an older version')
  })
})

it.each([
  [{ user: 'eve', film: 'f1', stars: 1e300 }, 'Row 1: stars is 1e+300, which is too large for a float32'],
  [{ user: '', film: 'f1', stars: 1 }, 'Row 1: user is an empty text, which is no label'],
  [{ user: 2 ** 60, film: 'f1', stars: 1 }, 'whole numbers above 2^53 are not exact; give it as a text'],
])('new entries whose value or label cannot be held are refused: %j', (entry, message) => {
  const names = { modes: [{ name: 'user' }, { name: 'film' }], valueName: 'stars' }
  const model = new CpModel({
    dims: [2, 2],
    rank: 1,
    factors: [Float32Array.of(1, 2), Float32Array.of(1, 3)],
    labels: [
      ['ann', 'bob'],
      ['f1', 'f2'],
    ],
    ...names,
  })
  expect(() => model.foldIn([entry], { value: 'stars' })).toThrow(
    expect.objectContaining({ name: 'InputError', message: expect.stringContaining(message) }),
  )
})

it('a new row among dates is a date', () => {
  const model = new CpModel({
    dims: [2, 2],
    rank: 1,
    factors: [Float32Array.of(1, 2), Float32Array.of(1, 3)],
    labels: [
      ['2024-02-27', '2024-02-28'],
      ['f1', 'f2'],
    ],
    modes: [{ name: 'date', type: 'DATE' }, { name: 'film' }],
  })
  const fold = (date: string): unknown => model.foldIn([{ date, film: 'f1', value: 3 }]).labels?.[0]
  expect(fold('2024-02-29')).toEqual(['2024-02-27', '2024-02-28', '2024-02-29'])
  for (const date of ['2024-02-30', 'soon'])
    expect(() => fold(date)).toThrow(
      `date is "${date}", which is no date or time, as the rows of the model are (2024-02-28); correct it.`,
    )
})
