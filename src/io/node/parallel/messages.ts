/** What the threads that read are asked, and answer. */
import type { Layout } from '../../tns/fault.ts'

/** Of which block the threads take the next one, and the first that no thread could take; each in a place of its own. */
export const NEXT = 0
export const FAULT = 1
/** No block is faulty. */
export const NONE = 2 ** 31 - 1

/** A file that is cut into blocks of bytes: a block has the lines that begin in it. */
export interface Blocks {
  /** Threads of a process share what it has opened. */
  fd: number
  byteLength: number
  blockBytes: number
  /** At NEXT and FAULT. */
  state: Int32Array
}

/** The first look at a .tns file: how many lines the blocks have. */
export interface CountRequest {
  ask: 'count'
  file: Blocks
  module: WebAssembly.Module
  layout: Layout
  /** The largest index of each mode. */
  limits: readonly number[]
  /** Per block, to be filled in. */
  lines: Uint32Array
  entries: Uint32Array
}

/** The second: the entries of each block go to their places. Comes after the first, for the same file. */
export interface ParseRequest {
  ask: 'parse'
  /** Per block, how many entries come before. */
  before: Float64Array
  indices: readonly Uint32Array[]
  values: Float32Array
}

export interface ParseAnswer {
  /** Per mode, the largest index found. */
  largest: number[]
  anyNegative: boolean
  /** Of blocks with lines that are no entries: how many entries of the block come before each of these. */
  skipped: { block: number; before: Uint32Array }[]
}

/** Whether entries have the same coordinates, in three steps: entries are counted by hashes, dealt to parts, compared. */
export interface DistinctRequest {
  ask: 'countHashes' | 'dealHashes' | 'compareHashes'
  indices: readonly Uint32Array[]
  count: number
  /** The leading bits of a hash that say which part. */
  bits: number
  /** Per thread and part: how many entries; then where the next of them goes. */
  places: Uint32Array
  /** Part by part: of the entries, hashes and numbers. */
  hashes: Uint32Array
  numbers: Uint32Array
  /** Where each part ends. */
  ends: Uint32Array
  /** At NEXT the part to be taken; at FAULT what is not NONE if some are the same. */
  state: Int32Array
}

export type Request = CountRequest | ParseRequest | DistinctRequest

/** What comes back: the answer, or what went wrong. */
export type Reply = { answer: unknown } | { failure: string }
