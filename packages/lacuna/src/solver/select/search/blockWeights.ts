/**
 * Weights of entries in the criterion by which trials are compared. Where folds are made of blocks, a single
 * block, such as a holiday of one station, can have half of the squared error; which trial is best would be
 * decided by it. No block counts for more than a small fraction of the squared error of the first trial.
 */
import { foldError } from '../../../model/index.ts'
import {
  entriesOfFold,
  type FoldBy,
  groupHashes,
  isByEntry,
  type SparseTensor,
} from '../../../tensor/index.ts'
import type { CrossFit } from '../crossFit/index.ts'

/** Weights of the blocks that are capped, by the hash of the block; others have weight 1. Plain data. */
export type CappedBlocks = [hash: number, weight: number][]

/** The largest fraction of the squared error that a block may have. */
const LARGEST_FRACTION = 0.01
/** Blocks may have this many times their mean squared error, where they are few. */
const TIMES_MEAN = 10
/** Buckets of blocks, by their hash. */
const BUCKETS = 2 ** 20

/**
 * Finds the blocks with more than LARGEST_FRACTION of the squared error of a trial, and the weights with which
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
  const squareOf = (e: number): number => (tensor.values[e] - predictions[e]) ** 2
  // Sums by a part of the hash come first: blocks may be as many as entries, more than a map can hold.
  const sums = new Float64Array(BUCKETS)
  const bucketOf = (e: number): number => hashes[e] % BUCKETS
  const isOccupied = new Uint8Array(BUCKETS)
  for (let e = 0; e < hashes.length; e++) {
    sums[bucketOf(e)] += squareOf(e)
    isOccupied[bucketOf(e)] = 1
  }
  const total = sums.reduce((sum, square) => sum + square, 0)
  const occupied = isOccupied.reduce((count, is) => count + is, 0)
  // Where blocks are many, their number does not matter.
  const blocks = occupied < TIMES_MEAN / LARGEST_FRACTION ? new Set(hashes).size : occupied
  const most = Math.max(LARGEST_FRACTION, TIMES_MEAN / blocks) * total
  const squares = new Map<number, number>()
  for (let e = 0; e < hashes.length; e++)
    if (sums[bucketOf(e)] > most) squares.set(hashes[e], (squares.get(hashes[e]) ?? 0) + squareOf(e))
  // Sorted, so that the list does not depend on the order of the entries.
  const sorted = [...squares].sort(([a], [b]) => a - b)
  return sorted.flatMap(
    ([hash, square]): CappedBlocks =>
      // Rounded: the order of the entries changes the last bits of the sums.
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

/** The blocks whose influence on the criterion of a search is limited: those of its first trial. */
export class BlockLimits {
  readonly #problem: { tensor: SparseTensor; by: FoldBy; seed: number }
  #capped: CappedBlocks | undefined
  #weights: Float32Array | undefined

  /**
   * @param problem entries, what stays together in a fold, and the seed of the folds
   * @param saved the blocks of a search that was saved; not known before the first trial
   */
  constructor(problem: { tensor: SparseTensor; by: FoldBy; seed: number }, saved?: CappedBlocks) {
    this.#problem = problem
    if (saved) this.#set(saved)
  }

  /** The blocks and their weights; undefined before the first trial. */
  get capped(): CappedBlocks | undefined {
    return this.#capped
  }

  /** Weights of the entries in the criterion; undefined where all are 1. */
  get weights(): Float32Array | undefined {
    return this.#weights
  }

  /** Finds the blocks by the first trial, and adds their capped errors to its errors. */
  setBy({ foldErrors, predictions, folds }: CrossFit): void {
    const { tensor, by, seed } = this.#problem
    this.#set(capBlocks(tensor, by, seed, predictions))
    const weights = this.#weights
    if (!weights) return
    foldErrors.forEach((_, fold) => {
      const entries = entriesOfFold(folds, fold)
      foldErrors[fold] = foldError(tensor.values, predictions, entries, weights)
    })
  }

  #set(capped: CappedBlocks): void {
    const { tensor, by, seed } = this.#problem
    this.#capped = capped
    this.#weights = weightEntries(tensor, by, seed, capped)
  }
}
