/**
 * Checks the limits of the process on open files and addresses: exceeding them would end it without a
 * message.
 */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { formatBytes } from '../../../base/memory.ts'
import { node } from '../../../base/nodeModules.ts'

/** Open files of a thread, measured on Node 20. */
const THREAD_FILES = 4
/**
 * Bytes of addresses of a thread, measured on Node 20: V8 reserves addresses, most of them without memory.
 */
const THREAD_ADDRESSES = 0.6 * 2 ** 30
/** Bytes of addresses that V8 reserves for a wasm memory, however small. */
const MEMORY_ADDRESSES = 10 * 2 ** 30
/** Files left for the user's files and for modules that are still to be loaded. */
const SPARE_FILES = 32

/**
 * Throws an InputError if the limits of this process are too small for the threads and partitions. Linux
 * only.
 */
export function checkLimits(threads: number, parts: number): void {
  const limits = readOrEmpty('/proc/self/limits')
  /** A limit of the process by its name in /proc/self/limits; Infinity if there is none. */
  const limitOf = (name: string): number =>
    Number(new RegExp(`^${name} +(\\d+)`, 'm').exec(limits)?.[1] ?? Infinity)

  const files = limitOf('Max open files')
  const open = node && files < Infinity ? countOpenFiles() : 0
  if (open + threads * THREAD_FILES + SPARE_FILES > files) {
    const most = Math.max(1, Math.floor((files - open - SPARE_FILES) / THREAD_FILES))
    throw new InputError(
      'option',
      sentence`${threads} threads need about ${threads * THREAD_FILES} open files, but ${files} are allowed, of which ${open} are open; use ${option('threads', most)}, or allow more with ulimit -n.`,
    )
  }

  const addresses = limitOf('Max address space')
  const taken = 1024 * Number(/^VmSize:\s+(\d+)/m.exec(readOrEmpty('/proc/self/status'))?.[1] ?? 0)
  // Each partition takes one memory, and counting takes another.
  const needed = taken + threads * THREAD_ADDRESSES + (1 + parts) * MEMORY_ADDRESSES
  if (needed > addresses)
    throw new InputError(
      'memory',
      `Solving takes ${formatBytes(needed)} of addresses, most of them with no memory behind them, but ${formatBytes(addresses)} are allowed; allow more with ulimit -v unlimited.`,
    )
}

/** The text of a file; empty if it cannot be read, or outside Node. */
function readOrEmpty(path: string): string {
  try {
    return node?.fs.readFileSync(path, 'latin1') ?? ''
  } catch {
    return ''
  }
}

/** The number of files that this process has open; 0 if it is unknown. */
function countOpenFiles(): number {
  try {
    return node?.fs.readdirSync('/proc/self/fd').length ?? 0
  } catch {
    return 0
  }
}
