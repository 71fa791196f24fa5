import { InputError } from '../inputError.ts'
import { checkSeed, purpose, stream } from '../random.ts'
import { deal } from './deal.ts'
import { pickEntries, type SparseTensor } from './sparseTensor.ts'

export interface SplitShares {
  /** Share of the entries held out for stopping and tuning, in [0, 1). */
  validation?: number
  /** Share of the entries held out for the final verdict, in [0, 1). */
  test?: number
}

export interface Split {
  train: SparseTensor
  validation: SparseTensor
  test: SparseTensor
}

/** The parts by number, in the order in which functions here speak of them. */
export const TRAIN = 0
export const VALIDATION = 1
export const TEST = 2

/**
 * Divides the entries into train, validation and test, uniformly at random by seed. A part has its share of
 * the entries, rounded, but at least one entry where the share is above 0: its error would be 0 / 0.
 */
export function split(tensor: SparseTensor, shares: SplitShares, seed: number): Split {
  checkSeed(seed)
  const sizes = partSizes(tensor.values.length, shares)
  const parts = new Uint8Array(tensor.values.length)
  deal(sizes, stream(seed, purpose.split), (entry, part) => {
    parts[entry] = part
  })
  return pickParts(tensor, parts)
}

/** How many entries train, validation and test get. */
export function partSizes(total: number, shares: SplitShares): [number, number, number] {
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
