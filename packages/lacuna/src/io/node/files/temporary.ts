/**
 * Temporary files and folders: removed at a signal, and by a later process after a kill. Their names contain
 * the identity of the process that made them; while it runs, it sets their times again and again, so that
 * processes which cannot see it, in other containers or on other machines, see that it runs.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hasEnded, OWNER, ownIdentity } from './owner.ts'

/** Paths that are removed when the process ends. */
const registered = new Set<string>()
/** Signals that end the process, at which paths are removed too. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** Milliseconds between two times that are set on a temporary file. */
const TOUCH_MS = 30_000
/**
 * Milliseconds after the last time that was set on a temporary file, after which its process counts as ended
 * if it cannot be seen.
 */
const STALE_MS = 600_000
/** The longest part of a file's name, in UTF-16 units, that is repeated in the name of its temporary file. */
const NAME_LENGTH = 40
/** The name of a temporary file, by which it is recognized. */
const PATTERN = new RegExp(`^\\..*\\.${OWNER}-[0-9a-f]{12}\\.(?:tmp|old)(?:\\.\\w+)*$`)

/** Sets the times of the registered paths while there are any. */
let touching: NodeJS.Timeout | undefined

/**
 * Registers a path to be removed, with all that is in it, if the process ends before the returned function is
 * called.
 */
export function removeAtExit(path: string): () => void {
  if (registered.size === 0) listen()
  registered.add(path)
  return () => {
    registered.delete(path)
    if (registered.size === 0) stopListening()
  }
}

/** Listens for the exit of the process and for SIGNALS, and begins to set the times of registered paths. */
function listen(): void {
  touching = setInterval(touchAll, TOUCH_MS).unref()
  process.on('exit', removeAll)
  for (const signal of SIGNALS) process.on(signal, onSignal)
}

/** Removes the listeners and the timer that `listen` has added. */
function stopListening(): void {
  clearInterval(touching)
  process.off('exit', removeAll)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** Removes all registered paths, synchronously. */
function removeAll(): void {
  for (const path of registered) rmSync(path, { recursive: true, force: true })
}

/** Sets the times of all registered paths to now, as far as they exist. */
function touchAll(): void {
  const now = new Date()
  for (const path of registered)
    try {
      utimesSync(path, now, now)
    } catch {
      // The file does not exist yet, or was removed.
    }
}

/**
 * Removes all registered paths and ends the process by the signal; does nothing if the signal has other
 * listeners, since these decide whether the process ends.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  removeAll()
  stopListening()
  process.kill(process.pid, signal)
}

/**
 * Returns a random hidden path in the folder of a file, with the identity of this process:
 * .data.csv.4711-2s3k9-0a1b2c3d-0123456789ab.tmp
 * @param ending tmp or old, without a dot
 */
export function nameBeside(path: string, ending: 'tmp' | 'old'): string {
  const name = basename(path).slice(0, NAME_LENGTH)
  return join(dirname(path), `.${name}.${ownIdentity()}-${randomBytes(6).toString('hex')}.${ending}`)
}

/**
 * Removes the temporary files in a folder that processes have left which ended without removing them: at once
 * if the process is known to have ended, else STALE_MS after it set their times for the last time.
 */
export function removeLeftovers(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, pid, start, space] = PATTERN.exec(name) ?? []
    if (pid === undefined) continue
    const path = join(folder, name)
    try {
      if (hasEnded(Number(pid), start, space) ?? isStale(path)) rmSync(path, { recursive: true, force: true })
    } catch {
      // The file belongs to another user, or another process has removed it meanwhile.
    }
  }
}

/** Returns the names in a folder; none if it cannot be read, which writing to it explains. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Whether the times of a file were last set more than STALE_MS ago. */
const isStale = (path: string): boolean => Date.now() - statSync(path).mtimeMs > STALE_MS
