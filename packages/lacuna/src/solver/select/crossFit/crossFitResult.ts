/** Results of a cross-fit: the models of all folds, or what there is where it ended early. */
import type { CpModel, FoldError, FoldModels } from '../../../model/index.ts'

/** A cross-fit of which some models could not be begun in time, or had learned nothing when it was up. */
export interface Unfinished {
  /** The models that there are, at least one. */
  models: CpModel[]
  /** Distinguishes it from a `CrossFit`. */
  isUnfinished: true
}

/** The models of all folds and their errors. */
export interface CrossFit extends FoldModels {
  /** Per fold, the error of the model that was fitted without it. */
  foldErrors: FoldError[]
  /** Seconds that the cross-fit took. */
  seconds: number
  /** The part of `seconds` in which entries were split and loaded on the engine, not fitted. */
  setUpSeconds: number
  /** Number of models that were cut off by the time limit. */
  cut: number
}

/** A cross-fit that was given up after the first few folds. */
export interface Abandoned {
  /** Errors of the first folds, those by which it was given up. */
  foldErrors: FoldError[]
  /** Distinguishes it from a `CrossFit`. */
  isAbandoned: true
}
