/** The problems and steps by which tests of the GPU engine compare it with the CPU. */
import type { Engine, Iterations, LoadedProblem, Problem, Step } from '#lacuna/engine/engine.js'
import { randomFactors, randomTensor } from '../../../problems.ts'

/** Time limit of a test on a software adapter. */
export const PATIENCE_MS = 300_000

/** A gradient step. */
export const GRADIENT: Step = { kind: 'gradient', momentum: 0.9 }
/** A newton step. */
export const NEWTON: Step = { kind: 'newton', momentum: 0.5, damping: 1 }
/** A step of the paper. */
export const PAPER: Step = { kind: 'paper', maxInner: 2 }
/** Two iterations of a step. */
export const runOf = (step: Step, sample = 0.7): Iterations => ({
  first: 3,
  count: 2,
  sample,
  lambda: 0.05,
  seed: 1,
  step,
})

/** Loads a problem with random factors that are balanced. */
export async function begin(engine: Engine, problem: Problem): Promise<LoadedProblem> {
  const loaded = await engine.load(problem)
  await loaded.writeFactors(randomFactors(problem.tensor.dims, problem.rank, 1))
  await loaded.balance()
  return loaded
}

/** A problem of random entries. */
export const problemOf = (dims: number[], entries: number, rank: number): Problem => ({
  tensor: randomTensor({ dims, entries, seed: 2 }),
  probe: Math.ceil(entries / 4),
  rank,
  momentumFactors: true,
  seed: 1,
})
