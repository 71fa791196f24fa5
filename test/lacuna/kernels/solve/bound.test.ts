/**
 * The bound that kernels/solve/rows/gradientRow.ts uses: for K ≥ 0, H = KᵀK and any v > 0, D = diag((Hv)_r /
 * v_r) ⪰ H.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkProperty } from '../../../properties.ts'
import { jacobiEigenvalues } from './jacobi.ts'

/**
 * For H = KᵀK and D = diag((Hv)_r / v_r): `ratio` = λ_max(D^-½ H D^-½), `H` = λ_max(H) and `D` = max_r D_r.
 * Components that are 0 in all rows of K are left out.
 */
function boundSpectrum(
  K: readonly number[][],
  v: readonly number[],
): { ratio: number; H: number; D: number } {
  const H = v.map((_, r) => v.map((_, s) => K.reduce((sum, k) => sum + k[r] * k[s], 0)))
  const D = H.map((row, r) => row.reduce((sum, h, s) => sum + h * v[s], 0) / v[r])
  const alive = D.flatMap((d, r) => (d > 0 ? [r] : []))
  if (alive.length === 0) return { ratio: 0, H: 0, D: 0 }
  // Divided one root after the other: the product of two small D would vanish.
  const scaled = alive.map((r) => alive.map((s) => H[r][s] / Math.sqrt(D[r]) / Math.sqrt(D[s])))
  return {
    ratio: Math.max(...jacobiEigenvalues(scaled)),
    H: Math.max(...jacobiEigenvalues(H)),
    D: Math.max(...D),
  }
}

const element = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  fc.double({ min: -10, max: 10, noNaN: true }).map((e) => 10 ** e),
)
const positive = fc.double({ min: -10, max: 10, noNaN: true }).map((e) => 10 ** e)

const rows = fc.integer({ min: 1, max: 12 }).chain((rank) =>
  fc.record({
    K: fc.array(fc.array(element, { minLength: rank, maxLength: rank }), { minLength: 1, maxLength: 20 }),
    columns: fc.array(fc.oneof(fc.constant(1), positive), { minLength: rank, maxLength: rank }),
    v: fc.array(fc.oneof(fc.constant(1), positive), { minLength: rank, maxLength: rank }),
  }),
)

it('The Collatz–Wielandt bound D ⪰ H holds for any rows, columns of any size and any v', () => {
  checkProperty(
    fc.property(rows, ({ K, columns, v }) => {
      const { ratio, H, D } = boundSpectrum(
        K.map((k) => k.map((x, r) => x * columns[r])),
        v,
      )
      expect(ratio).toBeLessThanOrEqual(1 + 1e-9)
      expect(H).toBeLessThanOrEqual(D * (1 + 1e-9))
    }),
    { seed: 4, numRuns: 1000 },
  )
})

it('The Collatz–Wielandt bound is tight for one row, and for v the leading eigenvector', () => {
  const k = [0.5, 0, 2, 1e-6]
  expect(boundSpectrum([k], [1, 1, 1, 1]).ratio).toBeCloseTo(1, 9)
  // H = [[2, 1], [1, 2]], whose leading eigenvector is (1, 1).
  const K = [
    [1, 1],
    [1, 0],
    [0, 1],
  ]
  const { H, D } = boundSpectrum(K, [1, 1])
  expect(H / D).toBeCloseTo(1, 9)
})
