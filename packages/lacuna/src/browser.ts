/** lacuna in a browser: the public API without files; docs/api.md lists it. */

export { InputError } from './base/inputError.ts'
export { version } from './base/version.ts'
export type { Engine } from './engine/engine.ts'
export { cpuEngine } from './engine/openCpuEngine.ts'
export { decodeModel, encodeModel } from './io/array/index.ts'
export { tensorFromRecords } from './io/table/index.ts'
export { CpModel, type ErrorSummary } from './model/index.ts'
export {
  type CompleteOptions,
  type Completion,
  complete,
  decodeRun,
  type EpochReport,
  encodeRun,
  Run,
  type RunOptions,
  type RunState,
} from './solver/index.ts'
export {
  describeTensor,
  leaveOneOut,
  type Mode,
  type SparseTensor,
  sparseTensor,
  split,
  splitByTime,
  synthetic,
  tensorFromArray,
} from './tensor/index.ts'
