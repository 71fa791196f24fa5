/** The expected seconds of trials, from those of the last one. */
import { expect, it } from 'vitest'
import { synthetic } from '#lacuna/index.js'
import { Deadline, modelSize } from '#lacuna/solver/select/crossFit/index.js'
import { TrialTimes } from '#lacuna/solver/select/search/trialTimes.js'

const { tensor } = synthetic({ dims: [30, 20, 10], entries: 2000, rank: 2, seed: 1 })

it('a larger trial takes longer in proportion to its size, but not to set up its problems', () => {
  const ratio = modelSize(40, tensor.dims, 2000) / modelSize(10, tensor.dims, 2000)
  expect(ratio).toBeGreaterThan(2)
  /** Whether there is time for rank 40 after a trial of rank 10 that took two seconds. */
  const hasTime = (seconds: number, setUp?: number): boolean => {
    const deadline = new Deadline({ seconds, entries: 2000, isEnsemble: false, now: () => 0 })
    const times = new TrialTimes({ tensor, folds: 5, deadline, modelsAfter: 0 })
    expect(times.hasTimeFor({ rank: 40 }, 5)).toBe(true)
    times.note({ rank: 10, threads: 1 }, 5, { seconds: 2, setUp }, true)
    return times.hasTimeFor({ rank: 40, threads: 1 }, 5)
  }
  expect([hasTime(1.99 * ratio), hasTime(2.01 * ratio)]).toEqual([false, true])
  const setUp = 1.5
  expect([hasTime(setUp + 0.499 * ratio, setUp), hasTime(setUp + 0.501 * ratio, setUp)]).toEqual([
    false,
    true,
  ])
})
