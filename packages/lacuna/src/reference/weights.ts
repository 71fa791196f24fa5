import type { SparseTensor } from '../tensor/index.ts'
import type { Vector } from './matrix.ts'

/** How much each entry counts, the mean being 1: as if it were listed so many times. */
export function weightsOf({ values, weights }: SparseTensor): Vector {
  if (!weights) return new Float64Array(values.length).fill(1)
  const mean = weights.reduce((sum, w) => sum + w, 0) / weights.length
  return Float64Array.from(weights, (w) => w / mean)
}
