/** The exchange between processes by MPI. A worker thread imports this and connects; nobody else speaks with MPI. */
import { hostname } from 'node:os'
import { extend } from '../../base/random.ts'
import type { Exchange } from '../exchange.ts'
import { type Communicator, openCommunicator } from './libmpi.ts'
import { openWindow, type SharedWindow } from './sharedWindow.ts'

export interface MpiOptions {
  /** The file of the MPI library; one that is installed by default. */
  library?: string
  /** Processes of one machine exchange what they have through memory that they share; else by messages. True by default. */
  sharedMemory?: boolean
}

/** Words in one message: counts and places are 32-bit. */
const MOST_WORDS = 2 ** 31 - 1

export async function connect({ library, sharedMemory = true }: MpiOptions): Promise<Exchange> {
  const communicator = await openCommunicator(library)
  const { rank, size } = communicator
  const hosts = new Uint32Array(size)
  hosts[rank] = [...hostname()].reduce((hash, letter) => extend(hash, letter.codePointAt(0)!), 0)
  communicator.allreduce(hosts)
  const neighbours = hosts.filter((host) => host === hosts[rank]).length
  const isOneHost = hosts.every((host) => host === hosts[0])
  const window = sharedMemory && size > 1 && isOneHost ? await openWindow(communicator, library) : undefined
  return mpiExchange(communicator, window, neighbours)
}

function mpiExchange(
  communicator: Communicator,
  window: SharedWindow | undefined,
  neighbours: number,
): Exchange {
  const { rank, size } = communicator
  let spentMs = 0
  const timed = <T>(work: () => T): T => {
    const start = performance.now()
    const result = work()
    spentMs += performance.now() - start
    return result
  }
  return {
    spent: () => spentMs / 1000,
    process: rank,
    processes: size,
    neighbours,
    tell(numbers) {
      const words = new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length)
      timed(() => (fits(words, window) ? window.tell(words) : communicator.broadcast(numbers)))
    },
    addUp(counts) {
      if (fits(counts, window)) return timed(() => window.addUp(counts))
      for (let from = 0; from < counts.length; from += MOST_WORDS)
        timed(() => communicator.allreduce(counts.subarray(from, from + MOST_WORDS)))
    },
    gather(words, starts, lengths) {
      if (window) return timed(() => window.gather(words, starts, lengths))
      // Places count from the first word of all, so that they stay small.
      const used = starts.filter((_, k) => lengths[k] > 0)
      if (used.length === 0) return
      const first = Math.min(...used)
      const counts = Int32Array.from(lengths)
      const places = Int32Array.from(starts, (start, k) => (lengths[k] > 0 ? start - first : 0))
      timed(() => communicator.allgatherv(words.subarray(first), counts, places))
    },
    deal(outgoing, lengths, incoming) {
      const outCounts = Int32Array.from(lengths)
      const inCounts = new Int32Array(size)
      timed(() => communicator.alltoall(outCounts, inCounts))
      const [from, to] = [placesOf(outCounts), placesOf(inCounts)]
      timed(() => communicator.alltoallv(outgoing, outCounts, from, incoming, inCounts, to))
      return [...inCounts]
    },
    close: () => communicator.finalize(),
  }
}

const fits = (words: Uint32Array, window: SharedWindow | undefined): window is SharedWindow =>
  window !== undefined && words.length <= window.mostWords

function placesOf(counts: Int32Array): Int32Array {
  const places = new Int32Array(counts.length)
  for (let k = 1; k < counts.length; k++) places[k] = places[k - 1] + counts[k - 1]
  return places
}
