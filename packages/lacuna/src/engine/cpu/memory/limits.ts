/**
 * Checks the limits of the process on open files and addresses: exceeding them would end it without a
 * message.
 */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { formatBytes } from '../../../base/memory.ts'
import { node } from '../../../base/nodeModules.ts'

/**
 * Files and addresses of a thread and of a wasm memory, measured on Node 20: V8 reserves addresses, most of
 * them without memory.
 */
const THREAD_FILES = 4
const THREAD_ADDRESSES = 0.6 * 2 ** 30
const MEMORY_ADDRESSES = 10 * 2 ** 30
/** Files left for the user's files and for modules that are still to be loaded. */
const SPARE_FILES = 32

/**
 * Throws an InputError if the limits of this process are too small for the threads and partitions. Linux
 * only.
 */
export function checkLimits(threads: number, parts: number): void {
  const limits = read('/proc/self/limits')
  const allowed = (name: string): number =>
    Number(new RegExp(`^${name} +(\\d+)`, 'm').exec(limits)?.[1] ?? Infinity)

  const files = allowed('Max open files')
  const open = node && files < Infinity ? listOpen() : 0
  if (open + threads * THREAD_FILES + SPARE_FILES > files) {
    const most = Math.max(1, Math.floor((files - open - SPARE_FILES) / THREAD_FILES))
    throw new InputError(
      'option',
      sentence`${threads} threads need about ${threads * THREAD_FILES} open files, but ${files} are allowed, of which ${open} are open; use ${option('threads', most)}, or allow more with ulimit -n.`,
    )
  }

  const addresses = allowed('Max address space')
  const taken = 1024 * Number(/^VmSize:\s+(\d+)/m.exec(read('/proc/self/status'))?.[1] ?? 0)
  // One memory for counting, and one per partition.
  const needed = taken + threads * THREAD_ADDRESSES + (1 + parts) * MEMORY_ADDRESSES
  if (needed > addresses)
    throw new InputError(
      'memory',
      `Solving takes ${formatBytes(needed)} of addresses, most of them with no memory behind them, but ${formatBytes(addresses)} are allowed; allow more with ulimit -v unlimited.`,
    )
}

function read(path: string): string {
  try {
    return node?.fs.readFileSync(path, 'latin1') ?? ''
  } catch {
    return ''
  }
}

function listOpen(): number {
  try {
    return node?.fs.readdirSync('/proc/self/fd').length ?? 0
  } catch {
    return 0
  }
}
