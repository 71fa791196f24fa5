/** Captures what a command prints, for processes that run commands for other programs (`lacuna serve --stdio`). */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Progress } from './terminal.ts'

/** Receives what a command prints in place of stdout and stderr. */
export interface Capture {
  /** Takes results, which would go to stdout. */
  print(text: string): void
  /** Takes progress and notices, which would go to stderr. */
  progress: Progress
}

const captures = new AsyncLocalStorage<Capture>()

/** Runs work whose output goes to a capture, also that of functions which it awaits. */
export const withCapture = <T>(capture: Capture, work: () => Promise<T>): Promise<T> =>
  captures.run(capture, work)

/** The capture of the work that is running; undefined where output goes to stdout and stderr. */
export const currentCapture = (): Capture | undefined => captures.getStore()
