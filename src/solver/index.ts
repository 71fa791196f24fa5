export { type Completion, complete, type EpochReport } from './complete.ts'
export { meanError } from './meanError.ts'
export { type CompleteOptions, defaults, type Settings } from './options.ts'
export { explainStop, type StopReason } from './stopping.ts'
