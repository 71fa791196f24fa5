/**
 * The collective operations between processes, as a thread calls them: each call blocks until all processes
 * have made it. Every process calls the same operations in the same order, always on the same one of its
 * threads.
 *
 * Only whole numbers are added on the way. Everything else arrives bit by bit as it was sent, and each
 * process adds it up in the same order, so that all of them have the same result.
 */

/** The position of a process among all processes of a job. */
export interface Ranks {
  /** The number of this process, from 0. Rank 0 is the root: it writes files and prints. */
  readonly rank: number
  /** The number of processes. */
  readonly size: number
  /** The number of processes on this machine, this one included; they divide its memory and cores. */
  readonly hostSize: number
  /** Whether all processes are on one machine and can share memory with each other (shareMemory). */
  readonly sharesMemory: boolean
}

/** Blocking collective operations between the processes of a job. */
export interface Exchange extends Ranks {
  /** Seconds spent in these operations so far, waiting for other processes included. */
  secondsSpent(): number
  /** Overwrites the numbers with those of the root. */
  broadcast(numbers: Float64Array): void
  /** Replaces each whole number by its sum over all processes, modulo 2³². */
  allReduce(counts: Uint32Array): void
  /**
   * Completes an array of which each process has one piece.
   * @param words the array; piece k begins at starts[k], has lengths[k] words, and is valid in process k
   */
  allGather(words: Uint32Array, starts: readonly number[], lengths: readonly number[]): void
  /**
   * Sends words from every process to every process.
   * @param outgoing the words for process 0, then those for process 1, and so on
   * @param lengths the number of words for each process
   * @param incoming receives the words, ordered by the rank of their sender
   * @returns the number of words received from each process
   */
  allToAll(outgoing: Uint32Array, lengths: readonly number[], incoming: Uint32Array): number[]
  /**
   * Replaces the memory of a buffer, of equal size in all processes, by memory that all of them share, filled
   * with zeros.
   * @param buffer a WebAssembly memory's: whole pages of addresses
   * @returns false in all processes if one of them cannot
   */
  shareMemory(buffer: ArrayBufferLike): boolean
  /** Ends the connection between the processes. */
  close(): void
}

/** The ranks of a job of one process. */
export const singleRank: Ranks = { rank: 0, size: 1, hostSize: 1, sharesMemory: false }

/** The exchange of a job of one process, in which no operation waits. */
export const singleExchange: Exchange = {
  ...singleRank,
  secondsSpent: () => 0,
  broadcast() {},
  allReduce() {},
  allGather() {},
  allToAll(outgoing, [length], incoming) {
    incoming.set(outgoing.subarray(0, length))
    return [length]
  },
  shareMemory: () => false,
  close() {},
}
