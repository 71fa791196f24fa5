import type { InputErrorCode, Sentence } from '../../../base/inputError.ts'
import type { Ranks } from '../../../comm/index.ts'
import type { SparseTensor } from '../../../tensor/index.ts'
import type { Iterations, SideInformation, Timed } from '../../engine.ts'
import type { PartitionMemory } from '../memory/layout.ts'
import type { CounterLayout } from '../setup/count/counterLayout.ts'
import type { OrderKeys } from '../setup/place/order.ts'

/** A set of entries as a view shows it, by one mode. */
export interface ViewSource {
  tensor: SparseTensor
  mode: number
  /** Only the entries whose place in the order of the probe is below this; else all. */
  below?: number
  /** Of the weights of all entries of the set, where they have weights: they are divided by it. */
  meanWeight?: number
}

/** What is to be loaded; the arrays lie over shared memory, where there is any. */
export interface CountInput {
  views: readonly ViewSource[]
  keys: OrderKeys
  /** Where rows and segments are counted. */
  layout: CounterLayout
}

export interface PlaceInput extends Omit<CountInput, 'layout'> {
  /** Per view, the first segment of each part, and how many there are. */
  borders: readonly (readonly number[])[]
  valueScale: number
  /** What each thread has counted, where it places what it counted. */
  counting?: { memory: WebAssembly.Memory; layout: CounterLayout }
}

/** What a thread must know of a problem. */
export interface ThreadSetup {
  thread: number
  threads: number
  parts: readonly PartitionMemory[]
  /** Per view, the most entries of a row that is one segment. */
  segments: readonly number[]
  /** Whether cells that are not listed are zeros. */
  zeros: boolean
  rank: number
  posterior: boolean
  /** What is known of rows beside their entries, per mode: for the first thread, and which modes have any for the others. */
  sideInformation?: readonly (SideInformation | undefined)[]
  /** Per mode, how many rows have entries. */
  observed: readonly number[]
  /** The number, among all processes' parts, of the first of these. */
  firstPart: number
  /** Per view of which errors can be asked: the sums of all processes' chunks, and where those of each part begin. */
  errorSums: readonly { sums: Float64Array; firstChunks: readonly number[] }[]
  /** Σ y² and Σ y over all cells, where those that are not listed are zeros. */
  totals: Float64Array
  /** Where a prior is learned: bins of noise of all processes' chunks of the first view. */
  noiseSums: Float64Array
  /** Per mode and part, the rows that are its alone. */
  owned: readonly (readonly { from: number; to: number }[])[]
  /** Per mode, the rows that parts share. */
  shared: readonly (readonly SharedRowPlan[])[]
}

/** A row that several parts share, and how its sums are exchanged. */
export interface SharedRowPlan {
  row: number
  /** Where its table is, from the mode's tables on. */
  table: number
  /** Those that have segments begin … end of it: where the sums of its segment 0 would be; whether it begins there. */
  parts: readonly { part: number; begin: number; end: number; slots: number; beginsHere: boolean }[]
}

/** Entries of this process that are sent to the processes that own them. */
export interface OutgoingEntries {
  /** The views that show these entries. */
  group: readonly number[]
  from: number
  to: number
  /** Words for each process, by thread and process; what is written goes from these places on. */
  places: Uint32Array
  /** Undefined as long as they are only counted. */
  outgoing?: Uint32Array
}

/** Entries that have come, each with its indices, its value and its weight, if any, for the views of a group. */
export interface IncomingEntries {
  group: readonly number[]
  words: Uint32Array
  entries: number
}

/** How the cells of a grid of rows are filled (cells.ts). */
export interface CellInput {
  /** Per mode, the block of each row. */
  blocks: readonly Uint32Array[]
  /** Per thread and cell. */
  counters: Uint32Array
  /** Where there are several processes: the indices and values of all their entries. */
  entries?: Uint32Array
}

/** What the main thread asks of the threads of a problem; each answers once. */
export type Request =
  /** `ranks`: for threads that do not exchange anything with other processes themselves. */
  | { type: 'connect'; module: string; options: unknown; ranks?: Ranks }
  | { type: 'disconnect' }
  | { type: 'broadcast'; numbers: Float64Array }
  | { type: 'allReduce'; counts: readonly Uint32Array[] }
  | { type: 'allGather'; words: Uint32Array; starts: readonly number[]; lengths: readonly number[] }
  | { type: 'allToAll'; outgoing: Uint32Array; lengths: readonly number[]; incoming: Uint32Array }
  | { type: 'pack'; problem: number; placing: PlaceInput; packing: OutgoingEntries }
  | { type: 'placeIncoming'; problem: number; placing: PlaceInput; incoming: IncomingEntries }
  | ({ type: 'count' } & CountRequest)
  | ({ type: 'countSegments'; long: readonly number[] } & CountRequest)
  | { type: 'open'; problem: number; setup: ThreadSetup; module: WebAssembly.Module }
  /** Entries that are all here are placed and sorted at once; the answer: seconds of placing, and how many repeat others. */
  | { type: 'place'; problem: number; placing: PlaceInput }
  | { type: 'sort'; problem: number; placing: PlaceInput }
  | { type: 'fillCells'; problem: number; filling: CellInput }
  | { type: 'iterate'; problem: number; run: Iterations; skip: number }
  | { type: 'errors'; problem: number; views: readonly number[] }
  /** In place of errors, those of factors that are zero, and the sums of the weights. */
  | { type: 'values' | 'weights'; problem: number; views: readonly number[] }
  /** The best rows for many questions, in a memory of their own. */
  | {
      type: 'top'
      module: WebAssembly.Module
      memory: WebAssembly.Memory
      control: number
      work: number
    }
  /** What the values of each row add up to, in a memory of its own. */
  | { type: 'totals'; module: WebAssembly.Module; memory: WebAssembly.Memory; totalling: TotalsInput }
  | {
      type: 'balance' | 'fillEmptyRows' | 'gatherMomentumFactors' | 'keep' | 'restore' | 'close'
      problem: number
    }

/** Sums over all entries, of which each thread takes a share. */
export interface TotalsInput {
  tensor: SparseTensor
  /** Values are whole numbers of these. */
  unit: number
  /** Where each thread has its block, and the sums of its own. */
  threads: readonly { block: number; halves: number; counts: readonly number[]; sums: readonly number[] }[]
  thread: number
}

/** Before there are parts, in a memory of its own. */
interface CountRequest {
  module: WebAssembly.Module
  memory: WebAssembly.Memory
  loading: CountInput
  thread: number
}

/** Of a failure that the user can mend, what it takes to say it again on the other side. */
export type Reply =
  | { answer: Answer }
  | { failure: string; input?: { code: InputErrorCode; sentence: Sentence } }

/** What a thread found, if that was asked for. */
// biome-ignore lint/suspicious/noConfusingVoidType: most requests are answered by having been done
export type Answer = Timed | CountResult | Ranks | number[] | undefined | void

export interface CountResult {
  /** Σ x² of the training entries, in no particular order. */
  squares: number
  /** Two words for each tensor that tell its entries from others: sums of hashes. */
  digest: number[]
  /** The first entry that is none: its index in a mode is too large, or its value not finite. */
  fault?: { view: number; entry: number; mode?: number }
}
