/**
 * lacuna/folds: models that each have not seen some of the entries, as one: a better answer, an honest error, and intervals. In
 * Node and in browsers.
 */
export { decodeAnyModel, encodeEnsemble } from './io/array/index.ts'
export type { EnsembleStability } from './model/ensemble/ensembleStability.ts'
export {
  CpEnsemble,
  type CpEnsembleFields,
  type Found,
  type Interval,
  type IntervalColumns,
  type Stability,
} from './model/index.ts'
export {
  type ByFoldsOptions,
  completeByFolds,
  decodeSearch,
  encodeSearch,
  type FoldedCompletion,
  type OutOfFold,
  type SearchState,
} from './solver/index.ts'
