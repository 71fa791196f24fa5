/** Locks that show the tabs of the page what other tabs use; a tab holds its locks until it is closed. */

/** Milliseconds after which a lock counts as that of another tab: a page that is reloaded still has it for a moment. */
const PATIENCE_MS = 3000

/**
 * Takes a lock. Hosts without https have no locks: there it is always taken.
 * @returns a function that ends the lock; undefined if another tab has it
 */
export function takeLock(name: string): Promise<(() => void) | undefined> {
  if (!navigator.locks) return Promise.resolve(() => {})
  return new Promise((resolve) => {
    navigator.locks
      .request(
        name,
        { signal: AbortSignal.timeout(PATIENCE_MS) },
        () => new Promise<void>((end) => resolve(end)),
      )
      .catch(() => resolve(undefined))
  })
}
