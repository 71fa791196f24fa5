/**
 * Collective operations through memory that all processes of one machine share: a message is two copies. Each
 * process has a slot, in two halves that are used alternately, and a flag with the number of rounds that it
 * has written.
 *
 * In a round a process writes its slot, raises its flag, and reads each other slot as soon as that flag is
 * up. No process overwrites what another still reads: a flag that is up for one round means that the round
 * before has been read, so the half of that round is free once all flags of this round are up.
 */
import { randomInt } from 'node:crypto'
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { cpus } from 'node:os'
import { type MpiCommunicator, openLibrary } from './libmpi.ts'

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
/** The folder of files that Linux holds in memory. */
const FOLDER = '/dev/shm'
/** The first word of the file, by which a process recognizes the one that the root has made. */
const MARK = 0x6c616375

/** Reads of a flag before the process yields its core: some tens of microseconds of spinning. */
const SPINS = 20_000
/** Reads of a flag before the process yields its core where there are more processes than cores. */
const SPINS_IF_CROWDED = 100
/** Reads of a flag with a yield between them, before the process sleeps between reads. */
const YIELDS = 200
/** Microseconds of a sleep between two reads of a flag. */
const SLEEP_US = 50

/**
 * Opens the shared memory; all processes call this together.
 * @returns undefined where the system has no such memory, or not for all processes
 */
export async function openWindow(
  communicator: MpiCommunicator,
  library: string | undefined,
): Promise<SharedWindow | undefined> {
  const { rank, size } = communicator
  const slots = FLAG_WORDS * (size + 1)
  const words = await mapSharedFile(communicator, library, slots + 2 * size * SLOT_WORDS)
  if (!words) return undefined
  const flags = new Int32Array(words.array.buffer, 0, slots)
  /** Returns the slot of a process: the half that a round uses. */
  const slotOf = (process: number, round: number): Uint32Array => {
    const start = slots + ((round & 1) * size + process) * SLOT_WORDS
    return words.array.subarray(start, start + SLOT_WORDS)
  }
  const spins = size > cpus().length ? SPINS_IF_CROWDED : SPINS
  /** Waits until a process has written its slot in a round. */
  const waitFor = (process: number, round: number): void => {
    const at = FLAG_WORDS * (process + 1)
    // The other process may be one round ahead.
    for (let reads = 0; ((Atomics.load(flags, at) - round) | 0) < 0; reads++) {
      if (reads > spins + YIELDS) words.sleep(SLEEP_US)
      else if (reads > spins) words.yield()
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
    Atomics.store(flags, FLAG_WORDS * (rank + 1), round)
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

/** Mapped memory, and the system calls for waiting. */
interface Mapped {
  array: Uint32Array
  yield(): void
  sleep(microseconds: number): void
}

/**
 * Maps a new file in /dev/shm, made by the root, into the memory of all processes; all call this together.
 * The file is unlinked once all have tried to map it. Word 0 holds MARK, the others are zero.
 * @param length number of 32-bit words, including word 0
 * @returns the words and the system calls for waiting; undefined in all processes if one cannot map the file
 */
async function mapSharedFile(
  { rank, size, broadcast, allreduce }: MpiCommunicator,
  library: string | undefined,
  length: number,
): Promise<Mapped | undefined> {
  const { koffi, lib } = await openLibrary(library)
  const name = Float64Array.of(rank === 0 ? randomInt(2 ** 47) : 0)
  let file = rank === 0 ? createFile(pathOf(name[0]), 4 * length) : undefined
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
    // Messages are used instead.
  }
  const mapping = Uint32Array.of(mapped ? 1 : 0)
  allreduce(mapping)
  if (rank === 0) removeIfExists(pathOf(name[0]))
  return mapping[0] === size ? mapped : undefined
}

/** Returns the path of the shared file. @param name a random number */
const pathOf = (name: number): string => `${FOLDER}/lacuna-${name}`

/**
 * Makes a file of zeros that begins with MARK; writes all of it, so that a lack of space shows now.
 * @returns its descriptor, or undefined if it cannot be made
 */
function createFile(path: string, byteLength: number): number | undefined {
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
    removeIfExists(path)
    return undefined
  }
}

/** Removes a file; does nothing if that fails. */
function removeIfExists(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // The file does not exist.
  }
}
