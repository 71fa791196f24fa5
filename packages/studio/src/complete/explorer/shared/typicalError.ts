/** The typical error of a model's predictions and of an interval, from which numbers get their digits. */
import { formatByError } from 'lacuna-figures/numbers'
import type { ModelSummary } from '../../protocol.ts'

/** The RMSE on entries that the model has not seen, or else on those that it has; undefined if not known. */
export const typicalError = ({ verdict, validation, outOfFold, train }: ModelSummary): number | undefined =>
  (verdict ?? validation ?? outOfFold ?? train)?.rmse

/** Half of the width of a 90% interval, in standard deviations of a normal distribution. */
const HALF_WIDTH = 1.6449

/** The standard error of a prediction with a 90% interval. */
export const errorOfInterval = ({ low, high }: { low: number; high: number }): number =>
  (high - low) / 2 / HALF_WIDTH

/** A 90% interval with the digits that its width leaves: 3.22 to 5. */
export function formatInterval(interval: { low: number; high: number }): string {
  const error = errorOfInterval(interval)
  return `${formatByError(interval.low, error)} to ${formatByError(interval.high, error)}`
}
