/** A model with what its answers need: observed entries and names of rows. */
import type { CpModel, SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import type { LearnSettings } from '../../protocol.ts'
import type { RowNames } from './rowNames.ts'

/** A model and what it was learned from. */
export interface HeldModel {
  model: CpModel | CpEnsemble
  /** The observed entries, unless the model was opened as a file. */
  data?: SparseTensor
  /** Returns the entries that were held out of learning, if any. */
  heldOut?: () => SparseTensor | undefined
  /** New rows that were folded in. */
  folded: FoldedRows[]
  /** The settings of its run, if it was restored. */
  settings?: LearnSettings
}

/** Rows that were folded in: the lines of their entries as the user gave them, and the entries. */
export interface FoldedRows {
  lines: string
  entries: SparseTensor
  /** The model before. */
  before: CpModel | CpEnsemble
}

/** A model with its observed entries and names, which questions are answered from. */
export interface AnsweringModel {
  model: CpModel | CpEnsemble
  data: SparseTensor | undefined
  heldOut: HeldModel['heldOut']
  names: RowNames
  /** The row of each mode's label or name; 0 in the free modes, whose label is not read. */
  findRows(labels: readonly string[], free?: readonly number[]): number[]
}
