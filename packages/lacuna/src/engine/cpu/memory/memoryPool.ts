/** WebAssembly memories, reused from problem to problem. */
import { InputError } from '../../../base/inputError.ts'
import { formatBytes } from '../../../base/memory.ts'

/** Bytes of a page of WebAssembly memory. */
const PAGE = 65536
/** The most bytes of a memory that is reused; larger ones are left to the garbage collector. */
const LARGEST_REUSED = 2 ** 26
/** The most memories that wait for reuse. */
const MOST_FREE = 16

/**
 * Memories of closed problems, for new ones. A browser reserves gigabytes of addresses for every memory,
 * however small, allows only a certain number of them, and is slow to collect those that workers have used.
 */
export class MemoryPool {
  readonly #free: WebAssembly.Memory[] = []

  /**
   * Returns a memory of at least this size, filled with zeros: a reused one if it is small. Throws an
   * InputError if the system refuses it.
   */
  take(byteLength: number): WebAssembly.Memory {
    const pages = Math.max(1, Math.ceil(byteLength / PAGE))
    return allocateOrRefuse(byteLength, () => {
      const reused = byteLength <= LARGEST_REUSED ? this.#free.pop() : undefined
      if (!reused) return new WebAssembly.Memory({ initial: pages, maximum: maximumFor(pages), shared: true })
      new Uint8Array(reused.buffer).fill(0)
      const missing = pages - reused.buffer.byteLength / PAGE
      if (missing > 0) reused.grow(missing)
      return reused
    })
  }

  /** Gives a memory back for reuse; no one may use it afterwards. Large ones are dropped. */
  giveBack(memory: WebAssembly.Memory): void {
    if (memory.buffer.byteLength <= LARGEST_REUSED && this.#free.length < MOST_FREE) this.#free.push(memory)
  }
}

/** The maximum pages of a memory: small ones may grow up to the largest that is reused. */
const maximumFor = (pages: number): number => Math.max(pages, LARGEST_REUSED / PAGE)

/**
 * Returns a new memory of exactly this size, which is not reused. Throws an InputError if the system refuses
 * it.
 * @param pages pages of 64 KiB
 */
export function newMemory(pages: number): WebAssembly.Memory {
  return allocateOrRefuse(
    pages * PAGE,
    () => new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }),
  )
}

/** The memory that `allocate` returns; an InputError with the number of bytes if it throws. */
function allocateOrRefuse(byteLength: number, allocate: () => WebAssembly.Memory): WebAssembly.Memory {
  try {
    return allocate()
  } catch (cause) {
    throw new InputError(
      'memory',
      `The system does not give the ${formatBytes(byteLength)} of memory that are needed; use a smaller rank or fewer entries.`,
      { cause },
    )
  }
}
