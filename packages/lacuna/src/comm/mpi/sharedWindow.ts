/**
 * Memory that all processes share, where they are on one machine: what one writes there the others read, and a message is no
 * more than two copies. Each has a slot, in two halves that take turns, and a flag that says how many rounds it has written.
 *
 * A process writes its slot, raises its flag, and reads the slots of the others as soon as their flags are up. Nobody writes
 * what another still reads: who has raised its flag for a round has read all of the round before, so that the half of that one
 * is free when all flags of this one are up.
 */
import { randomInt } from 'node:crypto'
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { cpus } from 'node:os'
import { type Communicator, openLibrary } from './libmpi.ts'

export interface SharedWindow {
  /** As Exchange has it. */
  gather(words: Uint32Array, starts: readonly number[], lengths: readonly number[]): void
  /** The same for sums and for what the first process says, of at most so many words. */
  addUp(counts: Uint32Array): void
  tell(words: Uint32Array): void
  readonly mostWords: number
}

/** Of one half of a slot: small enough to stay in a core's cache between those who write and read it. */
const SLOT_WORDS = 2 ** 16
/** Flags lie apart, so that no two share a line of the cache. */
const FLAG_WORDS = 16
const FOLDER = '/dev/shm'
/** Says that a file is the one that the first process has made. */
const MARK = 0x6c616375

/** Looks at a flag before a process lets others have its core: some tens of microseconds, but not where cores are shared. */
const LOOKS = 20_000
const LOOKS_WHERE_SHARED = 100
/** Then it looks again each time it gets the core back, and at last sleeps in between. */
const YIELDS = 200
const SLEEP_US = 50

/** Nothing, where the system has no such memory, or not for all processes. All of them call this together. */
export async function openWindow(
  communicator: Communicator,
  library: string | undefined,
): Promise<SharedWindow | undefined> {
  const { rank, size } = communicator
  const slots = FLAG_WORDS * (size + 1)
  const words = await mapTogether(communicator, library, slots + 2 * size * SLOT_WORDS)
  if (!words) return undefined
  const flags = new Int32Array(words.array.buffer, 0, slots)
  const slotOf = (process: number, round: number): Uint32Array => {
    const start = slots + ((round & 1) * size + process) * SLOT_WORDS
    return words.array.subarray(start, start + SLOT_WORDS)
  }
  const looks = size > cpus().length ? LOOKS_WHERE_SHARED : LOOKS
  const waitFor = (process: number, round: number): void => {
    const at = FLAG_WORDS * (process + 1)
    // It may be one round ahead.
    for (let look = 0; ((Atomics.load(flags, at) - round) | 0) < 0; look++) {
      if (look > looks + YIELDS) words.sleep(SLEEP_US)
      else if (look > looks) words.yield()
    }
  }
  let round = 0
  /** One round: this process's words go out, and `take` gets those of every other, nearest first. */
  const exchange = (
    put: (slot: Uint32Array) => void,
    take: (slot: Uint32Array, process: number) => void,
  ): void => {
    round = (round + 1) | 0
    put(slotOf(rank, round))
    Atomics.store(flags, FLAG_WORDS * (rank + 1), round)
    for (let k = 1; k < size; k++) {
      const process = (rank + k) % size
      waitFor(process, round)
      take(slotOf(process, round), process)
    }
  }
  return {
    mostWords: SLOT_WORDS,
    gather(all, starts, lengths) {
      const most = Math.max(...lengths)
      for (let from = 0; from < most; from += SLOT_WORDS) {
        const piece = (process: number): Uint32Array => {
          const count = Math.min(SLOT_WORDS, lengths[process] - from)
          const start = starts[process] + from
          return all.subarray(start, start + Math.max(0, count))
        }
        exchange(
          (slot) => slot.set(piece(rank)),
          (slot, process) => {
            const into = piece(process)
            into.set(slot.subarray(0, into.length))
          },
        )
      }
    },
    addUp(counts) {
      exchange(
        (slot) => slot.set(counts),
        (slot) => {
          for (let i = 0; i < counts.length; i++) counts[i] += slot[i]
        },
      )
    },
    tell(said) {
      exchange(
        (slot) => slot.set(said),
        (slot, process) => {
          if (process === 0) said.set(slot.subarray(0, said.length))
        },
      )
    },
  }
}

interface Mapped {
  array: Uint32Array
  yield(): void
  sleep(microseconds: number): void
}

/** A file in memory that the first process makes and all map; its name is gone when they have. */
async function mapTogether(
  { rank, size, broadcast, allreduce }: Communicator,
  library: string | undefined,
  length: number,
): Promise<Mapped | undefined> {
  const { koffi, lib } = await openLibrary(library)
  const name = Float64Array.of(rank === 0 ? randomInt(2 ** 47) : 0)
  let file = rank === 0 ? openNew(pathOf(name[0]), 4 * length) : undefined
  broadcast(name)
  let mapped: Mapped | undefined
  try {
    file ??= rank === 0 ? undefined : openSync(pathOf(name[0]), 'r+')
    if (file !== undefined) {
      const map = lib.func(
        'void *mmap(void *at, size_t length, int access, int flags, int file, int64_t from)',
      )
      const READ_WRITE = 3
      const SHARED = 1
      const address = map(null, 4 * length, READ_WRITE, SHARED, file, 0)
      closeSync(file)
      if (BigInt.asIntN(64, BigInt(koffi.address(address))) !== -1n) {
        const array = new Uint32Array(koffi.view(address, 4 * length))
        const pause = lib.func('int usleep(unsigned int microseconds)')
        const giveWay = lib.func('int sched_yield()')
        if (array[0] === MARK) mapped = { array, yield: () => giveWay(), sleep: (time) => pause(time) }
      }
    }
  } catch {
    // Then messages will do.
  }
  const mapping = Uint32Array.of(mapped ? 1 : 0)
  allreduce(mapping)
  if (rank === 0) remove(pathOf(name[0]))
  return mapping[0] === size ? mapped : undefined
}

const pathOf = (name: number): string => `${FOLDER}/lacuna-${name}`

/** Written, not only made as long: where there is no room for it, that must show now. */
function openNew(path: string, byteLength: number): number | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'wx+', 0o600)
    const zeros = new Uint8Array(Math.min(byteLength, 2 ** 20))
    for (let at = 0; at < byteLength; )
      at += writeSync(file, zeros, 0, Math.min(zeros.length, byteLength - at), at)
    writeSync(file, Uint32Array.of(MARK), 0, 4, 0)
    return file
  } catch {
    if (file !== undefined) closeSync(file)
    remove(path)
    return undefined
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It was never made.
  }
}
