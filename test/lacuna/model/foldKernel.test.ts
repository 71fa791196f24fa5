import { describe, expect, it } from 'vitest'
import { draw, normal, stream } from '#lacuna/base/random.js'
import { indexCells, isDenseEnough, numberEntries } from '#lacuna/model/ensemble/neighbours/cellIndex.js'
import { EntryFeatures, leastOf } from '#lacuna/model/ensemble/neighbours/entryFeatures.js'
import { featureCount, ResidualField } from '#lacuna/model/ensemble/neighbours/residualField.js'
import { learnScale } from '#lacuna/model/ensemble/residualScale.js'
import { baselinesOf, predictByBaseline } from '#lacuna/model/evaluate/baselines.js'
import { ErrorTally } from '#lacuna/model/evaluate/errorTally.js'
import { tallyMany } from '#lacuna/model/evaluate/tallyMany.js'
import { FoldKernel, predictByKernel, shardsOf, useKernel } from '#lacuna/model/foldKernel.js'
import { CpModel } from '#lacuna/model/index.js'
import { random, randomModel } from './answers.ts'

/** Entries at random cells, sorted, without duplicates, with values from 0 to 3. */
function entriesOf(dims: readonly number[], count: number) {
  const size = dims.reduce((product, dim) => product * dim, 1)
  const cells = new Set<number>()
  for (let at = 0; cells.size < count; at++) cells.add(draw(stream(3, at), at) % size)
  const sorted = [...cells].sort((a, b) => a - b)
  const indices = dims.map((dim, mode) => {
    const stride = dims.slice(mode + 1).reduce((product, other) => product * other, 1)
    return Uint32Array.from(sorted, (cell) => Math.floor(cell / stride) % dim)
  })
  return { dims, indices, values: Float32Array.from(sorted, (_, e) => 3 * random(e)) }
}

describe('predictions by the kernel', () => {
  it.each([{ dims: [9, 11] }, { dims: [5, 6, 7] }, { dims: [3, 4, 5, 6] }])(
    'have the bits of predictMany in $dims',
    ({ dims }) => {
      const models = [randomModel(dims, 7), randomModel(dims, 4, { observed: undefined })]
      const { indices } = entriesOf(dims, 25)
      for (const model of models) expect(predictByKernel(model, indices)).toEqual(model.predictMany(indices))
    },
  )

  it('have the bits of predictMany where the model has a link', () => {
    const link = { name: 'log1p', variance: [0.1, 0.02, 0], least: 0.1, mean: 1 } as const
    const model = randomModel([5, 6, 7], 4, { link })
    const { indices } = entriesOf([5, 6, 7], 80)
    expect(predictByKernel(model, indices)).toEqual(model.predictMany(indices))
  })

  it('have the bits of predictMany where modes are merged', () => {
    const reshaping = { mergeModes: [[0, 1]] }
    const { factors } = randomModel([20, 6], 3)
    const model = new CpModel({ dims: [4, 5, 6], rank: 3, factors, reshaping })
    const { indices } = entriesOf([4, 5, 6], 30)
    expect(predictByKernel(model, indices)).toEqual(model.predictMany(indices))
  })
})

describe('features of entries by the kernel', () => {
  it.each([
    { dims: [12, 10, 9], count: 300, isByEntry: true },
    { dims: [12, 10, 9], count: 300, isByEntry: false },
    { dims: [300, 400, 20], count: 900, isByEntry: true },
    { dims: [300, 70], count: 500, isByEntry: false },
  ])('are those of the field of residuals: $count entries of $dims, by entry $isByEntry', (given) => {
    const { dims, count, isByEntry } = given
    const { indices, values } = entriesOf(dims, count)
    const folds = Uint8Array.from(values, (_, e) => draw(stream(5), e) % 3)
    const predictions = [0, 1, 2].map((fold) => values.map((x, e) => x + 0.1 * normal(stream(fold), e)))
    const lags = dims.map((_, mode) => (mode === 0 ? [] : mode === 1 ? [1, 3] : [1]))
    const size = featureCount(lags)
    const all = new EntryFeatures({ dims, indices, values }, predictions, folds, isByEntry)
    for (const isRelative of [false, true]) {
      const sums = all.sumFolds(lags, isRelative)
      const weights = predictions.map((_, fold) => Float64Array.from({ length: size }, (_, f) => f - fold))
      const { predictions: corrected, squares } = all.correct(weights)
      let expected = 0
      for (const [fold, ofFold] of predictions.entries()) {
        const least = leastOf(ofFold)
        const unit = (e: number): number => (isRelative ? Math.max(ofFold[e], least) : 1)
        const used = Uint32Array.from(values.keys()).filter((e) => isByEntry || folds[e] !== fold)
        const columns = indices.map((column) => used.map((e) => column[e]))
        // Whether hash tables are used depends on all entries.
        const index = indexCells(dims, indices)
        const field = new ResidualField(index, lags)
        field.addResiduals(
          numberEntries(index, columns),
          Float32Array.from(used, (e) => (values[e] - ofFold[e]) / unit(e)),
        )
        const XX = new Float64Array(size * size)
        const Xr = new Float64Array(size)
        const row = new Float64Array(size)
        for (let e = 0; e < values.length; e++) {
          if (folds[e] !== fold) continue
          field.readFeatures(
            indices.map((column) => column[e]),
            row,
          )
          let y = ofFold[e]
          for (let f = 0; f < size; f++) {
            row[f] *= unit(e)
            y += weights[fold][f] * Math.fround(row[f])
            Xr[f] += row[f] * (values[e] - ofFold[e])
            for (let g = 0; g <= f; g++) XX[f * size + g] += row[f] * row[g]
          }
          expect(corrected[e]).toBe(Math.fround(Math.max(0, y)))
        }
        expect(sums[fold]).toEqual({ XX, Xr })
      }
      for (let e = 0; e < values.length; e++) expected += (values[e] - corrected[e]) ** 2
      expect(squares).toBe(expected)
    }
  })

  it('are tested with cells by position and by hash table', () => {
    expect(isDenseEnough(12 * 10 * 9, 300)).toBe(true)
    expect(isDenseEnough(300 * 400 * 20, 900)).toBe(false)
    expect(isDenseEnough(300 * 70, 500)).toBe(false)
  })
})

describe('errors and baselines by the kernel', () => {
  it('are exact sums, as of entries one by one, of any sizes', () => {
    const x = Float32Array.of(1, 0, 3e38, 1e-45, 2.5, 7, 7)
    const y = Float64Array.of(1, 0, 1e38, 3e-320, 2.5 + 1e-12, -4, 7e9)
    const [one, many] = [new ErrorTally(), new ErrorTally()]
    for (const [e, value] of x.entries()) one.add(value, y[e])
    tallyMany(many, x.subarray(0, 3), y.subarray(0, 3))
    tallyMany(many, x.subarray(3), y.subarray(3))
    expect(many.toString()).toBe(one.toString())
    expect(many.summary).toEqual(one.summary)
  })

  it('does not depend on the shards in which entries are passed', () => {
    const tensor = entriesOf([12, 10, 9], 400)
    const predictions = tensor.values.map((x, e) => Math.max(0, x + 0.3 * normal(stream(9), e)))
    const parts = shardsOf(400, 150)
    expect(parts).toEqual([
      { from: 0, to: 150 },
      { from: 150, to: 300 },
      { from: 300, to: 400 },
    ])
    expect(shardsOf(400)).toHaveLength(1)
    expect(baselinesOf(tensor, parts)).toEqual(baselinesOf(tensor))
    expect(learnScale(tensor, predictions, parts)).toEqual(learnScale(tensor, predictions))
  })

  it('of biases is the ridge regression: its residuals are balanced in each row', () => {
    const tensor = entriesOf([6, 8], 48)
    const baselines = baselinesOf(tensor)
    expect(baselines.map(({ name }) => name)).toEqual([
      'the mean',
      'the mean of each mode_1',
      'the mean of each mode_2',
      'biases of all modes',
    ])
    const [mean, , ofColumns, biases] = baselines
    const predicted = predictByBaseline(biases, tensor)
    for (let row = 0; row < 6; row++) {
      let sum = 0
      for (let e = 0; e < 48; e++) if (tensor.indices[0][e] === row) sum += tensor.values[e] - predicted[e]
      expect(sum).toBeCloseTo(5 * biases.rows[0].numbers[row], 6)
    }
    const total = tensor.values.reduce((sum, x) => sum + x, 0)
    expect(mean.constant).toBeCloseTo(total / 48, 12)
    expect(predictByBaseline(ofColumns, tensor).reduce((sum, y) => sum + y, 0)).toBeCloseTo(total, 8)
  })
})

it('memory of the kernel is all 0 when it is allocated, also where it was used before', () => {
  const address = useKernel((kernel) => kernel.put(new Uint8Array(500).fill(7)))
  const after = useKernel((kernel) => {
    const again = kernel.allocate(400)
    return { again, bytes: kernel.bytes(again, 400).slice() }
  })
  expect(after).toEqual({ again: address, bytes: new Uint8Array(400) })
  const kernel = new FoldKernel()
  const first = kernel.put(Float64Array.of(1, 2, 3))
  kernel.allocate(2 ** 20)
  expect(kernel.doubles(first, 3)).toEqual(Float64Array.of(1, 2, 3))
})
