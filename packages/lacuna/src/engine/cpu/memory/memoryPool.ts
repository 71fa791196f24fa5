import { InputError } from '../../../base/inputError.ts'
import { formatBytes } from '../../../base/memory.ts'

const PAGE = 65536
/** Larger ones are given back to the system, when nobody refers to them any more. */
const LARGEST_KEPT = 2 ** 26
const MOST_KEPT = 16

/**
 * MemoryPool of problems that are over, for those to come. A browser reserves gigabytes of addresses for each, however small
 * it is, and has only so many; and it is in no hurry to collect those that workers once saw.
 */
export class MemoryPool {
  readonly #kept: WebAssembly.Memory[] = []

  /** One of at least this size, full of zeros. */
  take(byteLength: number): WebAssembly.Memory {
    const pages = Math.max(1, Math.ceil(byteLength / PAGE))
    return orRefuse(byteLength, () => {
      const kept = byteLength <= LARGEST_KEPT ? this.#kept.pop() : undefined
      if (!kept) return new WebAssembly.Memory({ initial: pages, maximum: maximumFor(pages), shared: true })
      new Uint8Array(kept.buffer).fill(0)
      const missing = pages - kept.buffer.byteLength / PAGE
      if (missing > 0) kept.grow(missing)
      return kept
    })
  }

  giveBack(memory: WebAssembly.Memory): void {
    if (memory.buffer.byteLength <= LARGEST_KEPT && this.#kept.length < MOST_KEPT) this.#kept.push(memory)
  }
}

/** Small ones may grow to the largest that is kept. */
const maximumFor = (pages: number): number => Math.max(pages, LARGEST_KEPT / PAGE)

/** One of exactly this size, which nobody keeps. */
export function newMemory(pages: number): WebAssembly.Memory {
  return orRefuse(
    pages * PAGE,
    () => new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }),
  )
}

function orRefuse(byteLength: number, take: () => WebAssembly.Memory): WebAssembly.Memory {
  try {
    return take()
  } catch (cause) {
    throw new InputError(
      'memory',
      `The system does not give the ${formatBytes(byteLength)} of memory that are needed; use a smaller rank or fewer entries.`,
      { cause },
    )
  }
}
