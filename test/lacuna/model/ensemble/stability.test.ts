import { describeComponents } from 'lacuna-figures/describe'
import { describe, expect, it } from 'vitest'
import { median } from '#bench/measure/median.ts'
import { complete, type SparseTensor, synthetic } from '#lacuna/index.js'
import { coreConsistencyOf } from '#lacuna/model/answer/coreConsistency.js'
import { similarLags, sortAlongMode } from '#lacuna/model/ensemble/neighbours/similarLags.js'
import { CpEnsemble, CpModel } from '#lacuna/model/index.js'
import { inverse } from '#lacuna/reference/symmetric.js'
import { cellsOf, predictByDefinition, random, randomModel, tensorOf } from '../answers.ts'

/** The same components in another order, of other lengths, and with a little noise. */
function shuffled(model: CpModel, order: readonly number[], noise: number, seed: number): CpModel {
  const { rank } = model
  return new CpModel({
    ...model.fields,
    factors: model.factors.map((factor, mode) =>
      factor.map((_, at) => {
        const [row, r] = [Math.floor(at / rank), at % rank]
        const length = mode === 0 ? 1 + r : 1 / (1 + r)
        return length * (factor[row * rank + order[r]] + noise * random(seed + 1e5 * mode + at))
      }),
    ),
  })
}

/** The second component with the third in it. */
function mixed(model: CpModel): CpModel {
  const factors = model.factors.map((factor) =>
    factor.map((x, at) => (at % 3 === 1 ? x + factor[at + 1] : x)),
  )
  return new CpModel({ ...model.fields, factors })
}

describe('components of several models', () => {
  const first = randomModel([40, 30, 20], 3)
  const noisy = shuffled(first, [0, 2, 1], 0.3, 7)
  // In the third model the second component is that and another one together.
  const odd = shuffled(mixed(first), [2, 0, 1], 0, 3)
  const ensemble = new CpEnsemble({
    ...{ dims: first.dims, modes: first.modes, labels: first.labels, observed: first.observed },
    members: [first, noisy, odd],
  })

  it('are found in the models that have them, in any order and of any length', () => {
    const { components, match } = ensemble.stability()
    expect(components.map((found) => found.in)).toEqual([3, 2, 3])
    expect(components.every(({ of }) => of === 3)).toBe(true)
    expect(components[0].match).toBeGreaterThan(0.9)
    expect(components[1].match).toBeLessThan(0.9)
    expect(match).toBeGreaterThan(0.6)
    expect(match).toBeLessThan(0.95)
  })

  it('are matched one to one: two similar components are not both matched with the same one', () => {
    const columns = (...of: number[][]): Float32Array =>
      Float32Array.from({ length: 20 }, (_, at) => of[at % 2][Math.floor(at / 2)])
    const wave = (shift: number): number[] => Array.from({ length: 10 }, (_, i) => 1 + Math.sin(i + shift))
    const modelOf = (a: number[], b: number[]): CpModel =>
      new CpModel({ dims: [10, 10], rank: 2, factors: [columns(a, b), columns(a, b)] })
    const members = [modelOf(wave(0), wave(0.1)), modelOf(wave(0), wave(3))]
    const { components } = new CpEnsemble({ dims: [10, 10], members }).stability()
    expect(components.map((found) => found.in)).toEqual([2, 1])
  })

  it('are described with their stability, which those of a single model do not have', () => {
    const described = describeComponents(ensemble, (mode, row) => ensemble.label(mode, row), {
      strongest: 2,
    }).components
    expect(described.map(({ column, found }) => [column, found?.in])).toEqual(
      ensemble.components().map(({ column }) => [column, column === 1 ? 2 : 3]),
    )
    expect(first.components()[0].found).toBeUndefined()
  })

  it('are compared with rows weighted by their entries', () => {
    const other = (rows: (entries: number) => boolean): number => {
      const counts = first.observed!.counts[0]
      const factors = first.factors.map((factor, mode) =>
        mode > 0 ? factor : factor.map((x, at) => (rows(counts[Math.floor(at / 3)]) ? random(9e6 + at) : x)),
      )
      const members = [first, new CpModel({ ...first.fields, factors })]
      return new CpEnsemble({ dims: first.dims, observed: first.observed, members }).stability().match
    }
    expect(other((entries) => entries < 5)).toBeGreaterThan(other((entries) => entries >= 5) + 0.05)
  })
})

/** The same by its definition: all R^N numbers of the core, by least squares over the entries. */
function consistencyByDefinition(model: CpModel, { indices, values }: SparseTensor): number {
  const { rank: R, factors } = model
  const lengths = factors.map((factor) =>
    Array.from({ length: R }, (_, r) => Math.hypot(...factor.filter((_, at) => at % R === r))),
  )
  const sizes = lengths[0].map((_, r) => lengths.reduce((product, own) => product * own[r], 1))
  const rows = Array.from(values, (_, e) =>
    factors.reduce<number[]>(
      (terms, factor, mode) =>
        terms.flatMap((term) =>
          sizes.map(
            (size, r) =>
              (term * size ** (1 / factors.length) * factor[indices[mode][e] * R + r]) / lengths[mode][r],
          ),
        ),
      [1],
    ),
  )
  const size = R ** factors.length
  const gram = Array.from({ length: size }, () => new Float64Array(size))
  const right = new Float64Array(size)
  rows.forEach((row, e) => {
    const residual =
      values[e] -
      model.predict(
        indices.map((column) => column[e]),
        { clip: false },
      )
    row.forEach((x, i) => {
      right[i] += x * residual
      row.forEach((y, j) => {
        gram[i][j] += x * y
      })
    })
  })
  const core = inverse(gram).map((row) => row.reduce((sum, x, j) => sum + x * right[j], 0))
  return 1 - core.reduce((sum, x) => sum + x * x, 0) / R
}

describe('core consistency', () => {
  it('is close to 1 up to the rank of the data, and far from 1 beyond', async () => {
    const off: number[][] = [[], [], []]
    for (const seed of [1, 2, 3, 4, 5]) {
      const { tensor } = synthetic({ dims: [20, 16, 12], entries: 2000, rank: 2, snrDb: 15, seed })
      const found: number[] = []
      for (const rank of [1, 2, 3]) {
        const { model } = await complete(tensor, { rank, threads: 1 })
        const own = coreConsistencyOf(model, tensor)!
        const exact = consistencyByDefinition(model, tensor)
        off[rank - 1].push(Math.abs(Math.log((1 - own) / (1 - exact))))
        found.push(own)
      }
      expect(found[0]).toBeGreaterThan(0.97)
      expect(found[1]).toBeGreaterThan(0.95)
      expect(found[2]).toBeLessThan(0.7)
    }
    // Cells are observed by chance, and not quite as often as they are thought to be: now and then that is more.
    for (const each of off) expect(median(each)).toBeLessThan(0.4)
    const { tensor: whole } = synthetic({ dims: [9, 8, 7], entries: 504, rank: 2, snrDb: 10, seed: 4 })
    const { model } = await complete(whole, { rank: 3, threads: 1 })
    const exact = consistencyByDefinition(model, whole)
    expect(coreConsistencyOf(model, whole)! / exact).toBeCloseTo(1, 4)
  })

  it('equals its definition where some rows have far more entries than others', () => {
    const dims = [24, 20, 16]
    const model = randomModel(dims, 2, { observed: undefined })
    const often = (index: number, mode: number): number => ((index + mode) % 2 === 0 ? 0.95 : 0.25)
    const places = cellsOf(dims).filter(
      (cell, at) => random(3e6 + at) < cell.reduce((chance, index, mode) => chance * often(index, mode), 1),
    )
    const tensor = tensorOf(
      dims,
      places,
      places.map((cell, e) => predictByDefinition(model, cell) + random(4e6 + e) - 0.5),
    )
    const own = coreConsistencyOf(model, tensor)!
    expect(Math.abs(Math.log((1 - own) / (1 - consistencyByDefinition(model, tensor))))).toBeLessThan(0.2)
  })

  it('ignores components smaller than a thousandth of the largest', () => {
    const model = randomModel([20, 16, 12], 2, { observed: undefined })
    const cells = cellsOf(model.dims)
    const tensor = tensorOf(
      model.dims,
      cells,
      cells.map((cell, e) => predictByDefinition(model, cell) + 0.2 * random(4e6 + e)),
    )
    const withThird = (size: number): number => {
      const factors = model.factors.map((factor, mode) =>
        Float32Array.from({ length: (factor.length / 2) * 3 }, (_, at) =>
          at % 3 === 2
            ? (mode === 0 ? size : 1) * random(6e6 + 1e5 * mode + at)
            : factor[Math.floor(at / 3) * 2 + (at % 3)],
        ),
      )
      return coreConsistencyOf(new CpModel({ ...model.fields, rank: 3, factors, prior: undefined }), tensor)!
    }
    const two = 1 - coreConsistencyOf(model, tensor)!
    expect((1 - withThird(1e-4)) / two).toBeCloseTo(1, 1)
    expect((1 - withThird(1e-2)) / two).toBeGreaterThan(2)
  })

  it('ignores components that are zero, and is undefined where it would take long', () => {
    const model = randomModel([20, 16, 12], 2)
    const tensor = {
      dims: model.dims,
      indices: [0, 1, 2].map(() => Uint32Array.of(3, 5)),
      values: Float32Array.of(1, 2),
    }
    const factors = model.factors.map((factor) =>
      Float32Array.from({ length: (factor.length / 2) * 3 }, (_, at) =>
        at % 3 === 2 ? 0 : factor[Math.floor(at / 3) * 2 + (at % 3)],
      ),
    )
    const more = new CpModel({ ...model.fields, rank: 3, factors, prior: undefined })
    expect(coreConsistencyOf(more, tensor)).toBeCloseTo(coreConsistencyOf(model, tensor)!, 6)
    const large = randomModel([20, 16, 12], 250)
    const many = {
      dims: large.dims,
      indices: [0, 1, 2].map(() => new Uint32Array(400)),
      values: new Float32Array(400),
    }
    expect(coreConsistencyOf(large, many)).toBeUndefined()
  })
})

it('the lags at which residuals are correlated are found, without comparing entries of the same group', () => {
  // Each of 300 rows repeats itself after 7 of 14 steps; only some cells are known.
  const dims = [300, 14]
  const places = Array.from({ length: 300 * 14 }, (_, at) => at).filter((at) => random(at) < 0.5)
  const rows = Uint32Array.from(places, (at) => Math.floor(at / 14))
  const steps = Uint32Array.from(places, (at) => at % 14)
  const residuals = Float32Array.from(rows, (row, e) => random(5e6 + row * 7 + (steps[e] % 7)) - 0.5)
  const found = (mode: number, isOrdered: boolean, groups?: Uint8Array): number[] =>
    similarLags(dims, sortAlongMode(dims, [rows, steps], mode), residuals, groups, mode, isOrdered)
  expect(found(1, true)).toEqual([1, 7])
  expect(found(1, false)).toEqual([]) // the next one is not alike
  expect(found(0, true)).toEqual([1])
  expect(found(0, false)).toEqual([])
  expect(
    found(
      1,
      true,
      Uint8Array.from(steps, (step) => Math.floor(step / 7)),
    ),
  ).toEqual([1, 7])
  expect(
    found(
      1,
      true,
      Uint8Array.from(steps, (step) => step % 7),
    ),
  ).toEqual([1])
})
