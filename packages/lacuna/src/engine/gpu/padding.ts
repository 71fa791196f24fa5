/**
 * Converts between matrices of R columns and the device's layout, whose rows are padded to vectors of four.
 */
import { quadsOf, type Shape } from './shape.ts'

/** Concatenates matrices (rows × R) with rows padded to a multiple of four numbers. */
export function padMatrices(matrices: readonly Float32Array[], { rank }: Shape): Float32Array<ArrayBuffer> {
  const width = 4 * quadsOf({ rank })
  const rows = matrices.reduce((sum, { length }) => sum + length / rank, 0)
  const all = new Float32Array(rows * width)
  let at = 0
  for (const matrix of matrices) {
    if (rank === width) all.set(matrix, at)
    else
      for (let from = 0, to = at; from < matrix.length; from += rank, to += width)
        for (let r = 0; r < rank; r++) all[to + r] = matrix[from + r]
    at += (matrix.length / rank) * width
  }
  return all
}

/**
 * Splits padded rows into matrices (rows × R).
 * @param all the padded rows of all matrices
 * @param rows the number of rows of each matrix
 */
export function unpadMatrices(all: Float32Array, rows: readonly number[], { rank }: Shape): Float32Array[] {
  const width = 4 * quadsOf({ rank })
  let at = 0
  return rows.map((count) => {
    const matrix = new Float32Array(count * rank)
    for (let p = 0; p < count; p++, at += width)
      for (let r = 0; r < rank; r++) matrix[p * rank + r] = all[at + r]
    return matrix
  })
}
