/**
 * What every engine must do, against the references. An engine's own test file runs these checks with its constructor, in
 * Node or in a page: nothing here belongs to a test framework.
 */
import fc from 'fast-check'
import { orderKeys, placeOf } from '#dist/engine/cpu/order.js'
import type { Engine, EngineState, Iterations, Problem, Step } from '#dist/engine/engine.js'
import { draw, hashIndex, mix, stream } from '#dist/random.js'
import { balance, columnLengths, type FastStep, fastNtc } from '#dist/reference/fast.js'
import type { Matrix } from '#dist/reference/matrix.js'
import { ntc, relativeError } from '#dist/reference/ntc.js'
import { pickEntries, type SparseTensor } from '#dist/tensor/index.js'
import { observe } from '#dist/tensor/observed.js'
import { distance, randomFactors, randomTensor, toMatrix, weighted } from '../problems.ts'
import { comparePosterior, posteriorCases } from './comparePosterior.ts'
import { compareStrata, strataCases } from './compareStrata.ts'
import { engineSampler } from './engineSampler.ts'
import {
  below,
  demand,
  followsOnly,
  inDataUnits,
  inEngineUnits,
  type MakeEngine,
  matrices,
  randomProblems,
  residualSums,
  same,
  scaledLambda,
  sumOf,
  withEngine,
  withProblem,
} from './judging.ts'

export { followOnly, type MakeEngine, tryFewer } from './judging.ts'

export interface EngineCheck {
  name: string
  check(make: MakeEngine): Promise<void>
}

/** A check that compares engines of the same kind: all must give the same bits. */
export interface VariantCheck {
  name: string
  check(variants: readonly { name: string; make: MakeEngine }[]): Promise<void>
}

async function iterated(
  engine: Engine,
  problem: Problem,
  initial: readonly Float32Array[],
  run: Iterations,
): Promise<Float32Array[]> {
  return withProblem(engine, problem, async (loaded) => {
    await loaded.writeFactors(inEngineUnits(initial, loaded))
    if (run.step.kind !== 'paper') await loaded.balance()
    await loaded.iterate({ ...run, lambda: scaledLambda(run.lambda, loaded) })
    return inDataUnits(await loaded.readFactors(), loaded)
  })
}

const smallDims = (order: number): number[] =>
  [7, 5, 6, 4, 3, 4].slice(0, order).map((dim) => (order === 2 ? 5 * dim : dim))

/** What a reference has found once is true for every engine. */
const found = new Map<string, Matrix[]>()
function known(question: object, answer: () => Matrix[]): Matrix[] {
  const key = JSON.stringify(question)
  const matrices = found.get(key) ?? answer()
  found.set(key, matrices)
  return matrices
}

interface PaperCase {
  dims: number[]
  rank: number
  entries: number
  c: number
  lambda: number
  maxInner: number
  seed: number
  isWeighted?: true
}

async function comparePaper(engine: Engine, problem: PaperCase): Promise<number> {
  const { dims, rank, entries, c, lambda, maxInner, seed, isWeighted } = problem
  const random = randomTensor({ dims, entries, seed })
  const tensor = isWeighted ? weighted(random) : random
  const initial = randomFactors(dims, rank, seed)
  const step: Step = { kind: 'paper', maxInner }
  const factors = await iterated(engine, { tensor, rank, companions: maxInner > 1, seed }, initial, {
    first: 3,
    count: 1,
    sample: c,
    lambda,
    seed,
    step,
  })
  if (followsOnly()) return 0
  const reference = known({ problem }, () =>
    ntc(tensor, matrices(initial, rank), {
      lambda,
      c,
      maxInner,
      first: 3,
      iterations: 1,
      sample: engineSampler(tensor, seed, rank).paper,
    }),
  )
  return distance(factors, reference)
}

interface FastCase {
  rank: number
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
  engine: Engine,
  { rank, c, lambda, step, seed }: FastCase,
  tensor: SparseTensor,
): Promise<{ difference: number; touchiness: () => number }> {
  const initial = randomFactors(tensor.dims, rank, seed)
  const run = { first: 3, count: 2, sample: c, lambda, seed, step }
  const factors = await iterated(engine, { tensor, rank, companions: true, seed }, initial, run)
  if (followsOnly()) return { difference: 0, touchiness: () => 0 }
  const entries = tensor.values.length
  const isWeighted = tensor.weights !== undefined
  const oracle = (jitter: number): Matrix[] =>
    known({ dims: tensor.dims, entries, isWeighted, rank, c, lambda, step, seed, jitter }, () => {
      const sample = engineSampler(tensor, seed, rank).fast
      const settings = { c, lambda, step, first: 3, iterations: 2, sample, jitter }
      return fastNtc(tensor, matrices(initial, rank), settings)
    })
  const reference = oracle(0)
  return {
    difference: modelDistance(matrices(factors, rank), reference),
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

const stepCases = fc.oneof(
  fc.record({ kind: fc.constant('gradient' as const), momentum: fc.constantFrom(0, 0.5, 0.9) }),
  fc.record({
    kind: fc.constant('newton' as const),
    momentum: fc.constantFrom(0, 0.5),
    damping: fc.constantFrom(0, 1, 10),
  }),
)
const fastCases = fc.record({
  order: fc.integer({ min: 2, max: 6 }),
  rank: fc.constantFrom(1, 3, 4, 10, 17, 30, 50),
  entries: fc.integer({ min: 1, max: 400 }),
  c: fc.constantFrom(0.1, 0.33, 0.5, 0.9, 1),
  lambda: fc.constantFrom(0, 0.01, 1),
  step: stepCases,
  seed: fc.integer({ min: 0, max: 2 ** 40 }),
})

/** The same entries, their lines in another order. */
export function shuffled(tensor: SparseTensor, seed: number): SparseTensor {
  const key = stream(seed, 97)
  const order = Uint32Array.from(tensor.values, (_, e) => e).sort((a, b) => draw(key, a) - draw(key, b))
  return pickEntries(tensor, order)
}

const bytesOf = (factors: readonly Float32Array[]): string =>
  factors.map((factor) => new Uint32Array(factor.buffer, factor.byteOffset, factor.length).join()).join()

/** A tensor with rows of several segments, and rows without entries, in every mode. */
const bumpy = (seed: number): SparseTensor => randomTensor({ dims: [13, 60, 40], entries: 20_000, seed })

export const engineChecks: EngineCheck[] = [
  {
    name: 'does one AO iteration as the reference does, on random problems',
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
            below(await comparePaper(engine, { dims: smallDims(order), ...problem }), 2e-4, 'difference'),
          ),
          { seed: 20, numRuns: randomProblems(60) },
        )
      }),
  },
  {
    name: 'does so on rows of several segments',
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
            const problem = { dims, rank, entries: 20_000, c, lambda: 0.01, maxInner: 2, seed: 5 }
            below(await comparePaper(engine, problem), 2e-4, `difference at ${dims.join('×')}, c = ${c}`)
          }
      }),
  },
  {
    name: 'does gradient and newton steps as float64 does, on random problems',
    check: (make) =>
      withEngine(make, async (engine) => {
        const touchy: number[] = []
        await fc.assert(
          fc.asyncProperty(fastCases, async ({ order, entries, ...problem }) => {
            const tensor = randomTensor({ dims: smallDims(order), entries, seed: problem.seed })
            // Rows of fewer entries than components are ill-posed without λ: see the next check.
            const lambda = problem.lambda + 1e-3
            const { difference, touchiness } = await compareFast(engine, { ...problem, lambda }, tensor)
            touchy.push(touchiness())
            below(difference, Math.max(1e-3, 10 * touchy[touchy.length - 1]), 'difference')
          }),
          { seed: 21, numRuns: randomProblems(80) },
        )
        // Most of them hold the engine to 1e-3.
        below(touchy.filter((touchiness) => touchiness > 1e-4).length, randomProblems(80) / 4, 'touchy cases')
      }),
  },
  {
    name: 'does them without λ where the entries determine the rows',
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
              below(difference, 1e-3, `difference at rank ${rank}, c = ${c}, ${step.kind}`)
            }
      }),
  },
  {
    name: 'does them on rows of several segments, whether all of these are sampled or some',
    check: (make) =>
      withEngine(make, async (engine) => {
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
            for (const c of [0.03, 0.6]) {
              const settings = { rank, c, lambda: 0.01, step, seed: 5 }
              const { difference, touchiness } = await compareFast(engine, settings, tensor)
              // Of a few entries of a row, rounding may make much.
              const most = c < 0.1 ? Math.max(1e-3, 3 * touchiness()) : 1e-3
              below(difference, most, `difference at ${dims.join('×')}, c = ${c}, ${step.kind}`)
            }
        }
      }),
  },
  {
    name: 'does epochs of SGD in strata as float64 does, on random problems',
    check: (make) =>
      withEngine(make, async (engine) => {
        const touchy: number[] = []
        await fc.assert(
          fc.asyncProperty(strataCases, async (problem) => {
            touchy.push(await compareStrata(engine, problem))
          }),
          { seed: 23, numRuns: randomProblems(20) },
        )
        // Rows of several segments.
        touchy.push(await compareStrata(engine, { order: 3, rank: 5, entries: 20_000, rate: 0.3, seed: 5 }))
        // Most of them hold the engine to 3e-4.
        below(touchy.filter((touchiness) => touchiness > 3e-5).length, touchy.length / 4, 'touchy cases')
      }),
  },
  {
    name: 'counts entries by their weights, as float64 does',
    check: (make) =>
      withEngine(make, async (engine) => {
        const steps: FastStep[] = [
          { kind: 'gradient', momentum: 0.9 },
          { kind: 'newton', momentum: 0.5, damping: 4 },
        ]
        // Rows of several segments and of one, sampled and whole; orders with loops of their own and without.
        const shapes: [number[], number, number][] = [
          [[30, 25], 400, 5],
          [[4, 120, 100], 20_000, 6],
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
            below(await comparePaper(engine, paper), 2e-4, `paper's difference ${where}`)
            const tensor = weighted(randomTensor({ dims, entries, seed: 5 }))
            for (const step of steps) {
              const settings = { rank, c, lambda: 0.1, step, seed: 5 }
              const { difference, touchiness } = await compareFast(engine, settings, tensor)
              below(difference, Math.max(1e-3, 10 * touchiness()), `${step.kind}'s difference ${where}`)
            }
          }
      }),
  },
  {
    name: 'takes an entry of weight 2 for one that is listed twice',
    check: (make) =>
      withEngine(make, async (engine) => {
        const once = randomTensor({ dims: [12, 15, 9], entries: 500, seed: 3 })
        const isTwice = (e: number): boolean => e % 3 === 0
        const all = Uint32Array.from(once.values.keys())
        const heavy = { ...once, weights: Float32Array.from(all, (e) => (isTwice(e) ? 2 : 1)) }
        const twice = pickEntries(once, Uint32Array.of(...all, ...all.filter(isTwice)))
        const entries = twice.values.length
        // With weights of the mean 1, the entries count as so much of those that are listed twice.
        const share = once.values.length / entries
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
          const problem = { tensor, rank, companions: true, seed: 1, posterior: isPosterior }
          return withProblem(engine, problem, async (loaded) => {
            await loaded.writeFactors(inEngineUnits(initial, loaded))
            if (step.kind !== 'paper') await loaded.balance()
            const settings = { first: 0, sample: 1, lambda: by * scaledLambda(0.3, loaded), seed: 1 }
            const begin = { sigma2: 0.2 * by, squares: 80 * by, variance: 0.7 * by }
            if (isPosterior) await loaded.iterate({ ...settings, count: 1, step: { ...step, begin } })
            await loaded.iterate({ ...settings, count: 2, step })
            return inDataUnits(await loaded.readFactors(), loaded)
          })
        }
        for (const step of steps) {
          const listed = await run(twice, step, 1)
          const counted = await run(heavy, step, share)
          const alike = await run(once, step, share)
          below(distance(counted, matrices(listed, rank)), 1e-4, `difference of ${step.kind}`)
          demand(distance(alike, matrices(listed, rank)) > 1e-2, `${step.kind} without weights differs`)
        }
      }),
  },
  {
    name: 'balances the factors as the reference does, and fills the rows without entries',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = randomTensor({ dims: [200, 150, 20], entries: 3000, seed: 6 })
        const rank = 5
        const lopsided = randomFactors(tensor.dims, rank, 6).map((factor, i) =>
          factor.map((u) => u * 100 ** (i - 1)),
        )
        await withProblem(engine, { tensor, rank, companions: true, seed: 1 }, async (loaded) => {
          await loaded.writeFactors(inEngineUnits(lopsided, loaded))
          await loaded.balance()
          const { factors, means } = balance(tensor, matrices(inEngineUnits(lopsided, loaded), rank))
          const balanced = await loaded.readFactors()
          below(distance(balanced, factors), 1e-5, 'difference')
          const [first, ...others] = matrices(balanced, rank).map((matrix, i) => {
            const seen = new Set(tensor.indices[i])
            return columnLengths(matrix.filter((_, p) => seen.has(p)))
          })
          for (const lengths of others)
            for (const [r, length] of lengths.entries())
              below(Math.abs(length / first[r] - 1), 1e-5, 'length')
          const state = await loaded.readState()
          state.means.forEach((mean, i) => {
            for (const [r, u] of mean.entries()) below(Math.abs(u / means[i][r] - 1), 1e-5, 'mean')
            for (const p of loaded.statistics.emptyRows[i])
              same([...balanced[i].subarray(p * rank, (p + 1) * rank)], [...mean], 'a row without entries')
          })
        })
      }),
  },
  {
    name: 'fills the rows without entries alone, with the mean of the others, when that is all it is asked for',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = bumpy(2)
        const rank = 3
        await withProblem(engine, { tensor, rank, companions: false, seed: 1 }, async (loaded) => {
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
                below(Math.abs(filled[i][p * rank + r] - wanted), 1e-6, `row ${p} of mode ${i}`)
              }
          })
        })
      }),
  },
  {
    // Without λ: the point it draws rows to moves with them.
    name: 'never raises the error by a step over all entries without momentum',
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
            const factors = await iterated(engine, { tensor, rank, companions: true, seed }, initial, {
              first: 0,
              count: 1,
              sample: 1,
              lambda: 0,
              seed,
              step: { ...step, momentum: 0 },
            })
            const before = relativeError(tensor, balance(tensor, matrices(initial, rank)).factors)
            const after = relativeError(tensor, matrices(factors, rank))
            demand(after <= before * (1 + 1e-4) + 1e-6, `the error rises from ${before} to ${after}`)
          }),
          { seed: 22, numRuns: randomProblems(60) },
        ),
      ),
  },
  {
    name: 'sums the errors of every set as the reference does, by weight',
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
          const problem = { tensor, sets, probe: 500, rank, companions: false, seed: 1 }
          const probe = probeOf(tensor, 500, 1)
          await withProblem(engine, problem, async (loaded) => {
            const initial = randomFactors(dims, rank, 3).map((factor) =>
              factor.map((u) => u * unit ** (1 / 3)),
            )
            await loaded.writeFactors(inEngineUnits(initial, loaded))
            const { valueScale } = loaded.statistics
            const U = matrices(initial, rank)
            const names = ['validation', 'train', 'probe', 'one', 'with a blank', 'one', 'with weights']
            const { sums } = await loaded.errors(names)
            names.forEach((name, i) => {
              const set =
                name === 'train' ? tensor : name === 'probe' ? probe : sets[name as keyof typeof sets]
              const known = loaded.statistics.sets[name]
              const entries = set.values.length
              same(known.entries, entries, `entries of ${name}`)
              // Those of the probe have weights of the mean 1 in all training entries, not among themselves.
              const weight = name === 'probe' ? (entries * meanWeight(probe)) / meanWeight(tensor) : entries
              below(Math.abs(known.weight / weight - 1), 1e-6, `weight of ${name}`)
              const by = entries / weight
              const near = (found: number, wanted: number, most: number, what: string): void =>
                below(Math.abs((by * found) / wanted - 1), most, `${what} of ${name}`)
              const [squares, absolutes] = residualSums(set, U)
              near(sums[i].squares / valueScale ** 2, squares, 1e-4, 'squares')
              near(sums[i].absolutes / valueScale, absolutes, 1e-4, 'absolutes')
              near(
                known.squares / valueScale ** 2,
                sumOf(set, (x) => x * x),
                1e-6,
                'Σ x²',
              )
              near(known.absolutes / valueScale, sumOf(set, Math.abs), 1e-6, 'Σ |x|')
            })
            demand(/^\d/.test(loaded.statistics.digest), 'a digest')
          })
        }
      }),
  },
  {
    name: 'sweeps under a learned prior as float64 does',
    check: (make) =>
      withEngine(make, async (engine) => {
        for (const problem of posteriorCases) await comparePosterior(engine, problem)
      }),
  },
  {
    name: 'takes cells that are not listed for zeros as if they were listed',
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
          const problem = { rank, companions: true, seed: 1 }
          const zeros = await iterated(engine, { ...problem, tensor: listed, zeros: true }, initial, run)
          const explicit = await iterated(engine, { ...problem, tensor: everyCell }, initial, run)
          below(
            modelDistance(matrices(zeros, rank), matrices(explicit, rank)),
            1e-3,
            `difference at ${dims.join('×')}`,
          )
        }
      }),
  },
  {
    name: 'takes listed cells of other sets for unknown, and sums errors over all others',
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
        const run = { first: 0, count: 400, sample: 1, lambda: 0, seed: 1, step }
        const initial = randomFactors(dims, rank, 1)
        const problem = { rank, companions: true, seed: 1 }
        await withProblem(
          engine,
          { ...problem, tensor: listed, sets: { held }, zeros: true },
          async (loaded) => {
            same(loaded.statistics.sets.train.entries, 12 * 20 * 9 - held.values.length, 'known cells')
            await loaded.writeFactors(inEngineUnits(initial, loaded))
            await loaded.balance()
            await loaded.iterate(run)
            const U = matrices(inDataUnits(await loaded.readFactors(), loaded), rank)
            const { sums } = await loaded.errors(['train', 'held'])
            const { valueScale } = loaded.statistics
            for (const [i, set] of [everyKnown, held].entries()) {
              const [squares, absolutes] = residualSums(set, U)
              below(Math.abs(sums[i].squares / valueScale ** 2 / squares - 1), 1e-4, 'squares')
              below(Math.abs(sums[i].absolutes / valueScale / absolutes - 1), 1e-4, 'absolutes')
            }
            // Where it ends, a step over the known cells alone, all of them listed, changes next to nothing.
            const written = await loaded.readFactors()
            const again = await iterated(
              engine,
              { ...problem, tensor: everyKnown },
              inDataUnits(written, loaded),
              { ...run, count: 1 },
            )
            below(modelDistance(matrices(again, rank), U), 2e-3, 'a further step')
          },
        )
        const twice = { ...problem, tensor: listed, sets: { held: listed }, zeros: true }
        const error = await engine.load(twice).catch((error) => error)
        demand(error.name === 'InputError', 'a cell that is learned from and held out')
      }),
  },
  {
    name: 'takes a random part of the training entries for the probe, whatever their order',
    check: (make) =>
      withEngine(make, async (engine) => {
        // Values that grow along the lines: a probe of the first ones would see small ones only.
        const sorted = randomTensor({ dims: [40, 50, 30], entries: 20_000, seed: 3 })
        sorted.values.sort()
        const meanSquare = sumOf(sorted, (x) => x * x) / sorted.values.length
        const probes = await Promise.all(
          [sorted, shuffled(sorted, 1)].map((tensor) =>
            withProblem(
              engine,
              { tensor, probe: 2000, rank: 2, companions: false, seed: 1 },
              async ({ statistics }) => statistics.sets.probe,
            ),
          ),
        )
        same(probes[0], probes[1], 'the probe of shuffled lines')
        const [{ entries, squares }] = probes
        // Six standard deviations.
        below(Math.abs(entries - 2000), 6 * Math.sqrt(2000), 'how many more or fewer')
        const { statistics } = await engine.load({ tensor: sorted, rank: 2, companions: false, seed: 1 })
        below(
          Math.abs(squares / entries / statistics.valueScale ** 2 / meanSquare - 1),
          0.1,
          'its mean square',
        )
        // All of them, where they are few.
        const few = { tensor: sorted, probe: 50_000, rank: 2, companions: false, seed: 1 }
        await withProblem(engine, few, async ({ statistics: { sets } }) =>
          same(sets.probe, sets.train, 'all'),
        )
      }),
  },
  {
    name: 'knows entries by a digest, whatever their order',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = bumpy(5)
        const sets = { validation: randomTensor({ dims: [...tensor.dims], entries: 300, seed: 9 }) }
        const digest = (problem: Pick<Problem, 'tensor' | 'sets'>): Promise<string> =>
          withProblem(
            engine,
            { rank: 2, companions: false, seed: 1, ...problem },
            async (loaded) => loaded.statistics.digest,
          )
        const one = await digest({ tensor, sets })
        same(await digest({ tensor: shuffled(tensor, 2), sets }), one, 'shuffled')
        const changed = { ...tensor, values: tensor.values.slice() }
        changed.values[77] += 1
        const moved = { ...tensor, indices: tensor.indices.map((column) => column.slice()) }
        moved.indices[2][5] = (moved.indices[2][5] + 1) % tensor.dims[2]
        const larger = { ...tensor, dims: [14, 60, 40] }
        const heavy = weighted(tensor)
        const other = { ...heavy, weights: heavy.weights!.slice() }
        ;[other.weights[5], other.weights[6]] = [other.weights[6], other.weights[5]]
        const withWeights = await digest({ tensor: heavy, sets })
        same(await digest({ tensor: shuffled(heavy, 2), sets }), withWeights, 'shuffled with their weights')
        demand((await digest({ tensor: other, sets })) !== withWeights, 'another digest for other weights')
        const others = [
          { tensor: heavy, sets },
          { tensor, sets: { validation: weighted(sets.validation) } },
          { tensor: changed, sets },
          { tensor: moved, sets },
          { tensor: larger, sets: { validation: { ...sets.validation, dims: [14, 60, 40] } } },
          { tensor, sets: { validation: shuffled(changed, 3) } },
          { tensor },
        ]
        for (const other of others) demand((await digest(other)) !== one, 'another digest for other entries')
      }),
  },
  {
    name: 'tells what the entries of every row are like',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = bumpy(6)
        const { dims } = tensor
        await withProblem(engine, { tensor, rank: 2, companions: false, seed: 1 }, async (loaded) => {
          const { entries, min, max, counts, means } = await loaded.observed()
          same(entries, loaded.statistics.sets.train.entries, 'entries')
          same(
            counts.map((rows) => rows.map(Number).reduce((sum, count) => sum + count, 0)),
            dims.map(() => entries),
            'counts',
          )
          same([min, max], [Math.min(...tensor.values), Math.max(...tensor.values)], 'range')
          const own = observe(tensor)
          same(
            means.map((rows) => [...rows]),
            own.means.map((rows) => [...rows]),
            'means',
          )
        })
      }),
  },
  {
    name: 'stops after the AO iteration it is in, and goes on when it is told to',
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
        await withProblem(engine, { tensor, rank: 4, companions: false, seed: 1 }, async (loaded) => {
          await loaded.writeFactors(randomFactors(tensor.dims, 4, 1))
          setTimeout(() => loaded.stop(), 50)
          const { done, cut, seconds } = await loaded.iterate(run)
          demand(done > 0 && done < run.count, `${done} iterations are done`)
          same(cut, 'stopped', 'why')
          demand(seconds > 0.03, `it took ${seconds} s`)
          same((await loaded.iterate(run)).done, 0, 'iterations while it is stopped')
          loaded.stop(false)
          const limited = await loaded.iterate({ ...run, seconds: 0.05 })
          demand(limited.done > 0 && limited.cut === 'seconds', 'it ends in time')
          const all = await loaded.iterate({ ...run, count: 3 })
          same([all.done, all.cut], [3, undefined], 'all of them')
        })
      }),
  },
  {
    name: 'keeps factors and puts them back',
    check: (make) =>
      withEngine(make, async (engine) => {
        const tensor = bumpy(3)
        await withProblem(engine, { tensor, rank: 6, companions: true, seed: 1 }, async (loaded) => {
          await loaded.writeFactors(randomFactors(tensor.dims, 6, 1))
          await loaded.balance()
          await loaded.keep()
          const before = bytesOf(await loaded.readFactors())
          const step: Step = { kind: 'newton', momentum: 0.6, damping: 1 }
          const run = { first: 0, count: 2, sample: 0.5, lambda: 0.1, seed: 1, step }
          await loaded.iterate(run)
          const once = bytesOf(await loaded.readFactors())
          demand(once !== before, 'iterating changes factors')
          same(bytesOf(await loaded.readFactors('kept')), before, 'those kept')
          await loaded.restore()
          same(bytesOf(await loaded.readFactors()), before, 'restored')
          // Momentum starts anew: the same iterations give the same factors.
          await loaded.iterate(run)
          same(bytesOf(await loaded.readFactors()), once, 'iterated again')
        })
      }),
  },
  {
    name: 'serves several problems, one after the other and side by side',
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
          const tensor = bumpy(seed)
          return withProblem(
            engine,
            { tensor, rank: 4, companions: false, seed, threads },
            async (loaded) => {
              await loaded.writeFactors(randomFactors(tensor.dims, 4, seed))
              await loaded.iterate(run)
              return bytesOf(await loaded.readFactors())
            },
          )
        }
        const alone: string[] = []
        for (const seed of [1, 2, 3, 4]) alone.push(await solve(seed))
        same(
          await Promise.all([1, 2, 3, 4].map((seed) => solve(seed, 1))),
          alone,
          'side by side, a thread each',
        )
        same(await Promise.all([1, 2, 3, 4].map((seed) => solve(seed))), alone, 'side by side on all threads')
      }),
  },
  {
    name: 'names the first entry that is none, in the training entries and in others',
    check: (make) =>
      withEngine(make, async (engine) => {
        const good = bumpy(8)
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
            const error = await engine.load({ rank: 2, companions: false, seed: 1, ...problem }).then(
              () => undefined,
              (error) => error,
            )
            demand(
              error?.name === 'InputError' && error.message.startsWith(where),
              `${error} instead of ${where}`,
            )
          }
        // It is none the worse for it.
        await withProblem(engine, { tensor: good, rank: 2, companions: false, seed: 1 }, async () => {})
      }),
  },
  {
    name: 'plans about as much memory as it takes, and more for more',
    check: (make) =>
      withEngine(make, async (engine) => {
        const size = { dims: [1000, 800, 300], entries: 1_000_000, rank: 10, companions: true }
        const plan = engine.plan(size)
        demand(
          plan.byteLength > 4 * 9 * size.entries && plan.byteLength < 8 * 9 * size.entries,
          'about 36 bytes an entry',
        )
        const sum = plan.items.reduce((total, { byteLength }) => total + byteLength, 0)
        below(Math.abs(sum - plan.byteLength), 1, 'the items are all of it')
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

const posteriorStep: Step = { kind: 'posterior', noise: 'auto', loss: 'squares', entries: 20_000, mean: 1 }
const first = { begin: { sigma2: 0.5, squares: 8000, variance: 0.7 } }

interface BitRun {
  step: Step
  rank: number
  c: number
  zeros?: true
  posterior?: true
  strata?: true
  isWeighted?: true
  sides?: Problem['sides']
}

const BIT_RUNS: BitRun[] = [
  { step: { kind: 'paper', maxInner: 2 }, rank: 5, c: 0.5 },
  { step: { kind: 'paper', maxInner: 1 }, rank: 26, c: 0.05 },
  { step: { kind: 'newton', momentum: 0.6, damping: 1 }, rank: 5, c: 0.04 },
  { step: { kind: 'newton', momentum: 0.6, damping: 1 }, rank: 26, c: 1 },
  { step: { kind: 'gradient', momentum: 0.9 }, rank: 26, c: 0.3 },
  { step: { kind: 'newton', momentum: 0.6, damping: 1 }, rank: 10, c: 1, zeros: true },
  { step: posteriorStep, rank: 10, c: 1, posterior: true },
  {
    step: { ...posteriorStep, noise: 'row', loss: 'huber' },
    rank: 3,
    c: 1,
    posterior: true,
    sides: [undefined, { lags: [1, 7] }, undefined],
  },
  { step: { kind: 'gradient', momentum: 0.9 }, rank: 5, c: 0.3, isWeighted: true },
  { step: posteriorStep, rank: 5, c: 1, posterior: true, isWeighted: true },
  { step: { kind: 'strata', rate: 1.3, least: 0.05 }, rank: 7, c: 1, strata: true },
]

/** Everything that can be asked of a problem, as one text: two that are equal are so to the bit. */
async function everything(
  engine: Engine,
  tensor: SparseTensor,
  { step, rank, c, zeros, posterior, strata, sides, isWeighted }: BitRun,
  heldOut: SparseTensor,
  iterations = 3,
): Promise<string> {
  if (zeros) [tensor, heldOut] = apart(tensor)
  if (isWeighted) [tensor, heldOut] = [weighted(tensor), weighted(heldOut)]
  const problem = {
    tensor,
    sets: { validation: heldOut },
    probe: 3000,
    rank,
    companions: true,
    seed: 9,
    zeros,
    posterior,
    strata,
    sides,
  }
  return withProblem(engine, problem, async (loaded) => {
    if (strata && !loaded.hasStrata) return 'without strata'
    await loaded.writeFactors(randomFactors(tensor.dims, rank, 1))
    await loaded.balance()
    const run = { sample: c, lambda: 0.01, seed: 9, step }
    if (posterior) await loaded.iterate({ ...run, first: 0, count: 1, step: { ...step, ...first } as Step })
    await loaded.iterate({ ...run, first: 0, count: iterations })
    if (step.kind !== 'paper' && !posterior) await loaded.balance()
    await loaded.keep()
    await loaded.iterate({ ...run, first: iterations, count: iterations + 1 })
    const { sums } = await loaded.errors(zeros ? ['train', 'validation'] : ['train', 'probe', 'validation'])
    return stateText(await loaded.readState()) + JSON.stringify({ sums, ...loaded.statistics, emptyRows: 0 })
  })
}

const stateText = ({ factors, companions = [], means, scales, kept = [], ...rest }: EngineState): string => {
  const { moments = [], precisions = [], leverages = [], shared = [] } = rest
  const { rowMeans = [], ties = [], variances = [], lagWeights = [] } = rest
  const learned = [moments, precisions, leverages, shared, rowMeans, ties, variances, lagWeights]
  return [factors, companions, means, scales, kept, ...learned].map(bytesOf).join('\n')
}

/** With all kinds of steps. */
export const variantChecks = variantChecksOf(BIT_RUNS, 2)
/** For those to whom every message is dear: both solvers' steps and strata, few of them. */
export const briefVariantChecks = variantChecksOf(
  [BIT_RUNS[0], BIT_RUNS[3], BIT_RUNS[BIT_RUNS.length - 1]],
  1,
).slice(0, 2)

function variantChecksOf(bitRuns: readonly BitRun[], iterations: number): VariantCheck[] {
  return [
    {
      name: 'give the same bits, whatever the order of the lines',
      async check(variants) {
        const tensor = randomTensor({ dims: [24, 70, 60], entries: 30_000, seed: 4 })
        const heldOut = randomTensor({ dims: [24, 70, 60], entries: 4000, seed: 5 })
        const found = new Map<number, string>()
        for (const [v, { name, make }] of variants.entries())
          await withEngine(make, async (engine) => {
            for (const [i, run] of bitRuns.entries()) {
              const lines = v === 0 ? tensor : shuffled(tensor, v)
              const text = await everything(
                engine,
                lines,
                run,
                v === 0 ? heldOut : shuffled(heldOut, v),
                iterations,
              )
              if (!found.has(i)) found.set(i, text)
              demand(
                found.get(i) === text,
                `${name} differs from ${variants[0].name}: ${JSON.stringify(run)}`,
              )
            }
          })
        same(new Set(found.values()).size, bitRuns.length, 'runs that differ')
      },
    },
    {
      name: 'go on from the state of another as if there had been no break',
      async check(variants) {
        const tensor = bumpy(6)
        const runs = bitRuns.map(({ step, rank, c, zeros, posterior, strata, sides, isWeighted }) => ({
          problem: {
            tensor: isWeighted ? weighted(tensor) : tensor,
            rank,
            companions: true,
            seed: 9,
            zeros,
            posterior,
            strata,
            sides,
          },
          run: { sample: c, lambda: 0.01, seed: 9, step },
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
                    step: { ...run.step, ...first } as Step,
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
      name: 'give the same bits for coordinates that are given many times',
      async check(variants) {
        const tensor = bumpy(7)
        // Half of the entries at one place: more than a segment holds, all with one hash.
        const many = { ...tensor, indices: tensor.indices.map((column) => column.slice()) }
        for (const column of many.indices) column.fill(3, 0, 5000).fill(4, 5000, 5020)
        // Some of them differ in nothing but their weights.
        const heavy = { ...many, values: many.values.slice(), weights: many.values.map((x) => 1 + x) }
        heavy.values.fill(1, 0, 2500).fill(1, 5000)
        const found = [new Set<string>(), new Set<string>()]
        for (const [v, { make }] of variants.entries())
          await withEngine(make, async (engine) => {
            for (const [i, entries] of [many, heavy].entries())
              found[i].add(
                await everything(engine, shuffled(entries, v + 1), BIT_RUNS[3], tensor, iterations),
              )
          })
        for (const { size } of found) same(size, 1, 'results')
      },
    },
  ]
}

/** Entries by their coordinates, most of them and the others; of entries at the same place, the last. */
function apart(tensor: SparseTensor): [SparseTensor, SparseTensor] {
  const places = new Map<string, number>()
  for (let e = 0; e < tensor.values.length; e++)
    places.set(tensor.indices.map((column) => column[e]).join(), e)
  const entries = Uint32Array.from(places.values())
  const isHeld = (e: number): boolean => tensor.indices[1][e] % 7 === 0
  return [
    pickEntries(
      tensor,
      entries.filter((e) => !isHeld(e)),
    ),
    pickEntries(tensor, entries.filter(isHeld)),
  ]
}

/** Every cell of the tensor but those that are left out, zeros where there is no entry. */
function withZeros(listed: SparseTensor, leftOut?: SparseTensor): SparseTensor {
  const { dims } = listed
  const place = (indices: readonly Uint32Array[], e: number): number =>
    indices.reduce((at, column, i) => at * dims[i] + column[e], 0)
  const cells = new Float32Array(dims.reduce((product, dim) => product * dim, 1))
  listed.values.forEach((x, e) => {
    cells[place(listed.indices, e)] = x
  })
  const out = new Set(Array.from(leftOut?.values ?? [], (_, e) => place(leftOut!.indices, e)))
  const places = [...cells.keys()].filter((at) => !out.has(at))
  let stride = cells.length
  return {
    dims,
    indices: dims.map((dim) => {
      stride /= dim
      return Uint32Array.from(places, (at) => Math.floor(at / stride) % dim)
    }),
    values: Float32Array.from(places, (at) => cells[at]),
  }
}

const meanWeight = ({ weights, values }: SparseTensor): number =>
  weights ? weights.reduce((sum, w) => sum + w, 0) / values.length : 1

/** The entries that are in the probe, by seed and coordinates. */
function probeOf(tensor: SparseTensor, wanted: number, seed: number): SparseTensor {
  const { hash: key, probe } = orderKeys(seed, tensor.dims.length)
  const limit = Math.ceil((wanted / tensor.values.length) * 2 ** 32)
  const picked = Uint32Array.from(tensor.values.keys()).filter(
    (e) =>
      placeOf(mix(tensor.indices.reduce((hash, column) => hashIndex(hash, column[e]), key)), probe) < limit,
  )
  return pickEntries(tensor, picked)
}
