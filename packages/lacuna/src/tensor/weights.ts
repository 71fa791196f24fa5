/** How much entries count: numbers from 0, in proportion. What counts nothing is left out, as if nobody had listed it. */
import { InputError } from '../base/inputError.ts'

export function checkWeights(weights: Float32Array, where: (entry: number) => string): void {
  for (let e = 0; e < weights.length; e++) {
    if (weights[e] >= 0 && weights[e] < Infinity) continue
    throw new InputError(
      'value',
      `${where(e)}: the weight is ${weights[e]}; weights must be finite and not negative (0 leaves the entry out).`,
    )
  }
}

/** The entries of a weight above 0; undefined if all are. */
export function countingEntries(weights: Float32Array): Uint32Array | undefined {
  if (!weights.includes(0)) return undefined
  const counting: number[] = []
  for (let e = 0; e < weights.length; e++) if (weights[e] > 0) counting.push(e)
  if (counting.length === 0)
    throw new InputError('empty', 'All entries have the weight 0: there is nothing to learn from.')
  return Uint32Array.from(counting)
}
