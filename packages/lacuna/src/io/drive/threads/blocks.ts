/** Blocks of a file, which threads take one after the other. */
import { type Blocks, FAULT, NEXT } from './messages.ts'

const { readSync } = process.getBuiltinModule('node:fs')

/** The blocks that this thread gets, in order; none behind one that is faulty. */
export function* takeBlocks({ state }: Blocks, blocks: number): Generator<number> {
  for (;;) {
    const block = Atomics.add(state, NEXT, 1)
    if (block >= blocks || block > Atomics.load(state, FAULT)) return
    yield block
  }
}

/** Says that a block cannot be read here; of several, the first counts. */
export function noteFault({ state }: Blocks, block: number): void {
  for (;;) {
    const first = Atomics.load(state, FAULT)
    if (block >= first || Atomics.compareExchange(state, FAULT, first, block) === first) return
  }
}

/** Fills `into` from a place in the file; fewer bytes only where the file has become shorter. */
export function readFully(fd: number, into: Uint8Array, position: number): number {
  let length = 0
  while (length < into.length) {
    const bytes = readSync(fd, into, length, into.length - length, position + length)
    if (bytes === 0) break
    length += bytes
  }
  return length
}
