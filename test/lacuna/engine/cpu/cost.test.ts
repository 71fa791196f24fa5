import { expect, it } from 'vitest'
import { costOf } from '#lacuna/engine/cpu/memory/cost.js'

const rows = [1000, 800, 50]
const cost = (kind: 'newton' | 'gradient' | 'posterior' | 'strata', sample = 1, rank = 10): number =>
  costOf({ sample, kind }, rows, 1e6, rank)

it('a sweep under a learned prior is taken to cost three iterations of solved rows', () => {
  expect(cost('posterior') / cost('newton')).toBeCloseTo(3, 12)
})

it('an epoch in strata is taken to cost less than an iteration of solved rows with all entries', () => {
  expect(cost('strata')).toBeLessThan(cost('newton'))
  expect(cost('strata')).toBeGreaterThan(cost('newton') / 8)
})

it('samples that reach fewer rows than there are cost no more rows than they reach', () => {
  expect(cost('gradient', 1e-6) / cost('gradient', 1e-5)).toBeCloseTo(0.1, 9)
})
