import { expect, it } from 'vitest'
import { normal, stream } from '#lacuna/base/random.js'
import { learnNeighbours } from '#lacuna/model/ensemble/neighbours/neighbours.js'
import { similarLags, sortAlongMode } from '#lacuna/model/ensemble/neighbours/similarLags.js'
import { cellsOf, tensorOf } from '../answers.ts'

const gauss = (at: number, key = 1): number => normal(stream(key, 79), at)

/** A tensor of all cells that are predicted to be 10, by two folds' models, and miss by these residuals. */
function problem(
  dims: number[],
  residual: (cell: number[], at: number) => number,
  fold: (cell: number[]) => number,
) {
  const cells = cellsOf(dims)
  const tensor = tensorOf(
    dims,
    cells,
    cells.map((cell, at) => 10 + residual(cell, at)),
  )
  const predictions = [0, 1].map(() => new Float32Array(cells.length).fill(10))
  return { tensor, predictions, folds: Uint8Array.from(cells, fold) }
}

const ordered = [{ mode: 1, lags: [1] }]
const learn = ({ tensor, predictions, folds }: ReturnType<typeof problem>) =>
  learnNeighbours(tensor, predictions, folds, true, ordered)
const squaresOf = (values: Float32Array, predictions: Float32Array): number =>
  values.reduce((sum, x, e) => sum + (x - predictions[e]) ** 2, 0)

it('the correction by neighbours is used if it lowers the squared error by 0.2% or more', () => {
  // A part of the residual that a whole row of the second mode has in common.
  const withCommon = (size: number) =>
    problem(
      [40, 300],
      ([i], at) => gauss(at) + size * gauss(i, 2),
      ([i, j]) => (i + j) % 2,
    )
  const strong = withCommon(0.5)
  const found = learn(strong)!
  expect(found.neighbours.lags).toEqual([[], [1]])
  expect(squaresOf(strong.tensor.values, found.predictions)).toBeLessThan(
    0.9 * squaresOf(strong.tensor.values, strong.predictions[0]),
  )
  expect(learn(withCommon(0)) === undefined).toBe(true)
  expect(learn(withCommon(0.06)) === undefined).toBe(true)
})

it('the weights of neighbours in a fold are learned from the other folds alone', () => {
  // In the one fold residuals are those of the neighbours, in the other their opposites: each misleads the other.
  const apart = problem(
    [40, 100],
    ([i, j]) => gauss(i, 2) * (i < 20 || j % 2 === 0 ? 1 : -1),
    ([i]) => (i < 20 ? 0 : 1),
  )
  expect(learn(apart) === undefined).toBe(true)
})

it('lags with few pairs of entries do not count as similar by chance', () => {
  const dims = [6, 60]
  const cells = cellsOf(dims)
  const sorted = sortAlongMode(dims, tensorOf(dims, cells, []).indices, 1)
  for (let key = 1; key <= 10; key++) {
    const noise = Float32Array.from(cells, (_, at) => gauss(at, key))
    expect(similarLags(dims, sorted, noise, undefined, 1, true)).toEqual([1])
    expect(similarLags(dims, sorted, noise, undefined, 1, false)).toEqual([])
  }
})

it('where folds are blocks, neighbours are known by the residuals of models that were fitted to them', () => {
  // Two models that fit a tenth of what they miss in the blocks that they have not seen.
  const blocks = problem(
    [40, 300],
    ([i], at) => gauss(at) + gauss(i, 2),
    ([, j]) => Math.floor(j / 10) % 2,
  )
  const { tensor, folds } = blocks
  const predictions = [0, 1].map((k) =>
    Float32Array.from(tensor.values, (x, e) => (folds[e] === k ? 10 : 10 + 0.9 * (x - 10))),
  )
  const { neighbours } = learnNeighbours(tensor, predictions, folds, false, ordered)!
  neighbours.residuals.forEach((residual, e) => {
    expect(residual).toBeCloseTo(0.1 * (tensor.values[e] - 10), 4)
  })
  const byEntry = learnNeighbours(tensor, predictions, folds, true, ordered)!
  expect(byEntry.neighbours.residuals[0]).toBeCloseTo(0.55 * (tensor.values[0] - 10), 4)
})
