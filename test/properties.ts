/**
 * Property tests run with a fixed seed, so that every machine tries the same cases. In CI a third of the runs have a fresh seed.
 * LACUNA_SEED=<number> sets that seed, in CI or not, to repeat a failure. This file uses no test framework, so that pages can import it.
 */
import fc from 'fast-check'

const env: Record<string, string | undefined> = globalThis.process?.env ?? {}
// It stays in the environment: the processes of a job that a test starts must all try the same cases.
if (env.CI && !env.LACUNA_SEED) env.LACUNA_SEED = String(Math.floor(2 ** 31 * Math.random()))
const freshSeed = env.LACUNA_SEED ? Number(env.LACUNA_SEED) : undefined

/** Asserts a property as fc.assert does: with its own seed (1 by default). If there is a fresh seed, a third of the runs have that. */
export function checkProperty<Ts>(property: fc.IAsyncProperty<Ts>, options?: fc.Parameters<Ts>): Promise<void>
export function checkProperty<Ts>(property: fc.IProperty<Ts>, options?: fc.Parameters<Ts>): void
export function checkProperty<Ts>(
  property: fc.IAsyncProperty<Ts> | fc.IProperty<Ts>,
  options: fc.Parameters<Ts> = {},
): Promise<void> | void {
  const runs = options.numRuns ?? 100
  const fresh = freshSeed === undefined ? 0 : Math.ceil(runs / 3)
  const fixed = fc.assert(property, { seed: 1, ...options, numRuns: runs - fresh })
  if (fresh === 0) return fixed
  const again = (): Promise<void> | void =>
    fc.assert(property, { ...options, numRuns: fresh, seed: freshSeed })
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
