/** Baselines: predictions without a model, fitted to the same entries. */
import type { SparseTensor } from '../../tensor/index.ts'
import { modeName } from '../factored.ts'

/** A prediction without a model. */
export interface Baseline {
  /** Name in reports. */
  name: string
  /** Predicts an entry of a tensor of the same size. */
  predict(tensor: Pick<SparseTensor, 'indices'>, entry: number): number
}

/** Ridge of the biases, in entries: as if this many more of each row lay at the mean of all. */
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
  dims.forEach((_, mode) => {
    for (let e = 0; e < values.length; e++) {
      counts[mode][indices[mode][e]]++
      means[mode][indices[mode][e]] += values[e]
    }
    means[mode].forEach((sum, p) => {
      means[mode][p] = counts[mode][p] > 0 ? sum / counts[mode][p] : mean
    })
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
      predict: (tensor, e) =>
        dims.reduce((sum, _, mode) => sum + biases[mode][tensor.indices[mode][e]], mean),
    },
  ]
}

function learnBiases(
  { dims, indices, values }: SparseTensor,
  mean: number,
  counts: readonly Uint32Array[],
): Float64Array[] {
  const biases = dims.map((dim) => new Float64Array(dim))
  const rest = Float64Array.from(values, (x) => x - mean)
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    biases.forEach((own, mode) => {
      const column = indices[mode]
      const sums = new Float64Array(own.length)
      for (let e = 0; e < rest.length; e++) sums[column[e]] += rest[e] + own[column[e]]
      const moved = sums.map((sum, p) => sum / (counts[mode][p] + RIDGE) - own[p])
      for (let e = 0; e < rest.length; e++) rest[e] -= moved[column[e]]
      moved.forEach((by, p) => {
        own[p] += by
      })
    })
  return biases
}
