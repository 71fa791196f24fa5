import { expect, it } from 'vitest'
import { costOf } from '#lacuna/engine/cpu/memory/cost.js'

const rows = [1000, 800, 50]
const cost = (kind: 'newton' | 'gradient' | 'posterior' | 'strata', sample = 1, rank = 10): number =>
  costOf({ sample, kind }, rows, 1e6, rank)

it('costOf a sweep under a learned prior is that of three newton iterations', () => {
  expect(cost('posterior') / cost('newton')).toBeCloseTo(3, 12)
})

it('costOf an epoch of stratified SGD is less than that of a newton iteration over all entries', () => {
  expect(cost('strata')).toBeLessThan(cost('newton'))
  expect(cost('strata')).toBeGreaterThan(cost('newton') / 8)
})

it('costOf a small sample counts no more rows than it has entries', () => {
  expect(cost('gradient', 1e-6) / cost('gradient', 1e-5)).toBeCloseTo(0.1, 9)
})
