/** Baselines: predictions without a model, fitted to the same entries. */
import type { SparseTensor } from '../../tensor/index.ts'
import { modeName } from '../factored.ts'

/** A prediction without a model. */
export interface Baseline {
  /** Name in reports. */
  name: string
  /** Predicts an entry from its indices. @param tensor of the same sizes @param entry its number */
  predict(tensor: Pick<SparseTensor, 'indices'>, entry: number): number
}

/** Ridge of the biases: each row is treated as if it had this many more entries at the mean of all. */
const RIDGE = 5
/** Sweeps of coordinate descent for the biases. */
const SWEEPS = 10

/**
 * The baselines of training entries: the mean, the mean of each row per mode, and additive biases of all
 * modes by ridge regression.
 */
export function baselinesOf(train: SparseTensor): Baseline[] {
  const { dims, indices, values } = train
  let mean = 0
  for (const x of values) mean += x / values.length
  const counts = dims.map((dim) => new Uint32Array(dim))
  const means = dims.map((dim) => new Float64Array(dim))
  indices.forEach((column, mode) => {
    const [count, sums] = [counts[mode], means[mode]]
    for (let e = 0; e < values.length; e++) {
      count[column[e]]++
      sums[column[e]] += values[e]
    }
    for (let p = 0; p < sums.length; p++) sums[p] = count[p] > 0 ? sums[p] / count[p] : mean
  })
  const biases = learnBiases(train, mean, counts)
  return [
    { name: 'the mean', predict: () => mean },
    ...dims.map((_, mode) => ({
      name: `the mean of each ${modeName(train, mode)}`,
      predict: (tensor: Pick<SparseTensor, 'indices'>, e: number): number =>
        means[mode][tensor.indices[mode][e]],
    })),
    {
      name: 'biases of all modes',
      predict: ({ indices }, e) => {
        let sum = mean
        for (let mode = 0; mode < biases.length; mode++) sum += biases[mode][indices[mode][e]]
        return sum
      },
    },
  ]
}

/**
 * Additive biases per mode and row: a ridge regression of values − mean, by block coordinate descent.
 * @param counts per mode, the entries of each row
 */
function learnBiases(
  { dims, indices, values }: SparseTensor,
  mean: number,
  counts: readonly Uint32Array[],
): Float64Array[] {
  const biases = dims.map((dim) => new Float64Array(dim))
  const residuals = new Float64Array(values.length)
  for (let e = 0; e < values.length; e++) residuals[e] = values[e] - mean
  // The step of the mode before is taken in the pass that sums for the next one.
  let before = { column: indices[0], steps: biases[0].slice() }
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    biases.forEach((bias, mode) => {
      const column = indices[mode]
      const sums = new Float64Array(bias.length)
      for (let e = 0; e < residuals.length; e++) {
        residuals[e] -= before.steps[before.column[e]]
        sums[column[e]] += residuals[e] + bias[column[e]]
      }
      const steps = sums
      for (let p = 0; p < steps.length; p++) {
        steps[p] = sums[p] / (counts[mode][p] + RIDGE) - bias[p]
        bias[p] += steps[p]
      }
      before = { column, steps }
    })
  return biases
}
