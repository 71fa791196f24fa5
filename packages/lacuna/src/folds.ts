/**
 * lacuna/folds: models that each have not seen some of the entries, as one: a better answer, an honest error, and intervals. In
 * Node and in browsers.
 */
export { decodeAnyModel, encodeEnsemble } from './io/array/index.ts'
export {
  CpEnsemble,
  type CpEnsembleFields,
  type EnsembleStability,
  type Found,
  type Interval,
  type IntervalColumns,
  type OutOfFold,
  type Stability,
} from './model/index.ts'
export {
  type ByFoldsOptions,
  completeByFolds,
  decodeSearch,
  encodeSearch,
  type FoldedCompletion,
  type SearchState,
} from './solver/index.ts'
