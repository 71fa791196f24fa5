/** Engines of one kind, whatever their parts, threads and processes, give the same bits. */
import type { Covariances, Engine, Problem, Step } from '#lacuna/engine/engine.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { randomFactors, randomTensor, weighted } from '../../problems.ts'
import { stateText } from './bits.ts'
import type { VariantCheck } from './check.ts'
import { mixedTensor, shuffleEntries, splitHeldOut } from './entrySets.ts'
import { demand, demandEqual, skipsComparisons, withEngine, withProblem } from './judge.ts'

/** A sweep under a learned prior, after the first. */
const posteriorStep: Step = { kind: 'posterior', noise: 'auto', loss: 'squares', entries: 20_000, mean: 1 }
/** What the first sweep has besides. */
const firstSweep = { begin: { sigma2: 0.5, squares: 8000, variance: 0.7 } }

/** Steps whose bits are compared, with the problem that they need; c is the sample fraction. */
interface BitRun {
  step: Step
  rank: number
  c: number
  zeros?: true
  posterior?: Covariances
  strata?: true
  isWeighted?: true
  sideInformation?: Problem['sideInformation']
}

/** Runs with every kind of step, sampled and whole, with and without weights, and with side information. */
const BIT_RUNS: BitRun[] = [
  { step: { kind: 'paper', maxInner: 2 }, rank: 5, c: 0.5 },
  { step: { kind: 'paper', maxInner: 1 }, rank: 26, c: 0.05 },
  { step: { kind: 'newton', momentum: 0.6, damping: 1 }, rank: 5, c: 0.04 },
  { step: { kind: 'newton', momentum: 0.6, damping: 1 }, rank: 26, c: 1 },
  { step: { kind: 'gradient', momentum: 0.9 }, rank: 26, c: 0.3 },
  { step: { kind: 'newton', momentum: 0.6, damping: 1 }, rank: 10, c: 1, zeros: true },
  { step: posteriorStep, rank: 10, c: 1, posterior: 'rows' },
  {
    step: { ...posteriorStep, noise: 'row', loss: 'huber' },
    rank: 3,
    c: 1,
    posterior: 'rows',
    sideInformation: [undefined, { lags: [1, 7] }, { lags: [1, 3], isAutoregressive: true }],
  },
  { step: { kind: 'gradient', momentum: 0.9 }, rank: 5, c: 0.3, isWeighted: true },
  { step: posteriorStep, rank: 5, c: 1, posterior: 'rows', isWeighted: true },
  { step: posteriorStep, rank: 10, c: 1, posterior: 'groups' },
  { step: { ...posteriorStep, noise: 'auto' }, rank: 5, c: 1, posterior: 'groups', isWeighted: true },
  { step: { kind: 'strata', rate: 1.3, least: 0.05 }, rank: 7, c: 1, strata: true },
]

/**
 * A random tensor in which each row of the first mode has five segments or more, given some thousand entries:
 * partitions and processes share some of these rows.
 */
const withLongRows = (seed: number, entries: number): SparseTensor =>
  randomTensor({ dims: [6, 40, 30], entries, seed })

/** The problem of a BitRun. */
const problemOf = ({ rank, zeros, posterior, strata, sideInformation }: BitRun, tensor: SparseTensor) => ({
  ...{ tensor, rank, momentumFactors: true, seed: 9, zeros, posterior, strata, sideInformation },
})

/**
 * Runs iterations and returns the state, error sums and statistics as one text: equal texts mean equal bits.
 * 'without strata' if the engine has none of those requested.
 */
async function resultText(
  engine: Engine,
  tensor: SparseTensor,
  bitRun: BitRun,
  heldOut: SparseTensor,
  iterations = 3,
): Promise<string> {
  const { step, rank, c, zeros, posterior, strata, isWeighted } = bitRun
  if (zeros) [tensor, heldOut] = splitHeldOut(tensor)
  if (isWeighted) [tensor, heldOut] = [weighted(tensor), weighted(heldOut)]
  const problem = { ...problemOf(bitRun, tensor), sets: { validation: heldOut }, probe: 1000 }
  return withProblem(engine, problem, async (loaded) => {
    if (strata && !loaded.hasStrata) return 'without strata'
    await loaded.writeFactors(randomFactors(tensor.dims, rank, 1))
    await loaded.balance()
    const run = { sample: c, lambda: 0.01, seed: 9, step }
    if (posterior)
      await loaded.iterate({ ...run, first: 0, count: 1, step: { ...step, ...firstSweep } as Step })
    await loaded.iterate({ ...run, first: 0, count: iterations })
    if (step.kind !== 'paper' && !posterior) await loaded.balance()
    await loaded.snapshot()
    await loaded.iterate({ ...run, first: iterations, count: iterations + 1 })
    const { sums } = await loaded.errors(zeros ? ['train', 'validation'] : ['train', 'probe', 'validation'])
    return stateText(await loaded.readState()) + JSON.stringify({ sums, ...loaded.statistics, emptyRows: 0 })
  })
}

/** Checks with all kinds of steps. */
export const variantChecks = variantChecksOf(BIT_RUNS, 2)
/** Checks with few steps (paper, newton and strata), for engines on which every message is slow. */
export const briefVariantChecks = variantChecksOf(
  [BIT_RUNS[0], BIT_RUNS[3], BIT_RUNS[BIT_RUNS.length - 1]],
  1,
).slice(0, 2)

/** Checks with these runs, each of twice `iterations` AO iterations and one. */
function variantChecksOf(bitRuns: readonly BitRun[], iterations: number): VariantCheck[] {
  return [
    {
      name: 'All variants give the same bits, whatever the order of the lines',
      async check(variants) {
        const tensor = withLongRows(4, 6000)
        const heldOut = withLongRows(5, 1000)
        const found = new Map<number, string>()
        for (const [v, { name, make, isLocal }] of variants.entries())
          await withEngine(make, async (engine) => {
            if (isLocal && skipsComparisons()) return
            for (const [i, run] of bitRuns.entries()) {
              const lines = v === 0 ? tensor : shuffleEntries(tensor, v)
              const text = await resultText(
                engine,
                lines,
                run,
                v === 0 ? heldOut : shuffleEntries(heldOut, v),
                iterations,
              )
              if (!found.has(i)) found.set(i, text)
              demand(
                found.get(i) === text,
                `${name} differs from ${variants[0].name}: ${JSON.stringify(run)}`,
              )
            }
          })
        demandEqual(new Set(found.values()).size, bitRuns.length, 'runs that differ')
      },
    },
    {
      name: 'A variant continues from the state of another with the bits of an uninterrupted run',
      async check(variants) {
        const tensor = withLongRows(6, 6000)
        const runs = bitRuns.map((bitRun) => ({
          problem: problemOf(bitRun, bitRun.isWeighted ? weighted(tensor) : tensor),
          run: { sample: bitRun.c, lambda: 0.01, seed: 9, step: bitRun.step },
        }))
        // The states of one engine before each of some iterations, and after the last.
        const states = await withEngine(variants[0].make, (engine) =>
          Promise.all(
            runs.map(({ problem, run }) =>
              withProblem(engine, problem, async (loaded) => {
                await loaded.writeFactors(randomFactors(tensor.dims, problem.rank, 1))
                await loaded.balance()
                if (problem.strata && !loaded.hasStrata) return []
                if (problem.posterior)
                  await loaded.iterate({
                    ...run,
                    first: 0,
                    count: 1,
                    step: { ...run.step, ...firstSweep } as Step,
                  })
                const states = [await loaded.readState()]
                for (let k = 0; k < 4; k++) {
                  await loaded.iterate({ ...run, first: k, count: 1 })
                  states.push(await loaded.readState())
                }
                return states
              }),
            ),
          ),
        )
        for (const [v, { name, make }] of variants.entries())
          await withEngine(make, async (engine) => {
            for (const [i, { problem, run }] of runs.entries())
              await withProblem(engine, problem, async (loaded) => {
                if (problem.strata && !loaded.hasStrata) return
                const k = v % 4
                await loaded.writeState(states[i][k])
                await loaded.iterate({ ...run, first: k, count: 4 - k })
                const isSame = stateText(await loaded.readState()) === stateText(states[i][4])
                demand(isSame, `${name} goes on differently: ${JSON.stringify(run)}`)
              })
          })
      },
    },
    {
      name: 'All variants give the same bits for coordinates that occur many times',
      async check(variants) {
        const tensor = mixedTensor(7, 6000)
        // Half of the entries at one place: more than a segment holds, all with one hash.
        const many = { ...tensor, indices: tensor.indices.map((column) => column.slice()) }
        for (const column of many.indices) column.fill(3, 0, 2000).fill(4, 2000, 2020)
        // Some of them differ in nothing but their weights.
        const heavy = { ...many, values: many.values.slice(), weights: many.values.map((x) => 1 + x) }
        heavy.values.fill(1, 0, 1000).fill(1, 2000)
        const found = [new Set<string>(), new Set<string>()]
        for (const [v, { make, isLocal }] of variants.entries())
          await withEngine(make, async (engine) => {
            if (isLocal && skipsComparisons()) return
            for (const [i, entries] of [many, heavy].entries())
              found[i].add(
                await resultText(engine, shuffleEntries(entries, v + 1), BIT_RUNS[3], tensor, iterations),
              )
          })
        for (const { size } of found) demandEqual(size, 1, 'results')
      },
    },
  ]
}
