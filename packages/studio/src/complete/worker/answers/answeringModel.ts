/** A model with what its answers need: observed entries and names of rows. */
import type { CpModel, SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import type { LearnSettings } from '../../protocol.ts'
import type { RowNames } from './rowNames.ts'

/** A model and what it was learned from. */
export interface HeldModel {
  /** The model as it was learned or opened; rows of the user's own never change it. */
  model: CpModel | CpEnsemble
  /** The observed entries, unless the model was opened as a file. */
  data?: SparseTensor
  /** Returns the entries that were held out of learning, if any. */
  heldOut?: () => SparseTensor | undefined
  /** Rows of the user's own, in the order in which they were folded in. */
  folded: FoldedRows[]
  /** The model with these rows; undefined if there are none. */
  extended?: CpModel | CpEnsemble
  /** The settings of its run, if it was restored. */
  settings?: LearnSettings
}

/** Rows of the user's own that were folded in together. */
export interface FoldedRows {
  /** Their entries as the user gave them, one per line. */
  lines: string
  /** The entries, by the rows of the extended model. */
  entries: SparseTensor
  /** Per mode, the labels of the rows. */
  added: string[][]
}

/** A model with its observed entries and names, which questions are answered from. */
export interface AnsweringModel {
  model: CpModel | CpEnsemble
  data: SparseTensor | undefined
  heldOut: HeldModel['heldOut']
  names: RowNames
  /** The row of each mode's label or name; 0 in the free modes, whose label is not read. */
  findRows(labels: readonly string[], free?: readonly number[]): number[]
  /**
   * The model that predicts cells of these rows: the learned one, so that rows of the user's own change nothing
   * elsewhere, or the extended one for cells of such a row.
   * @param rows per mode, the row; undefined for all rows of the mode
   */
  modelAt(rows: readonly (number | undefined)[]): CpModel | CpEnsemble
}
