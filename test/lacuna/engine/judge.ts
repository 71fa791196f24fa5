/** What the engine's checks need to load problems and to judge what came of them. */
import type { Engine, LoadedProblem, Problem } from '#lacuna/engine/engine.js'
import type { Matrix } from '#lacuna/reference/matrix.js'
import { weightsOf } from '#lacuna/reference/weights.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { toMatrix } from '../../problems.ts'

export type MakeEngine = () => Engine | Promise<Engine>

let follows = false

/**
 * Of several processes, one judges; the others do what it does with its engine, and have nothing to compare
 * it with.
 */
export function followOnly(): void {
  follows = true
}

export const followsOnly = (): boolean => follows

let share = 1

/**
 * A quarter of the random problems, or less: for engines that differ from another, which is given all, by
 * their place alone.
 */
export function tryFewer(less = 4): void {
  share = less
}

export const randomProblems = (count: number): number => Math.ceil(count / share)

export function demand(ok: boolean, message: string): asserts ok {
  if (!ok && !follows) throw new Error(message)
}

export const below = (value: number, limit: number, what: string): void =>
  demand(value < limit, `${what}: ${value} is not below ${limit}`)

export const same = (a: unknown, b: unknown, what: string): void =>
  demand(JSON.stringify(a) === JSON.stringify(b), `${what}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`)

export async function withEngine<T>(make: MakeEngine, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await make()
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/**
 * The same engine for check after check, of which none closes it: to start threads takes longer than most
 * checks.
 */
export const keptOpen = (engine: Engine): MakeEngine => {
  const { description, communicator } = engine
  return () => ({
    description,
    communicator,
    plan: (size) => engine.plan(size),
    load: (problem) => engine.load(problem),
    close: async () => {},
  })
}

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

export const matrices = (factors: readonly Float32Array[], rank: number): Matrix[] =>
  factors.map((factor) => toMatrix(factor, rank))

/** Initial factors as the engine wants them, and factors as the reference has them. */
export const inEngineUnits = (
  factors: readonly Float32Array[],
  { statistics }: LoadedProblem,
): Float32Array[] => factors.map((factor) => factor.map((u) => u * statistics.factorScale))
export const errorInDataUnits = (
  factors: readonly Float32Array[],
  { statistics }: LoadedProblem,
): Float32Array[] => factors.map((factor) => factor.map((u) => u / statistics.factorScale))
/** λ, too, has a unit. */
export const scaledLambda = (lambda: number, { statistics }: LoadedProblem): number =>
  lambda * statistics.factorScale ** (2 * statistics.dims.length - 2)

/** Σ w (x − y)² and Σ w |x − y|. */
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

/** Σ w f(x). */
export function sumOf(tensor: SparseTensor, of: (x: number) => number): number {
  const weights = weightsOf(tensor)
  return tensor.values.reduce((sum, x, e) => sum + weights[e] * of(x), 0)
}
