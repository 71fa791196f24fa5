/** What every engine must do, against the reference. An engine's own test file runs this with its constructor. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Engine, Iterations, Problem } from '#dist/engine/engine.js'
import type { Matrix } from '#dist/reference/matrix.js'
import { ntc, relativeError } from '#dist/reference/ntc.js'
import type { SparseTensor } from '#dist/tensor/index.js'
import { distance, randomFactors, randomTensor, toMatrix } from '../problems.ts'
import { balanced, columnLengths, type FastStep, fastReference } from './fastReference.ts'
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

const smallDims = (order: number): number[] =>
  [7, 5, 6, 4, 3, 4].slice(0, order).map((dim) => (order === 2 ? 5 * dim : dim))

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
  const dims = smallDims(order)
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

interface FastCase {
  order: number
  rank: number
  entries: number
  c: number
  lambda: number
  step: FastStep
  seed: number
}

/**
 * Two AO iterations, so that momentum has a past. Returns the largest difference of the models, relative, and how far
 * the oracle itself goes astray when its rows are rounded: a zero that becomes a tiny number may make a difference.
 */
async function compareFast(
  makeEngine: () => Engine,
  { rank, c, lambda, step, seed }: Omit<FastCase, 'order' | 'entries'>,
  tensor: SparseTensor,
): Promise<{ difference: number; touchiness: () => number }> {
  const initial = randomFactors(tensor.dims, rank, seed)
  const problem = { tensor, rank, companions: true, seed, valueScale: 1 }
  const factors = await run(makeEngine(), problem, initial, {
    ...{ first: 3, count: 2, sample: c, lambda, seed, step },
  })
  const start = initial.map((factor) => toMatrix(factor, rank))
  const oracle = (jitter: number): Matrix[] =>
    balanced(fastReference(tensor, start, { c, lambda, step, first: 3, iterations: 2, seed, jitter }), tensor)
      .factors
  const reference = oracle(0)
  return {
    difference: modelDistance(
      factors.map((factor) => toMatrix(factor, rank)),
      reference,
    ),
    touchiness: () => modelDistance(oracle(3e-6), reference),
  }
}

/** The largest difference of two models over all cells, relative to the second's largest value. */
function modelDistance(U: readonly Matrix[], V: readonly Matrix[]): number {
  const [u, v] = [allCells(U), allCells(V)]
  let [largest, difference] = [0, 0]
  v.forEach((x, at) => {
    largest = Math.max(largest, x)
    difference = Math.max(difference, Math.abs(x - u[at]))
  })
  return difference / largest
}

function allCells(U: readonly Matrix[]): Float64Array {
  // Rows of the Khatri-Rao product of the modes so far, one per cell.
  const products = U.reduce((rows, matrix) =>
    rows.flatMap((row) => matrix.map((other) => row.map((x, r) => x * other[r]))),
  )
  return Float64Array.from(products, (row) => row.reduce((sum, x) => sum + x, 0))
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

    const step = fc.oneof(
      fc.record({ kind: fc.constant('gradient' as const), momentum: fc.constantFrom(0, 0.5, 0.9) }),
      fc.record({
        kind: fc.constant('newton' as const),
        momentum: fc.constantFrom(0, 0.5),
        damping: fc.constantFrom(0, 1, 10),
      }),
    )
    const fastCases = fc.record<FastCase>({
      order: fc.integer({ min: 2, max: 6 }),
      rank: fc.constantFrom(1, 3, 4, 10, 17, 30, 50),
      entries: fc.integer({ min: 1, max: 400 }),
      c: fc.constantFrom(0.1, 0.33, 0.5, 0.9, 1),
      lambda: fc.constantFrom(0, 0.01, 1),
      step,
      seed: fc.integer({ min: 0, max: 2 ** 40 }),
    })

    it('does gradient and newton steps as float64 does, on random problems', async () => {
      const touchy: number[] = []
      await fc.assert(
        fc.asyncProperty(fastCases, async ({ order, entries, ...problem }) => {
          const tensor = randomTensor({ dims: smallDims(order), entries, seed: problem.seed })
          // Rows of fewer entries than components are ill-posed without λ: see the next test.
          const lambda = problem.lambda + 1e-3
          const { difference, touchiness } = await compareFast(makeEngine, { ...problem, lambda }, tensor)
          touchy.push(touchiness())
          expect(difference).toBeLessThan(Math.max(1e-3, 10 * touchy.at(-1)!))
        }),
        { seed: 21, numRuns: 80 },
      )
      // Most of them hold the engine to 1e-3.
      expect(touchy.filter((touchiness) => touchiness > 1e-4).length).toBeLessThan(20)
    })

    it('does them without λ where the entries determine the rows', async () => {
      const tensor = randomTensor({ dims: [20, 30, 25], entries: 6000, seed: 7 })
      const steps: FastStep[] = [
        { kind: 'gradient', momentum: 0.9 },
        { kind: 'newton', momentum: 0.5, damping: 0 },
      ]
      for (const step of steps)
        for (const rank of [1, 3, 4])
          for (const c of [0.3, 1]) {
            const settings = { rank, c, lambda: 0, step, seed: 8 }
            expect((await compareFast(makeEngine, settings, tensor)).difference).toBeLessThan(1e-3)
          }
    })

    it('does them on rows long enough to be split', async () => {
      const steps: FastStep[] = [
        { kind: 'gradient', momentum: 0.9 },
        { kind: 'newton', momentum: 0.5, damping: 4 },
      ]
      const shapes: [number[], number][] = [
        [[3, 9000], 10],
        [[4, 120, 100], 17],
        [[20, 3, 25, 20], 4],
      ]
      for (const [dims, rank] of shapes) {
        const tensor = randomTensor({ dims, entries: 20_000, seed: 5 })
        for (const step of steps)
          for (const c of [0.37, 1]) {
            const settings = { rank, c, lambda: 0.01, step, seed: 5 }
            expect((await compareFast(makeEngine, settings, tensor)).difference).toBeLessThan(1e-3)
          }
      }
    })

    it('leaves columns as long in every mode after these steps, over the rows that have entries', async () => {
      const tensor = randomTensor({ dims: [40, 30, 20], entries: 3000, seed: 6 })
      const problem = { tensor, rank: 5, companions: true, seed: 1, valueScale: 1 }
      const initial = randomFactors(tensor.dims, 5, 6).map((factor, i) =>
        factor.map((u) => u * 100 ** (i - 1)),
      )
      const step = { kind: 'gradient', momentum: 0.5 } as const
      const factors = await run(makeEngine(), problem, initial, {
        ...{ first: 0, count: 3, sample: 0.5, lambda: 0.1, seed: 1, step },
      })
      const [first, ...others] = factors.map((factor, i) => {
        const seen = new Set(tensor.indices[i])
        return columnLengths(toMatrix(factor, 5).filter((_, p) => seen.has(p)))
      })
      for (const lengths of others)
        lengths.forEach((length, r) => {
          expect(length / first[r]).toBeCloseTo(1, 5)
        })
    })

    // Without λ: the point it draws rows to moves with them.
    it('never raises the error by a step over all entries without momentum', async () => {
      await fc.assert(
        fc.asyncProperty(fastCases, fc.boolean(), async ({ order, rank, entries, step, seed }, nasty) => {
          const tensor = randomTensor({ dims: smallDims(order), entries, seed })
          // Columns of very different lengths, in one mode, and some elements at zero.
          const initial = randomFactors(tensor.dims, rank, seed).map((factor, i) =>
            factor.map((u, at) =>
              nasty && u < 0.3 ? 0 : nasty && i === 0 ? u * 10 ** ((at % rank) % 7) : u,
            ),
          )
          const factors = await run(
            makeEngine(),
            { tensor, rank, companions: true, seed, valueScale: 1 },
            initial,
            { first: 0, count: 1, sample: 1, lambda: 0, seed, step: { ...step, momentum: 0 } },
          )
          const before = balanced(
            initial.map((factor) => toMatrix(factor, rank)),
            tensor,
          ).factors
          const after = factors.map((factor) => toMatrix(factor, rank))
          expect(relativeError(tensor, after)).toBeLessThanOrEqual(
            relativeError(tensor, before) * (1 + 1e-4) + 1e-6,
          )
        }),
        { seed: 22, numRuns: 60 },
      )
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
