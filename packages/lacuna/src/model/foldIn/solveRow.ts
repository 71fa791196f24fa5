/** Small dense systems for a row and its covariance. Matrices are (R × R), row-major. */
import { invertSymmetric as invertedAbove } from '../../base/inverse.ts'

/** Minimises ½ aᵀSa − bᵀa over a ≥ 0 by coordinate descent, starting from a, in place. */
export function solveNonnegative(S: Float64Array, b: Float64Array, a: Float64Array): void {
  const R = a.length
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let [moved, size] = [0, 0]
    for (let r = 0; r < R; r++) {
      let gradient = -b[r]
      for (let s = 0; s < R; s++) gradient += S[r * R + s] * a[s]
      const old = a[r]
      a[r] = S[r * R + r] > 0 ? Math.max(0, old - gradient / S[r * R + r]) : old
      moved += (a[r] - old) ** 2
      size += a[r] ** 2
    }
    if (moved <= 1e-16 * size) return
  }
}

/** Most sweeps of coordinate descent; it ends earlier when a sweep hardly moves the row. */
const MOST_SWEEPS = 500

/**
 * The inverse of a symmetric matrix (R × R). A ridge is added to its diagonal, 1e-12 of the mean diagonal
 * element, and ten times as much again until the matrix is positive definite.
 */
export function invertSymmetric(S: Float64Array, R: number): Float64Array {
  let trace = 0
  for (let r = 0; r < R; r++) trace += Math.max(0, S[r * R + r])
  return invertedAbove(S, R, (1e-12 * trace) / R + Number.MIN_VALUE)
}
