import type { DuplicatePolicy, NegativePolicy, SparseTensor } from '../../../tensor/sparseTensor.ts'

export type MergePolicy = 'sum' | 'mean' | 'last' | 'count' | 'error'
export type IndexPolicy = 'raw' | 'coded'
export type RecipeName = 'movielens' | 'uber'

export const mergePolicies: readonly MergePolicy[] = ['sum', 'mean', 'last', 'count', 'error']
export const indexPolicies: readonly IndexPolicy[] = ['raw', 'coded']
export const recipeNames: readonly RecipeName[] = ['movielens', 'uber']

/** What of a table is the tensor. */
export interface TableOptions {
  /** A column or an SQL expression per mode, on request with `raw:` or `coded:` before it; guessed by default. */
  modes?: readonly string[]
  /** The column or SQL expression of the values; if modes are given without it, each row counts 1. */
  value?: string
  /** Rows of the same coordinates: by default counted if there is no value, else an error. */
  merge?: MergePolicy
  /** Whole numbers are coded by their distinct values (default), or are the indices, counted from 1. */
  index?: IndexPolicy
  /** SQL whose result is read instead of the files; they are its table `data`. */
  query?: string
  /** A DuckDB or SQLite file or a postgres:// address; without a query, the path names one of its tables. */
  database?: string
  /** Modes, value and merging of well-known files. */
  recipe?: RecipeName
}

export interface ReadTableOptions extends TableOptions {
  /** Negative values are an error (default), kept, or clipped to zero. */
  negative?: NegativePolicy
  /** The same as merge, as other files call it. */
  duplicates?: DuplicatePolicy
  /** Sizes of the modes, where they are raw. */
  dims?: readonly number[]
  /** A tensor or model whose modes and labels are to be used; rows with other labels are left out. */
  like?: Pick<SparseTensor, 'dims' | 'labels' | 'modes'>
  /** Told what was guessed and which rows were left out. */
  onRemark?(sentence: string): void
  /** Told how many rows have been read. */
  onRows?(rows: number): void
}
