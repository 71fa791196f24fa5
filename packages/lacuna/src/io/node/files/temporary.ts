/** Files and folders that must not be left behind: not by a signal, and not for ever by a crash. */
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const left = new Set<string>()
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
/**
 * A file of a process that is gone is swept if nobody has written to it for so long: it may be another
 * machine's.
 */
const STALE_MS = 60_000

/** Removes the path if the process is ended before the function that this returns is called. */
export function leaveNothing(path: string): () => void {
  if (left.size === 0) listen()
  left.add(path)
  return () => {
    left.delete(path)
    if (left.size === 0) stopListening()
  }
}

function listen(): void {
  process.on('exit', tidy)
  for (const signal of SIGNALS) process.on(signal, onSignal)
}

function stopListening(): void {
  process.off('exit', tidy)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

function tidy(): void {
  for (const path of left) rmSync(path, { recursive: true, force: true })
}

/**
 * Ends the process as the signal would have, unless somebody else decides about it; then tidies when it
 * exits.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  tidy()
  stopListening()
  process.kill(process.pid, signal)
}

/** A hidden name beside a file, by which it can be told who made it: .data.csv.4711-0123456789ab.tmp */
export function nameBeside(path: string, ending: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.${ending}`)
}

/** Removes what processes that are gone have left beside a file. */
export function sweepBeside(path: string): void {
  const prefix = `.${basename(path)}.`
  try {
    for (const name of readdirSync(dirname(path))) {
      const [, pid] =
        (name.startsWith(prefix) && /^(\d+)-[0-9a-f]{12}\.(?:tmp|old)$/.exec(name.slice(prefix.length))) || []
      if (pid !== undefined && !isRunning(Number(pid))) removeStale(join(dirname(path), name))
    }
  } catch {
    // A folder that cannot be looked into is told of by who writes to it.
  }
}

function removeStale(path: string): void {
  if (Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path, { force: true })
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
