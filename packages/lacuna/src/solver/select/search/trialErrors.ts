/** Errors of a trial, from those on its folds. */
import type { FoldError } from '../../../model/index.ts'
import { criterionOf, type FoldTrial } from '../trials.ts'

/** Whether the error on each of the first folds is above that of another trial by more than a fraction. */
export const isWorseOnEach = (
  first: readonly FoldError[],
  others: readonly FoldError[],
  tolerance: number,
): boolean =>
  first.every((error, fold) => cappedSquares(error) > (1 + tolerance) ** 2 * cappedSquares(others[fold]))

/** The sum of the squared errors by which trials are compared, over the first folds of one. */
export const squaresOnFirst = ({ foldErrors }: Pick<FoldTrial, 'foldErrors'>, folds: number): number =>
  foldErrors.slice(0, folds).reduce((sum, error) => sum + cappedSquares(error), 0)

/** The squared error by which trials are compared. */
const cappedSquares = ({ capped, squares }: FoldError): number => capped ?? squares

/**
 * RMSE of a trial over all its entries, and its standard error from the differences between folds. Where the
 * trial was given up, its error on the folds that were not fitted is assumed to be above the best trial's by
 * as much as on those that were.
 * @param best the best trial before; undefined if this is the first
 */
export function trialError(
  foldErrors: readonly FoldError[],
  best: FoldTrial | undefined,
): { rmse: number; criterion?: number; spread: number } {
  const rmses = foldErrors.map(rmseOf)
  const sums = addErrors(foldErrors)
  const rmse = rmseOf(sums)
  const variance = rmses.reduce((sum, x) => sum + (x - rmse) ** 2, 0) / Math.max(1, rmses.length - 1)
  const isPart = best !== undefined && rmses.length < best.foldErrors.length
  const others = isPart ? addErrors(best.foldErrors.slice(0, rmses.length)) : undefined
  const scale = others && rmseOf(others) > 0 ? best!.rmse / rmseOf(others) : 1
  const spread = scale * Math.sqrt(variance / rmses.length)
  if (sums.capped === undefined) return { rmse: scale * rmse, spread }
  const cappedScale = others && cappedOf(others) > 0 ? criterionOf(best!) / cappedOf(others) : 1
  return { rmse: scale * rmse, criterion: cappedScale * cappedOf(sums), spread }
}

/** The root mean square error. */
const rmseOf = ({ squares, entries }: FoldError): number => Math.sqrt(squares / entries)

/** The RMSE in which single blocks have limited influence. */
const cappedOf = (error: FoldError): number => Math.sqrt(cappedSquares(error) / error.entries)

/** The sums of errors and entries over several folds. */
const addErrors = (errors: readonly FoldError[]): FoldError =>
  errors.reduce((sum, { squares, entries, capped }) => ({
    squares: sum.squares + squares,
    entries: sum.entries + entries,
    ...(capped !== undefined && { capped: (sum.capped ?? 0) + capped }),
  }))
