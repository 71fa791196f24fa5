/** The mean weight of a set of entries. */
import { InputError } from '../../../base/inputError.ts'
import type { Communicator } from '../../../comm/index.ts'
import { type SparseTensor, unitOf } from '../../../tensor/index.ts'

/**
 * The mean weight of a set's entries over all processes; undefined if they have no weights. Weights are
 * divided by it, so that λ and σ² have the same scale as without weights. The bits depend neither on the
 * order of the entries nor on which process has them. Throws an InputError if a weight is not positive and
 * finite.
 * @param describeEntry names an entry in messages, such as `Entry 5`
 */
export async function meanWeightOf(
  communicator: Communicator,
  { values, weights }: SparseTensor,
  describeEntry: (entry: number) => string,
): Promise<number | undefined> {
  const own = await communicator.failTogether(() =>
    largestWeight(weights ?? new Float32Array(), describeEntry),
  )
  const all = await communicator.allGatherNumbers(weights ? 1 : 0, own, values.length)
  const isWeighted = ([has, , entries]: readonly number[]): boolean => has === 1 || entries === 0
  if (!all.some(([has]) => has === 1)) return undefined
  if (!all.every(isWeighted)) throw new Error('Some processes have entries with weights, and others without.')
  const unit = unitOf({ min: 0, max: Math.max(...all.map(([, most]) => most)) })
  let sum = 0
  for (const weight of weights ?? []) sum += Math.round(weight / unit)
  const sums = await communicator.allGatherNumbers(sum)
  // Whole numbers: the order of the additions does not matter.
  const total = sums.reduce((total, [one]) => total + one, 0)
  return (total * unit) / all.reduce((count, [, , entries]) => count + entries, 0)
}

/** The largest weight, 0 if there is none; throws an InputError if one is not positive and finite. */
function largestWeight(weights: Float32Array, describeEntry: (entry: number) => string): number {
  let most = 0
  for (let e = 0; e < weights.length; e++) {
    const weight = weights[e]
    if (!(weight > 0 && weight < Infinity))
      throw new InputError(
        'value',
        `${describeEntry(e)} has the weight ${weight}; weights must be finite and above 0.`,
      )
    if (weight > most) most = weight
  }
  return most
}
