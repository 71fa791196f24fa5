/** Weights of entries for the references. */
import type { SparseTensor } from '../tensor/index.ts'
import type { Vector } from './matrix.ts'

/** The weight of each entry, divided by the mean weight; 1 if there are no weights. */
export function weightsOf({ values, weights }: SparseTensor): Vector {
  if (!weights) return new Float64Array(values.length).fill(1)
  const mean = weights.reduce((sum, w) => sum + w, 0) / weights.length
  return Float64Array.from(weights, (w) => w / mean)
}
