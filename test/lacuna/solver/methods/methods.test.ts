/** What the solvers decide, without an engine: rounds, and what follows from their reports. */
import { describe, expect, it } from 'vitest'
import type { LoadedProblem, SetStatistics } from '#lacuna/engine/engine.js'
import { type FastState, fastMethod, probeSize } from '#lacuna/solver/methods/fast.js'
import type { Past, Round } from '#lacuna/solver/methods/method.js'
import { paperMethod } from '#lacuna/solver/methods/paper.js'
import type { EpochReport } from '#lacuna/solver/run/report.js'
import { defaults, type Settings } from '#lacuna/solver/settings/settings.js'

const train: SetStatistics = { entries: 100_000, weight: 100_000, squares: 130_000, absolutes: 100_000 }
const problem = {
  statistics: {
    dims: [1000, 500, 200],
    emptyRows: [0, 0, 0].map(() => new Uint32Array(0)),
    sets: { train },
    valueScale: 1,
    factorScale: 1,
    digest: '',
  },
  cost: ({ sample }) => sample,
} as Partial<LoadedProblem> as LoadedProblem

/** A report with these relative errors on training and validation entries. */
function reportOf(relative: number, epoch: number, validation?: number): EpochReport {
  const error = (of: number) => ({ relative: of, rmse: of, mae: of, entries: 1000 })
  return {
    epoch,
    seconds: epoch,
    updateSeconds: epoch,
    train: error(relative),
    ...(validation !== undefined && { validation: error(validation) }),
    sample: 1,
    lambda: 0,
  }
}

/** A run with these reports. */
const pastOf = (reports: EpochReport[], best = reports.at(-1)!): Past => ({
  iterations: 10,
  epoch: reports.at(-1)?.epoch ?? 0,
  reports,
  best,
})

describe('the fast solver', () => {
  const settings = (changes: Partial<Settings> = {}): Settings => ({
    ...defaults.fast,
    sample: 1,
    ...changes,
  })
  const begin = (changes?: Partial<Settings>, first = reportOf(1, 0)) => {
    const method = fastMethod(settings(changes), problem)
    return { method, state: method.begin(first) }
  }

  it('the fast solver halves the momentum and restores the best factors when the error explodes, and not otherwise', () => {
    const { method, state } = begin()
    const first = reportOf(0.5, 1)
    const round = method.next(state, pastOf([first]))
    const momentum = (of: Round): number => (of.step.kind === 'newton' ? of.step.momentum : Number.NaN)
    expect(momentum(round)).toBeCloseTo(0.6)
    for (const [worse, share] of [
      [0.74, 1],
      [0.76, 0.5],
      [Number.NaN, 0.25],
      [0.5, 0.25],
    ]) {
      const verdict = method.judge(state, pastOf([first]), round, reportOf(worse, 2))
      const isBack = worse !== 0.74 && worse !== 0.5
      expect(verdict).toMatchObject({ isBest: false, mustRestore: isBack, isReported: !Number.isNaN(worse) })
      expect(momentum(method.next(state, pastOf([first])))).toBeCloseTo(0.6 * share)
    }
    expect(method.judge(state, pastOf([first]), round, reportOf(0.4, 2))).toMatchObject({
      isBest: true,
      mustRestore: false,
    })
  })

  it('the fast solver averages λ with the last one, so that it follows the error slowly', () => {
    const { method, state } = begin()
    const lambda = (error: number): number => begin(undefined, reportOf(error, 0)).state.lambda
    const round = method.next(state, pastOf([reportOf(1, 0)]))
    expect(round.lambda).toBe(state.lambda)
    const before = state.lambda
    method.judge(state, pastOf([reportOf(1, 0)]), round, reportOf(0.1, 1))
    expect(lambda(0.1)).toBeLessThan(before / 10)
    expect(state.lambda).toBeCloseTo((before + lambda(0.1)) / 2, 10)
    expect(begin({ lambda: 0.7 }).method.next(state, pastOf([reportOf(1, 0)])).lambda).toBe(0.7)
  })

  it('the fast solver estimates the noise by the larger of training and validation error', () => {
    const one = begin(undefined, reportOf(0.1, 0, 0.3)).state.lambda
    expect(one).toBe(begin(undefined, reportOf(0.3, 0)).state.lambda)
    expect(one).toBe(begin(undefined, reportOf(0.3, 0, 0.1)).state.lambda)
  })

  it('the fast solver measures errors after 1/16 of an epoch, then at doubled intervals, then every quarter', () => {
    const { method, state } = begin({ sample: 0.001 })
    const lengths: number[] = []
    for (let i = 0; i < 6; i++) {
      const round = method.next(state, pastOf([reportOf(1, 0)]))
      lengths.push(round.iterations * round.sample)
      method.judge(state, pastOf([reportOf(1, 0)]), round, reportOf(1, 0))
    }
    expect(lengths).toEqual([0.063, 0.063, 0.125, 0.25, 0.25, 0.25].map((x) => expect.closeTo(x, 3)))
    // Near the end, no further than to it.
    const near = { ...pastOf([reportOf(1, 499.9)]), epoch: 499.9 }
    const round = method.next(state, near)
    expect(round.iterations * round.sample).toBeCloseTo(0.1, 3)
  })

  /** Reports five epochs apart whose training error falls by so much in each epoch. */
  function settledAfter(error: number, gain: number, tolerance = 1e-3): string | undefined {
    const { method, state } = begin({ tolerance })
    const past = [reportOf(error + 5 * gain, 20)]
    const round = method.next(state, pastOf(past))
    return method.judge(state, pastOf(past), round, reportOf(error, 25)).stop
  }

  it('the fast solver stops when five epochs gain less than the tolerance of the error, or of 0.1 where it is smaller', () => {
    expect(settledAfter(0.5, 0.9 * 1e-3 * 0.5)).toBe('tolerance')
    expect(settledAfter(0.5, 1.1 * 1e-3 * 0.5)).toBeUndefined()
    expect(settledAfter(0.01, 0.9 * 1e-3 * 0.1)).toBe('tolerance')
    expect(settledAfter(0.01, 1.1 * 1e-3 * 0.1)).toBeUndefined()
    expect(settledAfter(0.5, 0, 0)).toBeUndefined()
    expect(settledAfter(0.9e-5, 1, 0)).toBe('exact')
  })

  it('the fast solver climbs to larger samples before it stops, and measures progress from there', () => {
    const method = fastMethod(settings({ sample: 'auto', tolerance: 1e-3 }), problem)
    const state = method.begin(reportOf(1, 0))
    expect(method.next(state, pastOf([reportOf(1, 0)])).sample).toBeLessThan(1)
    const past = pastOf([reportOf(0.5, 20)])
    const before = state.schedule.at
    expect(method.judge(state, past, method.next(state, past), reportOf(0.5, 25)).stop).toBeUndefined()
    expect(state.schedule.at).toBeGreaterThan(before)
    expect(state.since).toBe(25)
    state.schedule.at = 99 // the last stage there is, say
    expect((state as FastState).since).toBe(25)
  })

  it('the fast solver stops by patience, counted from the smallest validation error', () => {
    const { method, state } = begin({ patience: 3, tolerance: 0 }, reportOf(1, 0, 1))
    const judge = (epoch: number, validation: number): string | undefined => {
      const past = pastOf([reportOf(0.5, 0, 1)])
      return method.judge(state, past, method.next(state, past), reportOf(0.5, epoch, validation)).stop
    }
    expect(judge(1, 0.8)).toBeUndefined()
    expect(judge(3.9, 0.9)).toBeUndefined()
    expect(judge(4, 0.9)).toBe('patience')
  })

  it('sweeps under a learned prior start from the latest factors where validation liked earlier ones better', () => {
    const withPosterior = { ...problem, hasPosterior: true } as LoadedProblem
    const method = fastMethod(settings({ prior: 'learned', patience: 3, tolerance: 0 }), withPosterior)
    const start = (latest: EpochReport, best: EpochReport) => {
      const state = method.begin(reportOf(1, 0, 1))
      state.best = { score: 0.5, epoch: 1 }
      const past = pastOf([best], best)
      const verdict = method.judge(state, past, method.next(state, past), latest)
      const { step } = method.next(state, past)
      return { verdict, rmse: step.kind === 'posterior' && Math.sqrt(step.begin!.squares / train.entries) }
    }
    const better = reportOf(0.6, 1, 0.5)
    const free = start(reportOf(0.3, 4, 0.7), better)
    expect(free.verdict.mustRestore ?? false).toBe(false)
    expect(free.rmse).toBeCloseTo(0.3, 6)
    // Factors that diverged are not a start.
    const diverged = start(reportOf(1.1, 4, 0.9), better)
    expect(diverged.verdict.mustRestore).toBe(true)
    expect(diverged.rmse).toBeCloseTo(0.6, 6)
  })

  it('sweeps with covariances of groups begin after twenty epochs, those with covariances of rows when λ is done', () => {
    const startsAt = (entries: number, epoch: number, before = 0.6): boolean => {
      const { statistics } = problem
      const large = { ...statistics, sets: { train: { ...train, entries } } }
      const loaded = { ...problem, statistics: large, hasPosterior: true } as LoadedProblem
      const method = fastMethod(settings({ prior: 'learned', rank: 64 }), loaded)
      const state = method.begin(reportOf(1, 0))
      const past = pastOf([reportOf(0.9, 0), reportOf(before, epoch - 5)])
      method.judge(state, past, method.next(state, past), reportOf(0.5, epoch))
      return state.priorSweeps !== undefined
    }
    expect(startsAt(10_000_000, 19.9)).toBe(false)
    expect(startsAt(10_000_000, 20)).toBe(true)
    expect(startsAt(1_000_000, 20)).toBe(false)
    // The error still falls fast.
    expect(startsAt(10_000_000, 20, 0.65)).toBe(true)
    expect(startsAt(10_000_000, 20, 0.68)).toBe(false)
  })

  it('the probe has 2% of the entries, but at least 100,000', () => {
    expect(probeSize(1000)).toBe(100_000)
    expect(probeSize(5_000_000)).toBe(100_000)
    expect(probeSize(50_000_000)).toBe(1_000_000)
  })

  it('the fast solver refuses to begin with a NaN error', () => {
    expect(() => begin(undefined, reportOf(Number.NaN, 0))).toThrow('The first error is not finite')
  })
})

describe("the paper's solver", () => {
  const method = (changes: Partial<Settings> = {}) => paperMethod({ ...defaults.paper, ...changes })

  it("the paper's solver takes 1/c iterations an epoch, and rounding does not accumulate", () => {
    const { next, begin } = method({ sample: 0.3 })
    const state = begin(reportOf(1, 0))
    const counts: number[] = []
    for (let done = 0, e = 0; e < 30; e++) {
      const { iterations } = next(state, {
        ...pastOf([reportOf(1, 0)]),
        reports: new Array(e),
        iterations: done,
      })
      counts.push(iterations)
      done += iterations
      expect(Math.abs(done - (e + 1) / 0.3)).toBeLessThanOrEqual(0.5)
    }
    expect(new Set(counts)).toEqual(new Set([3, 4]))
  })

  it("the paper's solver returns the last factors, or those with the smallest validation error", () => {
    const { judge, begin, next } = method()
    const state = begin(reportOf(1, 0))
    const round = next(state, pastOf([reportOf(1, 1)]))
    expect(judge(state, pastOf([reportOf(0.5, 1)]), round, reportOf(0.9, 2)).isBest).toBe(true)
    for (const [validation, isBest] of [
      [0.9, false],
      [0.3, true],
    ] as const)
      expect(judge(state, pastOf([reportOf(0.5, 1, 0.5)]), round, reportOf(0.4, 2, validation)).isBest).toBe(
        isBest,
      )
    // The first epoch counts, whatever it started from.
    const start = { ...pastOf([]), best: reportOf(0.1, 0, 0.1) }
    expect(judge(state, start, round, reportOf(0.9, 1, 0.9)).isBest).toBe(true)
  })
})
