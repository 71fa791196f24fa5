/** Weights of entries: finite numbers from 0; an entry of weight 0 is left out. */
import { InputError } from '../base/inputError.ts'

/** Refuses weights that are negative or not finite. @param where names an entry in messages */
export function checkWeights(weights: Float32Array, where: (entry: number) => string): void {
  for (let e = 0; e < weights.length; e++) {
    if (weights[e] >= 0 && weights[e] < Infinity) continue
    throw new InputError(
      'value',
      `${where(e)}: the weight is ${weights[e]}; weights must be finite and not negative (0 leaves the entry out).`,
    )
  }
}

/**
 * Returns the numbers of the entries whose weight is above 0, or undefined if no weight is 0. Throws if all
 * are 0.
 */
export function entriesWithWeight(weights: Float32Array): Uint32Array | undefined {
  if (!weights.includes(0)) return undefined
  const found: number[] = []
  for (let e = 0; e < weights.length; e++) if (weights[e] > 0) found.push(e)
  if (found.length === 0)
    throw new InputError('empty', 'All entries have the weight 0: there is nothing to learn from.')
  return Uint32Array.from(found)
}
