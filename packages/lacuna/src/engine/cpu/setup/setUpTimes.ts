/** A record of how long the phases of loading take, and a stopwatch. */
/** Durations of the phases of loading a problem, in seconds by the clock of the main thread. */
export interface SetUpTimes {
  /** Until the threads have started and the kernel is compiled: next to nothing if both are there already. */
  start: number
  /** Counting entries by row and by segment. */
  count: number
  /** Work of the main thread: segments, chunks, the layout of memory, and setting up the threads. */
  layOut: number
  /** Placing records in their segments. */
  place: number
  /** Sorting segments. */
  sort: number
  /** The first pass over the values. */
  values: number
}

/**
 * Returns a stopwatch: each call returns the seconds since the last one.
 * @param start when it starts, by performance.now()
 */
export function stopwatch(start = performance.now()): () => number {
  let last = start
  return () => {
    const before = last
    last = performance.now()
    return (last - before) / 1000
  }
}
