export type { Noise } from '../engine/engine.ts'
export { decodeRun, encodeRun } from './checkpoint.ts'
export { complete } from './complete.ts'
export {
  type Changes,
  type CompleteOptions,
  defaults,
  type Missing,
  missingNames,
  noiseNames,
  type Prior,
  priorNames,
  type RunOptions,
  type Settings,
  type SolverName,
  settingsOf,
  solverNames,
} from './options.ts'
export type { EpochReport } from './report.ts'
export { type Completion, type Progress, Run, type RunState, sizeOfRun } from './run.ts'
export { explainStop, type StopReason } from './stopping.ts'
