/** The number of entries that processes send at a time, so that messages take little memory. */

/** The most entries in flight to one process at a time, from all senders together. */
const ENTRIES_IN_FLIGHT = 2 ** 20

/**
 * Returns how many of its entries a process sends in one round; at least 1.
 * @param own the number of its entries
 * @param processes the number of processes that send
 */
export const entriesPerRound = (own: number, processes: number): number =>
  Math.max(1, Math.min(own, Math.max(4096, Math.ceil(ENTRIES_IN_FLIGHT / processes))))
