import { InputError } from '../inputError.ts'
import { draw, purpose, stream, unit } from '../random.ts'
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
 * Deals the entries into train, validation and test, uniformly at random by seed, with exact counts: each
 * part takes the next entry with probability (still wanted) / (still to come), the other parts aside.
 */
export function split(tensor: SparseTensor, shares: SplitShares, seed: number): Split {
  const total = tensor.values.length
  const wanted = [shares.validation ?? 0, shares.test ?? 0]
  for (const share of wanted)
    if (!(share >= 0 && share < 1))
      throw new InputError(`A held-out share is ${share}; it must lie in [0, 1).`)
  const counts = wanted.map((share) => Math.round(share * total))
  const trainCount = total - counts[0] - counts[1]
  if (trainCount < 1)
    throw new InputError(
      `Holding out ${counts[0]} + ${counts[1]} of ${total} entries leaves none to learn from.`,
    )

  const parts = [trainCount, ...counts].map((count) => new Uint32Array(count))
  const left = parts.map((part) => part.length)
  const key = stream(seed, purpose.split)
  for (let e = 0; e < total; e++) {
    let ticket = unit(draw(key, e)) * (total - e)
    let part = 0
    while (part < 2 && (ticket >= left[part] || left[part] === 0)) ticket -= left[part++]
    while (left[part] === 0) part--
    parts[part][parts[part].length - left[part]] = e
    left[part]--
  }
  const [train, validation, test] = parts.map((part) => pickEntries(tensor, part))
  return { train, validation, test }
}
