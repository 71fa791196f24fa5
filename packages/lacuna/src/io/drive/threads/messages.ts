/** The types of requests to the threads that read, and of their answers. */

import type { Dialect, LineRun, Marks, ModeDictionary, ReadPlan, TableColumn } from '../../table/index.ts'
import type { Layout } from '../../tns/index.ts'

/** Position in the shared state: the next block to be taken (.tns), or the number of rows read (tables). */
export const NEXT = 0
/** Position in the shared state: the first block that could not be parsed. */
export const FAULT = 1
/** The value at FAULT if no block is faulty. */
export const NO_FAULT = 2 ** 31 - 1

/** A range of a file that is cut into blocks of equal length; a block has the lines that begin in its bytes. */
export interface Blocks {
  /** The file descriptor, which all threads of the process share. */
  fd: number
  /** The bytes of the whole file. */
  byteLength: number
  /** The range of bytes, from … to, that is cut into blocks. */
  from: number
  to: number
  /** Bytes of each block; the last may have fewer. */
  blockBytes: number
  /** Shared state, at NEXT and FAULT. */
  state: Int32Array
}

/** Request for the number of lines and entries of each block of a .tns file. */
export interface CountRequest {
  ask: 'count'
  file: Blocks
  module: WebAssembly.Module
  layout: Layout
  /** The largest index that is allowed in each mode. */
  limits: readonly number[]
  /** The number of lines per block, filled in by the threads. */
  lines: Uint32Array
  /** The number of entries per block, filled in by the threads. */
  entries: Uint32Array
}

/**
 * Request to parse the blocks of the file of the preceding CountRequest, and to write the entries to their
 * positions.
 */
export interface ParseRequest {
  ask: 'parse'
  /** Per block, the number of entries before it: where its own are written. */
  before: Float64Array
  /** One column of indices per mode, filled in by the threads. */
  indices: readonly Uint32Array[]
  /** Filled in by the threads. */
  values: Float32Array
}

/** A thread's results for the blocks that it parsed. */
export interface ParseAnswer {
  /** Per mode, the largest index found. */
  largest: number[]
  anyNegative: boolean
  /** Per block with lines that are no entries: the number of the block's entries before each such line. */
  skipped: { block: number; before: Uint32Array }[]
}

/**
 * Request for a step of the search for entries with the same coordinates: `hash` hashes all entries, then
 * `compare` compares those with equal hashes. Each thread compares the entries of its own buckets, which the
 * hash determines.
 */
export interface DistinctRequest {
  ask: 'hash' | 'compare'
  module: WebAssembly.Module
  indices: readonly Uint32Array[]
  /** One hash per entry, filled in by `hash`. */
  hashes: Uint32Array
  /** The number of buckets of each thread; the entries of a bucket fit in the cache. */
  buckets: number
  /**
   * (threads × all buckets), filled in by `hash`: how many of the entries that a thread hashed belong to each
   * bucket of all threads.
   */
  counts: Uint32Array
  /** Its word FAULT is NO_FAULT unless two entries have the same coordinates. */
  state: Int32Array
}

/**
 * Files of the same columns that are one table as text. Each thread reads the rows that begin in its range of
 * the bytes of all files.
 */
export interface TextFiles {
  files: readonly TextFile[]
  dialect: Dialect
  columns: readonly TableColumn[]
  module: WebAssembly.Module
  /** Shared state; at NEXT, the number of rows that have been read. */
  state: Int32Array
}

/** An open file of a table. */
export interface TextFile {
  /** The file descriptor, which all threads of the process share. */
  fd: number
  byteLength: number
  /** The name that messages use; no two files have the same. */
  name: string
}

/** The ranges of bytes, in whole rows, that a thread has read; `failed` if it could not read its rows. */
export type Covered = readonly CoveredBytes[] | { failed: true }

/** The bytes start … end − 1 of a file, which consist of whole rows. */
export interface CoveredBytes {
  /** The position of the file in TextFiles.files. */
  file: number
  start: number
  end: number
  /** The number of lines in the range. */
  lines: number
}

/** Request for the earliest time in a column. */
export interface EarliestRequest {
  ask: 'earliest'
  text: TextFiles
  /** The position of the column in TextFiles.columns. */
  column: number
}

/** The earliest time in the rows of a thread. */
export interface EarliestAnswer {
  covered: Covered
  /** The earliest time in microseconds since 1970; Infinity if there is none. */
  first: number
}

/** Request to encode the rows of the thread's range; the entries stay on the thread until WriteRequest. */
export interface EncodeRequest extends Pick<ReadPlan, 'modes' | 'value' | 'weight' | 'merge'> {
  ask: 'encode'
  text: TextFiles
}

/** The result of encoding the rows of a thread. */
export interface EncodeAnswer {
  covered: Covered
  /** The distinct values of each mode in the thread's rows, which its codes count. */
  dictionaries: ModeDictionary[]
  /** The number of entries, which stay on the thread. */
  count: number
  /** Whether the entries have weights. */
  isWeighted: boolean
  /** The number of rows read. */
  rows: number
  /** The number of rows left out because their weight is empty or 0. */
  weightless: number
  /** Cells that were taken as missing. */
  marks: Marks
  /** The lines of the entries, counted from the beginning of the thread's range. */
  runs: readonly LineRun[]
}

/** Request for the number of entries of the preceding EncodeRequest whose labels are all known; the others are dropped. */
export interface DropUnknownRequest {
  ask: 'dropUnknown'
  /** Per thread and mode, the index for each code of the thread, or UNKNOWN. */
  indexOfCode: readonly (readonly Uint32Array[])[]
}

/** The entries of a thread whose labels are all known. */
export interface DropUnknownAnswer {
  /** The number of these entries. */
  count: number
  /** The numbers of these entries among the encoded ones; undefined if no entry is dropped. */
  remaining?: Uint32Array
}

/** Request to write the entries that DropUnknownRequest has left into arrays that all threads share. */
export interface WriteRequest {
  ask: 'write'
  /** Per thread, the position of its first entry. */
  starts: readonly number[]
  indices: readonly Uint32Array[]
  values: Float32Array
  weights?: Float32Array
}

/** The requests for a table as text. */
export type TextRequest = EarliestRequest | EncodeRequest | DropUnknownRequest | WriteRequest
/** Every request to a thread. */
export type Request = CountRequest | ParseRequest | DistinctRequest | TextRequest

/** The reply of a thread: its answer, or the text of an error. */
export type Reply = { answer: unknown } | { failure: string }
