/**
 * lacuna/folds: cross-fitting, and ensembles of its models with out-of-fold errors and conformal intervals.
 * In Node and in browsers.
 */
export { decodeAnyModel, encodeEnsemble } from './io/array/index.ts'
export {
  CpEnsemble,
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
  type FoldSeconds,
  type SearchState,
} from './solver/index.ts'
