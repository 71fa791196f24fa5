import { expect, it } from 'vitest'
import { runSetUpBench } from '#dist/bench/setUp.js'
import { runWaitingBench } from '#dist/bench/waiting.js'

const onProgress = (): void => {}

it('says of a set-up how long its phases took, which make up all of it', async () => {
  const asked = { problem: 'ratings', small: true, rank: 4, threads: [1, 2], rounds: 1, onProgress } as const
  const { entries, rows } = await runSetUpBench(asked)
  expect(entries).toBe(100_001) // a tenth, rounded
  expect(rows.map(({ threads }) => threads)).toEqual([1, 2])
  for (const { total, count, layOut, place, sort, look, processorSeconds } of rows) {
    expect(Math.min(count, layOut, place, sort, look, processorSeconds)).toBeGreaterThan(0)
    expect(count + layOut + place + sort + look).toBeLessThanOrEqual(total)
  }
})

it('says of an iteration how long threads were at work and how long they waited', async () => {
  const asked = { ranks: [4], threads: [1, 2], samples: [0.1], small: true, rounds: 1, onProgress }
  const { rows } = await runWaitingBench(asked)
  expect(rows.map(({ threads, sample }) => [threads, sample])).toEqual([
    [1, 0.1],
    [2, 0.1],
  ])
  for (const row of rows) {
    expect(row.rows).toBeGreaterThan(0)
    expect(row.waiting).toBeGreaterThan(0)
    const sum = row.rows + row.handOut + row.waiting + row.between
    expect(Math.abs(sum - row.iteration)).toBeLessThan(0.5 * row.iteration)
  }
})
