/**
 * Memory that all processes of one machine share: a file without a name (memfd_create), mapped into the
 * addresses of each process. The root creates it, and the others open it through the root's descriptor in
 * /proc, so that no file is left behind and no limit of /dev/shm applies. Linux only.
 */
import { randomInt } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { type MpiCommunicator, openLibrary } from './libmpi.ts'

/** Shared memory of the processes of one machine. All processes call each operation but the waits together. */
export interface SharedMemory {
  /** Returns new words, all 0, that all processes share; undefined in all of them if one cannot. */
  allocate(words: number): Uint32Array | undefined
  /**
   * Replaces the memory of a buffer, of equal size in all processes, by memory that all of them share, all 0.
   * @param buffer whole pages, such as those of a WebAssembly memory
   * @returns false in all processes if one cannot
   */
  replace(buffer: ArrayBufferLike): boolean
  /** Yields the core to another thread. */
  yield(): void
  /** Sleeps. */
  sleep(microseconds: number): void
}

// Arguments of mmap and memfd_create on Linux.
const READ_WRITE = 3
const SHARED = 1
const FIXED = 16
const CLOSE_ON_EXEC = 1

/** Opens the system calls; undefined where the system has none of them. */
export async function openSharedMemory(
  communicator: MpiCommunicator,
  library: string | undefined,
): Promise<SharedMemory | undefined> {
  const { koffi, lib } = await openLibrary(library)
  const calls = process.platform === 'linux' ? bindCalls(lib) : undefined
  const isBound = Uint32Array.of(calls ? 1 : 0)
  communicator.allreduce(isBound)
  if (!calls || isBound[0] < communicator.size) return undefined
  const { createFile, closeFile, setLength, map, pause, giveWay } = calls

  /**
   * Maps a new file of the root into all processes; all call it together. The file begins with a random mark
   * until all processes have recognized it.
   * @param mapFile maps a file and returns its bytes; undefined if that fails
   * @returns the bytes; undefined in all processes if one of them fails
   */
  function mapNewFile(
    byteLength: number,
    mapFile: (file: number) => ArrayBufferLike | undefined,
  ): ArrayBufferLike | undefined {
    const { rank, size } = communicator
    const file = rank === 0 ? createFile('lacuna', CLOSE_ON_EXEC) : -1
    const isCreated = file >= 0 && setLength(file, byteLength) === 0
    const origin = Float64Array.of(process.pid, isCreated ? file : -1, 1 + randomInt(2 ** 31))
    communicator.broadcast(origin)
    const [pid, descriptor, mark] = origin
    let buffer: ArrayBufferLike | undefined
    try {
      if (descriptor >= 0) {
        const own = rank === 0 ? file : openSync(`/proc/${pid}/fd/${descriptor}`, 'r+')
        buffer = mapFile(own)
        if (buffer && rank === 0) new Uint32Array(buffer, 0, 1)[0] = mark
        if (rank > 0) closeSync(own)
      }
    } catch {
      // The process does not see the root's files.
    }
    const mapped = Uint32Array.of(buffer ? 1 : 0)
    communicator.allreduce(mapped)
    // The mark of the root is written now.
    const recognized = Uint32Array.of(buffer && new Uint32Array(buffer, 0, 1)[0] === mark ? 1 : 0)
    communicator.allreduce(recognized)
    if (rank === 0 && buffer) new Uint32Array(buffer, 0, 1)[0] = 0
    if (file >= 0) closeFile(file) // Node does not know this descriptor
    communicator.allreduce(mapped)
    return recognized[0] === size ? buffer : undefined
  }

  return {
    allocate(words) {
      const buffer = mapNewFile(4 * words, (file) => {
        const address = map(null, 4 * words, READ_WRITE, SHARED, file, 0)
        return isFailure(koffi.address(address)) ? undefined : koffi.view(address, 4 * words)
      })
      return buffer && new Uint32Array(buffer)
    },
    replace(buffer) {
      const bytes = new Uint8Array(buffer)
      const mapped = mapNewFile(bytes.length, (file) => {
        const address = map(bytes, bytes.length, READ_WRITE, SHARED | FIXED, file, 0)
        return isFailure(koffi.address(address)) ? undefined : buffer
      })
      return mapped !== undefined
    },
    yield: () => giveWay(),
    sleep: (microseconds) => pause(microseconds),
  }
}

/** Whether an address is MAP_FAILED. */
const isFailure = (address: bigint | number): boolean => BigInt.asIntN(64, BigInt(address)) === -1n

/** Binds the system calls; undefined if the C library lacks one of them. */
function bindCalls(lib: Awaited<ReturnType<typeof openLibrary>>['lib']) {
  try {
    return {
      createFile: lib.func('int memfd_create(const char *name, unsigned int flags)'),
      closeFile: lib.func('int close(int file)'),
      setLength: lib.func('int ftruncate(int file, int64_t length)'),
      map: lib.func('void *mmap(void *at, size_t length, int access, int flags, int file, int64_t from)'),
      pause: lib.func('int usleep(unsigned int microseconds)'),
      giveWay: lib.func('int sched_yield()'),
    }
  } catch {
    return undefined
  }
}
