/** Asks the worker, and drops answers to earlier questions. */
import { useEffect, useState } from 'preact/hooks'

/** An answer, or why there is none. */
export interface Answer<T> {
  value?: T
  problem?: string
}

/**
 * Returns the answer to a question, asked again when one of the inputs changes; the last answer stays until
 * the next one is there.
 */
export function useAnswer<T>(ask: () => Promise<T>, inputs: readonly unknown[]): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({})
  useEffect(() => {
    let current = true
    ask().then(
      (value) => current && setAnswer({ value }),
      (error: Error) => current && setAnswer((last) => ({ value: last.value, problem: error.message })),
    )
    return () => {
      current = false
    }
  }, inputs)
  return answer
}
