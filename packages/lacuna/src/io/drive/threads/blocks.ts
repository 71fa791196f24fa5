/** Blocks of a file, which threads take from a shared counter. */
import { type Blocks, FAULT, NEXT } from './messages.ts'

const { readSync } = process.getBuiltinModule('node:fs')

/**
 * Takes blocks from the shared counter, in ascending order, up to the first faulty one.
 * @param blocks their number
 */
export function* takeBlocks({ state }: Blocks, blocks: number): Generator<number> {
  for (;;) {
    const block = Atomics.add(state, NEXT, 1)
    if (block >= blocks || block > Atomics.load(state, FAULT)) return
    yield block
  }
}

/** Records that a block cannot be parsed; of several faulty blocks the first is kept. */
export function noteFault({ state }: Blocks, block: number): void {
  for (;;) {
    const first = Atomics.load(state, FAULT)
    if (block >= first || Atomics.compareExchange(state, FAULT, first, block) === first) return
  }
}

/**
 * Fills `into` from a position of the file; returns the number of bytes read, which is less only if the file
 * has become shorter.
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
