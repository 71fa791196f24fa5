export { CpModel, type CpModelFields, type TrainingRecord } from './cpModel.ts'
export { type ErrorSummary, summarizeError } from './errorSummary.ts'
export { meanError } from './meanError.ts'
export { predictKnown } from './predictKnown.ts'
