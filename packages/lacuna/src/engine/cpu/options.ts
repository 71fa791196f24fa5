/** Options of the CPU engine. */

/** Options of the CPU engine. */
export interface CpuEngineOptions {
  /**
   * Worker threads; by default all cores, and fewer for small problems. The result does not depend on it. A
   * page that is not cross-origin isolated cannot share memory with workers: there the calling thread works
   * alone.
   */
  threads?: number
  /** The fewest partitions of a problem; 1 by default. There are more where one would exceed 4 GiB. */
  parts?: number
}

/** Options of the CPU engine for tests and benchmarks. */
export interface CpuTestOptions extends CpuEngineOptions {
  /**
   * Whether all threads take part in everything, however little it is; by default only as many as gain time,
   * except with several processes.
   */
  allThreads?: boolean
}
