/** Cross-fitting without a time limit, by which nothing is left out: the types say so. */
import { completeByFolds, type FoldedCompletion } from '#lacuna/folds.js'
import { type ChosenByFolds, chooseByFolds } from '#lacuna/solver/index.js'

/** A result that has errors and stability. */
export type WholeCompletion = FoldedCompletion & Required<Pick<FoldedCompletion, 'outOfFold' | 'stability'>>

/** Calls `completeByFolds`. */
export const completeWhole = (...given: Parameters<typeof completeByFolds>) =>
  completeByFolds(...given) as Promise<WholeCompletion | undefined>

/** Calls `chooseByFolds`. */
export const chooseWhole = (...given: Parameters<typeof chooseByFolds>) =>
  chooseByFolds(...given) as Promise<ChosenByFolds | undefined>
