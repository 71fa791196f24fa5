/** Operations on small symmetric matrices, for the reference of the learned prior. */
import { dot, type Matrix, type Vector } from './matrix.ts'

/** scale · I (n × n) */
export const identity = (n: number, scale: number): Matrix =>
  Array.from({ length: n }, (_, r) => Float64Array.from({ length: n }, (_, s) => (r === s ? scale : 0)))
/** a bᵀ */
export const outer = (a: Vector, b: Vector): Matrix => [...a].map((u) => b.map((v) => u * v))
/** A + B */
export const add = (A: Matrix, B: Matrix): Matrix => A.map((row, r) => row.map((u, s) => u + B[r][s]))
/** tr(A B) of symmetric matrices. */
export const traceOf = (A: Matrix, B: Matrix): number => A.reduce((sum, row, r) => sum + dot(row, B[r]), 0)
/** The mean of the rows of a matrix. */
export const meanOf = (rows: Matrix): Vector =>
  rows[0].map((_, r) => rows.reduce((sum, row) => sum + row[r], 0) / rows.length)

/** The inverse of a positive definite matrix, by Gauss-Jordan elimination without pivoting. */
export function inverse(A: Matrix): Matrix {
  const n = A.length
  const rows = A.map((row, r) =>
    Float64Array.from({ length: 2 * n }, (_, s) => (s < n ? row[s] : Number(s - n === r))),
  )
  for (let k = 0; k < n; k++) {
    const pivot = rows[k][k]
    rows[k] = rows[k].map((u) => u / pivot)
    for (let r = 0; r < n; r++) {
      if (r === k) continue
      const by = rows[r][k]
      rows[r] = rows[r].map((u, s) => u - by * rows[k][s])
    }
  }
  return rows.map((row) => row.slice(n))
}
