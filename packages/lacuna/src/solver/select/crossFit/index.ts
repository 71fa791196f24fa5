/** Cross-fitting: one model per fold, its options and results, its time limit and its memory. */
export { crossFit, signalAfter } from './crossFit.ts'
export { type CrossFitOptions, FOLDS } from './crossFitOptions.ts'
export type { Abandoned, CrossFit, Unfinished } from './crossFitResult.ts'
export { Deadline, modelSize } from './deadline.ts'
export { foldGroups, fractionOfFirst, fractionOfModel } from './foldGroups.ts'
