/** Weights stay with their entries, wherever these go. */
import { describe, expect, it } from 'vitest'
import {
  describeTensor,
  leaveOneOut,
  type SparseTensor,
  sparseTensor,
  split,
  splitByTime,
  splitCells,
  type TensorOptions,
} from '#lacuna/tensor/index.js'
import { sortInCOrder } from '#lacuna/tensor/order/cOrder.js'
import { reshapedModes, reshapeTensor, resolveReshaping } from '#lacuna/tensor/reshape.js'

/** The weight of a cell: another one for each, so that it shows if an entry has the weight of another. */
const weightAt = (i: number, j: number): number => 1 + i + j / 8

/** A matrix of 6 × 5 cells, each with its own value and weight. */
function weightedTensor(): SparseTensor {
  const cells = Array.from({ length: 30 }, (_, e) => [(7 * e) % 6, Math.floor(e / 6)])
  return sparseTensor({
    dims: [6, 5],
    indices: [0, 1].map((mode) => Uint32Array.from(cells, (cell) => cell[mode])),
    values: Float32Array.from(cells, ([i, j]) => 100 + 10 * i + j),
    weights: Float32Array.from(cells, ([i, j]) => weightAt(i, j)),
  })
}

/** Whether every entry has the weight of its cell. */
const hasOwnWeights = ({ indices: [i, j], values, weights }: SparseTensor): boolean =>
  weights?.length === values.length && weights.every((w, e) => w === weightAt(i[e], j[e]))

it('Weights stay with their entries through splits, sorting and reshaping', () => {
  const tensor = weightedTensor()
  const parts = [
    split(tensor, { validation: 0.2, test: 0.3 }, 1),
    splitByTime(tensor, { test: 0.3 }, { seed: 1 }),
    leaveOneOut(tensor, { seed: 1 }),
  ]
  for (const { train, test } of parts) {
    expect(test.values.length).toBeGreaterThan(4)
    expect([train, test].every(hasOwnWeights)).toBe(true)
  }
  expect(hasOwnWeights(sortInCOrder(tensor))).toBe(true)
  expect(describeTensor(tensor).weights).toEqual({ min: 1, max: 6.5, mean: 3.75 })
  const dims = [6, 5]
  const modes = reshapedModes(resolveReshaping({ split: [{ mode: 0, into: 2 }] }, { dims }), dims)
  expect(reshapeTensor(tensor, modes).weights).toBe(tensor.weights)
  // Cells that are held out may have had no entry.
  const { train, test } = splitCells(tensor, { test: 0.2 }, 1)
  expect(hasOwnWeights(train)).toBe(true)
  expect(test.weights).toBeUndefined()
})

describe('a weight', () => {
  const make = (weights: number[], options?: TensorOptions, last = 2): SparseTensor =>
    sparseTensor(
      {
        dims: [3, 3],
        indices: [Uint32Array.of(0, 1, last), Uint32Array.of(0, 1, last)],
        values: Float32Array.of(5, 6, 8),
        weights: Float32Array.from(weights),
      },
      options,
    )

  it.each([
    [
      [1, -1, 2],
      'entry 1: the weight is -1; weights must be finite and not negative (0 leaves the entry out).',
    ],
    [[1, 2, NaN], 'entry 2: the weight is NaN'],
    [[Infinity, 2, 1], 'entry 0: the weight is Infinity'],
    [[1, 2], 'There are 2 weights for 3 values.'],
    [[0, 0, 0], 'All entries have the weight 0: there is nothing to learn from.'],
  ])('The weights %j are refused', (weights, message) => {
    expect(() => make(weights)).toThrow(message)
  })

  it('A weight of 0 leaves its entry out', () => {
    const { indices, values, weights } = make([2, 0, 1])
    expect([[...indices[0]], [...values], [...weights!]]).toEqual([
      [0, 2],
      [5, 8],
      [2, 1],
    ])
  })

  it('A weight counts in the mean of merged entries and stays with the last; weighted sums are refused', () => {
    const mean = make([1, 0.5, 2], { duplicates: 'mean' }, 1)
    expect([[...mean.values], [...mean.weights!]]).toEqual([
      [5, Math.fround(7.6)],
      [1, 2.5],
    ])
    const last = make([1, 0.5, 2], { duplicates: 'last' }, 1)
    expect([[...last.values], [...last.weights!]]).toEqual([
      [5, 8],
      [1, 2],
    ])
    expect(() => make([1, 1, 1], { duplicates: 'sum' }, 1)).toThrow(
      "Entries that are added up have no one weight; merge them with duplicates: 'mean' or 'last', or leave the weights out.",
    )
  })
})
