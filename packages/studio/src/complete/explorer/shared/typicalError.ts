/** The typical error of a model's predictions, from which numbers get their digits. */
import type { ModelSummary } from '../../protocol.ts'

/** The RMSE on entries that the model has not seen, or else on those that it has; undefined if not known. */
export const typicalError = ({ verdict, validation, outOfFold, train }: ModelSummary): number | undefined =>
  (verdict ?? validation ?? outOfFold ?? train)?.rmse
