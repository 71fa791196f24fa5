/** Temporary files and folders: removed at a signal, and by a later process after a crash. */
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const left = new Set<string>()
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
/**
 * Age from which on the temporary file of a process that is gone is removed; it may be one of another
 * machine.
 */
const STALE_MS = 60_000

/** Removes a path if the process ends before the returned function is called. */
export function removeAtExit(path: string): () => void {
  if (left.size === 0) listen()
  left.add(path)
  return () => {
    left.delete(path)
    if (left.size === 0) stopListening()
  }
}

/** Listens for the end of the process. */
function listen(): void {
  process.on('exit', removeAll)
  for (const signal of SIGNALS) process.on(signal, onSignal)
}

function stopListening(): void {
  process.off('exit', removeAll)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** Removes all temporary files of this process. */
function removeAll(): void {
  for (const path of left) rmSync(path, { recursive: true, force: true })
}

/**
 * Removes the files and ends the process as the signal would have; other listeners of the signal may decide
 * otherwise.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  removeAll()
  stopListening()
  process.kill(process.pid, signal)
}

/** A hidden name beside a file, with the id of this process: .data.csv.4711-0123456789ab.tmp */
export function nameBeside(path: string, ending: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.${ending}`)
}

/** Removes temporary files beside a file that processes which are gone have left. */
export function sweepBeside(path: string): void {
  const prefix = `.${basename(path)}.`
  try {
    for (const name of readdirSync(dirname(path))) {
      const [, pid] =
        (name.startsWith(prefix) && /^(\d+)-[0-9a-f]{12}\.(?:tmp|old)$/.exec(name.slice(prefix.length))) || []
      if (pid !== undefined && !isRunning(Number(pid))) removeStale(join(dirname(path), name))
    }
  } catch {
    // Writing to a folder that cannot be read explains why.
  }
}

/** Removes a file that has not been written to for STALE_MS. */
function removeStale(path: string): void {
  if (Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path, { force: true })
}

/** Whether a process of that id is running on this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
