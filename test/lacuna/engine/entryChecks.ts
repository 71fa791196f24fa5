/**
 * Checks of what an engine reports about its entries: error sums, probe, digest, row statistics, invalid
 * entries.
 */

import { toSharedTensor } from '#lacuna/engine/cpu/memory/sharedTensor.js'
import type { Problem } from '#lacuna/engine/engine.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { observe } from '#lacuna/tensor/observed.js'
import { randomFactors, randomTensor, weighted } from '../../problems.ts'
import type { EngineCheck } from './check.ts'
import { meanWeight, mixedTensor, probeOf, shuffleEntries } from './entrySets.ts'
import {
  demand,
  demandBelow,
  demandEqual,
  matrices,
  residualSums,
  toEngineUnits,
  weightedSum,
  withEngine,
  withProblem,
} from './judge.ts'

/** Checks of the entries of a problem. */
export const entryChecks: EngineCheck[] = [
  {
    name: 'The error sums of every set equal the reference, by weight',
    check: (make) =>
      withEngine(make, async (engine) => {
        const dims = [30, 20, 9]
        const unit = 1000
        const inUnits = (tensor: SparseTensor): SparseTensor => ({
          ...tensor,
          values: tensor.values.map((x) => x * unit),
        })
        const plain = inUnits(randomTensor({ dims, entries: 3000, seed: 1 }))
        const sets = {
          validation: inUnits(randomTensor({ dims, entries: 700, seed: 2 })),
          'with weights': weighted(inUnits(randomTensor({ dims, entries: 900, seed: 6 }))),
          one: inUnits(randomTensor({ dims, entries: 1, seed: 3 })),
          'with a blank': inUnits(randomTensor({ dims, entries: 5000, seed: 4 })),
        }
        const rank = 7
        for (const tensor of [plain, weighted(plain)]) {
          const problem = { tensor, sets, probe: 500, rank, momentumFactors: false, seed: 1 }
          const probe = probeOf(tensor, 500, 1)
          await withProblem(engine, problem, async (loaded) => {
            const initial = randomFactors(dims, rank, 3).map((factor) =>
              factor.map((u) => u * unit ** (1 / 3)),
            )
            await loaded.writeFactors(toEngineUnits(initial, loaded))
            const { valueScale } = loaded.statistics
            const U = matrices(initial, rank)
            const names = ['validation', 'train', 'probe', 'one', 'with a blank', 'one', 'with weights']
            const { sums } = await loaded.errors(names)
            names.forEach((name, i) => {
              const set =
                name === 'train' ? tensor : name === 'probe' ? probe : sets[name as keyof typeof sets]
              const known = loaded.statistics.sets[name]
              const entries = set.values.length
              demandEqual(known.entries, entries, `entries of ${name}`)
              // Those of the probe have weights of the mean 1 in all training entries, not among themselves.
              const weight = name === 'probe' ? (entries * meanWeight(probe)) / meanWeight(tensor) : entries
              demandBelow(Math.abs(known.weight / weight - 1), 1e-6, `weight of ${name}`)
              const by = entries / weight
              const near = (found: number, wanted: number, most: number, what: string): void =>
                demandBelow(Math.abs((by * found) / wanted - 1), most, `${what} of ${name}`)
              const [squares, absolutes] = residualSums(set, U)
              near(sums[i].squares / valueScale ** 2, squares, 1e-4, 'squares')
              near(sums[i].absolutes / valueScale, absolutes, 1e-4, 'absolutes')
              near(
                known.squares / valueScale ** 2,
                weightedSum(set, (x) => x * x),
                1e-6,
                'Σ x²',
              )
              near(known.absolutes / valueScale, weightedSum(set, Math.abs), 1e-6, 'Σ |x|')
            })
            demand(/^\d/.test(loaded.statistics.digest), 'a digest')
          })
        }
      }),
  },
  {
    name: 'The probe is a random subset of the training entries, whatever their order',
    check: (make) =>
      withEngine(make, async (engine) => {
        // Values that grow along the lines: a probe of the first ones would see small ones only.
        const sorted = randomTensor({ dims: [40, 50, 30], entries: 20_000, seed: 3 })
        sorted.values.sort()
        const meanSquare = weightedSum(sorted, (x) => x * x) / sorted.values.length
        const probes = await Promise.all(
          [sorted, shuffleEntries(sorted, 1)].map((tensor) =>
            withProblem(
              engine,
              { tensor, probe: 2000, rank: 2, momentumFactors: false, seed: 1 },
              async ({ statistics }) => statistics.sets.probe,
            ),
          ),
        )
        demandEqual(probes[0], probes[1], 'the probe of shuffled lines')
        const [{ entries, squares }] = probes
        // Six standard deviations.
        demandBelow(Math.abs(entries - 2000), 6 * Math.sqrt(2000), 'how many more or fewer')
        const { statistics } = await engine.load({ tensor: sorted, rank: 2, momentumFactors: false, seed: 1 })
        demandBelow(
          Math.abs(squares / entries / statistics.valueScale ** 2 / meanSquare - 1),
          0.1,
          'its mean square',
        )
        // All of them, where they are few.
        const few = { tensor: sorted, probe: 50_000, rank: 2, momentumFactors: false, seed: 1 }
        await withProblem(engine, few, async ({ statistics: { sets } }) =>
          demandEqual(sets.probe, sets.train, 'all'),
        )
      }),
  },
  {
    name: 'The digest identifies the entries, whatever their order',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = mixedTensor(5, 5000)
        const sets = { validation: randomTensor({ dims: [...tensor.dims], entries: 300, seed: 9 }) }
        const digest = (problem: Pick<Problem, 'tensor' | 'sets'>): Promise<string> =>
          withProblem(
            engine,
            { rank: 2, momentumFactors: false, seed: 1, ...problem },
            async (loaded) => loaded.statistics.digest,
          )
        const one = await digest({ tensor, sets })
        demandEqual(await digest({ tensor: shuffleEntries(tensor, 2), sets }), one, 'shuffled')
        const changed = { ...tensor, values: tensor.values.slice() }
        changed.values[77] += 1
        const moved = { ...tensor, indices: tensor.indices.map((column) => column.slice()) }
        moved.indices[2][5] = (moved.indices[2][5] + 1) % tensor.dims[2]
        const larger = { ...tensor, dims: [14, 60, 40] }
        const heavy = weighted(tensor)
        const other = { ...heavy, weights: heavy.weights!.slice() }
        ;[other.weights[5], other.weights[6]] = [other.weights[6], other.weights[5]]
        const withWeights = await digest({ tensor: heavy, sets })
        demandEqual(
          await digest({ tensor: shuffleEntries(heavy, 2), sets }),
          withWeights,
          'shuffled with their weights',
        )
        demand((await digest({ tensor: other, sets })) !== withWeights, 'another digest for other weights')
        const others = [
          { tensor: heavy, sets },
          { tensor, sets: { validation: weighted(sets.validation) } },
          { tensor: changed, sets },
          { tensor: moved, sets },
          { tensor: larger, sets: { validation: { ...sets.validation, dims: [14, 60, 40] } } },
          { tensor, sets: { validation: shuffleEntries(changed, 3) } },
          { tensor },
        ]
        for (const other of others) demand((await digest(other)) !== one, 'another digest for other entries')
      }),
  },
  {
    name: 'The statistics of the entries of every row are exact',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = mixedTensor(6)
        const { dims } = tensor
        // Arrays that threads share are looked at by all of them.
        for (const entries of [tensor, toSharedTensor(tensor)])
          await withProblem(
            engine,
            { tensor: entries, rank: 2, momentumFactors: false, seed: 1 },
            async (loaded) => {
              const { entries, min, max, counts, means } = await loaded.observed()
              const own = observe(tensor)
              demandEqual(entries, loaded.statistics.sets.train.entries, 'entries')
              demandEqual(
                counts.map((rows) => rows.map(Number).reduce((sum, count) => sum + count, 0)),
                dims.map(() => entries),
                'all counts',
              )
              demandEqual([min, max], [Math.min(...tensor.values), Math.max(...tensor.values)], 'range')
              demandEqual(textOf(counts), textOf(own.counts), 'counts')
              demandEqual(textOf(means), textOf(own.means), 'means')
            },
          )
      }),
  },
  {
    name: 'Loading refuses the first invalid entry by its number, in the training entries and in other sets',
    check: (make) =>
      withEngine(make, async (engine) => {
        const good = mixedTensor(8)
        const broken = (change: (values: Float32Array, indices: Uint32Array[]) => void): SparseTensor => {
          const copy = {
            ...good,
            values: good.values.slice(),
            indices: good.indices.map((column) => column.slice()),
          }
          change(copy.values, copy.indices)
          return copy
        }
        const cases: [SparseTensor, string][] = [
          [broken((values) => values.fill(Number.NaN, 700, 900)), 'Entry 700 has the value NaN'],
          [broken((values) => values.fill(-Infinity, 1234, 1235)), 'Entry 1234 has the value -Infinity'],
          [
            broken((_, indices) => indices[1].fill(60, 5000)),
            'Entry 5000 has index 60 in mode 2; it must be a whole number from 0 to 59',
          ],
          [
            broken((_, indices) => indices[2].fill(2 ** 32 - 1, 0, 1)),
            'Entry 0 has index 4294967295 in mode 3',
          ],
        ]
        const weights = good.values.map(() => 1)
        for (const [e, wrong] of [
          [40, 0],
          [7, Number.NaN],
          [3, -1],
          [5000, Infinity],
        ])
          cases.push([
            { ...good, weights: weights.map((w, at) => (at === e ? wrong : w)) },
            `Entry ${e} has the weight ${wrong}`,
          ])
        for (const [tensor, message] of cases)
          for (const [problem, where] of [
            [{ tensor }, message],
            [{ tensor: good, sets: { hidden: tensor } }, message.replace(/^(Entry \d+)/, '$1 of hidden')],
          ] as const) {
            const error = await engine.load({ rank: 2, momentumFactors: false, seed: 1, ...problem }).then(
              () => undefined,
              (error) => error,
            )
            demand(
              error?.name === 'InputError' && error.message.startsWith(where),
              `${error} instead of ${where}`,
            )
          }
        // It is none the worse for it.
        await withProblem(engine, { tensor: good, rank: 2, momentumFactors: false, seed: 1 }, async () => {})
      }),
  },
]

/** Arrays per mode as text. */
const textOf = (rows: readonly (Uint32Array | Float32Array)[]): string =>
  rows.map((own) => own.join()).join(';')
