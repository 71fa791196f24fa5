import { describe, expect, it } from 'vitest'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { divideIntoBlocks } from '#lacuna/engine/cpu/setup/grid/grid.js'
import type { LoadedProblem } from '#lacuna/engine/engine.js'
import type { CpModel } from '#lacuna/model/index.js'
import { decodeRun, encodeRun, Run, type RunOptions } from '#lacuna/solver/index.js'
import { fastMethod } from '#lacuna/solver/methods/fast.js'
import { newStrata, strataStep, updateStrata, usesStrata } from '#lacuna/solver/methods/strata.js'
import type { EpochReport } from '#lacuna/solver/run/report.js'
import { defaults, type Settings } from '#lacuna/solver/settings/settings.js'
import { synthetic } from '#lacuna/tensor/index.js'
import { weighted } from '../../../problems.ts'

const settings = (changes: Partial<Settings> = {}): Settings => ({ ...defaults.fast, rank: 10, ...changes })
/** The MovieLens-like problem of docs/solver.md. */
const ratings = { dims: [7157, 6513, 730], entries: 1_000_005 }

describe('strata are used', () => {
  it('strata are used on long modes of short rows', () => {
    expect(usesStrata(settings(), ratings)).toBe(true)
    expect(usesStrata(settings(), { dims: [71567, 65133, 730], entries: 10_000_054 })).toBe(true)
    expect(usesStrata(settings(), { dims: [4000, 3000, 2000, 500], entries: 1_000_000 })).toBe(true)
  })

  it('strata are used from 128 rows per mode, and where solved rows would begin with 2.5% to 50% of the entries', () => {
    // Solved rows would begin with 3 · 10 · 7157 entries.
    for (const [rows, share, isUsed] of [
      [128, 0.2, true],
      [127, 0.2, false],
      [730, 0.0251, true],
      [730, 0.0249, false],
      [730, 0.499, true],
      [730, 0.501, false],
    ] as const) {
      const problem = { dims: [7157, 6513, rows], entries: Math.round((30 * 7157) / share) }
      expect(usesStrata(settings(), problem), `${rows} rows, ${share}`).toBe(isUsed)
    }
  })

  it('strata are not used for short modes, long or nearly empty rows, matrices or more than eight modes', () => {
    for (const { dims, entries } of [
      { dims: [183, 24, 1140, 1717], entries: 3_309_490 },
      { dims: [1063, 1599, 3], entries: 509_921 },
      { dims: [7157, 6513, 127], entries: 1_000_005 },
      { dims: [1000, 900, 500], entries: 1_300_000 },
      { dims: [7157, 6513, 730], entries: 400_000 },
      { dims: [6000, 5000], entries: 1_000_000 },
      { dims: new Array(9).fill(1000), entries: 100_000 },
    ])
      expect(usesStrata(settings(), { dims, entries })).toBe(false)
  })

  it('strata are not used where every process would hold more than 256 MB of entries', () => {
    const dims = [120_000, 110_000, 1000]
    expect(usesStrata(settings(), { dims, entries: 16_000_000 })).toBe(true)
    expect(usesStrata(settings(), { dims, entries: 17_000_000 })).toBe(false)
  })

  it('strata are not used with a given λ or c, zeros, the Huber loss or the paper’s solver', () => {
    const others: Partial<Settings>[] = [
      { solver: 'paper' },
      { missing: 'zero' },
      { lambda: 1 },
      { sample: 0.5 },
      { loss: 'huber' },
    ]
    for (const changes of others) expect(usesStrata(settings(changes), ratings)).toBe(false)
  })
})

describe('the schedule of strata', () => {
  /** Progress of epochs one after another; returns what becomes of the rate, until strata end. */
  function ratesAfter(...progress: number[]): number[] {
    const state = newStrata()
    const rates = [state.rate]
    for (const p of progress) {
      if (!updateStrata(state, 1, Math.exp(-p))) break
      rates.push(state.rate)
    }
    return rates
  }

  it('stratified SGD continues at its rate while epochs lower the error by 8% or more', () => {
    expect(ratesAfter(0.5, 0.081, 0.2)).toEqual([1.3, 1.3, 1.3, 1.3])
  })

  it('stratified SGD halves the rate in noise, and ends when that no longer helps', () => {
    expect(ratesAfter(0.5, 0.01, 0.3, 0.015, 0.1, 0.01, 0.05, 0.3)).toEqual([
      1.3, 1.3, 0.65, 0.65, 0.325, 0.325, 0.1625,
    ])
  })

  it('stratified SGD keeps its rate in a swamp, and waits longer each time before it tries half of it', () => {
    const slow = (count: number): number[] => new Array(count).fill(0.05)
    const rates = ratesAfter(...slow(17))
    expect(rates.flatMap((rate, epoch) => (rate === 0.65 ? [epoch] : []))).toEqual([1, 7, 17])
    expect(rates).toHaveLength(18)
    expect(ratesAfter(...slow(3), 0.01, 0.05)).toHaveLength(4)
  })

  it('stratified SGD continues after a failed trial of half the rate only if the epoch before it gained 2% or more', () => {
    expect(ratesAfter(0.021, 0.01, 0.05)).toEqual([1.3, 0.65, 1.3, 1.3])
    expect(ratesAfter(0.019, 0.01, 0.05)).toEqual([1.3, 0.65])
    // While it waits for the next trial, too.
    expect(ratesAfter(0.05, 0.05, 0.021, 0.05)).toHaveLength(5)
    expect(ratesAfter(0.05, 0.05, 0.019, 0.05)).toHaveLength(3)
  })

  it('stratified SGD ends at once when the error grows at half the rate, or is NaN', () => {
    expect(ratesAfter(-0.1, -0.1, 0.5)).toHaveLength(2)
    expect(ratesAfter(Number.NaN, Number.NaN, 0.5)).toHaveLength(2)
  })

  it('strataStep bounds Σ‖k_m‖² below by a tenth of its expectation for factors of the size of the data', () => {
    const train = { entries: 100, weight: 100, squares: 0, absolutes: 800 }
    const { rate, least } = strataStep(
      newStrata(),
      { dims: [9, 9, 9], sets: { train }, emptyRows: [], valueScale: 1, factorScale: 1, digest: '' },
      1,
    )
    // The mean is 8; factors of U[0, 4] have a mean square of 16/3, and k of one component its square.
    expect(rate).toBe(1.3)
    expect(least).toBeCloseTo(0.1 * 3 * (16 / 3) ** 2)
  })
})

describe('the fast solver with strata', () => {
  const train = { entries: 100_000, weight: 100_000, squares: 130_000, absolutes: 100_000 }
  const statistics = {
    dims: [1000, 500, 200],
    emptyRows: [0, 0, 0].map(() => new Uint32Array(0)),
    sets: { train },
    valueScale: 1,
    factorScale: 1,
    digest: '',
  }
  const loaded = { statistics, hasStrata: true, cost: () => 1 } as Partial<LoadedProblem> as LoadedProblem
  const reportOf = (relative: number, epoch: number): EpochReport => ({
    epoch,
    seconds: 0,
    updateSeconds: 0,
    train: { relative, rmse: relative, mae: relative, entries: 1000 },
    sample: 1,
    lambda: 0,
  })

  /** Epochs that end with these errors; what follows from the last of them. */
  function follow(...errors: number[]) {
    const method = fastMethod(settings({ prior: 'isotropic' }), loaded)
    const state = method.begin(reportOf(1, 0), true)
    let best = reportOf(1, 0)
    const reports: EpochReport[] = []
    const verdicts = errors.map((relative, i) => {
      const past = { iterations: i, epoch: i, reports, best }
      const round = method.next(state, past)
      expect(round).toMatchObject({ iterations: 1, sample: 1, step: { kind: 'strata' } })
      const report = reportOf(relative, i + 1)
      const verdict = method.judge(state, past, round, report)
      reports.push(report)
      if (verdict.isBest) best = report
      return verdict
    })
    const epoch = errors.length
    return {
      verdict: verdicts.at(-1)!,
      next: method.next(state, { iterations: epoch, epoch, reports, best }),
    }
  }

  it('the fast solver continues with strata while they make progress', () => {
    const { verdict, next } = follow(0.5, 0.3)
    expect(verdict).toEqual({ isReported: true, isBest: true, mustRestore: false })
    expect(next.step).toMatchObject({ kind: 'strata', rate: 1.3 })
  })

  it('after strata the fast solver solves rows with all entries, from the best factors', () => {
    const { verdict, next } = follow(0.5, 0.495, 0.49)
    expect(verdict).toEqual({ isReported: true, isBest: true, mustRestore: false })
    expect(next).toMatchObject({ sample: 1, step: { kind: 'newton' } })
    expect(follow(0.5, 0.51, 0.505).verdict).toEqual({ isReported: true, isBest: false, mustRestore: true })
  })

  it('where strata only raised the error, or it is NaN, the fast solver begins with small samples', () => {
    for (const errors of [[1.2, 1.3], [Number.NaN]]) {
      const { verdict, next } = follow(...errors)
      expect(verdict).toMatchObject({ isBest: false, mustRestore: true })
      expect(next.step.kind).toBe('newton')
      expect(next.sample).toBeCloseTo((3 * 10 * 1000) / 100_000)
    }
  })
})

describe('blocks of rows', () => {
  it('blocks of rows have about as many entries each, and random rows', () => {
    const lengths = Uint32Array.from({ length: 1000 }, (_, p) => (p % 10 === 0 ? 0 : 1 + (p % 7)))
    const places = new Uint32Array(1000)
    const blocks = divideIntoBlocks(lengths, 8, 5, places)
    expect([...places].sort((a, b) => a - b)).toEqual([...places.keys()])
    const entries = new Array(8).fill(0)
    blocks.forEach((block, p) => {
      entries[block] += lengths[p]
      for (const q of [p - 1, p + 1])
        if (places[q] > places[p]) expect(blocks[q]).toBeGreaterThanOrEqual(block)
    })
    const all = entries.reduce((sum, count) => sum + count, 0)
    for (const count of entries) expect(Math.abs(count - all / 8)).toBeLessThanOrEqual(7)
    expect(new Set(blocks.subarray(0, 40)).size).toBeGreaterThan(4)
  })
})

const problem = synthetic({ dims: [200, 180, 150], entries: 30_000, rank: 3, seed: 2, testEntries: 1000 })

describe('a run on long modes', () => {
  const options: RunOptions = { rank: 3, prior: 'isotropic', watch: { hidden: problem.test! } }
  const bytesOf = ({ factors }: CpModel): string =>
    Buffer.concat(factors.map(({ buffer }) => Buffer.from(buffer))).toString('base64')

  it('a run on long modes begins with strata, recovers the truth, and resumes within strata with the same bits', async () => {
    const run = await Run.start(problem.tensor, { ...options, threads: 2 })
    for (let epoch = 1; epoch <= 3; epoch++) expect(await run.advance()).toMatchObject({ epoch, sample: 1 })
    const state = await run.state()
    expect(state.progress.method).toMatchObject({ strata: { rate: 1.3 } })
    for await (const _ of run);
    const { model, watch } = await run.result()
    await run.close()
    expect(watch!.hidden.relative).toBeLessThan(1e-3)

    const saved = decodeRun(Buffer.concat(encodeRun(state)), 'a run')
    const engine = cpuEngine({ threads: 3, parts: 2 })
    const other = await Run.resume(saved, problem.tensor, { ...options, engine })
    for await (const _ of other);
    expect(bytesOf((await other.result()).model)).toBe(bytesOf(model))
    await other.close()
    await engine.close()
  })

  it('a run uses no strata where factors are given, entries have weights, or epochs are few', async () => {
    const initial = problem.factors
    const heavy = weighted(problem.tensor)
    for (const [tensor, more] of [
      [problem.tensor, { initial }],
      [heavy, {}],
      [problem.tensor, { epochs: 19 }],
    ] as const) {
      const run = await Run.start(tensor, { ...options, threads: 1, ...more })
      const { method } = (await run.state()).progress
      await run.close()
      expect(method).not.toHaveProperty('strata')
    }
  })
})
