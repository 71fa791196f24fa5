/** The plan by which a table is read: planRows makes it, readPlanned executes it. */
import type { Remark } from '../../base/inputError.ts'
import type { NegativePolicy, SparseTensor } from '../../tensor/index.ts'
import type { FoundMode, IndexPolicy } from './columns/modes.ts'
import type { Table } from './source/rows.ts'

/**
 * How rows of equal coordinates are merged: their values are added, averaged, replaced by the last, counted,
 * or refused.
 */
export type MergePolicy = 'sum' | 'mean' | 'last' | 'count' | 'error'
/** Every merge policy. */
export const mergePolicies: readonly MergePolicy[] = ['sum', 'mean', 'last', 'count', 'error']

/** A column of a table and the name that messages use for it. */
export interface NamedColumn {
  /** Position among the table's columns. */
  column: number
  name: string
}

/** The columns of a table that become modes, value and weight, and how rows are treated. */
export interface ReadPlan {
  table: Table
  modes: readonly FoundMode[]
  /** The column of the values; without one each row counts 1. */
  value?: NamedColumn
  /** The column of the entries' weights. */
  weight?: NamedColumn
  /** How rows of equal coordinates are merged. */
  merge: MergePolicy
  /** Whether whole numbers are indices, for modes that have no policy of their own. */
  index: IndexPolicy
  /** A tensor or model whose modes and labels are used; rows with other labels are left out. */
  like?: Pick<SparseTensor, 'dims' | 'labels' | 'modes'>
  /** Whether the modes are those of `like`, but labels are the table's own. */
  newLabels?: boolean
  /** Sizes of the modes, where these have no labels. */
  dims?: readonly number[]
  /** Negative values are an error (default), kept, or clipped to zero. */
  negative?: NegativePolicy
  /** Leaves the search for repeated coordinates, which are an error, to the engine that sorts the entries. */
  deferDuplicateCheck?: boolean
  /** Receives sentences about guesses and rows left out. */
  onRemark?(remark: Remark): void
  /** Receives the number of rows read so far. */
  onRows?(rows: number): void
}
