export type { Features, Loss, Noise } from '../engine/engine.ts'
export { decodeRun, encodeRun } from './checkpoint.ts'
export { type Choice, type Chosen, chooseSettings, choosesByDefault, type Trial } from './choose.ts'
export {
  type Candidate,
  type ChooseByFoldsOptions,
  type ChosenByFolds,
  chooseByFolds,
  type FoldChoice,
} from './chooseByFolds.ts'
export { complete } from './complete.ts'
export {
  type ByFoldsOptions,
  completeByFolds,
  type FoldedCompletion,
  type OutOfFold,
} from './completeByFolds.ts'
export type { FoldTrial, SearchOptions, SearchState, TrialName } from './foldSearch.ts'
export { decodeSearch, encodeSearch, isSearch } from './foldsCheckpoint.ts'
export { sizeOfRun } from './loadRun.ts'
export { type Changes, type CompleteOptions, type RunOptions, settingsOf } from './options.ts'
export type { EpochReport } from './report.ts'
export { Run } from './run.ts'
export type { Completion, Progress, RunState } from './runState.ts'
export {
  defaults,
  lossNames,
  type Missing,
  missingNames,
  noiseNames,
  type Prior,
  priorNames,
  type Settings,
  type SolverName,
  solverNames,
} from './settings.ts'
export type { FeatureSets, Lags } from './sides.ts'
export { explainStop, type StopReason } from './stopping.ts'
