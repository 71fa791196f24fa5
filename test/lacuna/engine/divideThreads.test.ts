import { expect, it } from 'vitest'
import { divideThreads, groupsOfFirst, timeOf } from '#lacuna/engine/defaultEngine.js'

const small = { models: 5, entries: 100_000, order: 3, rank: 10 }

it('of five small models on two threads four run side by side, and the last one has both threads', () => {
  expect(divideThreads(small, 2)).toEqual([
    { models: 4, sideBySide: 2, threads: 1 },
    { models: 1, sideBySide: 1, threads: 2 },
  ])
  expect(divideThreads({ ...small, models: 4 }, 2)).toEqual([{ models: 4, sideBySide: 2, threads: 1 }])
  expect(divideThreads(small, 1)).toEqual([{ models: 5, sideBySide: 1, threads: 1 }])
})

it('no model has more threads than it keeps busy', () => {
  const tiny = { ...small, entries: 500 }
  for (const { threads } of divideThreads(tiny, 16)) expect(threads).toBe(1)
})

it('large models run one after another on all threads: each has a copy of the entries', () => {
  expect(divideThreads({ ...small, entries: 1e7 }, 8)).toEqual([{ models: 5, sideBySide: 1, threads: 8 }])
  expect(divideThreads({ ...small, rank: 200 }, 8)).toEqual([{ models: 5, sideBySide: 1, threads: 8 }])
})

it('all models are in a group, whatever their number and that of threads', () => {
  for (let threads = 1; threads <= 17; threads++)
    for (let models = 2; models <= 11; models++) {
      const groups = divideThreads({ ...small, models }, threads)
      expect(groups.reduce((sum, group) => sum + group.models, 0)).toBe(models)
      for (const group of groups) {
        expect(group.sideBySide * group.threads).toBeLessThanOrEqual(threads)
        expect(group.models % group.sideBySide).toBe(0)
      }
    }
})

it('the first of models side by side take as long as the rounds that they are in', () => {
  const fiveAtOnce = divideThreads(small, 5)
  expect(groupsOfFirst(fiveAtOnce, 2)).toEqual(fiveAtOnce)
  const inTurn = divideThreads(small, 1)
  expect(timeOf(groupsOfFirst(inTurn, 2)) / timeOf(inTurn)).toBeCloseTo(2 / 5)
  const twoAtOnce = divideThreads(small, 2)
  expect(groupsOfFirst(twoAtOnce, 1)).toEqual([{ models: 2, sideBySide: 2, threads: 1 }])
  expect(groupsOfFirst(twoAtOnce, 3)).toEqual([{ models: 4, sideBySide: 2, threads: 1 }])
  expect(groupsOfFirst(twoAtOnce, 5)).toEqual(twoAtOnce)
})
