/** Checks of problems whose unlisted cells are zeros. */
import type { Iterations, Step } from '#lacuna/engine/engine.js'
import { pickEntries } from '#lacuna/tensor/index.js'
import { randomFactors, randomTensor } from '../../problems.ts'
import type { EngineCheck } from './check.ts'
import { modelDistance, runIterations } from './compareSteps.ts'
import { withZeros } from './entrySets.ts'
import {
  demand,
  demandBelow,
  demandEqual,
  matrices,
  residualSums,
  toDataUnits,
  toEngineUnits,
  withEngine,
  withProblem,
} from './judge.ts'

/** Checks of problems whose unlisted cells are zeros. */
export const zeroChecks: EngineCheck[] = [
  {
    name: 'Unlisted cells as zeros give the steps of listed zeros',
    check: (make) =>
      withEngine(make, async (engine) => {
        for (const [dims, rank, entries] of [
          [[30, 40], 3, 300],
          [[9, 60, 7], 10, 500],
          [[5, 6, 7, 8], 5, 300],
        ] as const) {
          const listed = randomTensor({ dims: [...dims], entries, seed: 4 })
          const everyCell = withZeros(listed)
          // Where a row is all zeros, λ's mean makes a difference; without λ there is none.
          const run: Iterations = {
            first: 0,
            count: 4,
            sample: 1,
            lambda: 0,
            seed: 1,
            step: { kind: 'newton', momentum: 0.6, damping: 1 },
          }
          const initial = randomFactors(dims, rank, 1).map((factor, i) => {
            const seen = new Set(listed.indices[i])
            return factor.map((u, at) => (seen.has(Math.floor(at / rank)) ? u : 0))
          })
          const problem = { rank, momentumFactors: true, seed: 1 }
          const zeros = await runIterations(engine, { ...problem, tensor: listed, zeros: true }, initial, run)
          const explicit = await runIterations(engine, { ...problem, tensor: everyCell }, initial, run)
          demandBelow(
            modelDistance(matrices(zeros, rank), matrices(explicit, rank)),
            1e-3,
            `difference at ${dims.join('×')}`,
          )
        }
      }),
  },
  {
    name: 'With unlisted cells as zeros, the cells of other sets are unknown, and errors are summed over all others',
    check: (make) =>
      withEngine(make, async (engine) => {
        const dims = [12, 20, 9]
        const rank = 3
        const every = randomTensor({ dims, entries: 700, seed: 4 })
        const isHeld = (e: number): boolean => every.indices[1][e] % 5 === 0
        const all = Uint32Array.from(every.values.keys())
        const held = pickEntries(
          every,
          all.filter((e) => isHeld(e)),
        )
        const listed = pickEntries(
          every,
          all.filter((e) => !isHeld(e)),
        )
        const everyKnown = withZeros(listed, held)
        const step: Step = { kind: 'newton', momentum: 0, damping: 0 }
        const run = { first: 0, count: 150, sample: 1, lambda: 0, seed: 1, step }
        const initial = randomFactors(dims, rank, 1)
        const problem = { rank, momentumFactors: true, seed: 1 }
        await withProblem(
          engine,
          { ...problem, tensor: listed, sets: { held }, zeros: true },
          async (loaded) => {
            demandEqual(loaded.statistics.sets.train.entries, 12 * 20 * 9 - held.values.length, 'known cells')
            await loaded.writeFactors(toEngineUnits(initial, loaded))
            await loaded.balance()
            await loaded.iterate(run)
            const U = matrices(toDataUnits(await loaded.readFactors(), loaded), rank)
            const { sums } = await loaded.errors(['train', 'held'])
            const { valueScale } = loaded.statistics
            for (const [i, set] of [everyKnown, held].entries()) {
              const [squares, absolutes] = residualSums(set, U)
              demandBelow(Math.abs(sums[i].squares / valueScale ** 2 / squares - 1), 1e-4, 'squares')
              demandBelow(Math.abs(sums[i].absolutes / valueScale / absolutes - 1), 1e-4, 'absolutes')
            }
            // Where it ends, a step over the known cells alone, all of them listed, changes next to nothing.
            const written = await loaded.readFactors()
            const again = await runIterations(
              engine,
              { ...problem, tensor: everyKnown },
              toDataUnits(written, loaded),
              { ...run, count: 1 },
            )
            demandBelow(modelDistance(matrices(again, rank), U), 2e-3, 'a further step')
          },
        )
        const twice = { ...problem, tensor: listed, sets: { held: listed }, zeros: true }
        const error = await engine.load(twice).catch((error) => error)
        demand(error.name === 'InputError', 'a cell that is learned from and held out')
      }),
  },
]
