import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeModel, encodeModel } from '#dist/io/array/index.js'
import { unpackNpz } from '#dist/io/npz/index.js'
import { factorModes } from '#dist/model/factorModes.js'
import { CpModel, predictKnown } from '#dist/model/index.js'
import { arrangedModes, fixArrangement, rowAt } from '#dist/tensor/arrangement.js'
import { allCoordinates, arrangements } from '../arrangements.ts'

const RANK = 2

/** Factors of any sizes, all numbers different. */
const factorsOf = (sizes: readonly number[]): Float32Array[] =>
  sizes.map((size, k) =>
    Float32Array.from({ length: size * RANK }, (_, at) => 0.5 + ((7 * at + 13 * k) % 29) / 10),
  )

const models = arrangements.map(({ dims, arrangement }) => {
  const modes = arrangedModes(fixArrangement(arrangement, { dims }), dims)
  const factors = factorsOf(modes.dims)
  /** As it is written: over the ranks, the product of the arranged rows. */
  const naive = (cell: readonly number[]): number =>
    [0, 1].reduce(
      (sum, r) =>
        sum + modes.digits.reduce((y, digits, k) => y * factors[k][rowAt(digits, cell) * RANK + r], 1),
      0,
    )
  return { dims, naive, model: new CpModel({ dims, rank: RANK, factors, arrangement }) }
})

const columnsOf = (cells: number[][], order: number): Uint32Array[] =>
  Array.from({ length: order }, (_, mode) => Uint32Array.from(cells, (cell) => cell[mode]))

test('a model of arranged modes answers for every cell of the original', () => {
  fc.assert(
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

test('so does a slice, whichever modes are fixed, and a mean over what is not known', () => {
  fc.assert(
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
      const known = predictKnown(model)
      expect(known(fixed) / mean).toBeCloseTo(1, 8)
      expect(known(fixed)).toBe(known(fixed))
    }),
    { seed: 2, numRuns: 100 },
  )
})

describe('in files', () => {
  const dims = [2, 3, 5]
  const arrangement = { mergeModes: [[0, 1]], split: [{ mode: 2, into: [2], offset: 0 }] }
  const names = {
    modes: [{ name: 'from' }, { name: 'to' }, { name: 'hour' }],
    labels: [['a', 'b'], undefined, undefined],
  }
  const model = new CpModel({ dims, rank: RANK, factors: factorsOf([6, 3, 2]), arrangement, ...names })

  test('an arrangement is version 2, and whatever has none stays version 1', () => {
    const metadata = (of: CpModel) =>
      JSON.parse(new TextDecoder().decode(unpackNpz(encodeModel(of), 'm.npz')['metadata.json']))
    expect(metadata(model)).toMatchObject({ version: 2, dims, arrangement })
    const plain = new CpModel({ dims, rank: RANK, factors: factorsOf(dims) })
    expect(metadata(plain).version).toBe(1)
    expect(metadata(plain)).not.toHaveProperty('arrangement')
    expect(decodeModel(encodeModel(model), 'm.npz').arrangement).toEqual(arrangement)
    expect(decodeModel(encodeModel(plain), 'm.npz').arrangement).toBeUndefined()
  })

  test('factors are called by what they are of', () => {
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

  test('factors of the original sizes are refused', () => {
    expect(() => new CpModel({ dims, rank: RANK, factors: factorsOf(dims), arrangement })).toThrow(
      'Factor 1 has 4 values; 6 rows of rank 2 need 12.',
    )
  })
})
