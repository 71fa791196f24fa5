/** Checks a problem's entries before a device is used, and computes the numbers with which they are loaded on it. */

import { singleProcess } from '../../../comm/index.ts'
import { checkNotEmpty, type SparseTensor } from '../../../tensor/index.ts'
import {
  meanWeightsOf,
  type OrderKeys,
  orderKeys,
  paddedRank,
  refuseWeightedZeros,
  resolveSize,
  withUnknown,
} from '../../cpu/index.ts'
import type { Covariances, Problem } from '../../engine.ts'

/** The entries of a problem, before they are on a device. */
export interface PreparedEntries {
  dims: readonly number[]
  /** The training entries, then the other sets. */
  sources: readonly EntrySource[]
  /** The keys of the order of the entries, and of the choice of the probe. */
  keys: OrderKeys
  /** Training entries whose position in the order of the probe is below are in the probe; 0 if it has no view. */
  probeLimit: number
  /** Whether the probe consists of all training entries. */
  isProbeAll: boolean
  /** Whether unlisted cells are zeros. */
  zeros: boolean
  /** The cells of other sets among the training entries, where unlisted cells are zeros. */
  unknown: number
  /** The rank, padded as on the CPU: it determines the segments. */
  padded: number
  /** The covariances of a learned prior; undefined if none is learned. */
  posterior: Covariances | undefined
}

/** A set of entries. */
export interface EntrySource {
  /** The name of the set; 'train' for the training entries. */
  name: string
  tensor: SparseTensor
  /** The weights divided by their mean, if there are any. */
  scaledWeights: Float32Array | undefined
}

/** Checks the sizes and weights of a problem's sets. Throws an InputError if the problem cannot be solved. */
export async function prepareEntries(problem: Problem): Promise<PreparedEntries> {
  const { tensor, sets = {}, rank, seed, zeros = false } = problem
  const { dims } = tensor
  for (const { values } of [tensor, ...Object.values(sets)]) checkNotEmpty(values.length)
  const meanWeights = await meanWeightsOf(problem, singleProcess)
  if (zeros && meanWeights.has('train')) throw refuseWeightedZeros()
  const size = resolveSize(problem, tensor.values.length, meanWeights.has('train'))
  const train = zeros ? withUnknown(tensor, Object.values(sets)) : tensor
  const total = train.values.length
  const { probe } = size
  return {
    dims,
    sources: Object.entries({ train, ...sets }).map(([name, set]) => {
      const mean = meanWeights.get(name)
      return {
        name,
        tensor: set,
        scaledWeights: mean === undefined ? undefined : set.weights?.map((weight) => weight / mean),
      }
    }),
    keys: orderKeys(seed, dims.length),
    probeLimit: probe !== undefined && probe < total ? limitOf(probe / total) : 0,
    isProbeAll: probe !== undefined && probe >= total,
    zeros,
    unknown: total - tensor.values.length,
    padded: paddedRank(rank),
    posterior: size.posterior,
  }
}

/** The number of positions, of 2³², that a fraction of the entries has; at least 1, and below 2³². */
const limitOf = (fraction: number): number =>
  Math.min(2 ** 32 - 1, Math.max(1, Math.ceil(fraction * 2 ** 32)))
