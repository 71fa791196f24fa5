/** The public API in a browser; docs/api.md lists it. */
export type { Engine } from './engine/engine.ts'
export { InputError } from './inputError.ts'
export { decodeAnyModel, decodeModel, encodeEnsemble, encodeModel } from './io/array/index.ts'
export { type RecordsOptions, type Row, tensorFromRecords } from './io/table/index.ts'
export {
  CpEnsemble,
  CpModel,
  type ErrorSummary,
  type Interval,
  type Labels,
  type Variance,
} from './model/index.ts'
export {
  type CompleteOptions,
  type Completion,
  complete,
  completeByFolds,
  decodeRun,
  type EpochReport,
  encodeRun,
  type FoldedCompletion,
  Run,
  type RunOptions,
  type RunState,
} from './solver/index.ts'
export { cpuEngine } from './subpaths/engines.ts'
export {
  describeTensor,
  leaveOneOut,
  type Mode,
  type NestedArray,
  type SparseTensor,
  sparseTensor,
  split,
  splitByTime,
  synthetic,
  type TensorOptions,
  tensorFromArray,
} from './tensor/index.ts'
export { version } from './version.ts'
