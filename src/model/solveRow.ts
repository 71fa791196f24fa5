/** Small dense systems: a row of a factor, and what is uncertain of it. Matrices are (R × R), row-major. */

/** Minimises ½ aᵀSa − bᵀa over a ≥ 0, by coordinate descent from where a is. */
export function solveNonnegative(S: Float64Array, b: Float64Array, a: Float64Array): void {
  const R = a.length
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let [moved, size] = [0, 0]
    for (let r = 0; r < R; r++) {
      let gradient = -b[r]
      for (let s = 0; s < R; s++) gradient += S[r * R + s] * a[s]
      const before = a[r]
      a[r] = S[r * R + r] > 0 ? Math.max(0, before - gradient / S[r * R + r]) : before
      moved += (a[r] - before) ** 2
      size += a[r] ** 2
    }
    if (moved <= 1e-16 * size) return
  }
}

const MOST_SWEEPS = 500

/** The inverse of a symmetric matrix that is positive definite, or becomes so with a little on its diagonal. */
export function inverted(S: Float64Array, R: number): Float64Array {
  let trace = 0
  for (let r = 0; r < R; r++) trace += Math.max(0, S[r * R + r])
  const L = new Float64Array(R * R)
  for (let added = 0; !factorized(S, R, added, L); added = Math.max(10 * added, (1e-12 * trace) / R, 1e-300));
  const inverse = new Float64Array(R * R)
  const column = new Float64Array(R)
  for (let j = 0; j < R; j++) {
    // L y = e_j, then Lᵀ x = y.
    for (let i = 0; i < R; i++) {
      let rest = i === j ? 1 : 0
      for (let k = j; k < i; k++) rest -= L[i * R + k] * column[k]
      column[i] = i < j ? 0 : rest / L[i * R + i]
    }
    for (let i = R - 1; i >= 0; i--) {
      let rest = column[i]
      for (let k = i + 1; k < R; k++) rest -= L[k * R + i] * column[k]
      column[i] = rest / L[i * R + i]
    }
    for (let i = 0; i < R; i++) inverse[i * R + j] = column[i]
  }
  return inverse
}

function factorized(S: Float64Array, R: number, added: number, L: Float64Array): boolean {
  for (let i = 0; i < R; i++)
    for (let j = 0; j <= i; j++) {
      let rest = S[i * R + j] + (i === j ? added : 0)
      for (let k = 0; k < j; k++) rest -= L[i * R + k] * L[j * R + k]
      if (i === j && !(rest > 0)) return false
      L[i * R + j] = i === j ? Math.sqrt(rest) : rest / L[j * R + j]
    }
  return true
}
