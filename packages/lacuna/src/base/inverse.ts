/** Inverses of small symmetric matrices, in float64, by Cholesky factorization. */

/**
 * Returns the inverse of a symmetric matrix (n × n) plus a multiple of the identity; throws if it is not
 * finite.
 * @param floor the multiple: it is added to the diagonal, and ten times as much until the sum is positive
 * definite
 */
export function invertSymmetric(matrix: Float64Array, n: number, floor: number): Float64Array {
  const L = new Float64Array(n * n)
  for (let added = floor; !factorize(matrix, n, added, L); added *= 10)
    if (!(added < Infinity)) throw new Error('A matrix that is to be inverted is not finite.')
  // T = L⁻¹, by columns.
  const T = new Float64Array(n * n)
  for (let j = 0; j < n; j++) {
    T[j * n + j] = 1 / L[j * n + j]
    for (let i = j + 1; i < n; i++) {
      let sum = 0
      for (let k = j; k < i; k++) sum += L[i * n + k] * T[j * n + k]
      T[j * n + i] = -sum / L[i * n + i]
    }
  }
  const inverse = new Float64Array(n * n)
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0
      for (let k = i; k < n; k++) sum += T[i * n + k] * T[j * n + k]
      inverse[i * n + j] = inverse[j * n + i] = sum
    }
  return inverse
}

/**
 * Writes to L the Cholesky factor (n × n) of the matrix plus `added` on its diagonal.
 * @returns whether it exists
 */
function factorize(matrix: Float64Array, n: number, added: number, L: Float64Array): boolean {
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i * n + j] + (i === j ? added : 0)
      for (let k = 0; k < j; k++) rest -= L[i * n + k] * L[j * n + k]
      if (i === j && !(rest > 0)) return false
      L[i * n + j] = i === j ? Math.sqrt(rest) : rest / L[j * n + j]
    }
  return true
}
