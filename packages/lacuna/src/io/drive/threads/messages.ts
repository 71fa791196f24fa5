/** What the threads that read are asked, and answer. */

import type { LineRun } from '../../table/columns/entries.ts'
import type { ModeDictionary } from '../../table/columns/modeReader.ts'
import type { Plan } from '../../table/readRows.ts'
import type { Marks } from '../../table/source/cells.ts'
import type { Dialect } from '../../table/source/dialect.ts'
import type { TableColumn } from '../../table/source/rows.ts'
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

/** Whether entries have the same coordinates: first all are hashed, then each thread compares those of its share of all hashes. */
export interface DistinctRequest {
  ask: 'hash' | 'compare'
  module: WebAssembly.Module
  indices: readonly Uint32Array[]
  /** To be filled in: one for each entry. */
  hashes: Uint32Array
  /** Into how many parts, each of which fits in the cache, a thread deals its share. */
  parts: number
  /** To be filled in: per thread, how many of the entries that it hashed belong to each part of all threads. */
  counts: Uint32Array
  /** At FAULT: what is not NONE if some are the same. */
  state: Int32Array
}

/** Files of the same columns that are one table as text, of whose bytes each thread has a range: the rows that begin in it. */
export interface TextFiles {
  files: readonly TextFile[]
  dialect: Dialect
  columns: readonly TableColumn[]
  module: WebAssembly.Module
  /** At NEXT: how many rows have been read. */
  state: Int32Array
}

export interface TextFile {
  fd: number
  byteLength: number
  /** As messages call it; no two are called alike. */
  name: string
}

/** Which bytes of its files a thread has read, in whole rows; not so where it could not. */
export type Covered = readonly CoveredBytes[] | { failed: true }

export interface CoveredBytes {
  /** By its place among the files. */
  file: number
  start: number
  end: number
  lines: number
}

/** The first time in a column. */
export interface EarliestRequest {
  ask: 'earliest'
  text: TextFiles
  column: number
}

export interface EarliestAnswer {
  covered: Covered
  /** In microseconds. */
  first: number
}

/** One pass over the rows; the thread keeps the entries. */
export interface PassRequest extends Pick<Plan, 'modes' | 'value' | 'weight' | 'merge'> {
  ask: 'pass'
  text: TextFiles
}

export interface PassAnswer {
  covered: Covered
  seen: ModeDictionary[]
  count: number
  isWeighted: boolean
  rows: number
  weightless: number
  marks: Marks
  runs: readonly LineRun[]
}

/** How many of the entries have an index: per thread and mode, the index for each number given to a value. */
export interface SettleRequest {
  ask: 'settle'
  places: readonly (readonly Uint32Array[])[]
}

export interface SettleAnswer {
  count: number
  kept?: Uint32Array
}

/** The entries go to their places: per thread, how many come before. */
export interface WriteRequest {
  ask: 'write'
  before: readonly number[]
  indices: readonly Uint32Array[]
  values: Float32Array
  weights?: Float32Array
}

export type TextRequest = EarliestRequest | PassRequest | SettleRequest | WriteRequest
export type Request = CountRequest | ParseRequest | DistinctRequest | TextRequest

/** What comes back: the answer, or what went wrong. */
export type Reply = { answer: unknown } | { failure: string }
