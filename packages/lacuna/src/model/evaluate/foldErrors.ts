/** The error of a model on the fold that it was fitted without. */
import { entriesOfFold, pickNumbers, type SparseTensor } from '../../tensor/index.ts'
import type { CpModel } from '../cpModel.ts'
import { predictByKernel } from '../foldKernel.ts'
import { ExactSum } from './exactSum.ts'

/** The squared error on one fold, of the model that was fitted without it; plain data. */
export interface FoldError {
  /** Σ (x − y)² over the entries of the fold; the same in any order of them. */
  squares: number
  /** Entries of the fold. */
  entries: number
  /** Σ w (x − y)² with weights that limit the influence of single blocks; undefined where all are 1. */
  capped?: number
}

/**
 * Predicts the entries of a fold and returns their error.
 * @param tensor all entries
 * @param folds the fold of each entry
 * @param fold the fold to predict
 * @param model the model that was fitted without that fold
 * @param predictions one value per entry of the tensor; those of the fold are set
 * @param weights of the entries in the capped error; all 1 by default
 */
export function predictFold(
  { indices, values }: Pick<SparseTensor, 'indices' | 'values'>,
  folds: Uint8Array,
  fold: number,
  model: CpModel,
  predictions: Float32Array,
  weights?: Float32Array,
): FoldError {
  const entries = entriesOfFold(folds, fold)
  const cells = indices.map((column) => pickNumbers(column, entries, new Uint32Array(entries.length)))
  const predicted = predictByKernel(model, cells)
  for (let i = 0; i < entries.length; i++) predictions[entries[i]] = predicted[i]
  return foldError(values, predictions, entries, weights)
}

/**
 * The error of predictions on some entries.
 * @param entries the numbers of the entries
 * @param weights of all entries in the capped error; all 1 by default
 */
export function foldError(
  values: Float32Array,
  predictions: Float32Array,
  entries: Uint32Array,
  weights?: Float32Array,
): FoldError {
  const squares = new ExactSum()
  const capped = weights && new ExactSum()
  for (let i = 0; i < entries.length; i++) {
    const e = entries[i]
    const square = (values[e] - predictions[e]) ** 2
    squares.add(square)
    capped?.add(weights![e] * square)
  }
  return {
    squares: squares.value,
    entries: entries.length,
    ...(capped && { capped: capped.value }),
  }
}
