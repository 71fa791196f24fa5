/**
 * Collective operations through memory that all processes of one machine share: a message is two copies. Each
 * process has a slot, in two halves that are used alternately, and a flag with the number of rounds that it
 * has written.
 *
 * In a round a process writes its slot, raises its flag, and reads each other slot as soon as that flag is
 * up. No process overwrites what another still reads: a flag that is up for one round means that the round
 * before has been read, so the half of that round is free once all flags of this round are up.
 */
import { cpus } from 'node:os'
import type { Ranks } from '../exchange.ts'
import type { SharedMemory } from './sharedMemory.ts'

/** The operations of an Exchange, in shared memory. */
export interface SharedWindow {
  /** Completes an array of which each process has one piece. */
  allGather(words: Uint32Array, starts: readonly number[], lengths: readonly number[]): void
  /** Replaces at most `mostWords` whole numbers by their sums over all processes. */
  allReduce(counts: Uint32Array): void
  /** Overwrites at most `mostWords` words with those of the root. */
  broadcast(words: Uint32Array): void
  /** The size of a slot, in words. */
  readonly mostWords: number
}

/** Words of one half of a slot: few enough to stay in the cache between writing and reading. */
const SLOT_WORDS = 2 ** 16
/** Words from one flag to the next, so that no two flags share a cache line. */
const FLAG_WORDS = 16

/** Reads of a flag before the process yields its core: some tens of microseconds of spinning. */
const SPINS = 20_000
/** Reads of a flag before the process yields its core where there are more processes than cores. */
const SPINS_IF_CROWDED = 100
/** Reads of a flag with a yield between them, before the process sleeps between reads. */
const YIELDS = 200
/** Microseconds of a sleep between two reads of a flag. */
const SLEEP_US = 50

/**
 * Opens a window in the memory that all processes of one machine share; all call this together.
 * @returns undefined where there is no such memory, or not for all processes
 */
export function openWindow(
  { rank, size }: Pick<Ranks, 'rank' | 'size'>,
  memory: SharedMemory,
): SharedWindow | undefined {
  const slots = FLAG_WORDS * size
  const words = memory.allocate(slots + 2 * size * SLOT_WORDS)
  if (!words) return undefined
  const flags = new Int32Array(words.buffer, 0, slots)
  /** Returns the slot of a process: the half that a round uses. */
  const slotOf = (process: number, round: number): Uint32Array => {
    const start = slots + ((round & 1) * size + process) * SLOT_WORDS
    return words.subarray(start, start + SLOT_WORDS)
  }
  const spins = size > cpus().length ? SPINS_IF_CROWDED : SPINS
  /** Waits until a process has written its slot in a round. */
  const waitFor = (process: number, round: number): void => {
    const at = FLAG_WORDS * process
    // The other process may be one round ahead.
    for (let reads = 0; ((Atomics.load(flags, at) - round) | 0) < 0; reads++) {
      if (reads > spins + YIELDS) memory.sleep(SLEEP_US)
      else if (reads > spins) memory.yield()
    }
  }
  let round = 0
  /**
   * Runs one round: `put` writes the slot of this process, and `take` reads that of every other, the next
   * rank first.
   */
  const runRound = (
    put: (slot: Uint32Array) => void,
    take: (slot: Uint32Array, process: number) => void,
  ): void => {
    round = (round + 1) | 0
    put(slotOf(rank, round))
    Atomics.store(flags, FLAG_WORDS * rank, round)
    for (let k = 1; k < size; k++) {
      const process = (rank + k) % size
      waitFor(process, round)
      take(slotOf(process, round), process)
    }
  }
  return {
    mostWords: SLOT_WORDS,
    allGather(all, starts, lengths) {
      const most = Math.max(...lengths)
      for (let from = 0; from < most; from += SLOT_WORDS) {
        const piece = (process: number): Uint32Array => {
          const count = Math.min(SLOT_WORDS, lengths[process] - from)
          const start = starts[process] + from
          return all.subarray(start, start + Math.max(0, count))
        }
        runRound(
          (slot) => slot.set(piece(rank)),
          (slot, process) => {
            const into = piece(process)
            into.set(slot.subarray(0, into.length))
          },
        )
      }
    },
    allReduce(counts) {
      runRound(
        (slot) => slot.set(counts),
        (slot) => {
          for (let i = 0; i < counts.length; i++) counts[i] += slot[i]
        },
      )
    },
    broadcast(sent) {
      runRound(
        (slot) => slot.set(sent),
        (slot, process) => {
          if (process === 0) sent.set(slot.subarray(0, sent.length))
        },
      )
    },
  }
}
