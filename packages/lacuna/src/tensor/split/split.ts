import { InputError } from '../../base/inputError.ts'
import { checkSeed, purpose, stream } from '../../base/random.ts'
import { type CoordinateOrder, coordinateOrder } from '../order/coordinateOrder.ts'
import { pickEntries, type SparseTensor } from '../sparseTensor.ts'

/** Fractions of the entries that are held out; 0 by default. */
export interface SplitFractions {
  /** Share of the entries held out for stopping and tuning, in [0, 1). */
  validation?: number
  /** Share of the entries held out for the final verdict, in [0, 1). */
  test?: number
}

/** Disjoint sets of the entries of a tensor. */
export interface Split {
  /** Entries to train on. */
  train: SparseTensor
  /** Entries held out for stopping and tuning. */
  validation: SparseTensor
  /** Entries held out for the final evaluation. */
  test: SparseTensor
}

/** The parts by number, in the order in which functions here speak of them. */
export const TRAIN = 0
export const VALIDATION = 1
export const TEST = 2

/**
 * Divides the entries into train, validation and test, uniformly at random by seed and coordinates. A part has its share
 * of the entries, rounded, but at least one entry where the share is above 0: its error would be 0 / 0.
 */
export function split(tensor: SparseTensor, shares: SplitFractions, seed: number): Split {
  checkSeed(seed)
  const [, validation, test] = partSizes(tensor.values.length, shares)
  const order = coordinateOrder(tensor, stream(seed, purpose.split))
  const isTest = isAmongFirst(order, test)
  const isHeldOut = isAmongFirst(order, test + validation)
  const parts = new Uint8Array(tensor.values.length)
  for (let e = 0; e < parts.length; e++) parts[e] = isTest(e) ? TEST : isHeldOut(e) ? VALIDATION : TRAIN
  return pickParts(tensor, parts)
}

/** Tells whether an entry is one of the first `count` of those that are picked. */
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

/** How many entries train, validation and test get. */
export function partSizes(total: number, shares: SplitFractions): [number, number, number] {
  const [validation, test] = [shares.validation ?? 0, shares.test ?? 0].map((share) => {
    if (!(share >= 0 && share < 1))
      throw new InputError('option', `A held-out share is ${share}; it must lie in [0, 1).`)
    return share > 0 ? Math.max(1, Math.round(share * total)) : 0
  })
  const train = total - validation - test
  if (train < 1)
    throw new InputError(
      'empty',
      `Holding out ${validation} + ${test} of ${total} entries leaves none to learn from.`,
    )
  return [train, validation, test]
}

/** The parts themselves, each with the tensor's sizes and labels, by the part of every entry. */
export function pickParts(tensor: SparseTensor, parts: Uint8Array): Split {
  const sizes = [0, 0, 0]
  for (let e = 0; e < parts.length; e++) sizes[parts[e]]++
  const entries = sizes.map((size) => new Uint32Array(size))
  const filled = [0, 0, 0]
  for (let e = 0; e < parts.length; e++) entries[parts[e]][filled[parts[e]]++] = e
  const [train, validation, test] = entries.map((part) => pickEntries(tensor, part))
  return { train, validation, test }
}
