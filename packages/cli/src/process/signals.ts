/**
 * Ctrl-C, SIGTERM and SIGHUP ask long work to end in order: what has been learned is saved, and the exit code
 * is that of the signal. A second one ends the process at once, unless something is just being saved.
 */
import { constants } from 'node:os'
import { Interrupted } from './failure.ts'
import { isSpeaker } from './processes.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/**
 * mpirun hands this one on and does nothing else, while those above make it end its processes within a
 * second.
 */
const SIGNALS_OF_JOBS = [...SIGNALS, 'SIGUSR2'] as const

/**
 * What comes sooner after the first is the same: `timeout`, for one, sends a signal to the process and to its
 * group.
 */
const ECHO_MS = 300

export interface Interruption {
  /** Aborted by the first signal. */
  signal: AbortSignal
  /** Lets nothing but kill -9 end the process before this is done. */
  protect<T>(saving: () => Promise<T>): Promise<T>
  /** The exit code of the signal that came, or 0. */
  code(): number
  /** What to throw, when everything is tidy, after a signal. */
  outcome(): Interrupted
}

export async function withSignals<T>(
  work: (interruption: Interruption) => Promise<T>,
  isJob = false,
): Promise<T> {
  const abort = new AbortController()
  let code = 0
  let saving = 0
  let first = Infinity
  const handlers = (isJob ? SIGNALS_OF_JOBS : SIGNALS).map((name) => {
    const handle = (): void => {
      const exitCode = 128 + constants.signals[name]
      // A process cannot leave the others; whoever has started them all can end them.
      const isMeant = performance.now() - first > ECHO_MS
      if (abort.signal.aborted && isMeant && saving === 0 && !isJob) process.exit(exitCode)
      if (abort.signal.aborted && !isMeant) return
      first = Math.min(first, performance.now())
      if (saving > 0 && isSpeaker) process.stderr.write('Saving; a moment, please.\n')
      if (!abort.signal.aborted) code = exitCode
      abort.abort()
    }
    process.on(name, handle)
    return () => process.off(name, handle)
  })
  try {
    return await work({
      signal: abort.signal,
      async protect(save) {
        saving++
        try {
          return await save()
        } finally {
          saving--
        }
      },
      code: () => code,
      outcome: () => new Interrupted(code),
    })
  } finally {
    // After a signal the process is about to end, with that signal's code: another one must not change it.
    if (!abort.signal.aborted) for (const remove of handlers) remove()
  }
}
