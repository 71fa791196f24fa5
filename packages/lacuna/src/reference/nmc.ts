/** Algorithm 1 of the paper in plain float64, line by line. */
import { dot, type Matrix, maxEigenvalue, type Vector } from './matrix.ts'

/**
 * A row of the unfolding X_(i): its observed values x, each with its row b of the Khatri-Rao product B, and
 * its weight w (1 in the paper).
 */
export interface ObservedRow {
  x: readonly number[]
  b: readonly Vector[]
  w: readonly number[]
}

/**
 * Returns B of the numbers 0 … nnz − 1, the sampled entries of row p in inner iteration l, without
 * replacement.
 */
export type Sampler = (nnz: number, B: number, p: number, l: number) => readonly number[]

/** Parameters of Algorithm 1. */
export interface NmcSettings {
  lambda: number
  /** The fraction of a row's entries in a sample. */
  c: number
  /** Inner iterations, MAX_INNER. */
  maxInner: number
  sample: Sampler
}

/**
 * Algorithm 1, accelerated stochastic gradient for nonnegative matrix completion, line by line: A_opt =
 * S_NMC(X, M, B, A_*, λ). X(p,:), M(p,:) and B are given together as the observed entries of each row; A is
 * not changed.
 */
export function sNmc(X: readonly ObservedRow[], A: Matrix, settings: NmcSettings): Matrix {
  const { lambda, c, maxInner, sample } = settings
  let Y = A
  for (let l = 0; l < maxInner; l++) {
    const nextA: Matrix = []
    const nextY: Matrix = []
    X.forEach(({ x, b, w }, p) => {
      const [a, y] = [A[p], Y[p]]
      const M = sample(x.length, Math.floor(c * x.length), p, l)
      // "If B = 0, then we skip the p-th row."
      if (M.length === 0) {
        nextA[p] = a
        nextY[p] = y
        return
      }
      // Lines 6 to 8: ∇f(y) = W + Z + λy
      const gradient = y.map((yr) => lambda * yr)
      for (const q of M) {
        const residual = dot(y, b[q]) - x[q]
        for (let r = 0; r < y.length; r++) gradient[r] += w[q] * residual * b[q][r]
      }
      // Lines 9 and 10: H = Bᵀ diag(M) B + λI
      const L = maxEigenvalue(hessian(M, b, w, y.length, lambda))
      // L = 0 means that λ and all sampled rows of B are zero: so is the gradient, and any step.
      const step = L > 0 ? 1 / L : 0
      // Lines 11 to 13
      nextA[p] = y.map((yr, r) => Math.max(0, yr - step * gradient[r]))
      const beta = L > 0 ? (Math.sqrt(L) - Math.sqrt(lambda)) / (Math.sqrt(L) + Math.sqrt(lambda)) : 0
      nextY[p] = nextA[p].map((ar, r) => ar + beta * (ar - a[r]))
    })
    A = nextA
    Y = nextY
  }
  return A
}

/** H = Σ w b bᵀ + λI (R × R), summed over the entries whose positions in b and w are in M. */
export function hessian(
  M: readonly number[],
  b: readonly Vector[],
  w: readonly number[],
  R: number,
  lambda: number,
): Matrix {
  const H = Array.from({ length: R }, () => new Float64Array(R))
  for (const q of M) {
    const [k, weight] = [b[q], w[q]]
    for (let r = 0; r < R; r++) {
      const row = H[r]
      const weighted = weight * k[r]
      for (let s = 0; s <= r; s++) row[s] += weighted * k[s]
    }
  }
  for (let r = 0; r < R; r++) {
    for (let s = 0; s < r; s++) H[s][r] = H[r][s]
    H[r][r] += lambda
  }
  return H
}
