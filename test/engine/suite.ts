/** What every engine must do, against the reference. An engine's own test file runs this with its constructor. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Engine, Iterations, Problem } from '#dist/engine/engine.js'
import { ntc, relativeError } from '#dist/reference/ntc.js'
import { distance, randomFactors, randomTensor, toMatrix } from '../problems.ts'
import { windowSampler } from './windowSampler.ts'

interface Case {
  order: number
  rank: number
  entries: number
  c: number
  lambda: number
  maxInner: number
  seed: number
}

async function run(
  engine: Engine,
  problem: Problem,
  initial: Float32Array[],
  iterations: Iterations,
): Promise<Float32Array[]> {
  try {
    await engine.load(problem)
    await engine.writeFactors(initial)
    await engine.iterate(iterations)
    return await engine.readFactors()
  } finally {
    await engine.close()
  }
}

async function compare(
  makeEngine: () => Engine,
  { order, rank, entries, c, lambda, maxInner, seed }: Case,
): Promise<number> {
  const dims = [7, 5, 6, 4, 3, 4].slice(0, order).map((dim) => (order === 2 ? 5 * dim : dim))
  const tensor = randomTensor({ dims, entries, seed })
  const initial = randomFactors(dims, rank, seed)
  const step = { kind: 'paper', maxInner } as const
  const iterations = { first: 3, count: 1, sample: c, lambda, seed, step }
  const factors = await run(
    makeEngine(),
    { tensor, rank, companions: maxInner > 1, seed, valueScale: 1 },
    initial,
    iterations,
  )
  const reference = ntc(
    tensor,
    initial.map((factor) => toMatrix(factor, rank)),
    {
      ...{ lambda, c, maxInner, first: 3, iterations: 1, sample: windowSampler(tensor, seed) },
    },
  )
  return distance(factors, reference)
}

export function engineSuite(name: string, makeEngine: () => Engine): void {
  describe(`${name} engine`, () => {
    it('does one AO iteration as the reference does, on random problems', async () => {
      const cases = fc.record<Case>({
        order: fc.integer({ min: 2, max: 6 }),
        rank: fc.constantFrom(1, 3, 4, 10, 17, 50, 64, 100),
        entries: fc.integer({ min: 1, max: 400 }),
        c: fc.constantFrom(0.02, 0.1, 0.33, 0.5, 0.9, 1),
        lambda: fc.constantFrom(0, 0.01, 1),
        maxInner: fc.constantFrom(1, 5),
        seed: fc.integer({ min: 0, max: 2 ** 40 }),
      })
      await fc.assert(
        fc.asyncProperty(cases, async (problem) => {
          expect(await compare(makeEngine, problem)).toBeLessThan(2e-4)
        }),
        { seed: 20, numRuns: 60 },
      )
    })

    it('does so on rows long enough to be split', async () => {
      for (const [order, rank] of [
        [2, 10],
        [3, 17],
        [4, 4],
        [5, 6],
      ] as const)
        expect(
          await compare(makeEngine, {
            order,
            rank,
            entries: 20_000,
            c: 0.9,
            lambda: 0.01,
            maxInner: 2,
            seed: 5,
          }),
        ).toBeLessThan(2e-4)
    })

    it('sums errors as the reference does, over training and validation entries', async () => {
      const dims = [30, 20, 9]
      const tensor = randomTensor({ dims, entries: 3000, seed: 1 })
      const validation = randomTensor({ dims, entries: 700, seed: 2 })
      const initial = randomFactors(dims, 7, 3)
      const engine = makeEngine()
      await engine.load({ tensor, validation, rank: 7, companions: false, seed: 1, valueScale: 0.25 })
      await engine.writeFactors(initial)
      for (const [entries, of] of [
        ['train', tensor],
        ['validation', validation],
      ] as const) {
        const quarter = { ...of, values: of.values.map((x) => x / 4) }
        const { squares, absolutes } = await engine.error(entries)
        const norm = Math.hypot(...quarter.values)
        const U = initial.map((factor) => toMatrix(factor, 7))
        expect(Math.sqrt(squares) / norm).toBeCloseTo(relativeError(quarter, U), 5)
        expect(absolutes).toBeGreaterThan(Math.sqrt(squares))
        expect(absolutes).toBeLessThanOrEqual(Math.sqrt(squares * of.values.length))
      }
      await engine.close()
    })

    it('stops after the AO iteration it is in', async () => {
      const tensor = randomTensor({ dims: [50, 40, 30], entries: 20_000, seed: 1 })
      const engine = makeEngine()
      await engine.load({ tensor, rank: 4, companions: false, seed: 1, valueScale: 1 })
      await engine.writeFactors(randomFactors(tensor.dims, 4, 1))
      setTimeout(() => engine.stop(), 50)
      const done = await engine.iterate({
        first: 0,
        count: 10_000_000,
        sample: 0.5,
        lambda: 0.1,
        seed: 1,
        step: { kind: 'paper', maxInner: 1 },
      })
      expect(done).toBeGreaterThan(0)
      expect(done).toBeLessThan(10_000_000)
      await engine.close()
    })
  })
}
