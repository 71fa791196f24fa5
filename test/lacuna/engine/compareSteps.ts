/** Steps beside the reference's. */
import type { Engine, Iterations, Problem, Step } from '#lacuna/engine/engine.js'
import { type FastStep, fastNtc } from '#lacuna/reference/fast.js'
import type { Matrix } from '#lacuna/reference/matrix.js'
import { ntc } from '#lacuna/reference/ntc.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { distance, randomFactors, randomTensor, weighted } from '../../problems.ts'
import { engineSampler } from './engineSampler.ts'
import { errorInDataUnits, followsOnly, inEngineUnits, matrices, scaledLambda, withProblem } from './judge.ts'

export async function iterated(
  engine: Engine,
  problem: Problem,
  initial: readonly Float32Array[],
  run: Iterations,
): Promise<Float32Array[]> {
  return withProblem(engine, problem, async (loaded) => {
    await loaded.writeFactors(inEngineUnits(initial, loaded))
    if (run.step.kind !== 'paper') await loaded.balance()
    await loaded.iterate({ ...run, lambda: scaledLambda(run.lambda, loaded) })
    return errorInDataUnits(await loaded.readFactors(), loaded)
  })
}

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

export async function comparePaper(engine: Engine, problem: PaperCase): Promise<number> {
  const { dims, rank, entries, c, lambda, maxInner, seed, isWeighted } = problem
  const random = randomTensor({ dims, entries, seed })
  const tensor = isWeighted ? weighted(random) : random
  const initial = randomFactors(dims, rank, seed)
  const step: Step = { kind: 'paper', maxInner }
  const factors = await iterated(engine, { tensor, rank, momentumFactors: maxInner > 1, seed }, initial, {
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
 * Two AO iterations, so that momentum has a past. Returns the largest difference of the models, relative, and
 * how far the oracle itself goes astray when its rows are rounded: a zero that becomes a tiny number may make
 * a difference.
 */
export async function compareFast(
  engine: Engine,
  { rank, c, lambda, step, seed }: FastCase,
  tensor: SparseTensor,
): Promise<{ difference: number; touchiness: () => number }> {
  const initial = randomFactors(tensor.dims, rank, seed)
  const run = { first: 3, count: 2, sample: c, lambda, seed, step }
  const factors = await iterated(engine, { tensor, rank, momentumFactors: true, seed }, initial, run)
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
export function modelDistance(U: readonly Matrix[], V: readonly Matrix[]): number {
  const [u, v] = [allCells(U), allCells(V)]
  let [largest, difference] = [0, 0]
  v.forEach((x, at) => {
    largest = Math.max(largest, x)
    difference = Math.max(difference, Math.abs(x - u[at]))
  })
  return difference / largest
}

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
