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

/**
 * Divides the entries into train, validation and test, uniformly at random by seed. A part has its share of
 * the entries, rounded, but at least one entry where the share is above 0: its error would be 0 / 0.
 */
export function split(tensor: SparseTensor, shares: SplitShares, seed: number): Split {
  checkSeed(seed)
  const total = tensor.values.length
  const [validationCount, testCount] = [shares.validation ?? 0, shares.test ?? 0].map((share) => {
    if (!(share >= 0 && share < 1))
      throw new InputError(`A held-out share is ${share}; it must lie in [0, 1).`)
    return share > 0 ? Math.max(1, Math.round(share * total)) : 0
  })
  const trainCount = total - validationCount - testCount
  if (trainCount < 1)
    throw new InputError(
      `Holding out ${validationCount} + ${testCount} of ${total} entries leaves none to learn from.`,
    )

  const parts = [trainCount, validationCount, testCount].map((count) => new Uint32Array(count))
  const filled = [0, 0, 0]
  deal([trainCount, validationCount, testCount], stream(seed, purpose.split), (entry, part) => {
    parts[part][filled[part]++] = entry
  })
  const [train, validation, test] = parts.map((part) => pickEntries(tensor, part))
  return { train, validation, test }
}
