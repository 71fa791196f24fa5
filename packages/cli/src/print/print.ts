/** Output of results to stdout. */
import { currentCapture } from './capture.ts'

/**
 * Writes text to stdout, with a line break at its end, and resolves when it is flushed, so that a process may
 * end without a slow reader losing anything.
 */
export function print(text: string): Promise<void> {
  const capture = currentCapture()
  if (capture) {
    capture.print(text.endsWith('\n') ? text : `${text}\n`)
    return Promise.resolve()
  }
  return new Promise((resolve, reject) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, (error) =>
      error ? reject(error) : resolve(),
    )
  })
}

/**
 * Writes a value to stdout as indented JSON. Infinity becomes null; characters that would control a terminal
 * are escaped as \\u009b.
 */
export function printJson(value: unknown): Promise<void> {
  const text = JSON.stringify(value, null, 2)
  return print(
    text.replace(/[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (found) => {
      return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
    }),
  )
}
