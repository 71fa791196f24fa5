/**
 * Property tests run with a fixed seed, so that every machine tries the same cases. In CI they run once more with a fresh seed.
 * LACUNA_SEED=<number> sets that seed, in CI or not, to repeat a failure. This file uses no test framework, so that pages can import it.
 */
import fc from 'fast-check'

const env: Record<string, string | undefined> = globalThis.process?.env ?? {}
// It stays in the environment: the processes of a job that a test starts must all try the same cases.
if (env.CI && !env.LACUNA_SEED) env.LACUNA_SEED = String(Math.floor(2 ** 31 * Math.random()))
const freshSeed = env.LACUNA_SEED ? Number(env.LACUNA_SEED) : undefined

/** Asserts a property as fc.assert does: with its own seed (1 by default) and, on a third of the runs, with the fresh seed if there is one. */
export function checkProperty<Ts>(property: fc.IAsyncProperty<Ts>, options?: fc.Parameters<Ts>): Promise<void>
export function checkProperty<Ts>(property: fc.IProperty<Ts>, options?: fc.Parameters<Ts>): void
export function checkProperty<Ts>(
  property: fc.IAsyncProperty<Ts> | fc.IProperty<Ts>,
  options: fc.Parameters<Ts> = {},
): Promise<void> | void {
  const fixed = fc.assert(property, { seed: 1, ...options })
  if (freshSeed === undefined) return fixed
  const numRuns = Math.ceil((options.numRuns ?? 100) / 3)
  const again = (): Promise<void> | void => fc.assert(property, { ...options, numRuns, seed: freshSeed })
  if (fixed) return fixed.then(again).catch((error) => Promise.reject(explainSeed(error)))
  try {
    return again()
  } catch (error) {
    throw explainSeed(error)
  }
}

/** A failure of the fresh seed says how to repeat it; one of the fixed seed is repeated by running the test again. */
function explainSeed(error: unknown): unknown {
  if (error instanceof Error && error.message.includes(`seed: ${freshSeed},`))
    error.message += `\n\nThis was a fresh seed: LACUNA_SEED=${freshSeed} repeats it.`
  return error
}
