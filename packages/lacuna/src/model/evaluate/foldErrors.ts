/** The error of a model on the fold that it was fitted without. */
import { entriesWhere, type SparseTensor } from '../../tensor/index.ts'
import type { CpModel } from '../cpModel.ts'
import { ExactSum } from './exactSum.ts'

/** The squared error on one fold, of the model that was fitted without it; plain data. */
export interface FoldError {
  /** Σ (x − y)² over the entries of the fold; the same in any order of them. */
  squares: number
  /** Entries of the fold. */
  entries: number
}

/**
 * Predicts the entries of a fold and returns their error.
 * @param tensor all entries
 * @param folds the fold of each entry
 * @param fold the fold to predict
 * @param model the model that was fitted without that fold
 * @param predictions one value per entry of the tensor; those of the fold are set
 */
export function predictFold(
  { indices, values }: Pick<SparseTensor, 'indices' | 'values'>,
  folds: Uint8Array,
  fold: number,
  model: CpModel,
  predictions: Float32Array,
): FoldError {
  const entries = entriesWhere(folds, (other) => other === fold)
  const predicted = model.predictMany(indices.map((column) => entries.map((e) => column[e])))
  const squares = new ExactSum()
  for (let i = 0; i < entries.length; i++) {
    const e = entries[i]
    predictions[e] = predicted[i]
    squares.add((values[e] - predicted[i]) ** 2)
  }
  return { squares: squares.value, entries: entries.length }
}
