import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, it } from 'vitest'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { randomFactors, randomTensor } from '../../../problems.ts'
import { engineChecks, keepOpen, tryFewerProblems, variantChecks } from '../suite.ts'

// On two partitions the bits are the same: see the variants below.
describe.each([1, 3])('the CPU engine with %i partitions', (parts) => {
  const engine = cpuEngine({ allThreads: true, threads: 2, parts })
  afterAll(() => engine.close())
  for (const { name, check } of engineChecks)
    it(name, () => {
      // All random problems on one partition; a quarter of them on more.
      tryFewerProblems(parts === 1 ? 1 : 4)
      return check(keepOpen(engine))
    })
})

describe('1, 2 and 3 partitions on 1, 2, 3 and 7 threads', () => {
  // Fewer threads than partitions, as many, more, and many more.
  const engines = [
    [1, 1],
    [1, 2],
    [1, 7],
    [2, 1],
    [2, 3],
    [3, 2],
    [3, 3],
    [3, 7],
  ].map(([parts, threads]) => ({ parts, threads, engine: cpuEngine({ allThreads: true, parts, threads }) }))
  afterAll(() => Promise.all(engines.map(({ engine }) => engine.close())))
  const variants = engines.map(({ parts, threads, engine }) => ({
    name: `${parts} parts on ${threads} threads`,
    make: keepOpen(engine),
  }))
  for (const { name, check } of variantChecks) it(name, () => check(variants))
})

describe('an engine', () => {
  const tensor = randomTensor({ dims: [24, 300, 200], entries: 60_000, seed: 4 })
  const run = { first: 0, sample: 0.5, lambda: 0.01, step: { kind: 'paper', maxInner: 1 } } as const

  it('The seed determines the samples', async () => {
    const engine = cpuEngine({ allThreads: true, threads: 2 })
    const found = new Set<string>()
    for (const seed of [9, 9, 10]) {
      const problem = await engine.load({ tensor, rank: 10, momentumFactors: false, seed })
      await problem.writeFactors(randomFactors(tensor.dims, 10, 1))
      await problem.iterate({ ...run, count: 2, seed })
      const factors = await problem.readFactors()
      found.add(Buffer.concat(factors.map((factor) => Buffer.from(factor.buffer))).toString('base64'))
      await problem.close()
    }
    await engine.close()
    expect(found.size).toBe(2)
  })

  it('An engine that is closed leaves its threads to the next engine', async () => {
    const nextThreadId = async (): Promise<number> => {
      const worker = new Worker('', { eval: true })
      const { threadId } = worker
      await worker.terminate()
      return threadId
    }
    const before = await nextThreadId()
    for (let seed = 0; seed < 4; seed++) {
      const engine = cpuEngine({ allThreads: true, threads: 2 })
      const problem = await engine.load({ tensor, rank: 3, momentumFactors: false, seed })
      await problem.close()
      await engine.close()
    }
    // Two at most are new: none if other tests have left theirs.
    expect((await nextThreadId()) - before).toBeLessThanOrEqual(3)
  })

  it('The event loop stays free while the CPU engine works', async () => {
    const engine = cpuEngine({ allThreads: true, threads: 2 })
    const problem = await engine.load({ tensor, rank: 50, momentumFactors: false, seed: 1 })
    await problem.writeFactors(randomFactors(tensor.dims, 50, 1))
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    setTimeout(() => problem.stop(), 300)
    await problem.iterate({ ...run, count: 1_000_000, seed: 1 })
    clearInterval(timer)
    await engine.close()
    // Were the loop blocked, neither the ticks nor the stop would have come.
    expect(ticks).toBeGreaterThan(10)
  })

  it('Threads that share counters give the same bits as threads with their own', async () => {
    // 40,000 rows on 3 threads, most of them short, and one of several segments.
    const long = randomTensor({ dims: [1, 500], entries: 400, seed: 5 })
    const short = randomTensor({ dims: [40_000, 500], entries: 9000, seed: 6 })
    const join = <A extends Uint32Array | Float32Array>(a: A, b: A): A => {
      const all = a.slice(0, 0).constructor === Uint32Array ? new Uint32Array(9400) : new Float32Array(9400)
      all.set(a)
      all.set(b, a.length)
      return all as A
    }
    const tensor = {
      dims: [40_001, 500],
      indices: [
        join(
          long.indices[0],
          short.indices[0].map((p) => p + 1),
        ),
        join(long.indices[1], short.indices[1]),
      ],
      values: join(long.values, short.values),
    }
    const found = new Set<string>()
    // By default only some threads take part in some operations.
    const all = { allThreads: true }
    for (const options of [
      { threads: 1 },
      { threads: 3 },
      { threads: 3, ...all },
      { threads: 3, parts: 2, ...all },
    ]) {
      const engine = cpuEngine(options)
      const problem = await engine.load({ tensor, rank: 4, momentumFactors: false, seed: 3, probe: 900 })
      await problem.writeFactors(randomFactors(tensor.dims, 4, 1))
      await problem.iterate({ ...run, count: 2, seed: 9 })
      const { sums } = await problem.errors(['train', 'probe'])
      const factors = await problem.readFactors()
      const bits = Buffer.concat(factors.map((factor) => Buffer.from(factor.buffer))).toString('base64')
      found.add(JSON.stringify([sums, problem.statistics.sets, problem.statistics.digest, bits]))
      await engine.close()
    }
    expect(found.size).toBe(1)
  })

  it('warm runs in the background, and the engine may be closed before it ends', async () => {
    const engine = cpuEngine({ allThreads: true, threads: 2 })
    engine.warm(10)
    const problem = await engine.load({ tensor, rank: 10, momentumFactors: false, seed: 1 })
    expect(Object.values(problem.setUp).every((seconds) => seconds >= 0)).toBe(true)
    await engine.close()
    const hasty = cpuEngine({ allThreads: true, threads: 2 })
    hasty.warm(10)
    await hasty.close()
    await expect(hasty.load({ tensor, rank: 10, momentumFactors: false, seed: 1 })).rejects.toThrow('closed')
  })

  it('A closed engine and invalid options are refused in sentences', async () => {
    const engine = cpuEngine({ threads: 1 })
    const problem = await engine.load({ tensor, rank: 2, momentumFactors: false, seed: 1 })
    await engine.close()
    await expect(problem.balance()).rejects.toThrow('The worker threads have ended.')
    await expect(engine.load({ tensor, rank: 2, momentumFactors: false, seed: 1 })).rejects.toThrow('closed')
    for (const options of [{ threads: 0 }, { threads: 1.5 }, { parts: 0 }, { parts: 2000 }])
      expect(() => cpuEngine(options)).toThrow(/must be a whole number from 1 to 1024/)
  })

  it('A problem is divided into as many partitions below 4 GiB as it needs', () => {
    const plan = (entries: number, dims = [100_000, 50_000, 1000]): { parts: number; byteLength: number } =>
      cpuEngine({ threads: 4 }).plan({ dims, entries, rank: 10, momentumFactors: true })
    expect(plan(10_000_000).parts).toBe(1)
    expect(plan(130_000_000).parts).toBe(1)
    expect(plan(160_000_000).parts).toBe(2)
    expect(plan(300_000_000).parts).toBe(3)
    // The indices in two modes fit into a word, but for those of the two long ones.
    expect(plan(300_000_000).byteLength).toBeLessThan(1.05 * (8 + 8 + 12) * 300_000_000)
    expect(() => plan(1000, [2 ** 31, 2 ** 31, 2 ** 31])).toThrow(
      /factors of .* take \d\d\d GiB; each part .* at most 4 GiB/,
    )
  })
})
