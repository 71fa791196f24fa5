/**
 * How the parts of a problem learn what the others did. A part has a memory of its own, in which the factors and all else
 * that everyone needs lie at the same addresses as in the others; after a step it has changed some rows and made some
 * sums, and the others must have them. In one process that is a copy; between processes it would be MPI's Allgatherv.
 * No number is ever added on the way: what arrives is what was sent, and everyone adds it up in the same order.
 */
export interface Exchange {
  /**
   * Brings every part up to date: area k of each list is part k's, and is copied from it to all others. All threads of all
   * parts call this together, with the same lists; none returns before everything has arrived.
   */
  share(lists: readonly (readonly Area[])[]): void
}

export interface Area {
  address: number
  byteLength: number
}

/** The exchange between parts in one process. `meet` waits until all threads are there. */
export function localExchange(
  memories: readonly WebAssembly.Memory[],
  thread: number,
  threads: number,
  meet: () => void,
): Exchange {
  const bytes = memories.map(({ buffer }) => new Uint8Array(buffer))
  return {
    share(lists) {
      meet()
      let job = 0
      for (const areas of lists)
        areas.forEach(({ address, byteLength }, from) => {
          if (byteLength === 0) return
          const area = bytes[from].subarray(address, address + byteLength)
          bytes.forEach((into, to) => {
            if (to !== from && job++ % threads === thread) into.set(area, address)
          })
        })
      meet()
    },
  }
}
