/**
 * The owner of a temporary file: the process that made it, by an identity in the name of the file. A process
 * id alone does not identify a process: ids are used again, threads have ids, too, and the same id belongs to
 * another process in another container or on another machine that shares the folder.
 */
import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A regular expression of an owner's identity, with groups for process id, start and space of ids. */
export const OWNER = '(\\d+)-([0-9a-z]+)-([0-9a-f]{8})'

/** The start of a process whose start is not known. */
const UNKNOWN_START = 'x'

let own: string | undefined

/**
 * Returns the identity of this process, such as 4711-2s3k9-0a1b2c3d: its id, when it started, and the space
 * in which process ids are unique.
 */
export function ownIdentity(): string {
  own ??= `${process.pid}-${hasOwnProc() ? (readStatus(process.pid)?.start ?? UNKNOWN_START) : UNKNOWN_START}-${idSpace()}`
  return own
}

/**
 * Whether the process with this identity has ended; undefined if that cannot be known from here, as of a
 * process in another container or on another machine.
 */
export function hasEnded(pid: number, start: string, space: string): boolean | undefined {
  if (space !== idSpace()) return undefined
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return true
  }
  const status = hasOwnProc() ? readStatus(pid) : undefined
  if (!status) return undefined
  if (status.isDead || (start !== UNKNOWN_START && status.start !== start)) return true
  return start === UNKNOWN_START ? undefined : false
}

/**
 * A digest of the space in which process ids are unique: on Linux a namespace of process ids since the last
 * start of the machine, elsewhere the machine.
 */
function idSpace(): string {
  const boot = tryTo(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')) ?? hostname()
  const namespace = tryTo(() => readlinkSync('/proc/self/ns/pid')) ?? ''
  return createHash('sha256').update(`${boot}\n${namespace}`).digest('hex').slice(0, 8)
}

/** Whether /proc exists and shows the process ids that this process sees: a container may have another's. */
const hasOwnProc = (): boolean => tryTo(() => readlinkSync('/proc/self')) === String(process.pid)

/**
 * Returns when a process started, in clock ticks since the start of the machine, and whether it has ended and
 * only waits for its parent; undefined if it cannot be read.
 */
function readStatus(pid: number): { start: string; isDead: boolean } | undefined {
  const text = tryTo(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  // Behind the name of the program, in parentheses, are the fields from the third on; the start is field 22.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  if (!fields || fields.length < 20) return undefined
  return { start: Number(fields[19]).toString(36), isDead: fields[0] === 'Z' || fields[0] === 'X' }
}

/** Returns the result of a function, or undefined if it throws. */
function tryTo<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
