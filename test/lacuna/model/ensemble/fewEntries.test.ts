/** Intervals of rows that are folded in from few entries, where the time for them is limited. */
import { expect, it } from 'vitest'
import { synthetic } from '#lacuna/index.js'
import { type Assembly, assembleEnsemble } from '#lacuna/model/index.js'
import { type CrossFit, crossFit } from '#lacuna/solver/select/crossFit/index.js'

const { tensor } = synthetic({ dims: [30, 20, 12], entries: 4000, rank: 2, snrDb: 15, seed: 3 })
const options = { rank: 2, epochs: 10, threads: 1, seed: 1 }

it('where the time is up, trials of few entries end, and the groups before them stay', async () => {
  const fit = (await crossFit(tensor, options, { folds: 3 })) as CrossFit
  const assemble = (hasSeconds?: Assembly['hasSeconds']) => {
    const { model, leftOut } = assembleEnsemble(tensor, { fits: [fit], seed: 1, hasSeconds })
    const groups = model.intervals!.emptyRows!.filter(({ kinds }) => kinds[0] === 'few')
    return { model, groups, leftOut }
  }
  const whole = assemble()
  expect(whole.leftOut).toEqual([])
  expect(whole.groups.map(({ modes, ranges }) => [modes[0], ranges[0][0]])).toEqual(
    [0, 1, 2].flatMap((mode) => [1, 2, 6, 18].map((from) => [mode, from])),
  )
  const asked: number[] = []
  // Five trials per number of entries: the third number is cut in its second trial.
  const cut = assemble((seconds) => asked.push(seconds) <= 11)
  expect(asked[0]).toBe(0)
  expect(asked.slice(1).every((seconds, trial) => seconds >= asked[trial])).toBe(true)
  expect(asked.at(-1)).toBeGreaterThan(0)
  expect(cut.leftOut).toEqual(['fewEntries'])
  expect(cut.groups.map(({ modes, ranges }) => [modes[0], ranges[0][0]])).toEqual([
    [0, 1],
    [0, 2],
  ])
  expect(asked).toHaveLength(12)
  expect(cut.groups[0].residuals).toEqual(whole.groups[0].residuals)
  expect(cut.model.interval([1, 2, 3])).toEqual(whole.model.interval([1, 2, 3]))
})
