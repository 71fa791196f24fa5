/** Time limits of a cross-fit: what is left out where the time is up, and that nothing else changes. */
import { beforeAll, describe, expect, it } from 'vitest'
import { completeByFolds, encodeEnsemble, type FoldedCompletion } from '#lacuna/folds.js'
import { complete, startRun, synthetic } from '#lacuna/index.js'
import { type ChosenByFolds, chooseByFolds, settingsOf } from '#lacuna/solver/index.js'
import { crossFit } from '#lacuna/solver/select/crossFit/crossFit.js'
import { Deadline, modelSize } from '#lacuna/solver/select/crossFit/deadline.js'

/** A deadline whose clock is set by hand. */
function deadlineOf(seconds: number, isEnsemble = true, entries = 1e6) {
  const clock = { seconds: 0 }
  const now = (): number => 1000 * clock.seconds
  return { clock, deadline: new Deadline({ seconds, entries, isEnsemble, now }) }
}

describe('the clock of a time limit', () => {
  it('reserves time for the stages after the models by the pace of predictions, half of all at most', () => {
    const { clock, deadline } = deadlineOf(100)
    deadline.notePredictions(1e5, 1e-3)
    expect(deadline.secondsForModels).toBeCloseTo(100 - 1.3, 6)
    deadline.notePredictions(1e5, 1) // slower than before, by chance
    expect(deadline.secondsForModels).toBeCloseTo(100 - 1.3, 6)
    const loaded = deadlineOf(100).deadline
    for (const seconds of [9e-3, 2e-3, 1e-3, 3e-3, 2e-3]) loaded.notePredictions(1e5, seconds)
    expect(loaded.secondsForModels).toBeCloseTo(100 - 2.6, 6) // by the median
    clock.seconds = 60
    expect(deadline.secondsLeft).toBe(40)
    expect(deadline.secondsForModels).toBeCloseTo(40 - 1.3, 6)
    const slow = deadlineOf(100).deadline
    slow.notePredictions(1e5, 0.05)
    expect([slow.secondsForModels, slow.mostSecondsForModels]).toEqual([75, 80])
    expect(slow.hasTimeForIntervals).toBe(true)
    const slower = deadlineOf(100).deadline
    slower.notePredictions(1e5, 1)
    expect([slower.secondsForModels, slower.mostSecondsForModels]).toEqual([50, 50])
    expect(slower.hasTimeForIntervals).toBe(false)
    expect(deadlineOf(100, false).deadline.secondsForModels).toBe(100)
  })

  it('reserves as much more time as the models that are combined are more and of higher rank', () => {
    const { clock, deadline } = deadlineOf(100)
    deadline.notePredictions(1e5, 1e-3)
    deadline.combined = [10, 10]
    expect(deadline.secondsForModels).toBeCloseTo(100 - 2.6, 6)
    deadline.combined = [36] // a prediction takes twice as long as at rank 10
    expect(deadline.secondsForModels).toBeCloseTo(100 - 2.6, 6)
    const high = deadlineOf(100).deadline
    high.notePredictions(1e5, 2e-3, 36)
    expect(high.secondsForModels).toBeCloseTo(100 - 1.3, 6)
    clock.seconds = 98.5
    expect(deadline.hasTimeFor('neighbours', [10])).toBe(true)
    expect(deadline.hasTimeFor('neighbours', [10, 10])).toBe(false)
  })

  it('has seconds for parts of a stage but for those that are reserved, and for all if it is asked to finish', () => {
    const finish = new AbortController()
    const clock = { now: 0 }
    const deadline = new Deadline({
      ...{ seconds: 100, entries: 1000, isEnsemble: true, finish: finish.signal, now: () => clock.now },
    })
    deadline.reservedSeconds = 30
    clock.now = 60_000
    expect([deadline.hasSeconds(9), deadline.hasSeconds(11)]).toEqual([true, false])
    finish.abort()
    expect(deadline.hasSeconds(11)).toBe(true)
  })

  it('expects a model of higher rank to take longer, the more so the more rows there are', () => {
    const ratio = (rank: number, dims: number[], entries: number): number =>
      modelSize(rank, dims, entries) / modelSize(10, dims, entries)
    expect(ratio(64, [80, 108, 25], 63_336)).toBeCloseTo(7.7, 1)
    expect(ratio(32, [610, 9724], 76_255)).toBeCloseTo(7.3, 1)
  })

  it('leaves out neighbours before the stages that must follow, and stability when hardly any time is left', () => {
    const { clock, deadline } = deadlineOf(100)
    deadline.notePredictions(1e5, 1e-3) // 0.01 s per prediction of all entries
    clock.seconds = 98
    expect(['neighbours', 'stability'].map((stage) => deadline.hasTimeFor(stage as 'stability'))).toEqual([
      true,
      true,
    ])
    clock.seconds = 99.2
    expect(deadline.hasTimeFor('neighbours')).toBe(false)
    expect(deadline.hasTimeFor('stability')).toBe(true)
    clock.seconds = 99.8
    expect(deadline.hasTimeFor('stability')).toBe(false)
  })
})

/**
 * Tries shorter and shorter time limits until one is reached: how long the work takes depends on what else the machine does.
 * @param attempt returns undefined if the limit was not reached
 */
async function shorten<T>(seconds: number, attempt: (seconds: number) => Promise<T | undefined>): Promise<T> {
  const result = await attempt(seconds)
  if (result !== undefined) return result
  if (seconds < 1e-4) throw new Error('Even a limit of 0.1 ms is not reached.')
  return shorten(seconds / 2, attempt)
}

describe('a cross-fit with a time limit', () => {
  const { tensor } = synthetic({ dims: [50, 40, 30], entries: 12_000, rank: 4, snrDb: 10, seed: 3 })
  const options = { rank: 6, threads: 2, seed: 2 }
  let whole: FoldedCompletion
  beforeAll(async () => {
    whole = (await completeByFolds(tensor, options))!
  })

  it('gives the bits that it gives without a limit, where the limit is not reached, and leaves out nothing', async () => {
    const limited = (await completeByFolds(tensor, options, { seconds: 1000 }))!
    expect(limited.leftOut).toEqual([])
    expect(limited.model.members.map(({ factors }) => factors)).toEqual(
      whole.model.members.map(({ factors }) => factors),
    )
    expect(limited.model.intervals).toEqual(whole.model.intervals)
    expect(limited.outOfFold).toEqual(whole.outOfFold)
  })

  it('ends early with a usable ensemble, and says what was left out', async () => {
    const { model, outOfFold, leftOut } = await shorten(whole.seconds / 3, async (seconds) => {
      const limited = (await completeByFolds(tensor, options, { seconds }))!
      return limited.leftOut.length > 0 ? limited : undefined
    })
    expect(model.training.leftOut).toEqual(leftOut)
    expect(outOfFold === undefined).toBe(model.intervals === undefined)
    expect(model.error(tensor).relative).toBeLessThan(0.5)
    expect(() => encodeEnsemble(model)).not.toThrow()
  })

  it('returns the models that there are without intervals where not even those of all folds can begin', async () => {
    const result = (await completeByFolds(tensor, options, {
      seconds: 1e-3,
      findRank: 'best',
      choose: true,
    }))!
    expect(result.leftOut).toEqual([
      'ranks other than the first',
      expect.stringMatching(/^\d of 5 models$/),
      'out-of-fold errors, intervals and neighbours',
    ])
    expect(result).not.toHaveProperty('outOfFold')
    expect(result.model.members.length).toBeLessThan(5)
    expect(Number.isFinite(result.model.predict([0, 0, 0]))).toBe(true)
    expect(() => result.model.interval([0, 0, 0])).toThrow('without what intervals are made of')
  })

  it('a search that is asked to finish ends with the ensemble of the trials so far, with intervals', async () => {
    const finish = new AbortController()
    const names: number[] = []
    const result = (await completeByFolds(tensor, options, {
      ...{ seconds: 1000, folds: 3, findRank: 'best', ranks: [2, 4, 8, 16], finish: finish.signal },
      onTrial: ({ rank }) => {
        names.push(rank)
        if (names.length === 2) finish.abort()
      },
    }))!
    expect(names).toHaveLength(2)
    expect(result.choice).toMatchObject({ isCut: true, trials: [{}, {}] })
    expect(result.leftOut).not.toEqual([])
    expect(result.outOfFold?.folds).toBe(3)
    expect(result.model.intervals).toBeDefined()
  })

  it('a search that is asked to finish while a later trial begins a model keeps the trials that have ended', async () => {
    const finish = new AbortController()
    let models = 0
    const result = (await completeByFolds(
      tensor,
      { ...options, threads: 1, epochs: 5 },
      {
        ...{ seconds: 1000, folds: 3, findRank: 'best', ranks: [2, 16], finish: finish.signal },
        onModel: () => {
          if (++models === 4) finish.abort()
        },
      },
    ))!
    expect(result.choice).toMatchObject({ isCut: true, trials: [{ rank: 6 }] })
    expect(result.model.members.map(({ rank }) => rank)).toEqual([6, 6, 6])
    expect(result.outOfFold).toBeDefined()
    expect(result.model.intervals).toBeDefined()
  })

  it('a resumed search has the models of other trials where there is no time for those of the best one again', async () => {
    const base = { ...options, epochs: 5 }
    const folds = { folds: 3, findRank: 'best', ranks: [4], seconds: 1000 } as const
    const first = (await chooseByFolds(tensor, base, { ...folds, ranks: [] })) as ChosenByFolds
    const [{ trial, fit }] = first.candidates
    const [better] = [fit.foldErrors.map((error) => ({ ...error, squares: 0.9 * error.squares }))]
    const known = { ...trial, rmse: 0.9 * trial.rmse, foldErrors: better }
    const settings = settingsOf(base)
    const saved = { settings, folds: 3, starts: 1, by: fit.by, seconds: 0, trials: [known], runs: [] }
    const finish = new AbortController()
    const resumed = (await chooseByFolds(tensor, base, {
      ...{ ...folds, finish: finish.signal },
      checkpointing: { saved, every: Infinity, save: async () => {} },
      onTrial: ({ rank }) => rank === 4 && finish.abort(),
    })) as ChosenByFolds
    expect(resumed.choice.trials.map(({ rank }) => rank)).toEqual([4, 6])
    expect(resumed.candidates.map(({ trial: { rank } }) => rank)).toEqual([4])
    expect(resumed.candidates[0].fit.models).toHaveLength(3)
    expect(resumed.choice.chosen.rank).toBe(4)
    expect(resumed.leftOut).toContain('the models of the best trial')
  })

  it('a search for the rank names the ranks that it had no time for', async () => {
    const found = await shorten(whole.seconds, async (seconds) => {
      const limited = (await chooseByFolds(tensor, options, {
        ...{ folds: 2, findRank: 'smallest', withModels: false, seconds },
      }))!
      return limited.leftOut.length > 0 ? limited : undefined
    })
    expect('choice' in found ? found.choice.isCut : true).toBe(true)
    // Where not even the first trial ends, that is all there is.
    expect(found.leftOut[0]).toMatch(/^ranks (above \d+|other than the first)$/)
  })

  it('a search for the rank with a limit begins at a usual rank, which it has if it must finish then', async () => {
    const finish = new AbortController()
    const found = (await chooseByFolds(tensor, options, {
      ...{ folds: 2, findRank: 'smallest', withModels: false, seconds: 1000, finish: finish.signal },
      onTrial: () => finish.abort(),
    }))!
    expect(found).toMatchObject({ choice: { isCut: true, chosen: { rank: 8 }, trials: [{}] } })
  })

  it('models that the limit cuts off are counted, and every model has had its turn', async () => {
    const fit = await shorten(whole.seconds / 4, async (seconds) => {
      const deadline = new Deadline({ seconds, entries: 12_000, isEnsemble: false })
      const limit = { deadline, cutsModels: true, modelsAfter: 0 }
      const fit = await crossFit(tensor, options, {}, undefined, { isHopeless: () => false, limit })
      if (!fit || !('cut' in fit)) return 'a machine that is too busy begins fewer models'
      return fit.cut > 0 ? fit : undefined
    })
    if (typeof fit === 'string') return
    const stopped = fit.models.map(({ training }) => training.stopped)
    expect(stopped.filter((reason) => reason === 'seconds')).toHaveLength(fit.cut)
  })

  it('complete spends its seconds on all folds together', async () => {
    const { leftOut } = (await complete(tensor, { ...options, folds: 5, seconds: 1e-3 }))!
    expect(leftOut).not.toEqual([])
  })
})

it('a run does not begin an iteration that would end long after its time limit', async () => {
  const { tensor } = synthetic({ dims: [40, 30, 20], entries: 4000, rank: 2, snrDb: 10, seed: 1 })
  const run = await startRun(tensor, { rank: 30, threads: 1 })
  while (!run.learned) await run.advance()
  const epochs = run.epochs
  await run.change({ seconds: run.seconds * (1 + 1e-9) })
  expect(await run.advance()).toBeUndefined()
  expect([run.stopped, run.epochs]).toEqual(['seconds', epochs])
  await run.close()
})
