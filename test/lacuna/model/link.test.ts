/** Models with a link: every way of predicting gives the mean in data units, by its definition. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import {
  CpEnsemble,
  CpModel,
  coreConsistencyOf,
  evaluate,
  fillSlice,
  partialPredictor,
  topForAll,
} from '#lacuna/model/index.js'
import { type Link, linkTensor, meanInDataUnits } from '#lacuna/model/predict/link.js'
import { reshapedModes, resolveReshaping } from '#lacuna/tensor/index.js'
import { allCoordinates, reshapings } from '../../reshapings.ts'
import { predictByDefinition, randomModel, tensorOf } from './answers.ts'

const sqrt: Link = { name: 'sqrt', variance: [0.3, 0.05, 0.02], least: 0.001, mean: 1 }
const log1p: Link = { ...sqrt, name: 'log1p', variance: [0.2, 0.01, 0] }

/** A random model with a link, and one with the same factors without it. */
function linkedModel(dims: number[], rank: number, link: Link): { linked: CpModel; plain: CpModel } {
  const plain = randomModel(dims, rank)
  return { plain, linked: new CpModel({ ...plain.fields, observed: undefined, link }) }
}

/** The mean in data units, written out. */
function byDefinition({ name, variance: [v0, v1, v2], least }: Link, z: number): number {
  const at = Math.max(z, least)
  const v = v0 + v1 * at + v2 * at ** 2
  return name === 'sqrt' ? z ** 2 + v : Math.exp(z + v / 2) - 1
}

describe.each([sqrt, log1p])('with the link $name', (link) => {
  const { linked, plain } = linkedModel([6, 30, 4], 3, link)
  const expected = (cell: number[]): number => byDefinition(link, predictByDefinition(plain, cell))
  const cells = allCoordinates(linked.dims)
  const columns = linked.dims.map((_, mode) => Uint32Array.from(cells, (cell) => cell[mode]))

  it('predict, predictMany, slice, fillSlice, partialPredictor, error and evaluate agree', () => {
    const many = linked.predictMany(columns)
    const whole = linked.slice([null, null, null]).values
    const part = linked.slice([2, null, 1]).values
    const partial = partialPredictor(linked)
    cells.forEach((cell, e) => {
      const y = expected(cell)
      expect(linked.predict(cell)).toBeCloseTo(y, 10)
      expect(partial(cell)).toBeCloseTo(y, 10)
      expect(many[e] / y).toBeCloseTo(1, 6)
      expect(whole[e] / y).toBeCloseTo(1, 5)
      if (cell[0] === 2 && cell[2] === 1) expect(part[cell[1]] / y).toBeCloseTo(1, 5)
    })
    expect([...fillSlice(linked, [2, null, 1]).values]).toEqual([...part])
    const shifted = tensorOf(
      linked.dims,
      cells,
      cells.map((cell) => expected(cell) + 2),
    )
    expect(linked.error(shifted).rmse).toBeCloseTo(2, 5)
    expect(evaluate(linked, shifted).mae).toBeCloseTo(2, 5)
  })

  it('top ranks by predictions in data units, and for all rows as for each', async () => {
    const one = linked.top({ for: { user: 'u1', week: 'w2' }, of: 'film', n: 4 })
    for (const { row, predicted } of one) expect(predicted).toBeCloseTo(expected([1, row, 2]), 10)
    const best = Array.from({ length: 30 }, (_, film) => expected([1, film, 2])).sort((a, b) => b - a)
    one.forEach(({ predicted }, i) => void expect(predicted).toBeCloseTo(best[i], 10))
    const other = new CpModel({
      ...linked.fields,
      factors: linked.factors.map((f) => f.map((x) => 1.7 * x ** 2)),
    })
    const { dims, labels, modes } = linked
    const ensemble = new CpEnsemble({ dims, labels, modes, members: [linked, other] })
    for (const model of [linked, ensemble])
      for (const fixed of [{ week: 'w2' }, {}] as Record<string, string>[])
        for await (const batch of topForAll(model, { for: 'user', of: 'film', fixed, n: 30 }))
          for (let user = 0; user < batch.count; user++) {
            const alone = model.top({ for: { user: `u${user}`, ...fixed }, of: 'film', n: 30 })
            const range = [user * 30, user * 30 + batch.found[user]] as const
            expect([...batch.rows.slice(...range)]).toEqual(alone.map(({ row }) => row))
            alone.forEach(({ predicted }, i) => {
              expect(batch.predicted[user * 30 + i]).toBeCloseTo(predicted, 10)
            })
          }
  })

  it('an ensemble predicts the mean of its members in data units', () => {
    const other = new CpModel({ ...linked.fields, factors: linked.factors.map((f) => f.map((x) => x / 2)) })
    const { dims, labels, modes } = linked
    const ensemble = new CpEnsemble({ dims, labels, modes, members: [linked, other] })
    const cell = [1, 2, 3]
    const mean = (linked.predict(cell) + other.predict(cell)) / 2
    expect(ensemble.predict(cell)).toBeCloseTo(mean, 12)
    expect(ensemble.slice([1, null, null]).values[2 * 4 + 3]).toBeCloseTo(mean, 4)
    expect(ensemble.predictMany(cell.map((index) => Uint32Array.of(index)))[0]).toBeCloseTo(mean, 4)
  })

  it('predictions are clipped to the range of the training values', () => {
    const observed = { ...randomModel([6, 30, 4], 3).observed!, min: 0.5, max: 0.75 }
    const clipped = new CpModel({ ...linked.fields, observed })
    for (const cell of cells.slice(0, 50)) {
      expect(clipped.predict(cell)).toBe(Math.min(0.75, Math.max(0.5, linked.predict(cell))))
      expect(clipped.predict(cell, { clip: false })).toBe(linked.predict(cell))
    }
  })
})

describe('means over cells of a model of square roots', () => {
  it('are those of the predictions in data units, with modes merged or split, too', () => {
    fc.assert(
      fc.property(reshapings, fc.nat(), ({ dims, reshaping }, seed) => {
        const resolved = resolveReshaping(reshaping, { dims })
        const learned = reshapedModes(resolved, dims)
        const key = stream(seed, 1)
        const factors = learned.dims.map((rows, k) =>
          new Float32Array(rows * 2).map((_, at) => 0.2 + unit(draw(key, 1000 * k + at))),
        )
        const model = new CpModel({ dims, rank: 2, factors, reshaping, link: sqrt })
        const coordinate = dims.map((dim, mode) => (mode % 2 === 0 ? null : dim - 1))
        const matching = allCoordinates(dims).filter((cell) =>
          coordinate.every((index, mode) => index === null || cell[mode] === index),
        )
        const mean = matching.reduce((sum, cell) => sum + model.predict(cell), 0) / matching.length
        expect(partialPredictor(model)(coordinate) / mean).toBeCloseTo(1, 6)
      }),
    )
  })

  it('are weighted by entries in top, and rank by data units', () => {
    const { linked, plain } = linkedModel([6, 30, 4], 3, { ...sqrt, least: 0 })
    const { observed } = plain
    const model = new CpModel({ ...linked.fields, observed })
    const [{ row, predicted }] = model.top({ for: { user: 'u1' }, of: 'film', n: 1, clip: false })
    const weeks = observed!.counts[2]
    const total = weeks.reduce((sum, count) => sum + count, 0)
    const mean = weeks.reduce((sum, count, week) => sum + (count / total) * linked.predict([1, row, week]), 0)
    expect(predicted).toBeCloseTo(mean, 8)
  })
})

it('the mean in data units is finite, not negative, and grows with the product of factors', () => {
  for (const link of [sqrt, log1p]) {
    let last = -1
    for (const z of [0, 1e-6, 1e-3, 0.1, 1, 10, 80, 1000, 1e6]) {
      const y = meanInDataUnits(link, z)
      expect(y).toBeGreaterThanOrEqual(Math.max(0, last))
      expect(Math.fround(y)).toBeLessThan(Infinity)
      last = y
    }
  }
})

it('without a link values stay the same array', () => {
  const tensor = tensorOf([2, 2], [[0, 1]], [4])
  expect(linkTensor(tensor, 'identity')).toBe(tensor)
  expect([...linkTensor(tensor, 'sqrt').values]).toEqual([2])
})

it('components, similar rows and core consistency are on the scale of the link', () => {
  const { linked, plain } = linkedModel([6, 30, 4], 3, sqrt)
  const unlinked = new CpModel({ ...plain.fields, observed: undefined })
  expect(linked.components()).toEqual(unlinked.components())
  expect(linked.similar('film', 'f3')).toEqual(unlinked.similar('film', 'f3'))
  const cells = allCoordinates(linked.dims)
  const roots = cells.map((cell) => predictByDefinition(plain, cell))
  const squares = tensorOf(
    linked.dims,
    cells,
    roots.map((z) => z ** 2),
  )
  // Square roots of the entries are exactly of the model's form.
  expect(coreConsistencyOf(linked, squares)).toBeCloseTo(1, 3)
})

it('fold-in solves a new row on the scale of the link', () => {
  const { linked, plain } = linkedModel([6, 30, 4], 3, { ...sqrt, variance: [1e-6, 0, 0] })
  const row = [0.4, 0.9, 0.2]
  const entries = allCoordinates([1, 30, 4]).map(([, film, week]) => {
    const z = row.reduce(
      (sum, a, r) => sum + a * plain.factors[1][3 * film + r] * plain.factors[2][3 * week + r],
      0,
    )
    return { user: 'new', film: `f${film}`, week: `w${week}`, value: z ** 2 }
  })
  const larger = linked.foldIn(entries)
  expect(larger.link).toEqual(linked.link)
  for (const { user, film, week, value } of entries.slice(0, 20))
    expect(larger.predict({ user, film, week })).toBeCloseTo(value, 2)
})

it('a link that is not valid is refused', () => {
  const { plain } = linkedModel([2, 2], 1, sqrt)
  for (const link of [
    { ...sqrt, name: 'cube' },
    { ...sqrt, variance: [1, 2] },
    { ...sqrt, variance: [-1, 0, 0] },
    { ...sqrt, mean: NaN },
  ])
    expect(() => new CpModel({ ...plain.fields, link: link as Link })).toThrow('link')
})
