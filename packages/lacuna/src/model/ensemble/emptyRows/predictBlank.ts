/** Predictions of entries as if rows of a trial had no entries. */
import type { SparseTensor } from '../../../tensor/index.ts'
import type { CpModel } from '../../cpModel.ts'
import { forEachPrediction } from '../../predict/products.ts'
import { corrector, type Neighbours } from '../neighbours/neighbours.ts'
import type { Attributes } from './attributes.ts'
import { blankRows, isInTime } from './blankFactors.ts'
import type { GapTrial } from './gaps.ts'

/** The models of cross-fits, and how they are combined. */
export interface CombinedFolds {
  /** The fold of each entry. */
  folds: Uint8Array
  /** Per fold, the models that were fitted without it, one per candidate. */
  models: readonly (readonly CpModel[])[]
  /** Per candidate, the attributes of rows that it was learned with. */
  attributes: readonly (readonly Attributes[] | undefined)[]
  /** Per fold, the weights of these models in the prediction. */
  weights: readonly (readonly number[])[]
  /** Correction of predictions by neighbours; undefined without one. */
  neighbours?: Neighbours
}

/**
 * Makes a function that predicts entries, given by their numbers, by the models that were fitted without their
 * fold, as if rows of a trial had no entries.
 */
export function blankPredictor(
  { dims, indices }: Pick<SparseTensor, 'dims' | 'indices'>,
  { folds, models, attributes, weights, neighbours }: CombinedFolds,
): (trial: readonly GapTrial[], entries: Uint32Array) => Float32Array {
  return (trial, entries) => {
    const predictions = new Float32Array(entries.length)
    const refine = neighbours && refineIn(dims, neighbours, trial)
    models.forEach((ofFold, fold) => {
      const positions = Uint32Array.from(entries.keys()).filter((i) => folds[entries[i]] === fold)
      const columns = indices.map((column) => Uint32Array.from(positions, (i) => column[entries[i]]))
      const members = ofFold.map((model, c) => blankRows(model, trial, attributes[c]))
      forEachPrediction({ members, weights: weights[fold], refine }, columns, (n, y) => {
        predictions[positions[n]] = y
      })
    })
    return predictions
  }
}

/**
 * The correction by neighbours where rows of a trial have no residuals; undefined in modes without order, whose
 * rows are no neighbours of each other.
 */
function refineIn(
  dims: readonly number[],
  neighbours: Neighbours,
  trial: readonly GapTrial[],
): ((cell: ArrayLike<number>, y: number) => number) | undefined {
  if (!trial.some(isInTime)) return undefined
  const { indices, residuals } = neighbours
  const isThere = (e: number): boolean =>
    trial.every(({ mode, isBlank, isBeyond }) => !isBlank[indices[mode][e]] && !isBeyond?.[indices[mode][e]])
  const remaining = Uint32Array.from(residuals.keys()).filter(isThere)
  return corrector(dims, {
    ...neighbours,
    indices: indices.map((column) => Uint32Array.from(remaining, (e) => column[e])),
    residuals: Float32Array.from(remaining, (e) => residuals[e]),
  })
}
