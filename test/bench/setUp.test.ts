import { expect, it } from 'vitest'
import { measureSetUp } from '#bench/measure/setUp.ts'

const onProgress = (): void => {}

it('bench setup reports the seconds of each phase, which add up to at most the total', async () => {
  const asked = { problem: 'ratings', small: true, rank: 4, threads: [1, 2], rounds: 1, onProgress } as const
  const { entries, rows } = await measureSetUp(asked)
  expect(entries).toBe(100_001) // a tenth, rounded
  expect(rows.map(({ threads }) => threads)).toEqual([1, 2])
  for (const { total, count, layOut, place, sort, values, processorSeconds } of rows) {
    expect(Math.min(count, layOut, place, sort, values, processorSeconds)).toBeGreaterThan(0)
    expect(count + layOut + place + sort + values).toBeLessThanOrEqual(total)
  }
})
