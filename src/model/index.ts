export { CpModel, type CpModelFields, type TrainingRecord } from './cpModel.ts'
export { type ErrorSummary, summarizeError } from './errorSummary.ts'
export { predictKnown } from './predictKnown.ts'
export { type AskedRows, RowPredictor } from './predictRows.ts'
