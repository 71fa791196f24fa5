/**
 * Weights of entries in the criterion by which trials are compared. Where folds are made of blocks, a single
 * block, such as a holiday of one station, can have half of the squared error; which trial is best would be
 * decided by it. No block counts for more than a small fraction of the squared error of the first trial.
 */
import { type FoldBy, groupHashes, isByEntry, type SparseTensor } from '../../../tensor/index.ts'

/** Weights of the blocks that are capped, by the hash of the block; others have weight 1. Plain data. */
export type CappedBlocks = [hash: number, weight: number][]

/** The largest fraction of the squared error that a block may have. */
const LARGEST_SHARE = 0.01
/** Blocks may have this many times their mean squared error, where they are few. */
const TIMES_MEAN = 10

/**
 * Finds the blocks with more than their share of the squared error of a trial, and the weights with which
 * they have just that.
 * @param by what stays together in a fold
 * @param predictions of each entry, by the model that was fitted without it
 */
export function capBlocks(
  tensor: SparseTensor,
  by: FoldBy,
  seed: number,
  predictions: Float32Array,
): CappedBlocks {
  if (isByEntry(by, tensor)) return []
  const hashes = groupHashes(tensor, by, seed)
  const squares = new Map<number, number>()
  for (let e = 0; e < hashes.length; e++) {
    const square = (tensor.values[e] - predictions[e]) ** 2
    squares.set(hashes[e], (squares.get(hashes[e]) ?? 0) + square)
  }
  // Sorted, so that the sum does not depend on the order of the entries.
  const sorted = [...squares].sort(([a], [b]) => a - b)
  const total = sorted.reduce((sum, [, square]) => sum + square, 0)
  const most = Math.max(LARGEST_SHARE, TIMES_MEAN / sorted.length) * total
  return sorted.flatMap(
    ([hash, square]): CappedBlocks =>
      // Rounded: the order of the entries within a block changes the last bits of its sum.
      square > most ? [[hash, Number((most / square).toPrecision(6))]] : [],
  )
}

/** The weight of each entry; undefined where all blocks have weight 1. */
export function weightEntries(
  tensor: SparseTensor,
  by: FoldBy,
  seed: number,
  capped: CappedBlocks,
): Float32Array | undefined {
  if (capped.length === 0) return undefined
  const weightOf = new Map(capped)
  const hashes = groupHashes(tensor, by, seed)
  const weights = new Float32Array(hashes.length)
  for (let e = 0; e < weights.length; e++) weights[e] = weightOf.get(hashes[e]) ?? 1
  return weights
}
