/** Temporary files and folders: removed at a signal, and by a later process after a crash. */
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Paths that are removed when the process ends. */
const registered = new Set<string>()
/** Signals that end the process, at which paths are removed too. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
/**
 * Milliseconds without a write after which a temporary file is removed if no process has its id: younger ones
 * may belong to a process of another machine.
 */
const STALE_MS = 60_000

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

/** Listens for the exit of the process and for SIGNALS. */
function listen(): void {
  process.on('exit', removeAll)
  for (const signal of SIGNALS) process.on(signal, onSignal)
}

/** Removes the listeners that `listen` has added. */
function stopListening(): void {
  process.off('exit', removeAll)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** Removes all registered paths, synchronously. */
function removeAll(): void {
  for (const path of registered) rmSync(path, { recursive: true, force: true })
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
 * Returns a random hidden path in the folder of a file, with the id of this process:
 * .data.csv.4711-0123456789ab.tmp
 * @param ending tmp or old, without a dot
 */
export function nameBeside(path: string, ending: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.${ending}`)
}

/** Removes stale temporary files of a file that processes which no longer run have left beside it. */
export function removeLeftovers(path: string): void {
  const prefix = `.${basename(path)}.`
  try {
    for (const name of readdirSync(dirname(path))) {
      const [, pid] =
        (name.startsWith(prefix) && /^(\d+)-[0-9a-f]{12}\.(?:tmp|old)$/.exec(name.slice(prefix.length))) || []
      if (pid !== undefined && !isRunning(Number(pid))) removeIfStale(join(dirname(path), name))
    }
  } catch {
    // Writing to a folder that cannot be read explains why.
  }
}

/** Removes a file if it has not been written to for STALE_MS. */
function removeIfStale(path: string): void {
  if (Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path, { force: true })
}

/** Whether a process of this id, of any user, is running on this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
