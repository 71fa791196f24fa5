/** How many threads and parts there are. */
export interface CpuEngineOptions {
  /**
   * Worker threads; all cores by default. The result does not depend on it. A page that is not cross-origin isolated
   * cannot share memory with workers: there the calling thread works alone, whatever is asked for.
   */
  threads?: number
  /** The fewest parts that a problem is cut into; one by default, and more where a part would exceed 4 GiB. */
  parts?: number
}

/** Options by which the GPU engine loads problems on the CPU's threads. */
export interface RecordOptions {
  /**
   * Whether every index of a record takes a word of its own, as LoadedViews promises; by default several share a word where they
   * fit. The result is the same.
   */
  unpacked?: boolean
}
