/**
 * Checks of each kind of step against the reference. Their seeds are fixed, in CI too: how far float32 strays from float64
 * depends on the conditioning of a random problem, and a fresh one may exceed any tolerance.
 */
import fc from 'fast-check'
import type { Step } from '#lacuna/engine/engine.js'
import { balance, type FastStep } from '#lacuna/reference/fast.js'
import { relativeError } from '#lacuna/reference/ntc.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'
import { distance, randomFactors, randomTensor, weighted } from '../../problems.ts'
import type { EngineCheck } from './check.ts'
import { comparePosterior, posteriorCases } from './comparePosterior.ts'
import { compareFast, comparePaper, runIterations } from './compareSteps.ts'
import { compareStrata, strataCases } from './compareStrata.ts'
import {
  demand,
  demandBelow,
  matrices,
  randomProblems,
  scaledLambda,
  toDataUnits,
  toEngineUnits,
  withEngine,
  withProblem,
} from './judge.ts'

/** Sizes of the modes of small random problems. */
const smallDims = (order: number): number[] =>
  [7, 5, 6, 4, 3, 4].slice(0, order).map((dim) => (order === 2 ? 5 * dim : dim))

/** Random gradient and newton steps. */
const stepCases = fc.oneof(
  fc.record({ kind: fc.constant('gradient' as const), momentum: fc.constantFrom(0, 0.5, 0.9) }),
  fc.record({
    kind: fc.constant('newton' as const),
    momentum: fc.constantFrom(0, 0.5),
    damping: fc.constantFrom(0, 1, 10),
  }),
)
/** Random small problems for these steps. */
const fastCases = fc.record({
  order: fc.integer({ min: 2, max: 6 }),
  rank: fc.constantFrom(1, 3, 4, 10, 17, 30, 50),
  entries: fc.integer({ min: 1, max: 400 }),
  c: fc.constantFrom(0.1, 0.33, 0.5, 0.9, 1),
  lambda: fc.constantFrom(0, 0.01, 1),
  step: stepCases,
  seed: fc.integer({ min: 0, max: 2 ** 40 }),
})

/** Checks of all kinds of steps. */
export const stepChecks: EngineCheck[] = [
  {
    name: 'A paper step equals the reference on random problems',
    check: (make) =>
      withEngine(make, async (engine) => {
        const cases = fc.record({
          order: fc.integer({ min: 2, max: 6 }),
          rank: fc.constantFrom(1, 3, 4, 10, 17, 50, 64, 100),
          entries: fc.integer({ min: 1, max: 400 }),
          c: fc.constantFrom(0.02, 0.1, 0.33, 0.5, 0.9, 1),
          lambda: fc.constantFrom(0, 0.01, 1),
          maxInner: fc.constantFrom(1, 5),
          seed: fc.integer({ min: 0, max: 2 ** 40 }),
        })
        await fc.assert(
          fc.asyncProperty(cases, async ({ order, ...problem }) =>
            demandBelow(
              await comparePaper(engine, { dims: smallDims(order), ...problem }),
              2e-4,
              'difference',
            ),
          ),
          { seed: 20, numRuns: randomProblems(40) },
        )
      }),
  },
  {
    name: 'A paper step equals the reference on rows of several segments',
    check: (make) =>
      withEngine(make, async (engine) => {
        const shapes: [number[], number][] = [
          [[35, 25], 10],
          [[7, 50, 60], 17],
          [[3, 20, 30, 20], 4],
          [[4, 5, 6, 14, 13], 6],
        ]
        for (const [dims, rank] of shapes)
          for (const c of [0.02, 0.9]) {
            const problem = { dims, rank, entries: 6000, c, lambda: 0.01, maxInner: 2, seed: 5 }
            demandBelow(
              await comparePaper(engine, problem),
              2e-4,
              `difference at ${dims.join('×')}, c = ${c}`,
            )
          }
      }),
  },
  {
    name: 'Gradient and newton steps equal the float64 reference on random problems',
    check: (make) =>
      withEngine(make, async (engine) => {
        const sensitivities: number[] = []
        await fc.assert(
          fc.asyncProperty(fastCases, async ({ order, entries, ...problem }) => {
            const tensor = randomTensor({ dims: smallDims(order), entries, seed: problem.seed })
            // Rows of fewer entries than components are ill-posed without λ: see the next check.
            const lambda = problem.lambda + 1e-3
            const { difference, sensitivity } = await compareFast(engine, { ...problem, lambda }, tensor)
            sensitivities.push(sensitivity())
            demandBelow(
              difference,
              Math.max(1e-3, 10 * sensitivities[sensitivities.length - 1]),
              'difference',
            )
          }),
          { seed: 21, numRuns: randomProblems(60) },
        )
        // Most of them hold the engine to 1e-3.
        const most = Math.max(2, sensitivities.length / 4)
        demandBelow(sensitivities.filter((sensitivity) => sensitivity > 1e-4).length, most, 'sensitive cases')
      }),
  },
  {
    name: 'Gradient and newton steps without λ equal the reference where the entries determine the rows',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = randomTensor({ dims: [20, 30, 25], entries: 6000, seed: 7 })
        const steps: FastStep[] = [
          { kind: 'gradient', momentum: 0.9 },
          { kind: 'newton', momentum: 0.5, damping: 0 },
        ]
        for (const step of steps)
          for (const rank of [1, 3, 4])
            for (const c of [0.3, 1]) {
              const { difference } = await compareFast(engine, { rank, c, lambda: 0, step, seed: 8 }, tensor)
              demandBelow(difference, 1e-3, `difference at rank ${rank}, c = ${c}, ${step.kind}`)
            }
      }),
  },
  {
    name: 'Gradient and newton steps equal the reference on rows of several segments, all or some of them sampled',
    check: (make) =>
      withEngine(make, async (engine) => {
        const steps: FastStep[] = [
          { kind: 'gradient', momentum: 0.9 },
          { kind: 'newton', momentum: 0.5, damping: 4 },
        ]
        const shapes: [number[], number][] = [
          [[3, 2000], 10],
          [[4, 120, 100], 17],
          [[20, 3, 25, 20], 4],
        ]
        for (const [dims, rank] of shapes) {
          const tensor = randomTensor({ dims, entries: 6000, seed: 5 })
          for (const step of steps)
            for (const c of [0.03, 0.6]) {
              const settings = { rank, c, lambda: 0.01, step, seed: 5 }
              const { difference, sensitivity } = await compareFast(engine, settings, tensor)
              // Of a few entries of a row, rounding may make much.
              const most = c < 0.1 ? Math.max(1e-3, 3 * sensitivity()) : 1e-3
              demandBelow(difference, most, `difference at ${dims.join('×')}, c = ${c}, ${step.kind}`)
            }
        }
      }),
  },
  {
    name: 'Epochs of stratified SGD equal the float64 reference on random problems',
    check: (make) =>
      withEngine(make, async (engine) => {
        const sensitivities: number[] = []
        await fc.assert(
          fc.asyncProperty(strataCases, async (problem) => {
            sensitivities.push(await compareStrata(engine, problem))
          }),
          { seed: 23, numRuns: randomProblems(20) },
        )
        // Rows of several segments.
        sensitivities.push(
          await compareStrata(engine, { order: 3, rank: 5, entries: 20_000, rate: 0.3, seed: 5 }),
        )
        // Most of them hold the engine to 3e-4.
        demandBelow(
          sensitivities.filter((sensitivity) => sensitivity > 3e-5).length,
          sensitivities.length / 4,
          'sensitive cases',
        )
      }),
  },
  {
    name: 'Steps on weighted entries equal the float64 reference',
    check: (make) =>
      withEngine(make, async (engine) => {
        const steps: FastStep[] = [
          { kind: 'gradient', momentum: 0.9 },
          { kind: 'newton', momentum: 0.5, damping: 4 },
        ]
        // Rows of several segments and of one, sampled and whole; orders with loops of their own and without.
        const shapes: [number[], number, number][] = [
          [[30, 25], 400, 5],
          [[4, 120, 100], 6000, 6],
          [[5, 6, 7, 8], 400, 3],
          [[4, 5, 6, 4, 3], 400, 2],
        ]
        for (const [dims, entries, rank] of shapes)
          for (const c of [0.6, 1]) {
            const where = `at ${dims.join('×')}, c = ${c}`
            const paper = {
              dims,
              rank,
              entries,
              c,
              lambda: 0.01,
              maxInner: 2,
              seed: 5,
              isWeighted: true,
            } as const
            demandBelow(await comparePaper(engine, paper), 2e-4, `paper's difference ${where}`)
            const tensor = weighted(randomTensor({ dims, entries, seed: 5 }))
            for (const step of steps) {
              const settings = { rank, c, lambda: 0.1, step, seed: 5 }
              const { difference, sensitivity } = await compareFast(engine, settings, tensor)
              demandBelow(
                difference,
                Math.max(1e-3, 10 * sensitivity()),
                `${step.kind}'s difference ${where}`,
              )
            }
          }
      }),
  },
  {
    name: 'An entry of weight 2 counts as one that is listed twice',
    check: (make) =>
      withEngine(make, async (engine) => {
        const once = randomTensor({ dims: [12, 15, 9], entries: 500, seed: 3 })
        const isTwice = (e: number): boolean => e % 3 === 0
        const all = Uint32Array.from(once.values.keys())
        const heavy = { ...once, weights: Float32Array.from(all, (e) => (isTwice(e) ? 2 : 1)) }
        const twice = pickEntries(once, Uint32Array.of(...all, ...all.filter(isTwice)))
        const entries = twice.values.length
        // Weights are divided by their mean: all sums are this fraction of those of the repeated entries.
        const fraction = once.values.length / entries
        const posterior = { kind: 'posterior', noise: 'gaussian', loss: 'squares', entries, mean: 1 } as const
        const steps: Step[] = [
          { kind: 'paper', maxInner: 2 },
          { kind: 'gradient', momentum: 0.5 },
          { kind: 'newton', momentum: 0.5, damping: 1 },
          posterior,
        ]
        const rank = 3
        const initial = randomFactors(once.dims, rank, 1)
        const run = async (tensor: SparseTensor, step: Step, by: number): Promise<Float32Array[]> => {
          const isPosterior = step.kind === 'posterior'
          const problem = {
            tensor,
            rank,
            momentumFactors: true,
            seed: 1,
            posterior: isPosterior ? ('rows' as const) : undefined,
          }
          return withProblem(engine, problem, async (loaded) => {
            await loaded.writeFactors(toEngineUnits(initial, loaded))
            if (step.kind !== 'paper') await loaded.balance()
            const settings = { first: 0, sample: 1, lambda: by * scaledLambda(0.3, loaded), seed: 1 }
            const begin = { sigma2: 0.2 * by, squares: 80 * by, variance: 0.7 * by }
            if (isPosterior) await loaded.iterate({ ...settings, count: 1, step: { ...step, begin } })
            await loaded.iterate({ ...settings, count: 2, step })
            return toDataUnits(await loaded.readFactors(), loaded)
          })
        }
        for (const step of steps) {
          const listed = await run(twice, step, 1)
          const counted = await run(heavy, step, fraction)
          const alike = await run(once, step, fraction)
          demandBelow(distance(counted, matrices(listed, rank)), 1e-4, `difference of ${step.kind}`)
          demand(distance(alike, matrices(listed, rank)) > 1e-2, `${step.kind} without weights differs`)
        }
      }),
  },
  {
    // Without λ: the point it draws rows to moves with them.
    name: 'A step over all entries without momentum never raises the error',
    check: (make) =>
      withEngine(make, (engine) =>
        fc.assert(
          fc.asyncProperty(fastCases, fc.boolean(), async ({ order, rank, entries, step, seed }, nasty) => {
            const tensor = randomTensor({ dims: smallDims(order), entries, seed })
            // Columns of very different lengths, in one mode, and some elements at zero.
            const initial = randomFactors(tensor.dims, rank, seed).map((factor, i) =>
              factor.map((u, at) =>
                nasty && u < 0.3 ? 0 : nasty && i === 0 ? u * 10 ** ((at % rank) % 7) : u,
              ),
            )
            const factors = await runIterations(
              engine,
              { tensor, rank, momentumFactors: true, seed },
              initial,
              {
                first: 0,
                count: 1,
                sample: 1,
                lambda: 0,
                seed,
                step: { ...step, momentum: 0 },
              },
            )
            const before = relativeError(tensor, balance(tensor, matrices(initial, rank)).factors)
            const after = relativeError(tensor, matrices(factors, rank))
            demand(after <= before * (1 + 1e-4) + 1e-6, `the error rises from ${before} to ${after}`)
          }),
          { seed: 22, numRuns: randomProblems(40) },
        ),
      ),
  },
  {
    name: 'Sweeps under a learned prior equal the float64 reference',
    check: (make) =>
      withEngine(make, async (engine) => {
        for (const problem of posteriorCases) await comparePosterior(engine, problem)
      }),
  },
]
