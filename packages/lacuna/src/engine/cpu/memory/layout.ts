/**
 * The memory layout of a partition. It follows from sizes alone, so that it can be planned, and refused,
 * before memory is allocated. Addresses are in bytes. What every partition holds has the same address in each
 * of them. P is the number of rows of a mode; R is padded (`padded`).
 */
import {
  BLOCK_ROWS,
  CHUNK_BYTES,
  CONTROL_BYTES,
  GROUPS,
  NOISE_BINS,
  VIEW_OTHER_TABLES,
  VIEW_OTHERS,
} from '../../../kernels/solve/layout.ts'
import type { Covariances } from '../../engine.ts'
import { layOutStrata, type StrataLayout } from '../setup/grid/grid.ts'
import { type Packing, packingOf } from '../setup/place/packing.ts'
import { paddedRank } from '../threads/kernel.ts'
import {
  areaAllocator,
  blockBytes,
  gramBlocks,
  longestSegment,
  matricesOf,
  partialBytes,
  scratchBytes,
  sortScratchBytes,
} from './areaSizes.ts'

/** The most bytes of a partition: WebAssembly memories end at 4 GiB. */
export const MOST_PARTITION_BYTES = 2 ** 32

/** The most lags (distances between coupled rows) of a mode. */
export const MOST_LAGS = 16

/** A partition of a problem: its WebAssembly memory, and the addresses of everything in it. */
export interface PartitionMemory {
  memory: WebAssembly.Memory
  layout: PartitionLayout
}

/** Addresses of everything that lies in the memory of a partition. */
export interface PartitionLayout {
  /** R, padded to a rank that kernels are compiled for. */
  padded: number
  /** The control block (CONTROL_… of kernels/solve/layout.ts). */
  control: number
  /** Per thread, its scratch. */
  scratch: readonly number[]
  modes: readonly ModeLayout[]
  /** The training entries by each mode, then one view, by the first mode, of each other set. */
  views: readonly ViewLayout[]
  /** Partial sums over the segments of long rows, and per partial sum whether it has arrived. */
  partials: number
  arrivals: number
  /** Bytes of a partial sum. */
  sumBytes: number
  /**
   * Room for the partial sums of shared rows that partitions exchange: twice `exchangedSums` per partition
   * (exchangeAddress).
   */
  exchange: number
  exchangedSums: number
  /**
   * Under a learned prior: numbers that all rows share, scratch per thread, and noise bins per chunk
   * (steps/posterior).
   */
  posterior: number
  posteriorScratch: readonly number[]
  noiseSums: number
  /** The grid of stratified SGD, if it was requested; in the first partition only. */
  strata: StrataLayout | undefined
  /** Per mode, the factor of the last snapshot; in the first partition only. */
  snapshot: readonly number[]
  /** Bytes of the whole memory. */
  byteLength: number
  /** Bytes by purpose, for messages. */
  items: ReadonlyMap<string, number>
}

/** Addresses of the arrays of a mode that every partition holds. */
export interface ModeLayout {
  /** P, a number of rows, not an address. */
  rows: number
  /** (P × R) */
  factor: number
  /** (P × R); 0 if the problem has no momentum factors. */
  momentumFactor: number
  /** (P) Entries of each row in all partitions. */
  rowLengths: number
  /** v of the gradient step (R). */
  scale: number
  /** The mean of the factor's rows (R). */
  mean: number
  /** The factors by which balancing multiplies the columns (R). */
  columnScales: number
  /** Sums over the blocks of rows (blocks × R). */
  blockSums: number
  /** Tables of the shared rows (kernels/solve/rows/step.ts). */
  sharedRows: number
  /**
   * Under a learned prior: moments (P × R × R, or slots × R × R), leverages (P), sums of rows (P × 3,
   * float64), Σ⁻¹ and σ² Σ⁻¹ (R × R).
   */
  moments: number
  leverages: number
  rowSums: number
  precision: number
  prior: number
  /**
   * Under a learned prior: prior means (P × R), coupling weights (P), noise variances (P), and the weight of
   * each lag.
   */
  rowMeans: number
  couplingWeights: number
  variances: number
  lagWeights: number
  /**
   * Where covariances are those of groups of rows: the group of each row (P), the sampled rows before each
   * row (P + 1), V of each group and then the mean of a aᵀ over the entries (GROUPS + 1 matrices), and the
   * sums that this mean is made of.
   */
  groups: number
  slots: number
  covariances: number
  weightedSums: number
  /**
   * Where unlisted cells are zeros: Σ k kᵀ over all cells of a row (R × R), and the sums that it is made of
   * (zeros.ts).
   */
  gram: number
  products: number
  productSums: number
}

/** Addresses and sizes of a view in a partition. */
export interface ViewLayout {
  /** The description of the view (VIEW_… of kernels/solve/layout.ts). */
  descriptor: number
  /** (P) Entries of each row in all partitions; of the training entries, the mode's. */
  rowLengths: number
  /** (P + 1) The number of each row's first segment, counted over all partitions. */
  firstSegments: number
  /** Number of segments in this partition. */
  segments: number
  /** (segments + 1) The number of each segment's first record. */
  recordStart: number
  /** Number of entries in this partition. */
  entries: number
  /** Words of a record, and the packing of its indices. */
  words: number
  packing: Packing
  /** (entries × words) */
  records: number
  /** (chunkCount × CHUNK_BYTES) */
  chunks: number
  chunkCount: number
  /** (chunks × 2, float64) Error sums, if errors can be measured on the view; 0 otherwise. */
  errorSums: number
  /**
   * Per thread, (segments) the number of its next record in each segment, while records are placed; empty if
   * threads share the counters.
   */
  next: readonly number[]
}

/** The sizes that determine a partition's layout. */
export interface PartitionSize {
  /** N */
  order: number
  rank: number
  threads: number
  momentumFactors: boolean
  zeros: boolean
  /** The covariances of a learned prior, if one is learned. */
  posterior: Covariances | undefined
  /**
   * The entries of all partitions, if they are also stored by the cells of a grid (stratified SGD); 0
   * otherwise.
   */
  strata: number
  /** The most entries of a segment: threads sort segments in their scratch. */
  segment: number
  /** Rows per mode. */
  dims: readonly number[]
  /** One per mode of the training entries, then the other sets. */
  views: readonly ViewSize[]
  /** The most partial sums over segments of long rows in a mode. */
  partials: number
  /**
   * The number of partitions; per mode the words of the tables of shared rows; and the most partial sums
   * exchanged per row.
   */
  parts: number
  sharedWords: readonly number[]
  exchangedSums: number
  /** Whether this is the first partition of its process, which alone holds the grid and the snapshot. */
  isFirst: boolean
}

/** The size of a view in a partition. */
export interface ViewSize {
  /** The purpose of the memory in messages: entries, validation … */
  name: string
  /** Whether its entries have weights. */
  weighted: boolean
  segments: number
  entries: number
  chunks: number
  /** Whether errors are measured on the view. */
  hasErrors: boolean
  /** Whether each thread has its own counters of records. */
  ownCounters: boolean
}

/** Lays out the memory of a partition: assigns an address to everything in it; allocates nothing. */
export function layOut(size: PartitionSize): PartitionLayout {
  const { order, threads, momentumFactors, zeros, posterior, segment, dims, parts } = size
  const padded = paddedRank(size.rank)
  const rowBytes = 4 * padded
  const isGrouped = posterior === 'groups'
  const sumBytes = partialBytes(padded, isGrouped ? order - 1 : 0)
  const { take, items, end } = areaAllocator()

  const control = take('threads', CONTROL_BYTES)
  const modes = dims.map((rows, mode) => ({
    rows,
    factor: take('factors', rows * rowBytes),
    momentumFactor: momentumFactors ? take('factors', rows * rowBytes) : 0,
    rowLengths: take('factors', 4 * rows),
    scale: take('factors', rowBytes),
    mean: take('factors', rowBytes),
    columnScales: take('factors', rowBytes),
    blockSums: take('factors', Math.ceil(rows / BLOCK_ROWS) * rowBytes),
    sharedRows: take('exchange', 4 * size.sharedWords[mode]),
    moments: posterior ? take('uncertainty', matricesOf(posterior, rows, padded) * padded * rowBytes) : 0,
    leverages: posterior ? take('uncertainty', 4 * rows) : 0,
    rowSums: posterior ? take('uncertainty', 24 * rows) : 0,
    precision: posterior ? take('uncertainty', padded * rowBytes) : 0,
    prior: posterior ? take('uncertainty', padded * rowBytes) : 0,
    rowMeans: posterior ? take('uncertainty', rows * rowBytes) : 0,
    couplingWeights: posterior ? take('uncertainty', 4 * rows) : 0,
    variances: posterior ? take('uncertainty', 4 * rows) : 0,
    lagWeights: posterior ? take('uncertainty', 4 * MOST_LAGS) : 0,
    groups: isGrouped ? take('uncertainty', 4 * rows) : 0,
    slots: isGrouped ? take('uncertainty', 4 * (rows + 1)) : 0,
    covariances: isGrouped ? take('uncertainty', (GROUPS + 1) * padded * rowBytes) : 0,
    weightedSums: isGrouped ? take('uncertainty', 2 * padded * rowBytes * gramBlocks(rows).count) : 0,
    gram: zeros ? take('factors', padded * rowBytes) : 0,
    products: zeros ? take('factors', 2 * padded * rowBytes) : 0,
    productSums: zeros || posterior ? take('factors', 2 * padded * rowBytes * gramBlocks(rows).count) : 0,
  }))
  const exchange = take('exchange', parts > 1 ? 2 * parts * size.exchangedSums * sumBytes : 0)
  const weighted = size.views.some((view) => view.weighted)
  const scratchSize = Math.max(
    scratchBytes(padded, order),
    sortScratchBytes(longestSegment(segment), order + (weighted ? 1 : 0)),
    blockBytes(order, weighted),
  )
  const scratch = Array.from({ length: threads }, () => take('threads', scratchSize))
  const views = size.views.map(({ name, weighted, segments, entries, chunks, hasErrors, ownCounters }, v) => {
    const mode = v < order ? v : 0
    const packing = packingOf(dims, mode)
    const words = packing.words + (weighted ? 2 : 1)
    return {
      descriptor: take(name, VIEW_OTHERS + 4 * VIEW_OTHER_TABLES * order),
      rowLengths: v < order ? modes[v].rowLengths : take(name, 4 * dims[0]),
      firstSegments: take(name, 4 * (dims[mode] + 1)),
      segments,
      recordStart: take(name, 4 * (segments + 1)),
      entries,
      words,
      packing,
      records: take(name, 4 * words * entries),
      chunks: take(name, CHUNK_BYTES * chunks),
      chunkCount: chunks,
      errorSums: hasErrors ? take(name, 16 * chunks) : 0,
      next: ownCounters ? scratch.map(() => take(name, 4 * segments)) : [],
    }
  })
  const partials = take('partial sums', size.partials * sumBytes)
  const arrivals = take('partial sums', 4 * size.partials)
  const shared = posterior ? take('uncertainty', 64) : 0
  const posteriorScratch = scratch.map(() => (posterior ? take('uncertainty', 5 * padded * rowBytes) : 0))
  const noiseSums = posterior ? take('uncertainty', 24 * NOISE_BINS * views[0].chunkCount) : 0
  const strata = size.isFirst && size.strata > 0 ? layOutStrata(take, dims, size.strata, threads) : undefined
  const snapshot = size.isFirst ? dims.map((rows) => take('factors', rows * rowBytes)) : []
  return {
    padded,
    control,
    scratch,
    modes,
    views,
    partials,
    arrivals,
    sumBytes,
    exchange,
    exchangedSums: size.exchangedSums,
    posterior: shared,
    posteriorScratch,
    noiseSums,
    strata,
    snapshot,
    byteLength: end(),
    items,
  }
}

/**
 * The address at which a partition's partial sums of shared rows are exchanged: those of the row that begins
 * in an earlier partition end there, those of the row that continues in a later one begin there.
 */
export const exchangeAddress = (
  { exchange, exchangedSums, sumBytes }: PartitionLayout,
  part: number,
): number => exchange + (2 * part + 1) * exchangedSums * sumBytes
