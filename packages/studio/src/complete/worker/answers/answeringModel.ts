/** A model with what its answers need: observed entries and names of rows. */
import type { CpModel, SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import type { RowNames } from './rowNames.ts'

/** A model and what it was learned from. */
export interface HeldModel {
  model: CpModel | CpEnsemble
  /** The observed entries, unless the model was opened as a file. */
  data?: SparseTensor
  /** The entries that were held out of learning. */
  heldOut?: SparseTensor
  /** The entries from which new rows were folded in. */
  folded: SparseTensor[]
  /** Names of rows from another table, by mode and label. */
  names?: Map<number, ReadonlyMap<string, string>>
}

/** A model with its observed entries and names, which questions are answered from. */
export interface AnsweringModel {
  model: CpModel | CpEnsemble
  data: SparseTensor | undefined
  heldOut: SparseTensor | undefined
  names: RowNames
  /** The row of each mode's label or name; 0 in the free modes, whose label is not read. */
  findRows(labels: readonly string[], free?: readonly number[]): number[]
}
