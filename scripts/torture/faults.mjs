// Draws the fault of a run: kills, full and broken disks, short reads, clocks, lost devices.
// @ts-check
import { hasStrace } from './launch.mjs'

/** @typedef {import('./cases.mjs').Case} Case */
/** @typedef {import('./launch.mjs').Fault} Fault */

/** Kinds of faults and how often each is drawn. @type {readonly [string, number][]} */
const KINDS = [
  ['kill', 50],
  ['system call', 18],
  ['moment', 12],
  ['signal', 4],
  ['full disk', 5],
  ['broken disk', 5],
  ['short', 2],
  ['clock', 2],
  ['two writers', 2],
]

/** System calls at which a process is killed, and the largest number of the call. @type {readonly [string, number][]} */
const CALLS = [
  ['fsync', 3],
  ['rename', 4],
  ['unlink', 3],
  ['ftruncate', 2],
  ['pwrite64', 12],
  ['write', 120],
  ['openat', 120],
  ['fchmod', 1],
]

/**
 * @param {Case} item @param {import('./random.mjs').Random} random
 * @param {{ operations: number, ms: number }} reference an undisturbed run: changes of files, and its duration
 * @returns {Fault}
 */
export function drawFault(item, random, { operations, ms }) {
  const kind = drawKind(item, random)
  const at = 1 + random.below(Math.max(1, operations))
  const torn = random.unit() < 0.5
  switch (kind) {
    case 'system call': {
      const [call, most] = random.pick(CALLS)
      return { kind, call, at: 1 + random.below(most) }
    }
    case 'moment':
      return { kind, afterMs: 1.2 * ms * random.unit(), at: random.below(8) }
    case 'signal':
      return { kind, afterMs: 1.2 * ms * random.unit(), signal: random.pick(['SIGTERM', 'SIGINT', 'SIGHUP']) }
    case 'full disk':
      return { kind: 'error', code: 'ENOSPC', at, torn, stays: true }
    case 'broken disk':
      return { kind: 'error', code: 'EIO', at, torn }
    case 'device':
      return { kind, at: 1 + random.below(60) }
    default:
      return { kind, at, torn, seed: 1 + random.below(1e6) }
  }
}

/** @param {Case} item @param {import('./random.mjs').Random} random @returns {string} */
function drawKind(item, random) {
  if (item.needs === 'mpi') return 'moment'
  if (item.needs === 'gpu' && random.unit() < 0.5) return 'device'
  const possible = KINDS.filter(
    ([kind]) =>
      !(kind === 'system call' && !hasStrace) &&
      !(kind === 'signal' && !item.resumes) &&
      !(item.prints && ['kill', 'system call', 'full disk', 'broken disk', 'two writers'].includes(kind)) &&
      !(item.folder && kind === 'two writers'),
  )
  let left = random.unit() * possible.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [kind, weight] of possible) {
    left -= weight
    if (left < 0) return kind
  }
  return 'kill'
}

/** A fault in words, for the list of findings. @param {Fault} fault */
export const describeFault = ({ kind, ...details }) =>
  `${kind} ${Object.entries(details)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? Math.round(value) : value}`)
    .join(', ')}`
