import { expect, it } from 'vitest'
import { hideFor, measureCoverage } from '#bench/measure/coverage/measureCoverage.ts'
import { coverageProblems } from '#bench/measure/coverage/problems.ts'

const [series] = coverageProblems.filter(({ name }) => name === 'series-counts')

it('bench coverage hides whole rows and whole blocks, and single cells of others', async () => {
  const draw = { folder: '.', seed: 3 }
  const rows = await hideFor(series, 2, draw)
  const known = new Set(rows.train.indices[2])
  expect(rows.test.indices[2].some((day) => known.has(day))).toBe(false)
  const blocks = await hideFor(series, 'blocks', draw)
  const pair = ({ indices }: typeof blocks.train, e: number): number => indices[0][e] * 119 + indices[2][e]
  const knownPairs = new Set(Array.from(blocks.train.values.keys(), (e) => pair(blocks.train, e)))
  expect(Array.from(blocks.test.values.keys()).some((e) => knownPairs.has(pair(blocks.test, e)))).toBe(false)
  const cells = await hideFor(series, 'cells', draw)
  const covered = await measureCoverage(cells, { ...draw, rank: 3, folds: 3, threads: 1 })
  expect(covered.values).toBe(cells.test.values.length)
  expect(covered.inside / covered.values).toBeGreaterThan(0.86)
  expect(covered.inside / covered.values).toBeLessThan(0.94)
})
