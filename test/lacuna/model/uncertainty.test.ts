import { expect, test } from 'vitest'
import { uncertaintyOf } from '#lacuna/model/foldIn/uncertainty.js'
import type { Prior } from '#lacuna/model/index.js'

/**
 * At rank 1 everything is a number: V(n) = σ² / (n H̄ + σ² p), and H̄ of one mode is the mean of a² + V of the other.
 */
test('the covariance of rows and the information of an entry satisfy their fixed-point equations', () => {
  const factors = [Float32Array.of(1, 2, 3), Float32Array.of(0.5, 1.5)]
  const counts = [Uint32Array.of(1, 4, 0), Uint32Array.of(3, 2)]
  const prior: Prior = {
    kind: 'learned',
    ...{ sigma2: 0.5, noise: [1, 0, 0], least: 0 },
    means: [Float32Array.of(1), Float32Array.of(1)],
    precisions: [Float32Array.of(2), Float32Array.of(4)],
  }
  const [first, second] = uncertaintyOf({ dims: [3, 2], rank: 1, factors }, prior, counts, 1)
  const V = (of: typeof first, n: number): number => of.covariance(n)[0]
  for (const n of [0, 1, 5]) expect(V(first, n)).toBeCloseTo(0.5 / (n * first.perEntry[0] + 0.5 * 2), 10)
  const says = (3 * (0.5 ** 2 + V(second, 3)) + 2 * (1.5 ** 2 + V(second, 2))) / 5
  expect(first.perEntry[0] / says).toBeCloseTo(1, 2)
  expect(V(second, 3)).toBeGreaterThan(0)
  // λ alone holds no row for uncertain.
  const [certain] = uncertaintyOf(
    { dims: [3, 2], rank: 1, factors },
    { ...prior, kind: 'isotropic' },
    counts,
    1,
  )
  expect(V(certain, 1)).toBe(0)
})
