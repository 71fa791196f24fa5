/** The messages between the main thread and worker threads. */
import type { InputErrorCode, Sentence } from '../../../base/inputError.ts'
import type { Ranks } from '../../../comm/index.ts'
import type { SparseTensor } from '../../../tensor/index.ts'
import type { Covariances, Iterations, SideInformation, Timed } from '../../engine.ts'
import type { PartitionMemory } from '../memory/layout.ts'
import type { CounterLayout } from '../setup/count/counterLayout.ts'
import type { OrderKeys } from '../setup/place/order.ts'

/** The entries of a view, and the mode by whose rows they are stored. */
export interface ViewSource {
  tensor: SparseTensor
  mode: number
  /**
   * For the probe: only entries whose position in the probe's order is below this; all entries by default.
   */
  below?: number
  /**
   * The mean weight of the set's entries, by which weights are divided; undefined if they have no weights.
   */
  meanWeight?: number
}

/** The input of counting. Arrays are in shared memory, if there is any. */
export interface CountInput {
  views: readonly ViewSource[]
  keys: OrderKeys
  /** The layout of the counters. */
  layout: CounterLayout
}

/** The input of placing and sorting records. */
export interface PlaceInput extends Omit<CountInput, 'layout'> {
  /** Per view, the first segment of each partition, and the number of all segments. */
  borders: readonly (readonly number[])[]
  /** The power of two by which values are multiplied. */
  valueScale: number
  /** The counters of each thread, if threads place what they have counted. */
  counting?: { memory: WebAssembly.Memory; layout: CounterLayout }
}

/** The position of a thread among others that divide work. */
export interface ThreadPosition {
  /** The number of the thread, from 0. */
  thread: number
  /** The number of threads. */
  threads: number
}

/** Everything that a thread needs to work on a problem. */
export interface ThreadSetup {
  /** The number of this thread in its thread group, from 0. */
  thread: number
  /** The threads of the group. */
  threads: number
  /** The number of this thread in its process, and the threads there. */
  inProcess: ThreadPosition
  /** The partitions of the thread group. */
  parts: readonly PartitionMemory[]
  /** Per view, the most entries of a row that is one segment. */
  segments: readonly number[]
  /** Whether unlisted cells are zeros. */
  zeros: boolean
  /** R, not padded. */
  rank: number
  /** The covariances of 'posterior' steps; undefined if none will follow. */
  posterior: Covariances | undefined
  /** Per mode, side information: complete for the first thread; for the others, whether there is any. */
  sideInformation?: readonly (SideInformation | undefined)[]
  /** Per mode, the number of rows with entries. */
  observed: readonly number[]
  /** The number of the first of these partitions among those of all thread groups. */
  firstPart: number
  /** Per view, the error sums of all processes' chunks, and the first chunk of each partition. */
  errorSums: readonly { sums: Float64Array; firstChunks: readonly number[] }[]
  /** Where unlisted cells are zeros: Σ y² and Σ y over all cells. */
  totals: Float64Array
  /** Under a learned prior: the noise bins of all processes' chunks of the first view. */
  noiseSums: Float64Array
  /** Per mode and partition, the rows that only it has segments of. */
  owned: readonly (readonly { from: number; to: number }[])[]
  /** Per mode, the shared rows. */
  shared: readonly (readonly SharedRowPlan[])[]
}

/** A row with segments in several partitions, and the exchange of its partial sums. */
export interface SharedRowPlan {
  row: number
  /** The offset in bytes of its table in the mode's tables. */
  table: number
  /**
   * The partitions with segments begin … end of it: the slot that its segment 0 would have there, and whether
   * the row begins there.
   */
  parts: readonly { part: number; begin: number; end: number; slots: number; beginsHere: boolean }[]
}

/** Entries of this process that are sent to the processes that own them. */
export interface OutgoingEntries {
  /** The numbers of the views of these entries. */
  group: readonly number[]
  /** The range of entries, from … to. */
  from: number
  to: number
  /** Per thread and process, the words to send; then the offset of the next word in `outgoing`. */
  offsets: Uint32Array
  /** Receives the words; undefined in the first pass, which only counts them. */
  outgoing?: Uint32Array
}

/**
 * Entries that have arrived from other processes, for the views of a group.
 */
export interface IncomingEntries {
  /** The numbers of the views of these entries. */
  group: readonly number[]
  /** The indices, the value and, if there are weights, the weight of each entry. */
  words: Uint32Array
  /** Number of entries. */
  entries: number
}

/**
 * Requests of the main thread to the threads of a problem; each thread answers each once. `threads` is the number
 * of the problem's threads that got the request; all of them by default.
 */
export type Request = TypedRequest & { threads?: number }

/** A request, by its type. */
type TypedRequest =
  /** `ranks`: for threads that do not exchange anything with other processes themselves. */
  | { type: 'connect'; module: string; options: unknown; ranks?: Ranks }
  | { type: 'disconnect' }
  | { type: 'broadcast'; numbers: Float64Array }
  | { type: 'allReduce'; counts: readonly Uint32Array[] }
  | { type: 'allGather'; words: Uint32Array; starts: readonly number[]; lengths: readonly number[] }
  | { type: 'allToAll'; outgoing: Uint32Array; lengths: readonly number[]; incoming: Uint32Array }
  | { type: 'shareMemory'; buffer: ArrayBufferLike }
  | { type: 'pack'; problem: number; input: PlaceInput; outgoing: OutgoingEntries }
  | { type: 'placeIncoming'; problem: number; input: PlaceInput; incoming: IncomingEntries }
  | ({ type: 'count' } & CountRequest)
  | ({ type: 'countSegments'; long: readonly number[] } & CountRequest)
  | { type: 'open'; problem: number; setup: ThreadSetup; module: WebAssembly.Module }
  /**
   * Places the entries of the thread group and sorts them, or only sorts those that have been placed. The
   * answer: seconds of placing, and the number of repeated entries.
   */
  | { type: 'place' | 'sort'; problem: number; input: PlaceInput }
  /** `gathered`: with several thread groups, the row and the record of all their entries. */
  | { type: 'fillCells'; problem: number; gathered?: Uint32Array }
  | { type: 'iterate'; problem: number; run: Iterations; skip: number }
  | { type: 'errors'; problem: number; views: readonly number[] }
  /** Sums of values or of weights, in the memory of error sums. */
  | { type: 'values' | 'weights'; problem: number; views: readonly number[] }
  /** The best rows for many questions, in a memory of their own. */
  | {
      type: 'top'
      module: WebAssembly.Module
      memory: WebAssembly.Memory
      control: number
      work: number
    }
  /** Sums of the values of each row, in a memory of their own. */
  | { type: 'totals'; module: WebAssembly.Module; memory: WebAssembly.Memory; input: TotalsInput }
  | {
      type: 'balance' | 'fillEmptyRows' | 'gatherMomentumFactors' | 'snapshot' | 'restore' | 'close'
      problem: number
    }

/** The input of counting entries and summing values per row (setup/rowTotals.ts). */
export interface TotalsInput {
  tensor: SparseTensor
  /** The unit of which values are whole multiples. */
  unit: number
  /**
   * Per thread, the addresses of its block, of the block's split values, and per mode of its counts and sums.
   */
  threads: readonly { block: number; halves: number; counts: readonly number[]; sums: readonly number[] }[]
  thread: number
}

/** A request to count entries, before there are partitions, in a memory of its own. */
interface CountRequest {
  module: WebAssembly.Module
  memory: WebAssembly.Memory
  input: CountInput
  /** The number of the thread in its thread group. */
  thread: number
  /** The number of the thread in its process, and the threads there. */
  inProcess: ThreadPosition
}

/** The reply of a worker: an answer, or a failure; an InputError is passed on with its code and sentence. */
export type Reply =
  | { answer: Answer }
  | { failure: string; input?: { code: InputErrorCode; sentence: Sentence } }

/** The answer of a thread to a request; undefined if there is nothing to report. */
// biome-ignore lint/suspicious/noConfusingVoidType: most requests are answered by having been done
export type Answer = Timed | CountResult | Ranks | number[] | boolean | undefined | void

/** The result of counting. */
export interface CountResult {
  /** Σ x² of the training entries; the order of the additions is not fixed. */
  squares: number
  /** Two words per tensor: sums of hashes, independent of the order of the entries. */
  digest: number[]
  /** The first invalid entry: an index in a mode is too large, or its value is not finite. */
  fault?: { view: number; entry: number; mode?: number }
}
