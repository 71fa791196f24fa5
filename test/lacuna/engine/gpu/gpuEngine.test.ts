/** The engine suite on a software adapter, and what only this engine has. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import type { Engine, Problem } from '#lacuna/engine/engine.js'
import { WORTHWHILE } from '#lacuna/engine/gpu/gpuEngine.js'
import { type GpuEngine, gpuEngine } from '#lacuna/engine/gpu/index.js'
import { fractionOf } from '#lacuna/engine/gpu/wgsl/step.js'
import { synthetic } from '#lacuna/tensor/index.js'
import { distance, randomFactors, randomTensor, toMatrix, weighted } from '../../../problems.ts'
import { engineChecks, tryFewerProblems } from '../suite.ts'
import { begin, GRADIENT, NEWTON, PAPER, PATIENCE_MS, problemOf, runOf } from './problem.ts'
import { useSoftwareAdapter } from './softwareAdapter.ts'

useSoftwareAdapter()
// Every rank and order compiles kernels of its own.
tryFewerProblems(15)

/** An engine that many checks share, so that kernels are compiled once. */
const unclosed = (engine: Engine): Engine =>
  new Proxy(engine, {
    get(target, name) {
      if (name === 'close') return async () => {}
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

/**
 * Checks that take too long on a software adapter; tests below replace them.
 */
const LEFT_OUT = [
  'An engine plans about as much memory as it takes',
  'A paper step equals the reference on rows of several segments',
  'Gradient and newton steps without λ',
  'Gradient and newton steps equal the reference on rows of several segments',
  'Steps on weighted entries',
  'A step over all entries without momentum',
]
const checks = engineChecks.filter(({ name }) => !LEFT_OUT.some((other) => name.startsWith(other)))

/** Factors after some steps of each kind, and errors. */
async function solved(engine: Engine, problem: Problem): Promise<[Float32Array[], number[]]> {
  const loaded = await begin(engine, problem)
  // Rows of many components are solved for slowly where all that is parallel is not.
  const steps = problem.rank > 100 ? [PAPER, GRADIENT] : [PAPER, GRADIENT, NEWTON]
  for (const step of steps) await loaded.iterate(runOf(step))
  // So few entries of a long row that not all of its segments are visited.
  await loaded.iterate(runOf(GRADIENT, 0.05))
  const { sums } = await loaded.errors(['train', 'probe'])
  const factors = await loaded.readFactors()
  await loaded.close()
  return [factors, sums.flatMap(({ squares, absolutes }) => [squares, absolutes])]
}

const cpu = cpuEngine({ allThreads: true, threads: 2, parts: 2 })
afterAll(() => cpu.close())

describe('the GPU engine', () => {
  let engine: GpuEngine
  beforeAll(async () => {
    engine = await gpuEngine({ threads: 2 })
  })
  afterAll(() => engine.close())
  for (const { name, check } of checks) it(name, () => check(() => unclosed(engine)), PATIENCE_MS)

  it('Entries on the GPU have the order and the statistics that they have on the CPU, also cells that are listed many times', {
    timeout: PATIENCE_MS,
  }, async () => {
    const { dims, indices, values } = randomTensor({ dims: [13, 60, 40], entries: 6000, seed: 4 })
    const tensor = weighted({
      dims,
      // One cell 2000 times, which the process sorts, and one 300 times, which the device sorts.
      indices: indices.map((column) =>
        column.map((index, e) => (e < 2000 ? column[0] : e < 2300 ? column[2000] : index)),
      ),
      values,
    })
    const problem = { ...problemOf([13, 60, 40], 6000, 5), tensor, sets: { other: tensor } }
    const found = []
    for (const place of [engine, cpu]) {
      const repeated: boolean[] = []
      const loaded = await begin(place, { ...problem, onRepeated: () => repeated.push(true) })
      // Which entries are sampled depends on their order.
      await loaded.iterate(runOf(GRADIENT, 0.1))
      const { sets, ...statistics } = loaded.statistics
      const names = ['train', 'probe', 'other']
      const sums = names.flatMap((name) => [sets[name].weight, sets[name].squares, sets[name].absolutes])
      const entries = names.map((name) => sets[name].entries)
      const factors = await loaded.readFactors()
      found.push({ factors, sums, exact: { entries, statistics, repeated } })
      await loaded.close()
    }
    const [onGpu, onCpu] = found
    expect(onGpu.exact).toEqual(onCpu.exact)
    expect(onGpu.exact.repeated).toEqual([true])
    onGpu.sums.forEach((sum, i) => {
      expect(Math.abs(sum / onCpu.sums[i] - 1)).toBeLessThan(1e-6)
    })
    const wanted = onCpu.factors.map((factor) => toMatrix(factor, 5))
    expect(distance(onGpu.factors, wanted)).toBeLessThan(1e-3)
    const refuse = (): never => {
      throw new Error('repeated')
    }
    await expect(engine.load({ ...problem, onRepeated: refuse })).rejects.toThrow('repeated')
  })

  it('The GPU samples as many entries as the CPU where c · nnz is almost whole', {
    timeout: PATIENCE_MS,
  }, async () => {
    // 0.7 · 90 is 62.99999999999999 in float64, and 63 in any other way.
    const { tensor } = synthetic({ dims: [4, 90], entries: 360, rank: 2, seed: 3 })
    const problem = { ...problemOf([4, 90], 360, 1), tensor }
    const found: Float32Array[][] = []
    for (const place of [engine, cpu]) {
      const loaded = await begin(place, problem)
      await loaded.iterate(runOf(PAPER))
      found.push(await loaded.readFactors())
      await loaded.close()
    }
    expect(
      distance(
        found[0],
        found[1].map((factor) => toMatrix(factor, 1)),
      ),
    ).toBeLessThan(1e-5)
  })

  it('Sweeps under a learned prior give the same bits again, and the CPU continues from them', {
    timeout: PATIENCE_MS,
  }, async () => {
    // So many rows of the last mode that V is not computed for all of them.
    const tensor = randomTensor({ dims: [9, 7, 300], entries: 900, seed: 4 })
    const problem: Problem = { tensor, rank: 5, momentumFactors: true, seed: 1, posterior: 'groups' }
    const step = { kind: 'posterior', noise: 'auto', loss: 'squares', entries: 900, mean: 1 } as const
    const first = { ...step, begin: { sigma2: 0.3, squares: 300, variance: 1 } }
    const run = { sample: 1, lambda: 0.5, seed: 1, count: 1 }
    const found = []
    for (let round = 0; round < 2; round++) {
      const here = await begin(engine, problem)
      await here.iterate({ ...run, first: 0, step: first })
      const state = await here.readState()
      await here.iterate({ ...run, first: 1, count: 2, step })
      found.push({ state, factors: await here.readFactors(), prior: await here.readPrior() })
      await here.close()
    }
    expect(found[1]).toEqual(found[0])
    for (const place of [cpu, engine]) {
      const there = await place.load(problem)
      await there.writeState(found[0].state)
      await there.iterate({ ...run, first: 1, count: 2, step })
      const wanted = found[0].factors.map((factor) => toMatrix(factor, 5))
      expect(distance(await there.readFactors(), wanted)).toBeLessThan(1e-3)
      expect((await there.readPrior())!.sigma2 / found[0].prior!.sigma2).toBeCloseTo(1, 3)
      await there.close()
    }
  })

  it('The GPU engine reports that the CPU learns from lags, and nothing else runs there', {
    timeout: PATIENCE_MS,
  }, async () => {
    const remarks: string[] = []
    const own = await gpuEngine({ threads: 2, onRemark: (remark) => remarks.push(remark) })
    const load = vi.spyOn(own.cpu, 'load')
    const tensor = randomTensor({ dims: [12, 9], entries: 80, seed: 4 })
    const problem: Problem = { tensor, rank: 2, momentumFactors: true, seed: 1, posterior: 'rows' }
    const step = { kind: 'posterior', noise: 'gaussian', loss: 'squares', entries: 80, mean: 1 } as const
    const first = { ...step, begin: { sigma2: 0.3, squares: 30, variance: 1 } }
    for (const sideInformation of [undefined, [{ lags: [1] }, undefined]]) {
      const loaded = await begin(own, { ...problem, sideInformation })
      expect(loaded.hasStrata).toBe(false)
      const run = { sample: 1, lambda: 0.5, seed: 1, count: 1 }
      await loaded.iterate({ ...run, first: 0, step: first })
      await loaded.iterate({ ...run, first: 1, step })
      expect(load).toHaveBeenCalledTimes(sideInformation ? 1 : 0)
      const resumed = await own.load({ ...problem, sideInformation })
      await resumed.writeState(await loaded.readState())
      for (const each of [loaded, resumed]) await each.iterate({ ...run, first: 2, step })
      const wanted = (await loaded.readFactors()).map((factor) => toMatrix(factor, 2))
      expect(distance(await resumed.readFactors(), wanted)).toBeLessThan(1e-5)
      for (const each of [loaded, resumed]) await each.close()
    }
    const remark =
      "Lags and attributes of rows are learned on the CPU. So the CPU's threads run the sweeps under the learned prior."
    expect(remarks).toEqual([remark, remark]) // once for each problem
    await own.close()
  })

  it('The GPU continues from a state of the CPU, and the CPU from one of the GPU', {
    timeout: PATIENCE_MS,
  }, async () => {
    const problem = problemOf([13, 60, 40], 6000, 5)
    const [here, there, whole] = [
      await engine.load(problem),
      await cpu.load(problem),
      await begin(cpu, problem),
    ]
    await whole.iterate({ ...runOf(NEWTON), count: 3 })
    for (const [from, to] of [
      [here, there],
      [there, here],
    ]) {
      await from.writeFactors(randomFactors(problem.tensor.dims, 5, 1))
      await from.balance()
      await from.snapshot()
      await from.iterate({ ...runOf(NEWTON), count: 1 })
      await to.writeState(await from.readState())
      await to.iterate({ ...runOf(NEWTON), first: 4, count: 2 })
      const wanted = (await whole.readFactors()).map((factor) => toMatrix(factor, 5))
      expect(distance(await to.readFactors(), wanted)).toBeLessThan(1e-3)
      await to.restore()
      expect(distance(await to.readFactors(), wanted)).toBeGreaterThan(1e-2)
    }
    for (const problem of [here, there, whole]) await problem.close()
  })
})

// The suite above has subgroups, too, and small ranks.
const configurations: [
  string,
  { subgroups?: boolean; maxBindingBytes?: number },
  [number[], number, number][],
][] = [
  [
    'with subgroups',
    {},
    [
      [[5, 6, 7, 4, 3], 400, 50],
      [[3, 4], 10, 256],
    ],
  ],
  [
    'without subgroups',
    { subgroups: false },
    [
      [[30, 25], 300, 1],
      [[3, 70, 50], 3000, 17],
      [[3, 4], 10, 256],
    ],
  ],
  ['with bindings of at most 32 kB', { maxBindingBytes: 32_768 }, [[[3, 50, 40], 4000, 10]]],
]
describe.each(configurations)('steps on the GPU %s', (_, options, cases) => {
  let engine: GpuEngine
  beforeAll(async () => {
    engine = await gpuEngine({ threads: 2, ...options })
  })
  afterAll(() => engine.close())

  it.each(cases)(
    'Steps on the GPU equal those of the CPU for %j, %i entries, rank %i',
    { timeout: PATIENCE_MS },
    async (...size) => {
      const plain = problemOf(...size)
      const [factors, sums] = await solved(engine, plain)
      const [wanted, wantedSums] = await solved(cpu, plain)
      const matrices = wanted.map((factor) => toMatrix(factor, size[2]))
      expect(distance(factors, matrices)).toBeLessThan(1e-3)
      sums.forEach((sum, i) => {
        expect(Math.abs(sum / wantedSums[i] - 1)).toBeLessThan(1e-3)
      })
      const [again] = await solved(engine, { ...plain, tensor: plain.tensor })
      expect(again).toEqual(factors)
    },
  )
})

describe('problems that do not fit, or are too small', () => {
  it('The plan has the memory of the process beside the GPU, which holds no entries', async () => {
    const engine = await gpuEngine({ threads: 2 })
    const size = { dims: [1000, 800, 300], entries: 1_000_000, rank: 10, momentumFactors: true }
    const { byteLength, items } = engine.plan(size)
    expect(items.reduce((sum, item) => sum + item.byteLength, 0)).toBe(byteLength)
    const entries = { entries: 10_000_000 }
    for (const more of [entries, { rank: 50 }, { sets: { held: 10_000 } }, { weighted: true }])
      expect(engine.plan({ ...size, ...more }).byteLength).toBeGreaterThan(byteLength)
    expect(engine.plan({ ...size, ...entries }).byteLength - byteLength).toBeLessThan(10_000_000)
    await engine.close()
  })

  const narrow = { threads: 2, maxBindingBytes: 4096 }

  it('A problem that does not fit is refused with its size if the GPU was asked for', async () => {
    const engine = await gpuEngine(narrow)
    const message = /factors of 900×9 at rank 2 take 14\.2 KiB, .* shows a program 4\.0 KiB at a time/
    expect(() => engine.plan({ dims: [900, 9], entries: 40, rank: 2, momentumFactors: true })).toThrow(
      message,
    )
    await expect(engine.load(problemOf([900, 9], 40, 2))).rejects.toThrow(message)
    await engine.close()
  })

  it('A problem that does not fit or is too small runs on the CPU if the engine may choose', async () => {
    const engine = await gpuEngine({ ...narrow, worthwhileFrom: WORTHWHILE })
    const size = { dims: [60, 9], entries: 10_000_000, rank: 2, momentumFactors: true }
    expect(engine.plan(size).backend).toBe(engine.description)
    for (const other of [{ entries: 1000 }, { dims: [900, 9] }])
      expect(engine.plan({ ...size, ...other }).backend).toBe('2 threads')
    const small = await engine.load(problemOf([60, 9], 300, 2))
    expect(small.backend).toBeUndefined()
    await small.close()
    await engine.close()
  })
})

describe('c as a binary fraction', () => {
  /** What the kernel of the windows makes of it. */
  const wholePart = (c: number, n: number): number => {
    const [high, low] = fractionOf(c)
    const product = ((BigInt(high) << 32n) | BigInt(low)) * BigInt(n)
    const whole = Number(product >> 64n)
    const missing = (1n << 64n) - (product & ((1n << 64n) - 1n))
    const bits = whole === 0 ? -1 : 31 - Math.clz32(whole)
    return missing <= 1n << BigInt(11 + bits) ? whole + 1 : whole
  }

  it('The product of a binary fraction and a count rounds as float64 does', () => {
    const counts = Array.from({ length: 2999 }, (_, i) => i + 1)
    for (const c of [0.7, 0.35, 0.1, 0.02, 1 / 3])
      expect(counts.filter((n) => wholePart(c, n) !== Math.floor(c * n))).toEqual([])
  })
})
