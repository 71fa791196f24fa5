import { describe, expect, it } from 'vitest'
import { CpModel, type Ranked, topForAll } from '#lacuna/model/index.js'
import { predictByDefinition, randomModel, tensorOf } from './answers.ts'

const model = randomModel([9, 40], 3)
const wide = randomModel([6, 30, 4], 3)

/** By looking at every row. */
function best(model: CpModel, user: number, allowed: (film: number) => boolean, n: number): number[] {
  return Array.from({ length: model.dims[1] }, (_, film) => film)
    .filter(allowed)
    .sort((a, b) => predictByDefinition(model, [user, b]) - predictByDefinition(model, [user, a]) || a - b)
    .slice(0, n)
}
const rows = (ranked: readonly Ranked[]): number[] => ranked.map(({ row }) => row)
const counts = model.observed!.counts[1]

describe('the top rows of a mode', () => {
  it('are those with the largest predictions, clipped to the range of the training values', () => {
    const top = model.top({ for: { user: 'u2' }, of: 'film', n: 5 })
    expect(rows(top)).toEqual(best(model, 2, (film) => counts[film] >= 1, 5))
    for (const { row, label, predicted, entries, mean } of top) {
      expect(label).toBe(`f${row}`)
      expect(predicted).toBeCloseTo(Math.min(1.5, Math.max(0.1, predictByDefinition(model, [2, row]))), 12)
      expect(entries).toBe(counts[row])
      expect(mean).toBeCloseTo(0.7)
    }
    const free = model.top({ for: { user: 'u2' }, of: 'film', n: 5, clip: false })
    free.forEach(
      ({ row, predicted }) => void expect(predicted).toBeCloseTo(predictByDefinition(model, [2, row]), 12),
    )
  })

  it('leave out rows with few entries, excluded labels, and rows of excluded entries', () => {
    const allowed = model.top({ for: { user: 'u2' }, of: 'film', minEntries: 6 })
    expect(rows(allowed)).toEqual(best(model, 2, (film) => counts[film] >= 6, 10))
    const seen = best(model, 2, (film) => counts[film] >= 1, 3)
    const expected = best(model, 2, (film) => counts[film] >= 1 && !seen.includes(film), 10)
    expect(
      rows(model.top({ for: { user: 'u2' }, of: 'film', exclude: seen.map((film) => `f${film}`) })),
    ).toEqual(expected)
    const entries = tensorOf(model.dims, [...seen.map((film) => [2, film]), [3, expected[0]]], [1, 1, 1, 1])
    expect(rows(model.top({ for: { user: 'u2' }, of: 'film', exclude: entries }))).toEqual(expected)
  })

  it('average the modes that are not fixed, weighted by entries', () => {
    const [{ row, predicted }] = wide.top({ for: { user: 'u1' }, of: 'film', n: 1, clip: false })
    const weeks = wide.observed!.counts[2]
    const total = weeks.reduce((sum, count) => sum + count, 0)
    const mean = weeks.reduce(
      (sum, count, week) => sum + (count / total) * predictByDefinition(wide, [1, row, week]),
      0,
    )
    expect(predicted).toBeCloseTo(mean, 10)
  })

  it('list the components that explain a prediction', () => {
    const parts = new CpModel({
      dims: [2, 3],
      rank: 2,
      factors: [Float32Array.of(1, 0.1, 1, 1), Float32Array.of(1, 0, 0, 4, 0.5, 0.5)],
    })
    // Over all cells the second component has more: it is number 1.
    const [first] = parts.top({ for: { mode_1: 1 }, of: 'mode_2', n: 1 })
    expect(first.label).toBe('1')
    expect(first.why).toEqual([{ component: expect.any(Number), share: 1, lift: expect.any(Number) }])
    const { number } = parts.components().find(({ column }) => column === 0)!
    expect(first.why[0].component).toBe(number)
    expect(first.why[0].lift).toBeCloseTo(1 / parts.components()[number - 1].share, 10)
  })

  it('list a component as a reason only if its share is at least 5%', () => {
    // Of the first two rows the second component has 6% and 4%; of all rows together it has less.
    const rows = Float32Array.of(0.94, 0.06, 0.96, 0.04, 100, 0)
    const parts = new CpModel({ dims: [1, 3], rank: 2, factors: [Float32Array.of(1, 1), rows] })
    const ranked = parts.top({ for: { mode_1: 1 }, of: 'mode_2' })
    const reasons = ranked.map(({ row, why }) => [row, why.map(({ component }) => component)])
    expect(Object.fromEntries(reasons)).toEqual({ 0: [2], 1: [], 2: [1] })
  })

  it.each([
    [{ of: 'film', for: { film: 'f1' } }, 'cannot be both'],
    [{ of: 'genre' }, 'There is no mode "genre"; the modes are user, film.'],
    [{ of: 'film', for: { user: 'nobody' } }, 'The model knows no user "nobody"'],
    [{ of: 'film', n: 0 }, 'n is 0'],
  ])('refuse in a sentence: %j', (options, message) => {
    expect(() => model.top(options)).toThrow(message)
  })
})

describe('top rows for all rows at once', () => {
  const exclude = tensorOf(
    model.dims,
    Array.from({ length: 90 }, (_, e) => [e % 9, (7 * e) % 40]),
    new Array(90).fill(1),
  )

  async function all(
    of: Parameters<typeof topForAll>[0],
    options: Omit<Parameters<typeof topForAll>[1], 'for' | 'of'>,
  ) {
    const found: { row: number; predicted: number }[][] = []
    for await (const { count, n, rows, predicted, found: some } of topForAll(of, {
      for: 'user',
      of: 'film',
      ...options,
    }))
      for (let q = 0; q < count; q++)
        found.push(
          Array.from({ length: some[q] }, (_, i) => ({
            row: rows[q * n + i],
            predicted: predicted[q * n + i],
          })),
        )
    return found
  }

  it.each([{ n: 4 }, { n: 4, exclude, minEntries: 3 }, { n: 60, exclude }, { n: 3, clip: false }])(
    'every row has the answer that it has alone, on any number of threads: %o',
    async (options) => {
      const alone = model.labels![0]!.map((user) =>
        model
          .top({ for: { user }, of: 'film', ...options })
          .map(({ row, predicted }) => ({ row, predicted: expect.closeTo(predicted, 12) })),
      )
      expect(await all(model, { ...options, threads: 1 })).toEqual(alone)
      expect(await all(model, { ...options, threads: 3 })).toEqual(
        await all(model, { ...options, threads: 1 }),
      )
    },
  )

  it('with a further mode fixed, entries leave rows out only where they lie in that row, for all rows as for each', async () => {
    // Every user has an entry of each film in one of the four weeks.
    const cells = Array.from({ length: 180 }, (_, e) => [
      e % 6,
      Math.floor(e / 6),
      (e + Math.floor(e / 6)) % 4,
    ])
    const exclude = tensorOf(wide.dims, cells, new Array(cells.length).fill(1))
    const films = wide.observed!.counts[1]
    for (const week of [0, 2]) {
      const fixed = { week: `w${week}` }
      const expected = Array.from({ length: 6 }, (_, user) => {
        const seen = cells.filter(([u, , w]) => u === user && w === week).map(([, film]) => film)
        expect(seen.length).toBeGreaterThan(0)
        return Array.from({ length: 30 }, (_, film) => film)
          .filter((film) => films[film] >= 1 && !seen.includes(film))
          .sort(
            (a, b) =>
              predictByDefinition(wide, [user, b, week]) - predictByDefinition(wide, [user, a, week]) ||
              a - b,
          )
      })
      const found = await all(wide, { n: 30, fixed, exclude })
      expect(found.map((list) => list.map(({ row }) => row))).toEqual(expected)
      expected.forEach((list, user) => {
        const alone = wide.top({ for: { user: `u${user}`, ...fixed }, of: 'film', n: 30, exclude })
        expect(rows(alone)).toEqual(list)
      })
    }
  })

  it('equal rows are in the order of their indices, also if predictions are beyond float32', async () => {
    const equal = new CpModel({
      dims: [3, 50],
      rank: 1,
      factors: [Float32Array.of(3e38, 1e-38, 0), new Float32Array(50).fill(2e38)],
      modes: model.modes!,
    })
    const found = await all(equal, { n: 5, threads: 2 })
    expect(found.map((list) => list.map(({ row }) => row))).toEqual(new Array(3).fill([0, 1, 2, 3, 4]))
  })

  it('rows that float32 cannot distinguish are ordered by float64', async () => {
    // Sums of 1 and so many 2⁻²⁴: float32 rounds the last to that of the row before.
    const rows = Array.from({ length: 10 }, (_, k) => [1, k * 2 ** -24]).flat()
    const near = new CpModel({
      ...{ dims: [1, 10], rank: 2, modes: model.modes! },
      factors: [Float32Array.of(1, 1), Float32Array.from(rows)],
    })
    expect((await all(near, { n: 2 }))[0].map(({ row }) => row)).toEqual([9, 8])
    expect((await all(near, { n: 1 }))[0].map(({ row }) => row)).toEqual([9])
  })

  it('rankings of an ensemble are by the mean of its models', async () => {
    const other = randomModel([9, 40], 5, {
      factors: randomModel([9, 40], 5).factors.map((factor) => factor.map((x) => 2 * x)),
    })
    const { dims, labels, modes, observed, unobserved } = model
    const both = { dims, labels, modes, observed, unobserved, members: [model, other] }
    const found = await all(both, { n: 3, clip: false })
    found.forEach((list, user) => {
      const y = (film: number): number =>
        (predictByDefinition(model, [user, film]) + predictByDefinition(other, [user, film])) / 2
      const films = Array.from({ length: 40 }, (_, film) => film).filter((film) => counts[film] >= 1)
      const expected = films.sort((a, b) => y(b) - y(a)).slice(0, 3)
      expect(list).toEqual(expected.map((row) => ({ row, predicted: expect.closeTo(y(row), 10) })))
    })
  })
})

describe('similar rows', () => {
  it('are those whose predictions consist of the same components', () => {
    const parts = new CpModel({
      dims: [4, 2],
      rank: 2,
      factors: [Float32Array.of(1, 0, 5, 0.1, 0, 2, 1, 1), Float32Array.of(1, 2, 1, 2)],
      modes: [{ name: 'user' }, { name: 'film' }],
      labels: [['a', 'b', 'c', 'd'], undefined],
    })
    const found = parts.similar('user', 'a')
    expect(found.map(({ label }) => label)).toEqual(['b', 'd', 'c'])
    expect(found[0].similarity).toBeGreaterThan(0.99)
    expect(found[2].similarity).toBe(0)
  })
})
