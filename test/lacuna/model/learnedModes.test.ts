import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeModel, encodeModel } from '#lacuna/io/array/index.js'
import { unpackNpz } from '#lacuna/io/npz/index.js'
import { factorModes } from '#lacuna/model/factorModes.js'
import {
  CpModel,
  evaluate,
  factorView,
  type Labels,
  modeKinds,
  partialPredictor,
  topForAll,
} from '#lacuna/model/index.js'
import { observe } from '#lacuna/tensor/index.js'
import { reshapedModes, resolveReshaping, rowAt } from '#lacuna/tensor/reshape.js'
import { checkProperty } from '../../properties.ts'
import { allCoordinates, reshapings } from '../../reshapings.ts'

const RANK = 2

/** Factors of any sizes, all numbers different. */
const factorsOf = (sizes: readonly number[]): Float32Array[] =>
  sizes.map((size, k) =>
    Float32Array.from({ length: size * RANK }, (_, at) => 0.5 + ((7 * at + 13 * k) % 29) / 10),
  )

const models = reshapings.map(({ dims, reshaping }) => {
  const modes = reshapedModes(resolveReshaping(reshaping, { dims }), dims)
  const factors = factorsOf(modes.dims)
  /** As it is written: over the ranks, the product of the reshaped rows. */
  const naive = (cell: readonly number[]): number =>
    [0, 1].reduce(
      (sum, r) =>
        sum + modes.digits.reduce((y, digits, k) => y * factors[k][rowAt(digits, cell) * RANK + r], 1),
      0,
    )
  return { dims, naive, model: new CpModel({ dims, rank: RANK, factors, reshaping }) }
})

const columnsOf = (cells: number[][], order: number): Uint32Array[] =>
  Array.from({ length: order }, (_, mode) => Uint32Array.from(cells, (cell) => cell[mode]))

test('a model of reshaped modes predicts every cell of the original tensor', () => {
  checkProperty(
    fc.property(models, ({ dims, model, naive }) => {
      const cells = allCoordinates(dims)
      const indices = columnsOf(cells, dims.length)
      const many = model.predictMany(indices)
      cells.forEach((cell, e) => {
        expect(model.predict(cell)).toBeCloseTo(naive(cell), 8)
        expect(many[e]).toBe(Math.fround(model.predict(cell)))
      })
      expect(model.error({ dims, indices, values: many }).rmse).toBeLessThan(1e-5)
      expect(decodeModel(encodeModel(model), 'm.npz').predictMany(indices)).toEqual(many)
    }),
    { seed: 1, numRuns: 60 },
  )
})

test('a slice of a model of reshaped modes, and a mean over unknown indices, equal their definitions', () => {
  checkProperty(
    fc.property(models, fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), fc.nat(15), (some, at, mask) => {
      const { dims, model, naive } = some
      const fixed = dims.map((dim, mode) => ((mask >> mode) & 1 ? at[mode] % dim : null))
      const inside = allCoordinates(dims).filter((cell) =>
        fixed.every((index, mode) => index === null || index === cell[mode]),
      )
      const { values } = model.slice(fixed)
      expect(values.length).toBe(inside.length)
      inside.forEach((cell, i) => {
        expect(values[i] / naive(cell)).toBeCloseTo(1, 5)
      })
      const mean = inside.reduce((sum, cell) => sum + naive(cell), 0) / inside.length
      const known = partialPredictor(model)
      expect(known(fixed) / mean).toBeCloseTo(1, 8)
      expect(known(fixed)).toBe(known(fixed))
    }),
    { seed: 2, numRuns: 100 },
  )
})

describe('a model with reshaped modes', () => {
  const dims = [2, 3, 5]
  const reshaping = { mergeModes: [[0, 1]], split: [{ mode: 2, into: [2], offset: 0 }] }
  const names = {
    modes: [{ name: 'from' }, { name: 'to' }, { name: 'hour' }],
    labels: [['a', 'b'], undefined, undefined],
  }
  const model = new CpModel({ dims, rank: RANK, factors: factorsOf([6, 3, 2]), reshaping, ...names })

  test('is written as file version 2, and one without a reshaping as version 1', () => {
    const metadata = (of: CpModel) =>
      JSON.parse(new TextDecoder().decode(unpackNpz(encodeModel(of), 'm.npz')['metadata.json']))
    expect(metadata(model)).toMatchObject({ version: 2, dims, arrangement: reshaping })
    const plain = new CpModel({ dims, rank: RANK, factors: factorsOf(dims) })
    expect(metadata(plain).version).toBe(1)
    expect(metadata(plain)).not.toHaveProperty('arrangement')
    expect(decodeModel(encodeModel(model), 'm.npz').reshaping).toEqual(reshaping)
    expect(decodeModel(encodeModel(plain), 'm.npz').reshaping).toBeUndefined()
  })

  test('names its factors after the modes that they belong to', () => {
    const modes = factorModes(model)
    expect(modes.map(({ name, size }) => [name, size])).toEqual([
      ['from × to', 6],
      ['hour, blocks of 2', 3],
      ['hour, place in 2', 2],
    ])
    expect([modes[0].labelOf(4), modes[1].labelOf(2), modes[2].labelOf(1)]).toEqual([
      'b × 2',
      'from 5',
      undefined,
    ])
  })

  test('is refused if its factors have the original sizes', () => {
    expect(() => new CpModel({ dims, rank: RANK, factors: factorsOf(dims), reshaping })).toThrow(
      'Factor 1 has 4 values; 6 rows of rank 2 need 12.',
    )
  })
})

/** Of some cells, so that no two rows have as many. */
function seen(dims: readonly number[]): ReturnType<typeof observe> {
  const cells = allCoordinates(dims).filter(
    (cell) => (cell[0] * 7 + cell[1] * 3 + cell[2]) % (2 + cell[0] + (cell[1] % 2)) !== 0,
  )
  const indices = columnsOf(cells, dims.length)
  return observe({ dims, indices, values: Float32Array.from(cells, (_, e) => 1 + (e % 5)) })
}

describe('answers of reshaped models', () => {
  const dims = [3, 4, 10]
  const names = {
    modes: [{ name: 'from' }, { name: 'to' }, { name: 'hour' }],
    labels: [['a', 'b', 'c'], undefined, undefined],
  }
  const observed = seen(dims)
  const fields = { dims, rank: RANK, observed, ...names }
  const split = { split: [{ mode: 2, into: [2, 2], offset: 1 }] }
  const parted = new CpModel({ ...fields, factors: factorsOf([3, 4, 3, 2, 2]), reshaping: split })
  const merged = new CpModel({
    ...{ ...fields, factors: factorsOf([12, 3, 2, 2]) },
    reshaping: { mergeModes: [[0, 1]], ...split },
  })
  /** The split model with its hours multiplied out by hand. */
  const hours = Float32Array.from({ length: 10 * RANK }, (_, at) => {
    const [row, r] = [Math.floor(at / RANK) + 1, at % RANK]
    const [, , blocks, halves, places] = parted.factors
    return (
      blocks[Math.floor(row / 4) * RANK + r] *
      halves[(Math.floor(row / 2) % 2) * RANK + r] *
      places[(row % 2) * RANK + r]
    )
  })
  const byHand = new CpModel({ ...fields, factors: [...parted.factors.slice(0, 2), hours] })

  /** By the definition: over the modes that are not given, the mean by entries. */
  function averaged(model: CpModel, given: readonly (number | null)[]): number {
    let [sum, total] = [0, 0]
    for (const cell of allCoordinates(dims)) {
      if (given.some((row, mode) => row !== null && row !== cell[mode])) continue
      const weight = given.reduce<number>(
        (w, row, mode) => (row === null ? w * observed.counts[mode][cell[mode]] : w),
        1,
      )
      sum += weight * model.predict(cell, { clip: false })
      total += weight
    }
    return sum / total
  }

  test.each([
    ['split', parted],
    ['merged', merged],
  ])('the best rows along a mode are those of the best mean predictions: %s', (_, model) => {
    const questions: { of: string; for: Labels; given: (number | null)[] }[] = [
      { of: 'to', for: { from: 'b', hour: 7 }, given: [1, null, 6] },
      { of: 'to', for: { hour: 7 }, given: [null, null, 6] },
      { of: 'hour', for: {}, given: [null, null, null] },
      { of: 'from', for: { to: 2 }, given: [null, 1, null] },
    ]
    for (const { of, for: asked, given } of questions) {
      const mode = names.modes.findIndex(({ name }) => name === of)
      const found = model.top({ of, for: asked, n: 20, clip: false })
      const means = Array.from({ length: dims[mode] }, (_, row) => averaged(model, given.with(mode, row)))
      expect(found.map(({ row }) => row)).toEqual([...means.keys()].sort((a, b) => means[b] - means[a]))
      for (const { row, predicted, entries } of found) {
        expect(predicted / means[row]).toBeCloseTo(1, 8)
        expect(entries).toBe(observed.counts[mode][row])
      }
    }
  })

  test('a split model answers like a model whose factors were multiplied', async () => {
    const rounded = (value: unknown) =>
      JSON.parse(JSON.stringify(value), (_, x) => (typeof x === 'number' ? Number(x.toPrecision(5)) : x))
    expect(rounded(parted.components())).toEqual(rounded(byHand.components()))
    expect(rounded(parted.similar('hour', 3))).toEqual(rounded(byHand.similar('hour', 3)))
    expect(rounded(parted.top({ of: 'hour' }))).toEqual(rounded(byHand.top({ of: 'hour' })))
    expect(modeKinds(parted)).toEqual(modeKinds(byHand))
    const all = async (model: CpModel) => {
      for await (const { rows } of topForAll(model, { for: 'from', of: 'hour', n: 4, threads: 1 }))
        return rows
    }
    expect(await all(parted)).toEqual(await all(byHand))
    expect(factorView(parted)).toBe(factorView(parted))
  })

  test('components of a merged model list pairs, and reasons use the same numbers', () => {
    const components = merged.components({ strongest: 1 })
    expect(components[0].modes.map(({ name, modes, profile }) => [name, modes, profile.length])).toEqual([
      ['from × to', [0, 1], 12],
      ['hour', [2], 10],
    ])
    const [pairs, hour] = components[0].modes
    const [{ row, label, labels, entries }] = pairs.strongest
    expect([label, labels]).toEqual([
      `${'abc'[Math.floor(row / 4)]} × ${(row % 4) + 1}`,
      ['abc'[Math.floor(row / 4)], String((row % 4) + 1)],
    ])
    expect(entries).toBeUndefined()
    expect(hour.strongest[0].entries).toBe(observed.counts[2][hour.strongest[0].row])
    expect(components[0].share + components[1].share).toBeCloseTo(1, 10)
    // The strongest pair is what it is because of this component.
    const [best] = merged
      .top({ of: 'to', for: { from: labels[0] }, n: 4 })
      .filter((each) => each.label === labels[1])
    expect(best.why[0].component).toBe(1)
  })

  test('pairs of rows without training entries are not listed', () => {
    const { strongest } = merged.components({ strongest: 1 })[0].modes[0]
    const unobserved = merged.unobserved.map((rows, k) => (k === 0 ? Uint32Array.of(strongest[0].row) : rows))
    const other = new CpModel({ ...merged.fields, unobserved })
    expect(other.components({ strongest: 12 })[0].modes[0].strongest.map(({ row }) => row)).not.toContain(
      strongest[0].row,
    )
  })

  test('questions that need a factor of each mode are refused if modes were merged', async () => {
    const sentence = /^from and to were learned as one mode, .* such a model can predict, evaluate, fill/
    expect(() => merged.similar('to', 1)).toThrow(sentence)
    await expect(topForAll(merged, { for: 'from', of: 'to' }).next()).rejects.toThrow(sentence)
  })

  test.each([
    ['split', parted],
    ['merged', merged],
  ])('errors are those of the cells, by the rows of the original modes: %s', (_, model) => {
    const cells = allCoordinates(dims)
    const indices = columnsOf(cells, 3)
    const values = Float32Array.from(cells, (cell, e) => model.predict(cell) + (e % 3))
    const { rmse, modes, baselines } = evaluate(model, { dims, indices, values })
    expect(rmse).toBeCloseTo(Math.sqrt(5 / 3), 4)
    expect(modes.map(({ name }) => name)).toEqual(['from', 'to', 'hour'])
    expect(baselines.map(({ name }) => name)).toContain('the mean of each to')
  })

  test('files keep the statistics of the original modes', () => {
    const prior = {
      ...{ kind: 'learned' as const, sigma2: 1, noise: [1, 0, 0] as [number, number, number], least: 0 },
      means: merged.factors.map(() => new Float32Array(RANK)),
      precisions: merged.factors.map(() => new Float32Array(RANK * RANK)),
    }
    const model = new CpModel({ ...merged.fields, prior })
    const read = decodeModel(encodeModel(model), 'm.npz')
    expect(read.observed).toEqual(observed)
    expect(read.prior).toEqual(prior)
    expect(read.top({ of: 'to' })).toEqual(model.top({ of: 'to' }))
  })

  test('fold-in of a row of the mode that was split is refused, with what to do', () => {
    for (const model of [parted, merged])
      expect(() => model.foldIn([{ from: 'a', to: 1, hour: 11, value: 3 }])).toThrow(
        'The model was learned with hour split into blocks, to which no rows can be added; learn it anew with the new entries.',
      )
  })
})
