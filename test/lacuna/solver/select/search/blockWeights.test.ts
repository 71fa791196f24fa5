/** Weights of blocks in the criterion of trials, against their definition. */
import { expect, it } from 'vitest'
import { capBlocks, weightEntries } from '#lacuna/solver/select/search/blockWeights.js'

/** A matrix of rows × columns, all cells known, whose residuals are `errorAt`. */
function problem(rows: number, columns: number, errorAt: (row: number, column: number) => number) {
  const cells = Array.from({ length: rows * columns }, (_, e) => [Math.floor(e / columns), e % columns])
  return {
    tensor: {
      dims: [rows, columns],
      indices: [0, 1].map((mode) => Uint32Array.from(cells, (cell) => cell[mode])),
      values: Float32Array.from(cells, ([row, column]) => 5 + errorAt(row, column)),
    },
    predictions: new Float32Array(cells.length).fill(5),
  }
}

/** The weights of rows 0, 1 and 2, where these are blocks. */
function weightsOfRows({ tensor, predictions }: ReturnType<typeof problem>): number[] {
  const by = [{ mode: 0, length: 1 }]
  const weights = weightEntries(tensor, by, 1, capBlocks(tensor, by, 1, predictions))
  return [0, 1, 2].map((row) => weights?.[row * tensor.dims[1]] ?? 1)
}

it('a block has 1% of the squared error at most, where there are a thousand or more', () => {
  // Row 1 has 2000 of a squared error of 6998.
  const many = problem(2500, 2, (row) => (row === 1 ? Math.sqrt(1000) : 1))
  const [first, second, third] = weightsOfRows(many)
  expect([first, third]).toEqual([1, 1])
  expect(second).toBeCloseTo((0.01 * 6998) / 2000, 5)
})

it('a block has ten times the mean of a block at most, where there are fewer', () => {
  const few = problem(100, 2, (row) => (row === 1 ? Math.sqrt(1000) : 1))
  expect(weightsOfRows(few)[1]).toBeCloseTo((10 * (2198 / 100)) / 2000, 5)
  // Below ten blocks none can have more.
  expect(weightsOfRows(problem(9, 2, (row) => (row === 1 ? 1000 : 1)))).toEqual([1, 1, 1])
})

it('no block is limited where all predictions are right, or folds are made of single entries', () => {
  const right = problem(30, 4, () => 0)
  expect(capBlocks(right.tensor, [{ mode: 0, length: 1 }], 1, right.predictions)).toEqual([])
  const wrong = problem(30, 400, (row, column) => (row === 1 && column === 1 ? 1000 : 1))
  const single = [0, 1].map((mode) => ({ mode, length: 1 }))
  expect(capBlocks(wrong.tensor, single, 1, wrong.predictions)).toEqual([])
})

it('every block of many with much of the error is limited, and no other', () => {
  const { tensor, predictions } = problem(5000, 1, (row) => (row % 500 === 7 ? 100 : 0.01))
  const limited = capBlocks(tensor, [{ mode: 0, length: 1 }], 3, predictions)
  expect(limited).toHaveLength(10)
  for (const [, weight] of limited) expect(weight).toBeCloseTo(0.1, 3)
})
