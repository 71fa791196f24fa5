/** Intervals of the rows of a table, and their coverage. */
import { expect, it } from 'vitest'
import { type CpEnsemble, RowIntervals } from '#lacuna/model/index.js'

it('values that are equal to an end lie inside, although ends are single precision', () => {
  const [low, high] = [0.1, 0.7].map(Math.fround)
  const model = { intervalsAt: () => () => ({ low, high }) } as unknown as CpEnsemble
  const intervals = new RowIntervals(model, 0.9)
  const observed = Float64Array.of(0.1, 0.3, 0.7, 0.7001, NaN)
  const rows = { rowCount: 5, indices: [Int32Array.of(0, 0, 0, 0, 0)], observed }
  const ends = intervals.ends(rows as unknown as Parameters<RowIntervals['ends']>[0], new Float64Array(5))
  expect(ends.map((column) => column[2])).toEqual([low, high])
  expect(intervals.coverage).toEqual({ rows: 4, inside: 3 })
})
