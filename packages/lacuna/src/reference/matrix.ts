/** Just enough dense linear algebra, in float64, for Algorithms 1 and 2 to read like the paper. */

/** A vector; of R numbers unless stated otherwise. */
export type Vector = Float64Array
/** A matrix, as an array of rows. */
export type Matrix = Vector[]

/** aᵀb */
export function dot(a: Vector, b: Vector): number {
  let sum = 0
  for (let r = 0; r < a.length; r++) sum += a[r] * b[r]
  return sum
}

/** λ_max of a symmetric matrix with nonnegative entries, by the power method run to convergence. */
export function maxEigenvalue(H: Matrix): number {
  const v = new Float64Array(H.length).fill(1)
  const w = new Float64Array(H.length)
  let rho = 0
  for (let i = 0; i < 10_000; i++) {
    for (let r = 0; r < w.length; r++) w[r] = dot(H[r], v)
    const before = rho
    rho = dot(v, w) / dot(v, v)
    if (Math.abs(rho - before) <= 1e-14 * rho) break
    const norm = Math.sqrt(dot(w, w))
    for (let r = 0; r < v.length; r++) v[r] = w[r] / norm
  }
  return rho
}
