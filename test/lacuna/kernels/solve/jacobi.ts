/**
 * The eigenvalues of a symmetric matrix, in no order, by cyclic Jacobi rotations; the matrix is not changed.
 */
export function jacobiEigenvalues(matrix: readonly (readonly number[])[]): number[] {
  const a = matrix.map((row) => [...row])
  const n = a.length
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (a[p][q] === 0) continue
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1))
        const c = 1 / Math.hypot(t, 1)
        const s = t * c
        for (let k = 0; k < n; k++)
          [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]]
        for (let k = 0; k < n; k++)
          [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]]
      }
    }
  }
  return a.map((row, r) => row[r])
}
