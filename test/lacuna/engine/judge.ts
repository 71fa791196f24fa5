/** Helpers of the engine's checks: they load problems, convert units and assert. */
import type { Engine, LoadedProblem, Problem } from '#lacuna/engine/engine.js'
import type { Matrix } from '#lacuna/reference/matrix.js'
import { weightsOf } from '#lacuna/reference/weights.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { toMatrix } from '../../problems.ts'

/** Makes an engine; the caller closes it. */
export type MakeEngine = () => Engine | Promise<Engine>

/** Whether comparisons are skipped in this process. */
let isSkipping = false

/**
 * Skips all comparisons in this process: for ranks above 0 of an MPI job, which only take part in the
 * engine's work.
 */
export function skipComparisons(): void {
  isSkipping = true
}

/** Whether this process skips comparisons, so that references need not be computed. */
export const skipsComparisons = (): boolean => isSkipping

/** By how much numbers of random problems are divided. */
let divisor = 1

/**
 * Divides the number of random problems of later checks: for engines that repeat, in another environment,
 * what an engine with all problems has passed.
 */
export function tryFewerProblems(by = 4): void {
  divisor = by
}

/** The number of random problems to try, instead of `count`. */
export const randomProblems = (count: number): number => Math.ceil(count / divisor)

/** Throws an error with the message unless `ok`; never where comparisons are skipped. */
export function demand(ok: boolean, message: string): asserts ok {
  if (!ok && !isSkipping) throw new Error(message)
}

/** Throws unless value < limit; NaN fails. */
export const demandBelow = (value: number, limit: number, what: string): void =>
  demand(value < limit, `${what}: ${value} is not below ${limit}`)

/** Throws unless both have the same JSON. */
export const demandEqual = (a: unknown, b: unknown, what: string): void =>
  demand(JSON.stringify(a) === JSON.stringify(b), `${what}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`)

/** Makes an engine, passes it to `use`, and closes it; returns the result of `use`. */
export async function withEngine<T>(make: MakeEngine, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await make()
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/**
 * Returns a MakeEngine that always gives this engine and ignores `close`: starting threads takes longer than
 * most checks.
 */
export const keepOpen = (engine: Engine): MakeEngine => {
  const { description, communicator } = engine
  return () => ({
    description,
    communicator,
    plan: (size) => engine.plan(size),
    load: (problem) => engine.load(problem),
    close: async () => {},
  })
}

/** Loads a problem, passes it to `use`, and closes it; returns the result of `use`. */
export async function withProblem<T>(
  engine: Engine,
  problem: Problem,
  use: (loaded: LoadedProblem) => Promise<T>,
): Promise<T> {
  const loaded = await engine.load(problem)
  try {
    return await use(loaded)
  } finally {
    await loaded.close()
  }
}

/** Flat factors (I × rank) as matrices of the reference. */
export const matrices = (factors: readonly Float32Array[], rank: number): Matrix[] =>
  factors.map((factor) => toMatrix(factor, rank))

/** Factors in data units, multiplied by the factorScale of a loaded problem. */
export const toEngineUnits = (
  factors: readonly Float32Array[],
  { statistics }: LoadedProblem,
): Float32Array[] => factors.map((factor) => factor.map((u) => u * statistics.factorScale))
/** Scaled factors of a loaded problem, in data units, as the reference has them. */
export const toDataUnits = (
  factors: readonly Float32Array[],
  { statistics }: LoadedProblem,
): Float32Array[] => factors.map((factor) => factor.map((u) => u / statistics.factorScale))
/** λ of data units in the scaled units of a loaded problem. */
export const scaledLambda = (lambda: number, { statistics }: LoadedProblem): number =>
  lambda * statistics.factorScale ** (2 * statistics.dims.length - 2)

/** Σ w (x − y)² and Σ w |x − y| over the entries of a tensor, for the model U. */
export function residualSums(tensor: SparseTensor, U: readonly Matrix[]): [number, number] {
  const weights = weightsOf(tensor)
  let [squares, absolutes] = [0, 0]
  tensor.values.forEach((x, e) => {
    let y = 0
    for (let r = 0; r < U[0][0].length; r++)
      y += U.reduce((product, matrix, i) => product * matrix[tensor.indices[i][e]][r], 1)
    squares += weights[e] * (x - y) ** 2
    absolutes += weights[e] * Math.abs(x - y)
  })
  return [squares, absolutes]
}

/** Σ w f(x) over the entries of a tensor. */
export function weightedSum(tensor: SparseTensor, f: (x: number) => number): number {
  const weights = weightsOf(tensor)
  return tensor.values.reduce((sum, x, e) => sum + weights[e] * f(x), 0)
}
