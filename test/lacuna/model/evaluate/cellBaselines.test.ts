import { expect, it } from 'vitest'
import { baselinesOnCells, meanError, modeName } from '#lacuna/internalInBrowser.js'
import { cellsOf, tensorOf } from '../answers.ts'

const dims = [3, 4, 2]
const cells = cellsOf(dims)
/** Counts, most of them zero, that depend on all three modes. */
const countOf = ([i, j, k]: number[]): number => Math.max(0, i * j - 2 + k)
const isTest = (cell: number): boolean => cell % 5 === 2
const test = tensorOf(
  dims,
  cells.filter((_, c) => isTest(c)),
  cells.filter((_, c) => isTest(c)).map(countOf),
)
const listed = cells.filter((cell, c) => !isTest(c) && countOf(cell) > 0)
const train = tensorOf(dims, listed, listed.map(countOf))

it('baselines where unlisted cells are zeros are means over all cells but the test ones, zeros included', () => {
  const known = cells.filter((_, c) => !isTest(c))
  const meanOf = (some: number[][]): number =>
    some.reduce((sum, cell) => sum + countOf(cell), 0) / some.length
  const mean = meanOf(known)
  const meanOfRow = (cell: number[], mode: number): number =>
    meanOf(known.filter((other) => other[mode] === cell[mode]))
  const predictions: Record<string, (cell: number[]) => number> = {
    'the mean': () => mean,
    ...Object.fromEntries(
      dims.map((_, mode) => [
        `the mean of each ${modeName(train, mode)}`,
        (cell: number[]) => meanOfRow(cell, mode),
      ]),
    ),
    'the product of the means of all modes': (cell) =>
      dims.reduce((y, _, mode) => (y * meanOfRow(cell, mode)) / mean, mean),
  }
  const tested = cells.filter((_, c) => isTest(c))
  const found = baselinesOnCells(train, test)
  expect(found.map(({ name }) => name)).toEqual(Object.keys(predictions))
  for (const { name, error } of found) {
    const squares = tested.map((cell) => (countOf(cell) - predictions[name](cell)) ** 2)
    expect(error.rmse).toBeCloseTo(Math.sqrt(squares.reduce((sum, x) => sum + x, 0) / tested.length), 6)
    expect(error.entries).toBe(tested.length)
  }
})

it('baselines of a row whose cells are all in the test set are the mean of all', () => {
  const row = cells.filter(([i]) => i === 1)
  const others = cells.filter((cell) => cell[0] !== 1 && countOf(cell) > 0)
  const rest = tensorOf(dims, others, others.map(countOf))
  const errors = baselinesOnCells(rest, tensorOf(dims, row, row.map(countOf)))
  expect(errors[1].error.rmse).toBe(errors[0].error.rmse)
})

it('cells of other held-out sets are unknown to the baselines, and no zeros', async () => {
  const isValidation = (cell: number): boolean => cell % 5 === 3
  const pick = (isPicked: (cell: number[], c: number) => boolean) => {
    const picked = cells.filter(isPicked)
    return tensorOf(dims, picked, picked.map(countOf))
  }
  const validation = pick((_, c) => isValidation(c))
  const isKnown = (_: number[], c: number): boolean => !isTest(c) && !isValidation(c)
  const rest = pick((cell, c) => isKnown(cell, c) && countOf(cell) > 0)
  const known = cells.filter(isKnown)
  const meanOf = (some: number[][]): number =>
    some.reduce((sum, cell) => sum + countOf(cell), 0) / some.length
  const rmse = (predict: (cell: number[]) => number): number => {
    const tested = cells.filter((_, c) => isTest(c))
    return Math.sqrt(
      tested.reduce((sum, cell) => sum + (countOf(cell) - predict(cell)) ** 2, 0) / tested.length,
    )
  }
  const [mean, ofFirst] = baselinesOnCells(rest, test, [validation])
  expect(mean.error.rmse).toBeCloseTo(
    rmse(() => meanOf(known)),
    6,
  )
  expect(ofFirst.error.rmse).toBeCloseTo(
    rmse(([i]) => meanOf(known.filter((cell) => cell[0] === i))),
    6,
  )
  expect((await meanError(rest, test, true, undefined, [validation])).rmse).toBeCloseTo(mean.error.rmse, 6)
})
