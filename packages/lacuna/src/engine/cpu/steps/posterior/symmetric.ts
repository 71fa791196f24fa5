/** Symmetric matrices (n × n, row-major) that are given on and above their diagonal. */
import { invertSymmetric } from '../../../../base/inverse.ts'

/** Returns the whole symmetric matrix (n × n) of one given on and above its diagonal. */
function mirrorUpper(upper: Float64Array, n: number): Float64Array {
  const matrix = upper.slice()
  for (let r = 0; r < n; r++) for (let s = 0; s < r; s++) matrix[r * n + s] = upper[s * n + r]
  return matrix
}

/** The mean of the diagonal of a matrix (n × n), at least 0. */
function meanOfDiagonal(matrix: Float64Array, n: number): number {
  let sum = 0
  for (let r = 0; r < n; r++) sum += matrix[r * n + r]
  return Math.max(0, sum) / n
}

/** tr(P S) of symmetric matrices, S given on and above its diagonal. */
export function traceOfProduct(P: Float64Array, S: Float64Array, n: number): number {
  let sum = 0
  for (let r = 0; r < n; r++)
    for (let s = r; s < n; s++) sum += (r === s ? 1 : 2) * P[r * n + s] * S[r * n + s]
  return sum
}

/** The inverse of a covariance given on and above its diagonal, which is raised by 10⁻⁶ of its mean. */
export const invertUpper = (covariance: Float64Array, n: number): Float64Array =>
  invertSymmetric(mirrorUpper(covariance, n), n, 1e-6 * meanOfDiagonal(covariance, n) + 1e-30)
