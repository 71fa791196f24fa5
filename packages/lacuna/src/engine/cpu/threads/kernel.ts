/** The interface of the compiled kernels, and the ranks they are compiled for. */
import { InputError } from '../../../base/inputError.ts'

/**
 * The ranks that kernels are compiled for, ascending; a rank in between uses the next one, with rows padded
 * with zeros.
 */
export const paddedRanks: readonly number[] = [
  ...Array.from({ length: 16 }, (_, i) => 4 * (i + 1)), // 4 … 64
  ...Array.from({ length: 8 }, (_, i) => 64 + 8 * (i + 1)), // 72 … 128
  ...Array.from({ length: 8 }, (_, i) => 128 + 16 * (i + 1)), // 144 … 256
]
/** The largest rank. */
export const LARGEST_RANK = paddedRanks[paddedRanks.length - 1]

/** The smallest rank ≥ `rank` that a kernel is compiled for; throws an InputError beyond the largest. */
export function paddedRank(rank: number): number {
  const padded = paddedRanks.find((r) => r >= rank)
  if (padded === undefined)
    throw new InputError('option', `The rank is ${rank}; it can be at most ${LARGEST_RANK}.`)
  return padded
}

/**
 * The exports of kernels/solve/index.ts. Addresses are bytes in the shared memory; a view is the address of
 * its description. Where a function has `thread` and `threads`, it does one thread's part of the work; where
 * it has `control`, threads take chunks from the counter of that control block.
 */
export interface Kernel {
  /**
   * Sets the address of this thread's scratch for steps, and the number of other modes whose groups of rows
   * are counted.
   */
  setScratch(address: number, groupedModes: number): void
  /** Sets the address of this thread's scratch for steps under a learned prior. */
  setPosteriorScratch(address: number): void
  /**
   * Prepares 'posterior' steps.
   * @param frozen whether rows stay as they are, and only their sums are computed
   * @param certain whether rows are treated as certain
   * @param grouped whether covariances are those of groups of rows
   */
  setPosterior(rank: number, sigma2: number, frozen: number, certain: number, grouped: number): void
  /**
   * Sets the growth of the noise with the prediction y: σ² (constant + linear y + quadratic y²), y ≥ least.
   */
  setNoise(weighted: number, constant: number, linear: number, quadratic: number, least: number): void
  /**
   * Sets whether noise differs between rows, and the deviations beyond which the loss is linear (0: never).
   */
  setRowNoise(byRows: number, deviations: number): void
  /** Initializes the moments of all rows without uncertainty: M = a aᵀ. */
  startMoments(factor: number, moments: number, rows: number, thread: number, threads: number): void
  /** Sums the moments of the rows with entries per block of `perBlock` rows (R × R, float64). */
  sumMoments(
    moments: number,
    rows: number,
    lengths: number,
    perBlock: number,
    sums: number,
    thread: number,
    threads: number,
  ): void
  /**
   * Sums a aᵀ over the rows with entries per block of `perBlock` rows (R × R, float64), each row once or, with
   * `byLength`, once per entry.
   */
  sumOuterProducts(
    factor: number,
    rows: number,
    lengths: number,
    byLength: number,
    perBlock: number,
    sums: number,
    thread: number,
    threads: number,
  ): void
  /** Sums counts, predictions and squared residuals per chunk and bin of predictions. */
  noiseMoments(control: number, view: number, mean: number, sums: number): void
  /** Bytes of scratch for steps on tensors of this order. */
  scratchBytes(order: number): number
  /** Bytes of the partial sums over a segment, with the weights by group of some of the other modes. */
  sumBytesFor(groupedModes: number): number
  /** Bytes of scratch for sorting a segment of `entries` records of `words` words. */
  sortScratchBytes(entries: number, words: number): number
  /** Waits until all threads have arrived; the last one resets the task counter. */
  barrier(control: number): void
  /** Prepares a step of Algorithm 1; `first` marks the first inner iteration. */
  setPaperStep(c: number, lambda: number, first: number, skip: number): void
  /** Prepares a step of kind STEP_GRADIENT, STEP_NEWTON or STEP_ZEROS. */
  setFastStep(kind: number, c: number, lambda: number, momentum: number, damping: number): void
  /** Runs an epoch of stratified SGD over the cells of a grid; `turn` is the number of strata before it. */
  strataEpoch(
    strata: number,
    rate: number,
    least: number,
    turn: number,
    thread: number,
    threads: number,
    spins: number,
  ): void
  /**
   * Counts the entries of a run of `count` records of a row, the first at `begin`, by the cells of the grid.
   */
  countRun(strata: number, view: number, begin: number, count: number, row: number, counters: number): void
  /** Copies the entries of a run to their cells of the grid, at the numbers in `counters`, which advance. */
  copyRun(strata: number, view: number, begin: number, count: number, row: number, counters: number): void
  /** Copies the rows of a factor to their positions in the order of the grid's blocks. */
  toBlockOrder(
    factor: number,
    positions: number,
    rows: number,
    into: number,
    thread: number,
    threads: number,
  ): void
  /** Copies rows from their positions in the order of the grid's blocks back to the factor. */
  fromBlockOrder(
    from: number,
    positions: number,
    rows: number,
    factor: number,
    thread: number,
    threads: number,
  ): void
  /** Updates the rows of a view by the prepared step, with samples of the random stream `key`. */
  step(control: number, view: number, key: number, thread: number): void
  /** The number of partial sums that a partition with the segments begin … end of a shared row writes. */
  countPartialSums(view: number, row: number, key: number, begin: number, end: number): number
  /** Copies a partition's partial sums of a shared row to the address at which they are exchanged. */
  writePartialSums(
    view: number,
    row: number,
    key: number,
    slots: number,
    address: number,
    beginsHere: boolean,
  ): void
  /** Adds the partial sums of all partitions of a shared row, and updates the row. */
  finishSharedRow(view: number, row: number, key: number, table: number): void
  /** Writes Σ w (x − y)² and Σ w |x − y| per chunk (chunks × 2, float64). */
  errorSums(control: number, view: number, sums: number, zeros: number): void
  /** Writes Σ w x² and Σ w |x| per chunk (chunks × 2, float64). */
  valueSums(control: number, view: number, sums: number): void
  /** Writes Σ w per chunk as the first of its two sums. */
  weightSums(control: number, view: number, sums: number): void
  /** Sums the products of a factor's columns per block of rows (R × R, float64). */
  sumProducts(
    factor: number,
    rows: number,
    perBlock: number,
    sums: number,
    thread: number,
    threads: number,
  ): void
  /** Sums the squares of each column over the rows with entries, per block of BLOCK_ROWS rows (R). */
  sumSquares(
    factor: number,
    rows: number,
    lengths: number,
    sums: number,
    thread: number,
    threads: number,
  ): void
  /** Sums each column over the rows with entries, per block of BLOCK_ROWS rows (R). */
  sumRows(factor: number, rows: number, lengths: number, sums: number, thread: number, threads: number): void
  /** Multiplies the columns of a factor by the numbers at `by` (R). */
  scaleColumns(factor: number, rows: number, by: number, thread: number, threads: number): void
  /** Copies `row` (R) to the rows without entries. */
  fillEmptyRows(
    factor: number,
    rows: number,
    lengths: number,
    row: number,
    thread: number,
    threads: number,
  ): void
  /**
   * Sorts the records of each segment; leaves out segments of more than `most` records. Returns the number of
   * records that have the coordinates of a record before them.
   */
  sortChunks(
    view: number,
    hashKey: number,
    modeKey: number,
    scratch: number,
    most: number,
    thread: number,
    threads: number,
  ): number
  /** Hashes the coordinates of a block of entries. */
  hashBlock(columns: number, order: number, count: number, key: number, hashes: number): void
  /** 1 if an index of the block is not below its mode's size, or a value is not finite; else 0. */
  hasFault(columns: number, order: number, sizes: number, values: number, count: number): number
  /** Σ x² of a block. */
  sumOfSquares(values: number, count: number): number
  /** Adds a block's entries to a digest of two words, independent of their order. */
  addToDigest(hashes: number, values: number, weights: number, count: number, digest: number): void
  /** Counts a block's entries by row; `shared` is 1 if other threads use the same counters. */
  countRows(column: number, count: number, lengths: number, shared: number): void
  /** Converts values to whole units, each in two halves that add exactly. */
  splitValues(values: number, count: number, perUnit: number, halves: number): void
  /** Adds split values to the sums of their rows. */
  addSplitValues(column: number, count: number, halves: number, sums: number): void
  /** Counts the block's entries in the probe by row: those whose position is below `limit`. */
  countProbeRows(
    column: number,
    hashes: number,
    count: number,
    probeKey: number,
    limit: number,
    lengths: number,
    shared: number,
  ): void
  /** Counts a block's entries by segment. */
  countSegments(
    column: number,
    hashes: number,
    count: number,
    first: number,
    modeKey: number,
    probeKey: number,
    limit: number,
    lengths: number,
    shared: number,
  ): void
  /** Writes a block's entries as records to their segments, of the segments from … to. */
  placeRecords(
    view: number,
    columns: number,
    hashes: number,
    values: number,
    weights: number,
    count: number,
    first: number,
    modeKey: number,
    probeKey: number,
    limit: number,
    from: number,
    to: number,
    scale: number,
    meanWeight: number,
    next: number,
    shared: number,
  ): void
  /** λ_max of H (R × R), with scratch for two vectors (R); for tests. */
  largestEigenvalue(H: number, v: number, w: number): number
  /** Finds the best rows for questions; `work` is the address of their description (TOP_…). */
  topRows(control: number, work: number): void
  /** A random 32-bit number of a stream; for tests. */
  draw(key: number, counter: number): number
  /** Maps 32 random bits to a number below n; for tests. */
  below(bits: number, n: number): number
}

/** Instantiates a compiled kernel over a memory. */
export function instantiateKernel(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernel {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  return exports as unknown as Kernel
}
