/**
 * Waits for what may never come: answers of other threads, processes and devices, and data of pipes. Each has
 * a name while it lasts, in the state of this module, so that a test which hangs can report what it waits for
 * (test/watchdog.ts). Nothing else depends on them. Threads that are blocked, at a barrier or in MPI, show as
 * the request that they have not answered.
 */

/** A wait that has not ended. */
interface Wait {
  what: string
  /** The start of the wait, in milliseconds of `performance.now`. */
  since: number
}

const waits = new Set<Wait>()

/**
 * Returns a promise as `new Promise` does, and names what is awaited until it settles.
 * @param what completes the words "waits for": worker thread 1 to answer 'iterate'
 */
export function waitFor<T>(
  what: string,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  const wait: Wait = { what, since: performance.now() }
  waits.add(wait)
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      waits.delete(wait)
      reject(error)
    }
    try {
      begin((value) => {
        waits.delete(wait)
        resolve(value)
      }, fail)
    } catch (error) {
      fail(error)
    }
  })
}

/** Names what a promise awaits until it settles; returns a promise of the same result. */
export const nameWait = <T>(what: string, promise: Promise<T>): Promise<T> =>
  waitFor(what, (resolve, reject) => promise.then(resolve, reject))

/** Returns what is awaited now, and for how many seconds it has been, the longest wait first. */
export function pendingWaits(): { what: string; seconds: number }[] {
  const now = performance.now()
  return [...waits].map(({ what, since }) => ({ what, seconds: (now - since) / 1000 }))
}
