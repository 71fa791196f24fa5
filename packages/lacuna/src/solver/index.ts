/** The solver: runs, trials of settings and cross-fitting. */
export type { Features, Loss, Noise } from '../engine/engine.ts'
export { complete } from './complete.ts'
export type { Backtest, ComparedErrors, ForecastErrors } from './forecast/backtest.ts'
export type { ForecastTrial } from './forecast/compareCandidates.ts'
export { type Forecast, type ForecastOptions, forecast } from './forecast/forecast.ts'
export { decodeRun, encodeRun } from './run/checkpoint.ts'
export { sizeOfRun } from './run/loadRun.ts'
export type { EpochReport } from './run/report.ts'
export { Run } from './run/run.ts'
export type { Completion, Progress, RunState } from './run/runState.ts'
export { explainStop, type StopReason } from './run/stopping.ts'
export { type Chosen, chooseSettings } from './select/choose.ts'
export {
  type Candidate,
  type ChooseByFoldsOptions,
  type ChosenByFolds,
  chooseByFolds,
} from './select/chooseByFolds.ts'
export {
  type ByFoldsOptions,
  completeByFolds,
  type FoldedCompletion,
  type FoldSeconds,
} from './select/completeByFolds.ts'
export {
  decodeSearch,
  encodeSearch,
  isSearch,
  type SearchCheckpointing,
  type SearchOptions,
  type SearchState,
} from './select/search/index.ts'
export {
  type Choice,
  type FoldChoice,
  type FoldTrial,
  type Selection,
  type Trial,
  type TrialSettings,
  trialName,
} from './select/trials.ts'
export {
  type AutoRankOptions,
  type Changes,
  type CompleteOptions,
  choosesByDefault,
  type RunOptions,
  settingsOf,
} from './settings/options.ts'
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
  timePriorNames,
} from './settings/settings.ts'
export type { FeatureSets, Lags, TimePrior } from './settings/sideInformation.ts'
