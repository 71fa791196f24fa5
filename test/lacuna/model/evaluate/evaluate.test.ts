import { describe, expect, it } from 'vitest'
import { compareWithBaselines } from '#lacuna/model/evaluate/verdict.js'
import { CpModel, evaluate, evaluateRanking } from '#lacuna/model/index.js'
import { observe } from '#lacuna/tensor/index.js'
import { shuffleEntries } from '../../engine/entrySets.ts'
import { cellsOf, randomModel, tensorOf } from '../answers.ts'

const dims = [4, 5]
const cells = cellsOf(dims)
const train = tensorOf(
  dims,
  cells.filter((_, e) => e % 3 !== 0),
  cells.filter((_, e) => e % 3 !== 0).map(([i, j]) => 1 + i + 2 * j),
)
const test = tensorOf(
  dims,
  cells.filter((_, e) => e % 3 === 0),
  cells.filter((_, e) => e % 3 === 0).map(([i, j]) => 1 + i + 2 * j),
)
const rank2 = {
  factors: [
    Float32Array.from([0, 1, 2, 3].flatMap((i) => [1 + i, 1])),
    Float32Array.from([0, 1, 2, 3, 4].flatMap((j) => [1, 2 * j])),
  ],
}

describe('an evaluation', () => {
  it('is the same for entries in any order', () => {
    const model = randomModel(dims, 3, { observed: observe(train) })
    const uneven = { ...test, values: test.values.map((x) => x ** 3 / 7) }
    expect(evaluate(model, shuffleEntries(uneven, 1))).toEqual(evaluate(model, uneven))
  })

  it('of a perfect model has no error, beside baselines that have one', () => {
    const model = new CpModel({ dims, rank: 2, ...rank2, observed: observe(train) })
    const { rmse, r2, entries, baselines, calibration } = evaluate(model, test, { clip: false })
    expect(rmse).toBeCloseTo(0, 6)
    expect(r2).toBeCloseTo(1, 6)
    expect(entries).toBe(test.values.length)
    expect(baselines.map(({ name }) => name)).toEqual([
      'the mean',
      'the mean of each mode_1',
      'the mean of each mode_2',
      'biases of all modes, by the means of rows',
    ])
    const mean = [...train.values].reduce((sum, x) => sum + x, 0) / train.values.length
    const squares = [...test.values].reduce((sum, x) => sum + (x - mean) ** 2, 0)
    expect(baselines[0].rmse).toBeCloseTo(Math.sqrt(squares / test.values.length), 6)
    const rowMeans = observe(train).means[0]
    const byRow = [...test.values].reduce((sum, x, e) => sum + (x - rowMeans[test.indices[0][e]]) ** 2, 0)
    expect(baselines[1].rmse).toBeCloseTo(Math.sqrt(byRow / test.values.length), 6)
    for (const baseline of baselines) expect(baseline.rmse).toBeGreaterThan(0.3)
    expect(calibration.reduce((sum, part) => sum + part.entries, 0)).toBe(entries)
    for (const { predicted, observed } of calibration) expect(predicted).toBeCloseTo(observed, 5)
  })

  it('measures calibration in ten groups of equally many entries, the smallest predictions first', () => {
    const grid = cellsOf([4, 10])
    const factors = [new Float32Array(4).fill(1), Float32Array.from({ length: 10 }, (_, j) => 1 + j)]
    const all = tensorOf(
      [4, 10],
      grid,
      grid.map(([i, j]) => 1 + j + (i % 2)),
    )
    const { calibration } = evaluate(new CpModel({ dims: [4, 10], rank: 1, factors }), all, { clip: false })
    expect(calibration).toEqual(
      Array.from({ length: 10 }, (_, j) => ({
        entries: 4,
        predicted: expect.closeTo(1 + j, 5),
        observed: expect.closeTo(1.5 + j, 5),
      })),
    )
  })

  it('uses the mean of all values as the baseline of a row without training entries', () => {
    const seen = tensorOf(
      [2, 2],
      [
        [0, 0],
        [0, 1],
      ],
      [2, 4],
    )
    const model = new CpModel({
      ...{ dims: [2, 2], rank: 1, factors: [Float32Array.of(1, 1), Float32Array.of(1, 1)] },
      observed: observe(seen),
    })
    const { baselines } = evaluate(model, tensorOf([2, 2], [[1, 0]], [4]), { clip: false })
    // The mean is 3; that of the column is 2.
    expect(baselines.map(({ rmse }) => rmse)).toEqual([1, 1, 2, 2].map((x) => expect.closeTo(x, 6)))
  })

  it('lists the rows that contribute most to the error, and errors by support', () => {
    const factors = rank2.factors.map((factor) => factor.slice())
    factors[0][2 * 2] += 3 // of row 3, all predictions are 3 too large
    const model = new CpModel({ dims, rank: 2, factors, observed: observe(train) })
    const { modes, rmse, entries } = evaluate(model, test, { clip: false })
    const own = [...test.indices[0]].filter((row) => row === 2).length
    expect(modes[0].worst).toEqual([
      { row: 2, label: '3', entries: own, rmse: expect.closeTo(3, 5), share: expect.closeTo(1, 6) },
    ])
    expect(rmse ** 2 * entries).toBeCloseTo(9 * own, 4)
    const { counts } = observe(train)
    for (const { from, to, entries } of modes[1].bySupport)
      expect(entries).toBe(
        [...test.indices[1]].filter((row) => counts[1][row] >= from && counts[1][row] <= to).length,
      )
  })

  it('of predictions clipped to the range of the training values has a smaller error', () => {
    const model = randomModel(dims, 2, { observed: observe(train) })
    expect(evaluate(model, test).rmse).toBeLessThan(evaluate(model, test, { clip: false }).rmse)
    expect(evaluate(model, test).rmse).toBeCloseTo(model.error(test).rmse, 10)
  })
})

describe('ranking quality', () => {
  it('is the recall and nDCG of held-out entries among the first n, beside those of popularity', async () => {
    // User 0 likes films in their order, user 1 in reverse; each has two held-out films.
    const model = new CpModel({
      dims: [2, 6],
      rank: 2,
      factors: [
        Float32Array.of(1, 0, 0, 1),
        Float32Array.from([0, 1, 2, 3, 4, 5].flatMap((j) => [6 - j, 1 + j])),
      ],
      observed: {
        ...{ entries: 20, min: 0, max: 9, mean: 3 },
        counts: [Uint32Array.of(5, 5), Uint32Array.of(9, 8, 3, 3, 2, 1)],
        means: [new Float32Array(2), new Float32Array(6)],
      },
    })
    const held = tensorOf(
      [2, 6],
      [
        [0, 1],
        [0, 5],
        [1, 4],
        [1, 3],
      ],
      [5, 5, 5, 1],
    )
    const exclude = tensorOf(
      [2, 6],
      [
        [0, 0],
        [1, 5],
      ],
      [1, 1],
    )
    const options = { for: 'mode_1', of: 'mode_2', n: 2, exclude }
    const { model: own, popularity, rows } = await evaluateRanking(model, held, options)
    expect(rows).toBe(2)
    // User 0: 1, 2 of which 1 is sought; user 1: 4, 3, both sought.
    const half = 1 / (1 + 1 / Math.log2(3))
    expect(own.recall).toBeCloseTo((0.5 + 1) / 2, 10)
    expect(own.ndcg).toBeCloseTo((half + 1) / 2, 10)
    // By entries: 1, 2 for user 0, 0, 1 for user 1.
    expect(popularity!.recall).toBeCloseTo(0.25, 10)
    // Without what was liked less, user 1 has one film to be found, and it is the first.
    const strict = await evaluateRanking(model, held, { ...options, relevant: 2 })
    expect(strict.model.ndcg).toBeCloseTo((half + 1) / 2, 10)
    expect(strict.model.recall).toBeCloseTo((0.5 + 1) / 2, 10)
  })
})

it('a gain that rounds to 100% is called more than 99%, since some error is left', () => {
  const baselines = [{ name: 'the mean', error: { relative: 1, rmse: 1.913, mae: 1, entries: 9 } }]
  expect(compareWithBaselines(0.00342, baselines)).toBe('more than 99% below the best baseline, the mean')
  expect(compareWithBaselines(0.5 * 1.913, baselines)).toBe('50% below the best baseline, the mean')
})
