/** Compares the engine's paper, gradient and newton steps with the reference. */
import type { Engine, Iterations, Problem, Step } from '#lacuna/engine/engine.js'
import { type FastStep, fastNtc } from '#lacuna/reference/fast.js'
import type { Matrix } from '#lacuna/reference/matrix.js'
import { ntc } from '#lacuna/reference/ntc.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { distance, randomFactors, randomTensor, weighted } from '../../problems.ts'
import { engineSampler } from './engineSampler.ts'
import { matrices, scaledLambda, skipsComparisons, toDataUnits, toEngineUnits, withProblem } from './judge.ts'

/**
 * Loads a problem, runs iterations from initial factors (balanced, except for paper steps), in data units.
 */
export async function runIterations(
  engine: Engine,
  problem: Problem,
  initial: readonly Float32Array[],
  run: Iterations,
): Promise<Float32Array[]> {
  return withProblem(engine, problem, async (loaded) => {
    await loaded.writeFactors(toEngineUnits(initial, loaded))
    if (run.step.kind !== 'paper') await loaded.balance()
    await loaded.iterate({ ...run, lambda: scaledLambda(run.lambda, loaded) })
    return toDataUnits(await loaded.readFactors(), loaded)
  })
}

/** Factors of the reference by case, as JSON: they are the same for every engine. */
const references = new Map<string, Matrix[]>()

/** The reference's factors for a case: computed at the first call, from the cache later. */
function cachedReference(settings: object, compute: () => Matrix[]): Matrix[] {
  const key = JSON.stringify(settings)
  const matrices = references.get(key) ?? compute()
  references.set(key, matrices)
  return matrices
}

/** A random problem for a paper step; c is the sample fraction. */
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

/** The distance of the engine's factors from the reference's after one paper step of each mode. */
export async function comparePaper(engine: Engine, problem: PaperCase): Promise<number> {
  const { dims, rank, entries, c, lambda, maxInner, seed, isWeighted } = problem
  const random = randomTensor({ dims, entries, seed })
  const tensor = isWeighted ? weighted(random) : random
  const initial = randomFactors(dims, rank, seed)
  const step: Step = { kind: 'paper', maxInner }
  const factors = await runIterations(
    engine,
    { tensor, rank, momentumFactors: maxInner > 1, seed },
    initial,
    {
      first: 3,
      count: 1,
      sample: c,
      lambda,
      seed,
      step,
    },
  )
  if (skipsComparisons()) return 0
  const reference = cachedReference({ problem }, () =>
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

/** The settings of a gradient or newton step; c is the sample fraction. */
interface FastCase {
  rank: number
  c: number
  lambda: number
  step: FastStep
  seed: number
}

/**
 * Runs two AO iterations, so that momentum has an effect. Returns the largest relative difference of the
 * models of engine and reference, and the reference's sensitivity: how far it moves when its rows are
 * rounded.
 */
export async function compareFast(
  engine: Engine,
  { rank, c, lambda, step, seed }: FastCase,
  tensor: SparseTensor,
): Promise<{ difference: number; sensitivity: () => number }> {
  const initial = randomFactors(tensor.dims, rank, seed)
  const run = { first: 3, count: 2, sample: c, lambda, seed, step }
  const factors = await runIterations(engine, { tensor, rank, momentumFactors: true, seed }, initial, run)
  if (skipsComparisons()) return { difference: 0, sensitivity: () => 0 }
  const entries = tensor.values.length
  const isWeighted = tensor.weights !== undefined
  const referenceWith = (jitter: number): Matrix[] =>
    cachedReference({ dims: tensor.dims, entries, isWeighted, rank, c, lambda, step, seed, jitter }, () => {
      const sample = engineSampler(tensor, seed, rank).fast
      const settings = { c, lambda, step, first: 3, iterations: 2, sample, jitter }
      return fastNtc(tensor, matrices(initial, rank), settings)
    })
  const reference = referenceWith(0)
  return {
    difference: modelDistance(matrices(factors, rank), reference),
    sensitivity: () => modelDistance(referenceWith(3e-6), reference),
  }
}

/** The largest difference of two models over all cells, relative to the second's largest value. */
export function modelDistance(U: readonly Matrix[], V: readonly Matrix[]): number {
  const [u, v] = [allCells(U), allCells(V)]
  let [largest, difference] = [0, 0]
  v.forEach((x, at) => {
    largest = Math.max(largest, x)
    difference = Math.max(difference, Math.abs(x - u[at]))
  })
  return difference / largest
}

/** The values of a model at all cells, those of the last mode adjacent. */
function allCells(U: readonly Matrix[]): Float64Array {
  // Rows of the Khatri-Rao product of all modes but the last, one per fibre.
  const products = U.slice(0, -1).reduce((rows, matrix) =>
    rows.flatMap((row) => matrix.map((other) => row.map((x, r) => x * other[r]))),
  )
  const last = U[U.length - 1]
  const cells = new Float64Array(products.length * last.length)
  products.forEach((row, at) => {
    last.forEach((other, p) => {
      let sum = 0
      for (let r = 0; r < row.length; r++) sum += row[r] * other[r]
      cells[at * last.length + p] = sum
    })
  })
  return cells
}
