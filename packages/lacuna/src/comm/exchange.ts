/**
 * How the processes that work on a problem learn what the others did. Each has some parts of it, in memories in which the
 * factors and all else that everyone needs lie at the same addresses; after a step it has changed some rows and made some
 * sums, and the others must have them. One process alone has nobody to tell; between several, MPI does it (mpi/).
 *
 * Every process calls the same operations in the same order, on one of its threads. Only whole numbers are ever added on
 * the way: what else arrives is what was sent, and everyone adds it up in the same order.
 */
export interface Exchange {
  /** Which process this is, of how many. */
  readonly process: number
  readonly processes: number
  /** How many of them are on this machine, itself among them. */
  readonly neighbours: number
  /** Seconds spent in it so far, those of waiting for others included. */
  spent(): number
  /** Gives everyone the numbers of the first process. */
  tell(numbers: Float64Array): void
  /** Adds up whole numbers over all processes, place by place, modulo 2³². */
  addUp(counts: Uint32Array): void
  /** Brings words up to date: those from starts[k] on, lengths[k] of them, are process k's. */
  gather(words: Uint32Array, starts: readonly number[], lengths: readonly number[]): void
  /**
   * Sends every process its own of the words going out: lengths[k] for process k, one after another. Those that come in
   * stand one after another, too, by the process they came from; returns how many each sent.
   */
  deal(outgoing: Uint32Array, lengths: readonly number[], incoming: Uint32Array): number[]
  /** Ends the exchange, when no process needs it any more. */
  close(): void
}

/** A process with nobody to exchange anything with. */
export const alone: Exchange = {
  process: 0,
  processes: 1,
  neighbours: 1,
  spent: () => 0,
  tell() {},
  addUp() {},
  gather() {},
  deal(outgoing, [length], incoming) {
    incoming.set(outgoing.subarray(0, length))
    return [length]
  },
  close() {},
}
