export { CpModel, type CpModelFields, type TrainingRecord } from './cpModel.ts'
export { type ErrorSummary, summarizeError } from './errorSummary.ts'
export { predictKnown } from './predictKnown.ts'
