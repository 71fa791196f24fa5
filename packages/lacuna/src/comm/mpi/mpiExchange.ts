/**
 * The exchange between processes by MPI. One worker thread imports this module and connects; no other thread
 * calls MPI.
 */
import { hostname } from 'node:os'
import { extend } from '../../base/random.ts'
import type { Exchange } from '../exchange.ts'
import { type MpiCommunicator, openCommunicator } from './libmpi.ts'
import { openSharedMemory, type SharedMemory } from './sharedMemory.ts'
import { openWindow, type SharedWindow } from './sharedWindow.ts'

/** The MPI library, and how processes of one machine exchange data. */
export interface MpiOptions {
  /** The file of the MPI library; by default one that is installed. */
  library?: string
  /**
   * Whether processes of one machine exchange data through shared memory instead of messages; true by
   * default.
   */
  sharedMemory?: boolean
}

/** The most words of one message: counts and offsets are 32-bit. */
const MOST_WORDS = 2 ** 31 - 1

/** Initializes MPI on this thread and returns the exchange with the other processes of the job. */
export async function connect({ library, sharedMemory = true }: MpiOptions): Promise<Exchange> {
  const communicator = await openCommunicator(library)
  const { rank, size } = communicator
  const hosts = new Uint32Array(size)
  hosts[rank] = [...hostname()].reduce((hash, letter) => extend(hash, letter.codePointAt(0)!), 0)
  communicator.allreduce(hosts)
  const hostSize = hosts.filter((host) => host === hosts[rank]).length
  const isOneHost = hosts.every((host) => host === hosts[0])
  const isShared = sharedMemory && size > 1 && isOneHost
  const memory = isShared ? await openSharedMemory(communicator, library) : undefined
  const window = memory && openWindow(communicator, memory)
  return mpiExchange(communicator, memory, window, hostSize)
}

/** A page of WebAssembly memory, to try out whether it can be shared. */
const newPage = (): WebAssembly.Memory => new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true })

/**
 * Makes the exchange from the calls of MPI and, where all processes are on one machine, shared memory and a
 * window in it.
 * @param hostSize the number of processes on this machine
 */
function mpiExchange(
  communicator: MpiCommunicator,
  memory: SharedMemory | undefined,
  window: SharedWindow | undefined,
  hostSize: number,
): Exchange {
  const { rank, size } = communicator
  let spentMs = 0
  /** Runs work and adds its duration to the time spent. */
  const measure = <T>(work: () => T): T => {
    const start = performance.now()
    const result = work()
    spentMs += performance.now() - start
    return result
  }
  return {
    secondsSpent: () => spentMs / 1000,
    rank,
    size,
    hostSize,
    sharesMemory: window !== undefined && memory!.replace(newPage().buffer),
    broadcast(numbers) {
      const words = new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length)
      measure(() => (fitsInWindow(words, window) ? window.broadcast(words) : communicator.broadcast(numbers)))
    },
    allReduce(counts) {
      if (fitsInWindow(counts, window)) return measure(() => window.allReduce(counts))
      for (let from = 0; from < counts.length; from += MOST_WORDS)
        measure(() => communicator.allreduce(counts.subarray(from, from + MOST_WORDS)))
    },
    allGather(words, starts, lengths) {
      if (window) return measure(() => window.allGather(words, starts, lengths))
      // Offsets count from the first word that is used, so that they fit in 32 bits.
      const used = starts.filter((_, k) => lengths[k] > 0)
      if (used.length === 0) return
      const first = Math.min(...used)
      const counts = Int32Array.from(lengths)
      const offsets = Int32Array.from(starts, (start, k) => (lengths[k] > 0 ? start - first : 0))
      measure(() => communicator.allgatherv(words.subarray(first), counts, offsets))
    },
    allToAll(outgoing, lengths, incoming) {
      const outCounts = Int32Array.from(lengths)
      const inCounts = new Int32Array(size)
      measure(() => communicator.alltoall(outCounts, inCounts))
      const [from, to] = [offsetsOf(outCounts), offsetsOf(inCounts)]
      measure(() => communicator.alltoallv(outgoing, outCounts, from, incoming, inCounts, to))
      return [...inCounts]
    },
    shareMemory: (buffer) => memory?.replace(buffer) ?? false,
    close: () => communicator.finalize(),
  }
}

/**
 * Whether there is a shared window and the words fit into one of its slots; otherwise they are sent as
 * messages.
 */
const fitsInWindow = (words: Uint32Array, window: SharedWindow | undefined): window is SharedWindow =>
  window !== undefined && words.length <= window.mostWords

/** Returns where each block begins if blocks of these lengths lie one after another. */
function offsetsOf(counts: Int32Array): Int32Array {
  const offsets = new Int32Array(counts.length)
  for (let k = 1; k < counts.length; k++) offsets[k] = offsets[k - 1] + counts[k - 1]
  return offsets
}
