/** Cells at which the disagreement of models is measured: without entries, but where nearly all cells have one. */
import { expect, it } from 'vitest'
import { predictUnseenCells } from '#lacuna/model/ensemble/unseenCells.js'
import { observe } from '#lacuna/tensor/index.js'

/** A matrix of cells for which `isKnown` holds. */
function matrix(rows: number, columns: number, isKnown: (row: number, column: number) => boolean) {
  const cells = Array.from({ length: rows * columns }, (_, e) => [Math.floor(e / columns), e % columns])
  const known = cells.filter(([row, column]) => isKnown(row, column))
  return {
    dims: [rows, columns],
    indices: [0, 1].map((mode) => Uint32Array.from(known, (cell) => cell[mode])),
    values: Float32Array.from(known, ([row, column]) => 1 + row + column),
  }
}

/** The cells and their variances, of two models that differ by twice the row at each cell. */
function unseenOf(tensor: ReturnType<typeof matrix>): { cells: number[][]; variances: number[] } {
  const predictWithout = (fold: number, [rows]: readonly Uint32Array[]): Float32Array =>
    Float32Array.from(rows, (row) => 50 + (fold === 0 ? row : -row))
  const unseen = predictUnseenCells(tensor, { count: 2, predictWithout }, observe(tensor), 1)
  expect(unseen.support).toHaveLength(unseen.predictions.length)
  const cells = Array.from(unseen.predictions, (_, c) => unseen.indices.map((column) => column[c]))
  return { cells, variances: [...unseen.variances] }
}

it('cells with entries are left out, and the variance is that of the models at the others', () => {
  const isKnown = (row: number, column: number): boolean => (7 * row + 3 * column) % 10 < 7
  const { cells, variances } = unseenOf(matrix(60, 50, isKnown))
  expect(cells.length).toBeGreaterThan(400)
  expect(cells.filter(([row, column]) => isKnown(row, column))).toEqual([])
  cells.forEach(([row], c) => void expect(variances[c]).toBeCloseTo(2 * row ** 2, 3))
})

it('where hardly any cell has no entry, cells with entries count, too', () => {
  const { cells } = unseenOf(matrix(60, 50, (row, column) => row !== column))
  expect(cells).toHaveLength(60 * 50 - 50)
})
