/** Distributes the blocks of a file to threads by a shared counter. */
import { type Blocks, FAULT, NEXT } from './messages.ts'

const { readSync } = process.getBuiltinModule('node:fs')

/**
 * Yields the numbers of the blocks that this thread takes from the shared counter, ascending; ends at the
 * first block that a thread has recorded as faulty.
 * @param count the number of blocks of the file
 */
export function* takeBlocks({ state }: Blocks, count: number): Generator<number> {
  for (;;) {
    const block = Atomics.add(state, NEXT, 1)
    if (block >= count || block > Atomics.load(state, FAULT)) return
    yield block
  }
}

/** Records in the shared state that a block cannot be parsed; of several such blocks the first stays. */
export function recordFault({ state }: Blocks, block: number): void {
  for (;;) {
    const first = Atomics.load(state, FAULT)
    if (block >= first || Atomics.compareExchange(state, FAULT, first, block) === first) return
  }
}

/**
 * Fills `into` from a position of a file, synchronously; returns the number of bytes read, which is less than
 * into.length only at the end of the file.
 */
export function readFully(fd: number, into: Uint8Array, position: number): number {
  let length = 0
  while (length < into.length) {
    const bytes = readSync(fd, into, length, into.length - length, position + length)
    if (bytes === 0) break
    length += bytes
  }
  return length
}
