/**
 * A watchdog for tests that hang: shortly before the time limit of a test it prints what the library waits for
 * (packages/lacuna/src/base/waits.ts), and for how long. Vitest itself only names the test.
 */
import { beforeEach } from 'vitest'
import { pendingWaits } from '#lacuna/base/waits.js'

/** The fraction of a test's time limit after which the watchdog speaks. */
const FRACTION = 0.9

/**
 * Calls `report` once with a sentence about what is awaited, when most of the time limit is over.
 * @param limit the time limit of the test, in milliseconds
 * @returns a function that ends the watch
 */
export function watch(name: string, limit: number, report: (sentence: string) => void): () => void {
  const timer = setTimeout(() => {
    const waits = pendingWaits().map(({ what, seconds }) => `${what} (for ${seconds.toFixed(1)} s)`)
    report(
      `After ${(FRACTION * limit) / 1000} of ${limit / 1000} s "${name}" waits for ${waits.join(', ') || 'nothing of the library'}.`,
    )
  }, FRACTION * limit)
  timer.unref()
  return () => clearTimeout(timer)
}

beforeEach(({ task, onTestFinished }) => {
  onTestFinished(watch(task.name, task.timeout, (sentence) => console.error(sentence)))
})
