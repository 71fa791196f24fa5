/** Captures what a command prints, for processes that run commands for other programs (`lacuna serve --stdio`). */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Progress lines and notices. */
export interface Progress {
  /** Shows a line that replaces the previous one of its kind. */
  update(line: string): void
  /** Prints a notice, a line that stays. */
  say(line: string): void
  /** Prints a notice even with `--quiet`: for guesses that change the answer. */
  insist(line: string): void
  /** Ends the changing line, so that it stays. */
  end(): void
}

/** Receives what a command prints in place of stdout and stderr. */
export interface Capture {
  /** Receives results, which would go to stdout. */
  print(text: string): void
  /** Receives progress and notices, which would go to stderr. */
  progress: Progress
}

const captures = new AsyncLocalStorage<Capture>()

/** Runs work whose output goes to a capture, also that of functions which it awaits. */
export const withCapture = <T>(capture: Capture, work: () => Promise<T>): Promise<T> =>
  captures.run(capture, work)

/** The capture of the work that is running; undefined where output goes to stdout and stderr. */
export const currentCapture = (): Capture | undefined => captures.getStore()
