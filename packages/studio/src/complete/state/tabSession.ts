/**
 * The session of a tab: its id is in sessionStorage, which every tab has for itself. A lock shows other tabs that the
 * session is in use, also a tab that was duplicated, whose sessionStorage is a copy.
 */

import { takeLock } from '../../tabLock.ts'

/** The key of the id in sessionStorage. */
const KEY = 'lacuna.complete.session'

/** The name of the lock of a session. */
const lockName = (id: string): string => `lacuna.session.${id}`

/** Ends the lock of the current session. */
let release = (): void => {}
/** The number of the last change: a session whose lock is got after another change is not taken. */
let lastChange = 0

/** The session of this tab before a reload. */
export const lastSession = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined

/** Makes a session that of this tab. Returns false if another tab has it, or this one took another meanwhile. */
export async function takeSession(id: string): Promise<boolean> {
  leaveSession()
  const change = lastChange
  const end = await takeLock(lockName(id))
  if (!end) return false
  if (change !== lastChange) {
    end()
    return false
  }
  release = end
  sessionStorage.setItem(KEY, id)
  return true
}

/** Releases the session of this tab. */
export function leaveSession(): void {
  lastChange++
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
