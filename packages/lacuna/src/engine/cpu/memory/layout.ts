/**
 * Where everything lies in the memory of a part. It follows from sizes alone, so that it can be planned and refused
 * before any memory is taken. Addresses are bytes. What every part holds lies at the same address in each.
 */
import {
  BLOCK_ROWS,
  CHUNK_BYTES,
  CONTROL_BYTES,
  LOADED_AT_A_TIME,
  MOST_GRAM_BLOCKS,
  NOISE_BINS,
  VIEW_OTHER_TABLES,
  VIEW_OTHERS,
} from '../../../kernels/solve/layout.ts'
import { layOutStrata, type StrataLayout } from '../setup/grid/grid.ts'
import { type Packing, packingOf } from '../setup/place/packing.ts'
import { paddedRank } from '../threads/kernel.ts'

/** A WebAssembly memory ends at 4 GiB. */
export const MOST_PARTITION_BYTES = 2 ** 32

/** The most lags of a mode. */
export const MOST_LAGS = 16

/** A partition of a problem: its WebAssembly memory, and the addresses of everything in it. */
export interface PartitionMemory {
  memory: WebAssembly.Memory
  layout: PartitionLayout
}

/** Addresses of everything that lies in the memory of a partition. */
export interface PartitionLayout {
  padded: number
  control: number
  /** Per thread. */
  scratch: readonly number[]
  modes: readonly ModeLayout[]
  /** The training entries by each mode, then one view, by the first mode, of each other set. */
  views: readonly ViewLayout[]
  partials: number
  arrivals: number
  /** Where parts exchange sums of shared rows: for each part, room for twice `exchangedSums` of them; see exchangeAddress. */
  exchange: number
  exchangedSums: number
  /** Where a prior is learned: numbers that all rows share, scratch per thread, and bins per chunk (posterior.ts). */
  posterior: number
  posteriorScratch: readonly number[]
  noiseSums: number
  /** The entries by the cells of a grid, where that was asked for; in the first part alone. */
  strata: StrataLayout | undefined
  /** Per mode, the factor last snapshot; in the first part alone. */
  snapshot: readonly number[]
  byteLength: number
  items: ReadonlyMap<string, number>
}

/** What every part holds of a mode. */
export interface ModeLayout {
  rows: number
  factor: number
  momentumFactor: number
  rowLengths: number
  /** v of the gradient step. */
  scale: number
  /** The mean of the factor's rows. */
  mean: number
  /** What the columns are multiplied by when they are balanced. */
  by: number
  /** Sums over the blocks of rows. */
  blockSums: number
  /** Tables of the rows that parts share: kernels/solve/rows/step.ts. */
  sharedRows: number
  /** Where a prior is learned: (P × R × R), (P), (P × 3) in float64, and (R × R) twice: Σ⁻¹ and σ² Σ⁻¹. */
  moments: number
  leverages: number
  rowSums: number
  precision: number
  prior: number
  /** … (P × R), (P) and (P), and how much each lag counts. */
  rowMeans: number
  couplingWeights: number
  variances: number
  lagWeights: number
  /** Where cells that are not listed are zeros: (R × R) for the kernels, and the sums that it is made of (zeros.ts). */
  gram: number
  products: number
  productSums: number
}

export interface ViewLayout {
  descriptor: number
  /** How many entries each row has, in all parts: of training entries, the mode's. */
  rowLengths: number
  /** The first segment of each row, of all parts' segments, and how many there are. */
  firstSegments: number
  segments: number
  recordStart: number
  entries: number
  /** Words of a record, and how the indices lie in it. */
  words: number
  packing: Packing
  records: number
  chunks: number
  chunkCount: number
  /** Two float64 per chunk, where errors can be asked for; else 0. */
  errorSums: number
  /** Per thread, where its next record of each segment goes while records are placed; none if all threads share that. */
  next: readonly number[]
}

/** The sizes that decide a part's layout. */
export interface PartitionSize {
  order: number
  rank: number
  threads: number
  momentumFactors: boolean
  zeros: boolean
  /** Whether a prior is learned. */
  posterior: boolean
  /** The entries, of all parts, that lie by the cells of a grid too; 0 where that was not asked for. */
  strata: number
  /** The most entries of a segment: threads sort segments in their scratch. */
  segment: number
  /** Rows per mode. */
  dims: readonly number[]
  /** Whether every index of a record takes a word of its own (packing.ts). */
  unpacked: boolean
  /** One per mode of the training entries, then the other sets. */
  views: readonly ViewSize[]
  /** The most sums over segments of long rows in a mode. */
  partials: number
  /** With other parts: how many there are, words of the tables of shared rows per mode, and sums handed over per row. */
  parts: number
  sharedWords: readonly number[]
  exchangedSums: number
  first: boolean
}

export interface ViewSize {
  /** For people: entries, validation … */
  name: string
  /** Whether its entries have weights. */
  weighted: boolean
  segments: number
  entries: number
  chunks: number
  hasErrors: boolean
  /** Whether each thread places records for itself. */
  ownCounters: boolean
}

export function layOut(size: PartitionSize): PartitionLayout {
  const { order, threads, momentumFactors, zeros, posterior, segment, dims, parts } = size
  const padded = paddedRank(size.rank)
  const rowBytes = 4 * padded
  const { take, items, end } = areas()

  const control = take('threads', CONTROL_BYTES)
  const modes = dims.map((rows, mode) => ({
    rows,
    factor: take('factors', rows * rowBytes),
    momentumFactor: momentumFactors ? take('factors', rows * rowBytes) : 0,
    rowLengths: take('factors', 4 * rows),
    scale: take('factors', rowBytes),
    mean: take('factors', rowBytes),
    by: take('factors', rowBytes),
    blockSums: take('factors', Math.ceil(rows / BLOCK_ROWS) * rowBytes),
    sharedRows: take('exchange', 4 * size.sharedWords[mode]),
    moments: posterior ? take('uncertainty', rows * padded * rowBytes) : 0,
    leverages: posterior ? take('uncertainty', 4 * rows) : 0,
    rowSums: posterior ? take('uncertainty', 24 * rows) : 0,
    precision: posterior ? take('uncertainty', padded * rowBytes) : 0,
    prior: posterior ? take('uncertainty', padded * rowBytes) : 0,
    rowMeans: posterior ? take('uncertainty', rows * rowBytes) : 0,
    couplingWeights: posterior ? take('uncertainty', 4 * rows) : 0,
    variances: posterior ? take('uncertainty', 4 * rows) : 0,
    lagWeights: posterior ? take('uncertainty', 4 * MOST_LAGS) : 0,
    gram: zeros ? take('factors', padded * rowBytes) : 0,
    products: zeros ? take('factors', 2 * padded * rowBytes) : 0,
    productSums: zeros || posterior ? take('factors', 2 * padded * rowBytes * gramBlocks(rows).count) : 0,
  }))
  const exchange = take('exchange', parts > 1 ? 2 * parts * size.exchangedSums * partialBytes(padded) : 0)
  const weighted = size.views.some((view) => view.weighted)
  const scratchSize = Math.max(
    scratchBytes(padded, order),
    sortScratchBytes(longestSegment(segment), order + (weighted ? 1 : 0)),
    blockBytes(order, weighted),
  )
  const scratch = Array.from({ length: threads }, () => take('threads', scratchSize))
  const views = size.views.map(({ name, weighted, segments, entries, chunks, hasErrors, ownCounters }, v) => {
    const mode = v < order ? v : 0
    const packing = packingOf(dims, mode, size.unpacked)
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
  const partials = take('partial sums', size.partials * partialBytes(padded))
  const arrivals = take('partial sums', 4 * size.partials)
  const shared = posterior ? take('uncertainty', 64) : 0
  const posteriorScratch = scratch.map(() => (posterior ? take('uncertainty', 5 * padded * rowBytes) : 0))
  const noiseSums = posterior ? take('uncertainty', 24 * NOISE_BINS * views[0].chunkCount) : 0
  const strata = size.first && size.strata > 0 ? layOutStrata(take, dims, size.strata) : undefined
  const snapshot = size.first ? dims.map((rows) => take('factors', rows * rowBytes)) : []
  return {
    padded,
    control,
    scratch,
    modes,
    views,
    partials,
    arrivals,
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

/** The blocks of rows over which the products of a factor's columns are summed. */
export function gramBlocks(rows: number): { perBlock: number; count: number } {
  const perBlock = BLOCK_ROWS * Math.ceil(rows / BLOCK_ROWS / MOST_GRAM_BLOCKS)
  return { perBlock, count: Math.ceil(rows / perBlock) }
}

/** Segments vary in length by chance; this many entries are beyond all of it. Longer ones are sorted elsewhere. */
export const longestSegment = (segment: number): number => Math.ceil(1.25 * segment + 64)

// The kernels know these too; the engine checks that they agree.
export const partialBytes = (padded: number): number => 4 * padded * (padded + 1) + 16
const blockEntries = (padded: number): number => (padded <= 64 ? 64 : padded <= 128 ? 32 : 16)
export const scratchBytes = (padded: number, order: number): number =>
  64 + 4 * blockEntries(padded) * (padded + 2 * order + 2) + partialBytes(padded) + 12 * padded
export const sortScratchBytes = (entries: number, words: number): number =>
  entries * (12 + 4 * words) + 8 + 4 * words

/** A block of entries as the kernels see it: columns, values, hashes and weights, and two words of a digest. */
export const blockBytes = (order: number, weighted: boolean): number =>
  (order + (weighted ? 3 : 2)) * 4 * LOADED_AT_A_TIME + 64 + 4 * order

/** Areas of memory one after another, each on cache lines of its own, and what they are for. */
export function areas(): {
  take(item: string, bytes: number): number
  items: ReadonlyMap<string, number>
  end(): number
} {
  const items = new Map<string, number>()
  let end = 0
  return {
    take(item, bytes) {
      const address = end
      end += Math.ceil(bytes / 64) * 64
      items.set(item, (items.get(item) ?? 0) + (end - address))
      return address
    },
    items,
    end: () => end,
  }
}

/** Where a part's sums are exchanged: those of the row that begins elsewhere end here, those of the other begin. */
export const exchangeAddress = ({ exchange, exchangedSums, padded }: PartitionLayout, part: number): number =>
  exchange + (2 * part + 1) * exchangedSums * partialBytes(padded)
