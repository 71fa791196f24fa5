/** The interface of the compiled kernels, and the ranks they are compiled for. */
import { InputError } from '../../../base/inputError.ts'

/**
 * The ranks that kernels are compiled for; a rank in between uses the next one, with rows padded with zeros.
 */
export const paddedRanks: readonly number[] = [
  ...Array.from({ length: 16 }, (_, i) => 4 * (i + 1)), // 4 … 64
  ...Array.from({ length: 8 }, (_, i) => 64 + 8 * (i + 1)), // 72 … 128
  ...Array.from({ length: 8 }, (_, i) => 128 + 16 * (i + 1)), // 144 … 256
]
/** The largest rank. */
export const LARGEST_RANK = paddedRanks[paddedRanks.length - 1]

/** The padded rank of a rank; throws an InputError beyond the largest. */
export function paddedRank(rank: number): number {
  const padded = paddedRanks.find((r) => r >= rank)
  if (padded === undefined)
    throw new InputError('option', `The rank is ${rank}; it can be at most ${LARGEST_RANK}.`)
  return padded
}

/**
 * The exports of kernels/solve/index.ts. Addresses are bytes in the shared memory; a view is the address of
 * its description.
 */
export interface Kernel {
  setScratch(address: number): void
  setPosteriorScratch(address: number): void
  setPosterior(rank: number, sigma2: number, frozen: number, certain: number): void
  setNoise(weighted: number, constant: number, linear: number, quadratic: number, least: number): void
  setRowNoise(byRows: number, deviations: number): void
  startMoments(factor: number, moments: number, rows: number, thread: number, threads: number): void
  sumMoments(
    moments: number,
    rows: number,
    lengths: number,
    perBlock: number,
    sums: number,
    thread: number,
    threads: number,
  ): void
  noiseMoments(control: number, view: number, mean: number, sums: number): void
  scratchBytes(order: number): number
  partialBytes(): number
  sortScratchBytes(entries: number, words: number): number
  barrier(control: number): void
  setPaperStep(c: number, lambda: number, first: number, skip: number): void
  setFastStep(kind: number, c: number, lambda: number, momentum: number, damping: number): void
  strataEpoch(
    strata: number,
    rate: number,
    least: number,
    turn: number,
    thread: number,
    threads: number,
    spins: number,
  ): void
  toBlockOrder(
    factor: number,
    positions: number,
    rows: number,
    into: number,
    thread: number,
    threads: number,
  ): void
  fromBlockOrder(
    from: number,
    positions: number,
    rows: number,
    factor: number,
    thread: number,
    threads: number,
  ): void
  step(control: number, view: number, key: number, thread: number): void
  countPartialSums(view: number, row: number, key: number, begin: number, end: number): number
  writePartialSums(
    view: number,
    row: number,
    key: number,
    slots: number,
    address: number,
    beginsHere: boolean,
  ): void
  finishSharedRow(view: number, row: number, key: number, table: number): void
  errorSums(control: number, view: number, sums: number, zeros: number): void
  valueSums(control: number, view: number, sums: number): void
  weightSums(control: number, view: number, sums: number): void
  sumProducts(
    factor: number,
    rows: number,
    perBlock: number,
    sums: number,
    thread: number,
    threads: number,
  ): void
  sumSquares(
    factor: number,
    rows: number,
    lengths: number,
    sums: number,
    thread: number,
    threads: number,
  ): void
  sumRows(factor: number, rows: number, lengths: number, sums: number, thread: number, threads: number): void
  scaleColumns(factor: number, rows: number, by: number, thread: number, threads: number): void
  fillEmptyRows(
    factor: number,
    rows: number,
    lengths: number,
    row: number,
    thread: number,
    threads: number,
  ): void
  sortChunks(
    view: number,
    hashKey: number,
    modeKey: number,
    scratch: number,
    most: number,
    thread: number,
    threads: number,
  ): number
  hashBlock(columns: number, order: number, count: number, key: number, hashes: number): void
  hasFault(columns: number, order: number, sizes: number, values: number, count: number): number
  sumOfSquares(values: number, count: number): number
  addToDigest(hashes: number, values: number, weights: number, count: number, digest: number): void
  countRows(column: number, count: number, lengths: number, shared: number): void
  splitValues(values: number, count: number, perUnit: number, halves: number): void
  addSplitValues(column: number, count: number, halves: number, sums: number): void
  countProbeRows(
    column: number,
    hashes: number,
    count: number,
    probeKey: number,
    limit: number,
    lengths: number,
    shared: number,
  ): void
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
  largestEigenvalue(H: number, v: number, w: number): number
  topRows(control: number, work: number): void
  draw(key: number, counter: number): number
  below(bits: number, n: number): number
}

/** An instance of a kernel over a memory. */
export function instantiateKernel(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernel {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  return exports as unknown as Kernel
}
