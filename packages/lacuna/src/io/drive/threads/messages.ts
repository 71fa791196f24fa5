/** The requests to the threads that read, and their answers. */

import type { Dialect, LineRun, Marks, ModeDictionary, ReadPlan, TableColumn } from '../../table/index.ts'
import type { Layout } from '../../tns/index.ts'

/** Position in the shared state: the next block to be taken, or the number of rows read. */
export const NEXT = 0
/** Position in the shared state: the first block that could not be parsed. */
export const FAULT = 1
/** The value at FAULT if no block is faulty. */
export const NONE = 2 ** 31 - 1

/** A file that is cut into blocks of bytes: a block has the lines that begin in it. */
export interface Blocks {
  /** The file descriptor, which all threads of the process share. */
  fd: number
  byteLength: number
  blockBytes: number
  /** Shared state, at NEXT and FAULT. */
  state: Int32Array
}

/** Asks for the number of lines and entries of each block of a .tns file. */
export interface CountRequest {
  ask: 'count'
  file: Blocks
  module: WebAssembly.Module
  layout: Layout
  /** The largest index of each mode. */
  limits: readonly number[]
  /** Per block, filled in by the threads; entries likewise. */
  lines: Uint32Array
  entries: Uint32Array
}

/**
 * Asks to parse the blocks of the file of the preceding CountRequest, and to write the entries to their
 * positions.
 */
export interface ParseRequest {
  ask: 'parse'
  /** Per block, the number of entries before it. */
  before: Float64Array
  indices: readonly Uint32Array[]
  values: Float32Array
}

/** The findings of a thread in its blocks. */
export interface ParseAnswer {
  /** Per mode, the largest index found. */
  largest: number[]
  anyNegative: boolean
  /** Per block with lines that are no entries: the number of the block's entries before each such line. */
  skipped: { block: number; before: Uint32Array }[]
}

/**
 * Whether entries have the same coordinates: first all are hashed, then each thread compares those of its
 * share of all hashes.
 */
export interface DistinctRequest {
  ask: 'hash' | 'compare'
  module: WebAssembly.Module
  indices: readonly Uint32Array[]
  /** To be filled in: one for each entry. */
  hashes: Uint32Array
  /** Into how many parts, each of which fits in the cache, a thread deals its share. */
  parts: number
  /**
   * To be filled in: per thread, how many of the entries that it hashed belong to each part of all threads.
   */
  counts: Uint32Array
  /** At FAULT: what is not NONE if some are the same. */
  state: Int32Array
}

/**
 * Files of the same columns that are one table as text. Each thread has a range of the bytes: the rows that
 * begin in it.
 */
export interface TextFiles {
  files: readonly TextFile[]
  dialect: Dialect
  columns: readonly TableColumn[]
  module: WebAssembly.Module
  /** At NEXT: how many rows have been read. */
  state: Int32Array
}

/** An open file. */
export interface TextFile {
  fd: number
  byteLength: number
  /** The name that messages use; no two files have the same. */
  name: string
}

/** The bytes of each file that a thread has read, in whole rows; `failed` where it could not. */
export type Covered = readonly CoveredBytes[] | { failed: true }

/** A range of a file that consists of whole rows. */
export interface CoveredBytes {
  /** Position among the files. */
  file: number
  start: number
  end: number
  /** The number of lines in the range. */
  lines: number
}

/** Asks for the first time in a column. */
export interface EarliestRequest {
  ask: 'earliest'
  text: TextFiles
  column: number
}

/** The first time in the rows of a thread. */
export interface EarliestAnswer {
  covered: Covered
  /** The earliest time in microseconds since 1970; Infinity if there is none. */
  first: number
}

/** Asks to encode the rows of the thread's range, and to keep the entries. */
export interface EncodeRequest extends Pick<ReadPlan, 'modes' | 'value' | 'weight' | 'merge'> {
  ask: 'encode'
  text: TextFiles
}

/** The result of encoding the rows of a thread. */
export interface EncodeAnswer {
  covered: Covered
  /** One per mode. */
  dictionaries: ModeDictionary[]
  /** The number of entries, which stay on the thread. */
  count: number
  isWeighted: boolean
  rows: number
  weightless: number
  marks: Marks
  runs: readonly LineRun[]
}

/** Asks how many entries have known labels. */
export interface SettleRequest {
  ask: 'settle'
  /** Per thread and mode, the index for each code of the thread, or UNKNOWN. */
  indexOfCode: readonly (readonly Uint32Array[])[]
}

/** The entries of a thread whose labels are all known. */
export interface SettleAnswer {
  count: number
  /** The numbers of these entries, if they are not all. */
  remaining?: Uint32Array
}

/** Asks to write the entries into arrays that all threads share. */
export interface WriteRequest {
  ask: 'write'
  /** Per thread, the position of its first entry. */
  starts: readonly number[]
  indices: readonly Uint32Array[]
  values: Float32Array
  weights?: Float32Array
}

/** The requests for a table as text. */
export type TextRequest = EarliestRequest | EncodeRequest | SettleRequest | WriteRequest
/** Every request to a thread. */
export type Request = CountRequest | ParseRequest | DistinctRequest | TextRequest

/** The reply of a thread: its answer, or the text of an error. */
export type Reply = { answer: unknown } | { failure: string }
