export type { Features, Loss, Noise } from '../engine/engine.ts'
export { decodeRun, encodeRun } from './checkpoint.ts'
export { type Choice, type Chosen, chooseSettings, choosesByDefault, type Trial } from './choose.ts'
export { chooseRank, type RankChoice, type RankTrial } from './chooseRank.ts'
export { complete } from './complete.ts'
export {
  type ByFoldsOptions,
  completeByFolds,
  type FoldedCompletion,
  type OutOfFold,
} from './completeByFolds.ts'
export {
  type Changes,
  type CompleteOptions,
  defaults,
  lossNames,
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
export type { FeatureSets, Lags } from './sides.ts'
export { explainStop, type StopReason } from './stopping.ts'
