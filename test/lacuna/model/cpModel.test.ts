import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CpModel } from '#lacuna/model/index.js'
import { checkProperty } from '../../properties.ts'

/** A random model of order 2 to 4 and a random coordinate in it. */
const models = fc
  .record({
    dims: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 4 }),
    rank: fc.integer({ min: 1, max: 4 }),
  })
  .chain(({ dims, rank }) =>
    fc.record({
      dims: fc.constant(dims),
      rank: fc.constant(rank),
      factors: fc.tuple(
        ...dims.map((dim) =>
          fc.float32Array({ minLength: dim * rank, maxLength: dim * rank, min: 0, max: 8, noNaN: true }),
        ),
      ),
    }),
  )

/** Σ_r Π_i A⁽ⁱ⁾[c_i, r], as it is written. */
function naive({ rank, factors }: Pick<CpModel, 'rank' | 'factors'>, coordinate: readonly number[]): number {
  let sum = 0
  for (let r = 0; r < rank; r++)
    sum += coordinate.reduce((product, index, mode) => product * factors[mode][index * rank + r], 1)
  return sum
}

function allCoordinates(dims: readonly number[]): number[][] {
  return dims.reduce<number[][]>(
    (heads, dim) => heads.flatMap((head) => Array.from({ length: dim }, (_, index) => [...head, index])),
    [[]],
  )
}

const columns = (coordinates: number[][], order: number) =>
  Array.from({ length: order }, (_, mode) => Uint32Array.from(coordinates, (c) => c[mode]))

const ones = (length: number) => new Float32Array(length).fill(1)

describe('predicting', () => {
  test('predict and predictMany give the sum over ranks of products over modes', () => {
    checkProperty(
      fc.property(models, (fields) => {
        const model = new CpModel(fields)
        const coordinates = allCoordinates(fields.dims)
        const many = model.predictMany(columns(coordinates, fields.dims.length))
        coordinates.forEach((coordinate, entry) => {
          const expected = naive(fields, coordinate)
          expect(model.predict(coordinate)).toBeCloseTo(expected, 8)
          expect(many[entry]).toBe(Math.fround(model.predict(coordinate)))
        })
      }),
      { seed: 1, numRuns: 50 },
    )
  })

  test('accumulates in float64: a small term survives beside a large one', () => {
    const model = new CpModel({
      dims: [1, 1],
      rank: 2,
      factors: [Float32Array.of(2 ** 30, 1), Float32Array.of(1, 1)],
    })
    expect(model.predict([0, 0])).toBe(2 ** 30 + 1)
  })

  test('a slice holds the predictions in row-major order, whichever modes are fixed', () => {
    checkProperty(
      fc.property(
        models,
        fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
        fc.nat(15),
        (fields, at, mask) => {
          const model = new CpModel(fields)
          const fixed = fields.dims.map((dim, mode) => ((mask >> mode) & 1 ? at[mode] % dim : null))
          const { dims, values } = model.slice(fixed)
          const inside = allCoordinates(fields.dims).filter((c) =>
            fixed.every((f, mode) => f === null || f === c[mode]),
          )
          expect(dims).toEqual(fields.dims.filter((_, mode) => fixed[mode] === null))
          expect(values.length).toBe(inside.length)
          inside.forEach((coordinate, i) => {
            expect(values[i]).toBeCloseTo(naive(fields, coordinate), 3)
          })
        },
      ),
      { seed: 1, numRuns: 50 },
    )
  })

  test('a slice of absurd size is refused', () => {
    const n = 2 ** 14 + 1
    const model = new CpModel({ dims: [n, n], rank: 1, factors: [ones(n), ones(n)] })
    expect(() => model.slice([null, null])).toThrow(
      'The slice would hold 16385 × 16385 = 268468225 values, more than 268435456',
    )
    expect(model.slice([3, null]).values.length).toBe(n)
  })

  test.each([
    [[0], 'The coordinate has 1 indices, but the model has 2 modes.'],
    [[0, 3], 'The coordinate has index 3 in mode 2; it must be a whole number from 0 to 2.'],
    [[-1, 0], 'The coordinate has index -1 in mode 1'],
    [[0.5, 0], 'The coordinate has index 0.5 in mode 1'],
    [[Number.NaN, 0], 'The coordinate has index NaN in mode 1'],
  ])('predict(%j) is refused', (coordinate, message) => {
    const model = new CpModel({ dims: [2, 3], rank: 1, factors: [ones(2), ones(3)] })
    expect(() => model.predict(coordinate)).toThrow(message)
    expect(() => model.slice(coordinate)).toThrow(message.replace('The coordinate', 'The slice'))
  })

  test('predictMany names the entry that lies outside', () => {
    const model = new CpModel({ dims: [2, 3], rank: 1, factors: [ones(2), ones(3)] })
    expect(() => model.predictMany([Uint32Array.of(0, 1), Uint32Array.of(0, 7)])).toThrow(
      'Entry 1 has index 7 in mode 2',
    )
    expect(() => model.predictMany([Uint32Array.of(0), Uint32Array.of(0, 1)])).toThrow(
      'Mode 2 has 2 indices, but mode 1 has 1',
    )
  })
})

describe('error', () => {
  const model = new CpModel({
    dims: [2, 2],
    rank: 1,
    factors: [Float32Array.of(1, 0), Float32Array.of(3, 4)],
  })
  const tensor = (coordinates: number[][], values: number[]) => ({
    dims: [2, 2],
    indices: columns(coordinates, 2),
    values: Float32Array.from(values),
  })

  test('is ‖x − y‖ / ‖x‖, root mean square and mean absolute', () => {
    // predictions 3 and 4 against 6 and 8: residuals 3 and 4
    expect(
      model.error(
        tensor(
          [
            [0, 0],
            [0, 1],
          ],
          [6, 8],
        ),
      ),
    ).toEqual({ relative: 0.5, rmse: Math.sqrt(12.5), mae: 3.5, entries: 2 })
  })

  test('stays finite where all values are zero, and without entries', () => {
    expect(model.error(tensor([[1, 0]], [0]))).toEqual({ relative: 0, rmse: 0, mae: 0, entries: 1 })
    expect(model.error(tensor([[0, 0]], [0]))).toEqual({ relative: 1, rmse: 3, mae: 3, entries: 1 })
    expect(model.error(tensor([], []))).toEqual({ relative: 0, rmse: 0, mae: 0, entries: 0 })
  })

  test('refuses entries outside the model', () => {
    expect(() => model.error(tensor([[0, 2]], [1]))).toThrow('Entry 0 has index 2 in mode 2')
  })
})

test.each([
  [{ dims: [2], rank: 1, factors: [ones(2)] }, 'A model needs at least 2 modes, this one has 1.'],
  [{ dims: [2, 2], rank: 0, factors: [ones(0), ones(0)] }, 'The rank of the model is 0'],
  [{ dims: [2, 2], rank: 1, factors: [ones(2)] }, 'The model has 2 modes but 1 factors.'],
  [{ dims: [2, 0.5], rank: 2, factors: [ones(4), ones(1)] }, 'The size of mode 2 is 0.5'],
  [{ dims: [2, 3], rank: 2, factors: [ones(4), ones(4)] }, 'Factor 2 has 4 values; 3 rows of rank 2 need 6.'],
  [
    { dims: [2, 2], rank: 2, factors: [ones(4), Float32Array.of(1, 1, -1, 1)] },
    'Factor 2 has the value -1 in row 2, column 1',
  ],
  [
    { dims: [2, 2], rank: 1, factors: [Float32Array.of(1, Number.NaN), ones(2)] },
    'Factor 1 has the value NaN in row 2',
  ],
  [
    { dims: [2, 2], rank: 1, factors: [Float32Array.of(1, Infinity), ones(2)] },
    'Factor 1 has the value Infinity in row 2',
  ],
  [
    { dims: [2, 2], rank: 1, factors: [ones(2), ones(2)], labels: [['a', 'b']] },
    'The model has 2 modes but 1 lists of labels.',
  ],
  [
    { dims: [2, 2], rank: 1, factors: [ones(2), ones(2)], labels: [undefined, ['a']] },
    'Mode 2 has 1 labels for 2 indices.',
  ],
])('an impossible model is refused: %#', (fields, message) => {
  expect(() => new CpModel(fields)).toThrow(message)
})
