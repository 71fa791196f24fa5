export type { NewEntry } from './align.ts'
export { align } from './align.ts'
export { asLearned, type Learned, rowsOfUnit, together, unobservedOf } from './asLearned.ts'
export type { Component, ComponentMode, ComponentRow, ComponentsOptions } from './components.ts'
export { coreConsistencyOf } from './coreConsistency.ts'
export {
  CpEnsemble,
  type CpEnsembleFields,
  type Interval,
  type IntervalColumns,
  supportOf,
} from './cpEnsemble.ts'
export {
  CpModel,
  type CpModelFields,
  type FoldInOptions,
} from './cpModel.ts'
export { type ErrorSummary, summarizeError } from './errorSummary.ts'
export { type EvaluateOptions, type Evaluation, evaluate, type Quality } from './evaluate.ts'
export { type Answerer, clipped, type Factored, labelOf, modeName, type Prior } from './factored.ts'
export { type FilledSlice, fillSlice } from './fillSlice.ts'
export { type Label, LabelLookup, type Labels } from './labelLookup.ts'
export { meanError } from './meanError.ts'
export { type ModeErrors, modeErrors } from './modeErrors.ts'
export { type ModeKind, modeKinds } from './modeKinds.ts'
export { predictKnown } from './predictKnown.ts'
export { type AskedRows, RowPredictor } from './predictRows.ts'
export {
  evaluateRanking,
  type RankingEvaluation,
  type RankingOptions,
  type RankingQuality,
} from './ranking.ts'
export { RowIntervals } from './rowIntervals.ts'
export { sharesOf } from './shares.ts'
export type { Similar, SimilarOptions } from './similar.ts'
export { type Found, type Stability, stabilityOf } from './stability.ts'
export { type PredictOptions, TensorModel, type TrainingRecord } from './tensorModel.ts'
export { type Ranked, type Reason, type TopOptions, valuesAlong } from './top.ts'
export { type TopBatch, type TopForAllOptions, topForAll } from './topForAll.ts'
export type { Variance } from './variance.ts'
