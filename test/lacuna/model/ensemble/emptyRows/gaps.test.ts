import { expect, it } from 'vitest'
import { distanceRange, gapDistances, gapTrials } from '#lacuna/model/ensemble/emptyRows/gaps.js'

it('gaps are measured from the nearest row with entries, those beyond the ends below 0', () => {
  expect([...gapDistances([0, 0, 4, 0, 0, 0, 1, 2, 0, 0, 0])]).toEqual([-2, -1, 0, 1, 2, 1, 0, 0, -1, -2, -3])
  expect([...gapDistances([0, 0])]).toEqual([0, 0])
})

it('distances are grouped as 1, 2, 3 to 4, 5 to 8', () => {
  expect([1, 2, 3, 4, 5, 8, 9].map(distanceRange)).toEqual([
    [1, 1],
    [2, 2],
    [3, 4],
    [3, 4],
    [5, 8],
    [5, 8],
    [9, 16],
  ])
})

it('in a mode without order every row with entries is left out once, in groups of equal size', () => {
  const counts = Uint32Array.from({ length: 23 }, (_, row) => (row % 6 === 5 ? 0 : 7))
  const trials = gapTrials(0, counts, 'any', 5)
  const times = Array.from(counts, (_, row) => trials.filter(({ distances }) => distances[row] > 0).length)
  expect(times).toEqual(Array.from(counts, (count) => Number(count > 0)))
  for (const { isBlank } of trials) expect(isBlank.reduce((sum, x) => sum + x, 0)).toBe(3 + 4)
})

it('gaps between rows are moved without becoming longer, and rows without entries are not predicted', () => {
  const counts = Uint32Array.from({ length: 30 }, (_, row) => (row === 7 || row === 8 || row === 20 ? 0 : 3))
  const trials = gapTrials(2, counts, 'between', 5)
  expect(trials.length).toBeGreaterThanOrEqual(10)
  let predicted = 0
  for (const { isBlank, distances } of trials)
    distances.forEach((distance, row) => {
      if (distance === 0) return
      predicted++
      expect([isBlank[row], distance]).toEqual([1, 1])
      expect(counts[row]).toBe(3)
      const isLonger = [-2, -1, 0].some((first) => [0, 1, 2].every((by) => isBlank[row + first + by] === 1))
      expect(isLonger).toBe(false)
    })
  expect(predicted).toBeGreaterThan(20)
})

it('forecasts end where the mode would end: later rows are no neighbours', () => {
  const counts = Uint32Array.from({ length: 30 }, (_, row) => (row >= 27 ? 0 : 3))
  for (const { isBlank, isBeyond, distances } of gapTrials(1, counts, 'beyond', 5)) {
    const origin = isBlank.indexOf(1) - 1
    expect(origin).toBeGreaterThanOrEqual(9)
    expect([...isBlank.subarray(origin + 1, origin + 4)]).toEqual([1, 1, 1])
    expect(isBeyond!.indexOf(1)).toBe(origin + 4 < 30 ? origin + 4 : -1)
    for (let ahead = 1; ahead <= 3; ahead++)
      expect(distances[origin + ahead]).toBe(counts[origin + ahead] > 0 ? ahead : 0)
  }
})
