/** Checks of balancing, snapshots, stopping, concurrent problems and memory plans. */
import type { Iterated, Iterations, Step } from '#lacuna/engine/engine.js'
import { balance, columnLengths } from '#lacuna/reference/fast.js'
import { distance, randomFactors, randomTensor, toMatrix } from '../../problems.ts'
import { factorText } from './bits.ts'
import type { EngineCheck } from './check.ts'
import { mixedTensor } from './entrySets.ts'
import {
  demand,
  demandBelow,
  demandEqual,
  matrices,
  toEngineUnits,
  withEngine,
  withProblem,
} from './judge.ts'

/** Checks of the state of a problem, and of the engine's operation. */
export const stateChecks: EngineCheck[] = [
  {
    name: 'Balancing equals the reference and fills rows without entries',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = randomTensor({ dims: [200, 150, 20], entries: 3000, seed: 6 })
        const rank = 5
        const lopsided = randomFactors(tensor.dims, rank, 6).map((factor, i) =>
          factor.map((u) => u * 100 ** (i - 1)),
        )
        await withProblem(engine, { tensor, rank, momentumFactors: true, seed: 1 }, async (loaded) => {
          await loaded.writeFactors(toEngineUnits(lopsided, loaded))
          await loaded.balance()
          const { factors, means } = balance(tensor, matrices(toEngineUnits(lopsided, loaded), rank))
          const balanced = await loaded.readFactors()
          demandBelow(distance(balanced, factors), 1e-5, 'difference')
          const [first, ...others] = matrices(balanced, rank).map((matrix, i) => {
            const seen = new Set(tensor.indices[i])
            return columnLengths(matrix.filter((_, p) => seen.has(p)))
          })
          for (const lengths of others)
            for (const [r, length] of lengths.entries())
              demandBelow(Math.abs(length / first[r] - 1), 1e-5, 'length')
          const state = await loaded.readState()
          state.means.forEach((mean, i) => {
            for (const [r, u] of mean.entries()) demandBelow(Math.abs(u / means[i][r] - 1), 1e-5, 'mean')
            for (const p of loaded.statistics.emptyRows[i])
              demandEqual(
                [...balanced[i].subarray(p * rank, (p + 1) * rank)],
                [...mean],
                'a row without entries',
              )
          })
        })
      }),
  },
  {
    name: 'fillEmptyRows gives rows without entries the mean of the others and changes nothing else',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = mixedTensor(2)
        const rank = 3
        await withProblem(engine, { tensor, rank, momentumFactors: false, seed: 1 }, async (loaded) => {
          const written = randomFactors(tensor.dims, rank, 4)
          await loaded.writeFactors(written)
          await loaded.fillEmptyRows()
          const filled = await loaded.readFactors()
          loaded.statistics.emptyRows.forEach((rows, i) => {
            demand(rows.length > 0, 'there are empty rows')
            const empty = new Set(rows)
            const observed = toMatrix(written[i], rank).filter((_, p) => !empty.has(p))
            for (let p = 0; p < tensor.dims[i]; p++)
              for (let r = 0; r < rank; r++) {
                const mean = observed.reduce((sum, row) => sum + row[r], 0) / observed.length
                const wanted = empty.has(p) ? mean : written[i][p * rank + r]
                demandBelow(Math.abs(filled[i][p * rank + r] - wanted), 1e-6, `row ${p} of mode ${i}`)
              }
          })
        })
      }),
  },
  {
    name: 'stop ends the current AO iteration, and stop(false) lets iterations continue',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = randomTensor({ dims: [50, 40, 30], entries: 20_000, seed: 1 })
        const run: Iterations = {
          first: 0,
          count: 10_000_000,
          sample: 0.5,
          lambda: 0.1,
          seed: 1,
          step: { kind: 'paper', maxInner: 1 },
        }
        await withProblem(engine, { tensor, rank: 4, momentumFactors: false, seed: 1 }, async (loaded) => {
          await loaded.writeFactors(randomFactors(tensor.dims, 4, 1))
          // On a busy machine `stop` may come before the first iteration has ended: then it comes later in another attempt.
          let stopped: Iterated
          for (let delay = 50; ; delay *= 2) {
            const isCalled = new Promise<void>((resolve) => {
              setTimeout(() => {
                loaded.stop()
                resolve()
              }, delay)
            })
            stopped = await loaded.iterate(run)
            // One process stops all of them. The others must have called `stop`, too, before any continues.
            await isCalled
            if (stopped.done > 0 || delay > 5000) break
            loaded.stop(false)
          }
          const { done, cut, seconds } = stopped
          demand(done > 0 && done < run.count, `${done} iterations are done`)
          demandEqual(cut, 'stopped', 'why')
          demand(seconds > 0, `it took ${seconds} s`)
          demandEqual((await loaded.iterate(run)).done, 0, 'iterations while it is stopped')
          loaded.stop(false)
          const limited = await loaded.iterate({ ...run, seconds: 0.05 })
          demand(limited.done > 0 && limited.cut === 'seconds', 'it ends in time')
          const all = await loaded.iterate({ ...run, count: 3 })
          demandEqual([all.done, all.cut], [3, undefined], 'all of them')
        })
      }),
  },
  {
    name: 'restore brings back the factors of the snapshot',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = mixedTensor(3)
        await withProblem(engine, { tensor, rank: 6, momentumFactors: true, seed: 1 }, async (loaded) => {
          await loaded.writeFactors(randomFactors(tensor.dims, 6, 1))
          await loaded.balance()
          await loaded.snapshot()
          const before = factorText(await loaded.readFactors())
          const step: Step = { kind: 'newton', momentum: 0.6, damping: 1 }
          const run = { first: 0, count: 2, sample: 0.5, lambda: 0.1, seed: 1, step }
          await loaded.iterate(run)
          const once = factorText(await loaded.readFactors())
          demand(once !== before, 'iterating changes factors')
          demandEqual(factorText(await loaded.readFactors('snapshot')), before, 'those kept')
          await loaded.restore()
          demandEqual(factorText(await loaded.readFactors()), before, 'restored')
          // Momentum starts anew: the same iterations give the same factors.
          await loaded.iterate(run)
          demandEqual(factorText(await loaded.readFactors()), once, 'iterated again')
        })
      }),
  },
  {
    name: 'An engine serves several problems, one after the other and concurrently',
    check: (make) =>
      withEngine(make, async (engine) => {
        const run = {
          first: 0,
          count: 3,
          sample: 0.5,
          lambda: 0.01,
          seed: 1,
          step: { kind: 'paper', maxInner: 1 },
        } as const
        const solve = async (seed: number, threads?: number): Promise<string> => {
          const tensor = mixedTensor(seed, 5000)
          return withProblem(
            engine,
            { tensor, rank: 4, momentumFactors: false, seed, threads },
            async (loaded) => {
              await loaded.writeFactors(randomFactors(tensor.dims, 4, seed))
              await loaded.iterate(run)
              return factorText(await loaded.readFactors())
            },
          )
        }
        const alone: string[] = []
        for (const seed of [1, 2, 3]) alone.push(await solve(seed))
        demandEqual(
          await Promise.all([1, 2, 3].map((seed) => solve(seed, 1))),
          alone,
          'side by side, a thread each',
        )
        demandEqual(
          await Promise.all([1, 2, 3].map((seed) => solve(seed))),
          alone,
          'side by side on all threads',
        )
      }),
  },
  {
    name: 'An engine plans about as much memory as it takes, and more for larger problems',
    check: (make) =>
      withEngine(make, async (engine) => {
        const size = { dims: [1000, 800, 300], entries: 1_000_000, rank: 10, momentumFactors: true }
        const plan = engine.plan(size)
        demand(
          plan.byteLength > 3 * 8 * size.entries && plan.byteLength < 2 * 3 * 12 * size.entries,
          'a record in each mode, of two words if the indices are packed, of three if not',
        )
        const sum = plan.items.reduce((total, { byteLength }) => total + byteLength, 0)
        demandBelow(Math.abs(sum - plan.byteLength), 1, 'the items are all of it')
        for (const more of [
          { entries: 2_000_000 },
          { rank: 50 },
          { sets: { validation: 100_000 } },
          { probe: 100_000 },
          { weighted: true },
          { strata: true },
        ])
          demand(
            engine.plan({ ...size, ...more }).byteLength > plan.byteLength,
            `more for ${Object.keys(more)}`,
          )
      }),
  },
]
