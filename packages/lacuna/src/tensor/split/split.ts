/**
 * Random splits of entries into train, validation and test, by seed and coordinates: the order of the entries
 * is irrelevant.
 */
import { InputError } from '../../base/inputError.ts'
import { checkSeed, hashIndex, mix, purpose, stream } from '../../base/random.ts'
import { uint32Array } from '../../base/sharedArrays.ts'
import type { Communicator } from '../../comm/index.ts'
import { checkDeferred } from '../duplicates/deferredCheck.ts'
import { type CoordinateOrder, coordinateOrder } from '../order/coordinateOrder.ts'
import { pickEntries } from '../pickEntries.ts'
import { countEntries } from '../scatter.ts'
import type { SparseTensor } from '../sparseTensor.ts'

/** The fractions of the entries that are held out. */
export interface SplitFractions {
  /** Fraction of the entries held out for stopping and tuning, in [0, 1); 0 by default. */
  validation?: number
  /** Fraction of the entries held out for the final evaluation, in [0, 1); 0 by default. */
  test?: number
}

/** Training entries and held-out sets, each with the sizes and labels of the whole tensor. */
export interface Split {
  /** Entries to train on. */
  train: SparseTensor
  /** Entries held out for stopping and tuning. */
  validation: SparseTensor
  /** Entries held out for the final evaluation. */
  test: SparseTensor
}

/** The number of the training set in an array with the set of every entry. */
export const TRAIN = 0
/** The number of the validation set. */
export const VALIDATION = 1
/** The number of the test set. */
export const TEST = 2

/**
 * Splits the entries into train, validation and test, uniformly at random by seed and coordinates. A set has
 * its fraction of the entries, rounded, but at least one entry where the fraction is above 0: the error of an
 * empty set would be 0 / 0. Throws if no entry is left to train on.
 */
export function split(tensor: SparseTensor, fractions: SplitFractions, seed: number): Split {
  checkSeed(seed)
  const [, validation, test] = splitSizes(tensor.values.length, fractions)
  const order = coordinateOrder(tensor, stream(seed, purpose.split))
  const isTest = isAmongFirst(order, test)
  const isHeldOut = isAmongFirst(order, test + validation)
  const sets = new Uint8Array(tensor.values.length)
  for (let e = 0; e < sets.length; e++) sets[e] = isTest(e) ? TEST : isHeldOut(e) ? VALIDATION : TRAIN
  return pickSets(tensor, sets)
}

/** The sort key of an entry: its hash, its coordinates and its value, compared in this order. */
type SortKey = readonly number[]

/**
 * Splits the entries of all processes into the sets that `split` gives in one process.
 * @param shard the entries of this process
 * @returns the entries of this process in each set
 */
export async function splitShard(
  communicator: Communicator,
  shard: SparseTensor,
  fractions: SplitFractions,
  seed: number,
): Promise<Split> {
  if (communicator.size === 1) return split(shard, fractions, seed)
  checkSeed(seed)
  const { indices, values } = shard
  const total = await countEntries(communicator, shard)
  const [, validation, test] = splitSizes(total, fractions)
  const key = stream(seed, purpose.split)
  const hashOf = (e: number): number => mix(indices.reduce((hash, column) => hashIndex(hash, column[e]), key))
  const sortKeyOf = (e: number): SortKey => [hashOf(e), ...indices.map((column) => column[e]), values[e]]

  // Entries are counted by the upper 16 bits of their hashes; only those of the decisive bucket are gathered
  // and sorted.
  const counts = uint32Array(2 ** 16)
  for (let e = 0; e < values.length; e++) counts[hashOf(e) >>> 16]++
  await communicator.allReduce(counts)
  const lastOfFirst = async (count: number): Promise<SortKey | undefined> => {
    if (count === 0) return undefined
    let [before, bucket] = [0, 0]
    while (before + counts[bucket] < count) before += counts[bucket++]
    const near: number[] = []
    for (let e = 0; e < values.length; e++) if (hashOf(e) >>> 16 === bucket) near.push(...sortKeyOf(e))
    const width = indices.length + 2
    const keys = (await communicator.allGatherNumbers(...near)).flatMap((numbers) =>
      Array.from({ length: numbers.length / width }, (_, i) => numbers.slice(i * width, (i + 1) * width)),
    )
    return keys.sort(compareKeys)[count - 1 - before]
  }
  const lastOfTest = await lastOfFirst(test)
  const lastHeldOut = await lastOfFirst(test + validation)
  const isUpTo = (e: number, hash: number, last: SortKey | undefined): boolean =>
    last !== undefined && (hash === last[0] ? compareKeys(sortKeyOf(e), last) <= 0 : hash < last[0])

  const sets = new Uint8Array(values.length)
  for (let e = 0; e < values.length; e++) {
    const hash = hashOf(e)
    sets[e] = isUpTo(e, hash, lastOfTest) ? TEST : isUpTo(e, hash, lastHeldOut) ? VALIDATION : TRAIN
  }
  return pickSets(shard, sets)
}

/** Compares two sort keys lexicographically, which gives the order of coordinateOrder. */
function compareKeys(a: SortKey, b: SortKey): number {
  const at = a.findIndex((number, i) => number !== b[i])
  return at < 0 ? 0 : a[at] - b[at]
}

/**
 * Returns a predicate: whether an entry is among the first `count` in the order.
 * @param isPicked restricts the order to some entries
 */
export function isAmongFirst(
  order: CoordinateOrder,
  count: number,
  isPicked?: (entry: number) => boolean,
): (entry: number) => boolean {
  if (count === 0) return () => false
  const last = order.at(count - 1, isPicked)
  const border = order.hash(last)
  return (entry) => {
    const hash = order.hash(entry)
    return hash === border ? !order.isBefore(last, entry) : hash < border
  }
}

/**
 * Returns the numbers of entries of train, validation and test; throws if train would have none.
 * @param total the number of all entries
 */
export function splitSizes(total: number, fractions: SplitFractions): [number, number, number] {
  const [validation, test] = heldOutFractions(fractions).map((fraction) =>
    fraction > 0 ? Math.max(1, Math.round(fraction * total)) : 0,
  )
  const train = total - validation - test
  if (train < 1)
    throw new InputError(
      'empty',
      `Holding out ${validation} + ${test} of ${total} entries leaves none to learn from.`,
    )
  return [train, validation, test]
}

/** Returns the fractions of validation and test, 0 by default; throws if one is outside [0, 1). */
export function heldOutFractions({ validation = 0, test = 0 }: SplitFractions): [number, number] {
  for (const fraction of [validation, test])
    if (!(fraction >= 0 && fraction < 1))
      throw new InputError('option', `A held-out share is ${fraction}; it must lie in [0, 1).`)
  return [validation, test]
}

/**
 * Divides the entries of a tensor into sets.
 * @param sets the set of every entry: TRAIN, VALIDATION or TEST
 */
export function pickSets(tensor: SparseTensor, sets: Uint8Array): Split {
  const checked = checkDeferred(tensor)
  const sizes = [0, 0, 0]
  for (let e = 0; e < sets.length; e++) sizes[sets[e]]++
  const entries = sizes.map((size) => new Uint32Array(size))
  const filled = [0, 0, 0]
  for (let e = 0; e < sets.length; e++) entries[sets[e]][filled[sets[e]]++] = e
  const [train, validation, test] = entries.map((numbers) => pickEntries(checked, numbers))
  return { train, validation, test }
}
