/** How long the phases of a set-up took, in seconds by the clock of the main thread. */
export interface SetUpTimes {
  /** Until the threads are there and the kernel is compiled: next to nothing where both have been before. */
  start: number
  /** The passes that count entries by row and by segment. */
  count: number
  /** What one thread does alone: cutting rows into segments and chunks, laying out the memory, telling the threads. */
  layOut: number
  place: number
  sort: number
  /** The first look at the values. */
  look: number
}

/** A clock that says how long it is since it was last asked. */
export function stopwatch(start = performance.now()): () => number {
  let last = start
  return () => {
    const before = last
    last = performance.now()
    return (last - before) / 1000
  }
}
