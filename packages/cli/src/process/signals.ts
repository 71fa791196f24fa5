/**
 * Ctrl-C, SIGTERM and SIGHUP end long work in order: the model so far is saved, and the exit code is that of
 * the signal. A second signal ends the process at once, unless something is being saved.
 */
import { constants } from 'node:os'
import { Interrupted } from './failure.ts'
import { isRoot } from './processes.ts'

/** Signals that interrupt the work of one process. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/**
 * Signals that interrupt the work of an MPI job: mpirun forwards SIGUSR2 and does nothing else; upon the
 * other signals it ends its processes within a second.
 */
const SIGNALS_OF_JOBS = [...SIGNALS, 'SIGUSR2'] as const

/**
 * A second signal within this time counts as the same one: `timeout` sends it to the process and to its
 * group.
 */
const ECHO_MS = 300

/** State of the signals during long work. */
export interface Interruption {
  /** Aborted by the first signal. */
  signal: AbortSignal
  /** Runs `saving` and returns its result; signals do not end the process before, except kill -9. */
  protect<T>(saving: () => Promise<T>): Promise<T>
  /** The exit code of the signal that came, or 0. */
  code(): number
  /** Error to throw after a signal, when everything is saved. */
  outcome(): Interrupted
}

/**
 * Does long work that signals may interrupt, and returns its result.
 * @param work is passed the state of the signals
 * @param isJob whether this is one process of an MPI job, which a second signal does not end
 */
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
      // A process of a job cannot end alone; mpirun can end them all.
      const isSecond = performance.now() - first > ECHO_MS
      if (abort.signal.aborted && isSecond && saving === 0 && !isJob) process.exit(exitCode)
      if (abort.signal.aborted && !isSecond) return
      first = Math.min(first, performance.now())
      if (saving > 0 && isRoot) process.stderr.write('Saving; a moment, please.\n')
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
