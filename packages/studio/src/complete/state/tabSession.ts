/**
 * Which session a tab has: its id is in sessionStorage, which every tab has for itself. A lock tells other tabs
 * that the session is in use, also a tab that was duplicated, whose sessionStorage is a copy.
 */

/** The key of the id in sessionStorage. */
const KEY = 'lacuna.complete.session'

/** The name of the lock of a session. */
const lockName = (id: string): string => `lacuna.session.${id}`

/** Ends the lock of the current session. */
let release = (): void => {}

/** The session of this tab before a reload. */
export const lastSession = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined

/**
 * Makes a session that of this tab. Returns false if another tab has it. Hosts without https have no locks: then
 * it is always true.
 */
export async function takeSession(id: string): Promise<boolean> {
  leaveSession()
  const isFree = !navigator.locks || (await takeLock(id))
  if (isFree) sessionStorage.setItem(KEY, id)
  return isFree
}

/** Milliseconds after which a lock counts as that of another tab: a page that is reloaded still has it for a moment. */
const PATIENCE_MS = 3000

/** Takes the lock of a session; false if another tab has it. */
function takeLock(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks
      .request(lockName(id), { signal: AbortSignal.timeout(PATIENCE_MS) }, () => {
        resolve(true)
        return new Promise<void>((end) => {
          release = end
        })
      })
      .catch(() => resolve(false))
  })
}

/** Lets the session of this tab go. */
export function leaveSession(): void {
  release()
  release = () => {}
  sessionStorage.removeItem(KEY)
}

/** The ids of the sessions that tabs have, this one included. */
export async function sessionsInUse(): Promise<string[]> {
  const held = (await navigator.locks?.query())?.held ?? []
  return held.flatMap(({ name = '' }) =>
    name.startsWith(lockName('')) ? [name.slice(lockName('').length)] : [],
  )
}
