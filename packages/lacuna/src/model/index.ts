/** Models and ensembles: predictions, answers, fold-in and evaluation. */
export type { Component, ComponentMode, ComponentRow, ComponentsOptions } from './answer/components.ts'
export { coreConsistencyOf } from './answer/coreConsistency.ts'
export { type ModeKind, modeKinds } from './answer/modeKinds.ts'
export type { Similar, SimilarOptions } from './answer/similar.ts'
export { type Ranked, type Reason, type TopOptions, valuesAlong } from './answer/top.ts'
export { type TopBatch, type TopForAllOptions, topForAll } from './answer/topForAll.ts'
export { componentShares } from './componentShares.ts'
export { CpModel, type ForecastModelOptions } from './cpModel.ts'
export { align, type NewEntry } from './ensemble/align.ts'
export {
  type AssembledEnsemble,
  type Assembly,
  type AssemblySeconds,
  assembleEnsemble,
  assembleUnfinished,
  assemblyBytes,
  type FoldModels,
  type OptionalStage,
  type WholeStage,
} from './ensemble/assembleEnsemble.ts'
export {
  CpEnsemble,
  type CpEnsembleFields,
  type Interval,
  type IntervalColumns,
} from './ensemble/cpEnsemble.ts'
export type { EnsembleStability } from './ensemble/ensembleStability.ts'
export type { Intervals, ResidualGroups } from './ensemble/intervals.ts'
export type { LostCells } from './ensemble/lostGroups.ts'
export type { Neighbours, Ordered } from './ensemble/neighbours/neighbours.ts'
export { correlationsAlong, sortAlongMode } from './ensemble/neighbours/similarLags.ts'
export { replaceMembers } from './ensemble/replaceMembers.ts'
export { RowIntervals } from './ensemble/rowIntervals.ts'
export { type Found, type Stability, stabilityOf } from './ensemble/stability.ts'
export { type ErrorSummary, summarizeError } from './evaluate/errorSummary.ts'
export { ErrorTally } from './evaluate/errorTally.ts'
export { type EvaluateOptions, type Evaluation, evaluate, type Quality } from './evaluate/evaluate.ts'
export { ExactSum } from './evaluate/exactSum.ts'
export { type FoldError, foldError, predictFold } from './evaluate/foldErrors.ts'
export type { ModeErrors } from './evaluate/modeErrors.ts'
export type { OutOfFold } from './evaluate/outOfFold.ts'
export {
  evaluateRanking,
  type RankingEvaluation,
  type RankingOptions,
  type RankingQuality,
} from './evaluate/ranking.ts'
export { meanError, testError } from './evaluate/testErrors.ts'
export {
  clipToRange,
  type Factored,
  type LearnedLags,
  labelOf,
  modeName,
  type Predictor,
  type Prior,
} from './factored.ts'
export { factorModes } from './factorModes.ts'
export { type FactorView, factorView, joinLabels, rowsOfUnit, unobservedRowsOf } from './factorView.ts'
export { checkHorizon, type ExtendedTime, extendTime } from './forecast/extendTime.ts'
export { timeModeOf } from './forecast/forecastFactors.ts'
export {
  type BacktestEntries,
  type ForecastIntervals,
  forecastIntervals,
} from './forecast/forecastIntervals.ts'
export { type Label, LabelLookup, type Labels } from './labelLookup.ts'
export type { CpModelFields, FoldInOptions, TrainingRecord } from './modelFields.ts'
export { type FilledSlice, fillSlice } from './predict/fillSlice.ts'
export { type Link, type LinkName, linkNames, linkScaleNames, linkTensor } from './predict/link.ts'
export { partialPredictor } from './predict/partialPredictor.ts'
export { type AskedRows, RowPredictor } from './predict/predictRows.ts'
export { PredictionModel } from './predictionModel.ts'
export { type PredictOptions, TensorModel } from './tensorModel.ts'
export type { Variance } from './variance.ts'
